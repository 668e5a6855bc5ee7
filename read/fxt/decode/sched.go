package decode

import (
	"cmp"
	"slices"
)

// tally counts tasks as the trace tells of them. Threads write their events
// into it not quite in the order of their times: then it is recounted.
type tally struct {
	n    int64
	last int64 // time of the last event
	late bool  // one came after a later one
}

func (t *tally) add(r *rank, metric int32, change int64) {
	t.n += change
	t.late = t.late || r.now < t.last
	t.last = r.now
	r.sample(metric, r.scheduler, r.now, float64(t.n))
}

// recount counts again in the order of time.
func (t *tally) recount(r *rank, metric int32) {
	if !t.late {
		return
	}
	s := &r.out.Sample
	var rows []int32
	for i, m := range s.Metric.Index {
		if m == metric {
			rows = append(rows, int32(i))
		}
	}
	change := make([]float64, len(rows)) // as told, by place in rows
	before := 0.0
	for k, row := range rows {
		change[k], before = s.Value[row]-before, s.Value[row]
	}
	order := make([]int, len(rows))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Time[rows[a]], s.Time[rows[b]]) })
	sum := 0.0
	for _, k := range order {
		sum += change[k]
		s.Value[rows[k]] = sum
	}
}

// pushed is a task that became ready and went to the scheduler.
func pushed(r *rank, a *args) {
	r.traffic.ready.add(r, metricReady, 1)
	r.event(eventPush, r.program, r.traffic.value.number(a.v[0]))
}

// popped is a task that the scheduler gave to a worker.
func popped(r *rank, a *args) {
	r.traffic.ready.add(r, metricReady, -1)
	r.traffic.submitted.add(r, metricSubmitted, -1)
	r.event(eventPop, r.program, r.traffic.value.number(a.v[0]))
}

// counted is the submission of a task.
func counted(r *rank, _ *args) { r.traffic.submitted.add(r, metricSubmitted, 1) }

// finishTallies puts the counts of tasks in the order of time.
func (r *rank) finishTallies() {
	r.traffic.ready.recount(r, metricReady)
	r.traffic.submitted.recount(r, metricSubmitted)
}

var schedBindings = []binding{
	{"JOB_PUSH", []string{"job"}, "event", pushed},
	{"JOB_POP", []string{"job"}, "event", popped},
	{"UPDATE_TASK_CNT", nil, "sample", counted},
}
