package taskcsv

import (
	"slices"
)

// change is a change of the memory allocated.
type change struct{ at, bytes int64 }

// memory adds how much memory is allocated over time, as far as tasks say: it
// begins at 0.
func (t *table) memory(manager int32) {
	if t.startBytes == nil {
		return
	}
	c, changes := &t.b.Run.Task, []change(nil)
	for i := range t.rows() {
		for _, e := range []change{{c.Start[i], t.startBytes[i]}, {c.End[i], t.endBytes[i]}} {
			if e.bytes != 0 {
				changes = append(changes, e)
			}
		}
	}
	if changes == nil {
		return
	}
	slices.SortFunc(changes, func(a, b change) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	s := &t.b.Run.Sample
	metric, used := s.Metric.Intern("Used (MB)"), 0.0
	add := func(at int64) {
		s.Metric.AppendIndex(metric)
		s.Resource = append(s.Resource, manager)
		s.Time, s.Value = append(s.Time, at), append(s.Value, used/(1<<20))
	}
	if first := slices.Min(c.Start); first < changes[0].at {
		add(first)
	}
	for i, e := range changes {
		if used += float64(e.bytes); i+1 == len(changes) || changes[i+1].at != e.at {
			add(e.at)
		}
	}
	t.derived("sample.value", "Used (MB): sum of the changes of memory that tasks name")
}
