package taskcsv

import (
	"cmp"
	"slices"
)

// change is a change of the memory allocated on a node.
type change struct {
	node      int32
	at, bytes int64
}

// memory adds how much memory is allocated over time on each node, as far as
// tasks say: it begins at 0.
func (t *table) memory(managers map[int32]int32) {
	changes := t.changes()
	if changes == nil {
		return
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.at, b.at)) })
	s := &t.b.Run.Sample
	metric, used, first := s.Metric.Intern("Used (MB)"), 0.0, slices.Min(t.b.Run.Task.Start)
	add := func(node int32, at int64) {
		s.Metric.AppendIndex(metric)
		s.Resource = append(s.Resource, managers[node])
		s.Time, s.Value = append(s.Time, at), append(s.Value, used/(1<<20))
	}
	for i, e := range changes {
		if i == 0 || changes[i-1].node != e.node {
			if used = 0; first < e.at {
				add(e.node, first)
			}
		}
		if used += float64(e.bytes); i+1 == len(changes) || changes[i+1].at != e.at || changes[i+1].node != e.node {
			add(e.node, e.at)
		}
	}
	t.b.Run.Derived("sample.value", "Used (MB): sum of the changes of memory that tasks name")
}

// changes of memory that tasks name.
func (t *table) changes() (all []change) {
	if t.startBytes == nil {
		return nil
	}
	c := &t.b.Run.Task
	for i := range t.rows() {
		node := int32(0)
		if t.node != nil {
			node = t.node[i]
		}
		for _, e := range []change{{node, c.Start[i], t.startBytes[i]}, {node, c.End[i], t.endBytes[i]}} {
			if e.bytes != 0 {
				all = append(all, e)
			}
		}
	}
	return all
}
