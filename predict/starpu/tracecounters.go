package starpu

import (
	"slices"

	"dagscope/trace"
)

// counters adds the numbers of ready and of submitted tasks, and how much of
// each memory is allocated.
func (t *tracer) counters() {
	l := &t.e.log
	t.counter("Number of Ready Tasks", l.ready, l.detail.popped)
	t.counter("Number of Submitted Uncompleted Tasks", l.submit, l.over)
	trace.Reserve(len(l.detail.memoryUses)+len(t.managers), &t.b.Run.Sample.Time)
	trace.Reserve(len(l.detail.memoryUses)+len(t.managers), &t.b.Run.Sample.Value)
	for memory, resource := range t.managers {
		t.sample("Used (MB)", resource, t.beginning(), 0)
		for _, u := range l.detail.memoryUses {
			if u.memory == int32(memory) {
				t.sample("Used (MB)", resource, t.e.nanoseconds(u.at), float64(u.bytes)/(1<<20))
			}
		}
	}
}

// beginning is when the program began, in ns.
func (t *tracer) beginning() int64 {
	return t.e.nanoseconds(t.e.zero - float64(t.e.o.Before)*microsecond)
}

// counter adds the number of tasks between two dates of each.
func (t *tracer) counter(metric string, from, to []int64) {
	up, down := t.dates(from), t.dates(to)
	n := 1
	steps(up, down, func(int64, int) { n++ })
	s := &t.b.Run.Sample
	trace.Reserve(n, &s.Metric.Index, &s.Resource)
	trace.Reserve(n, &s.Time)
	trace.Reserve(n, &s.Value)
	t.sample(metric, t.scheduler, t.beginning(), 0)
	steps(up, down, func(at int64, count int) { t.sample(metric, t.scheduler, at, float64(count)) })
}

// dates of the tasks that ran, sorted.
func (t *tracer) dates(of []int64) []int64 {
	sorted := make([]int64, 0, len(of))
	for i, at := range of {
		if t.r.Worker[i] >= 0 {
			sorted = append(sorted, at)
		}
	}
	slices.Sort(sorted)
	return sorted
}

// steps calls add with the number of ups less that of downs after each instant
// at which there is one. Both are sorted.
func steps(up, down []int64, add func(at int64, count int)) {
	i, k := 0, 0
	for i < len(up) || k < len(down) {
		at := int64(0)
		if k == len(down) || i < len(up) && up[i] < down[k] {
			at = up[i]
		} else {
			at = down[k]
		}
		for ; i < len(up) && up[i] == at; i++ {
		}
		for ; k < len(down) && down[k] == at; k++ {
		}
		add(at, i-k)
	}
}

func (t *tracer) sample(metric string, resource int32, at int64, value float64) {
	s := &t.b.Run.Sample
	s.Metric.Append(metric)
	s.Resource = append(s.Resource, resource)
	s.Time, s.Value = append(s.Time, at), append(s.Value, value)
}
