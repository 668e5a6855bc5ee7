package starpu

import (
	"strconv"

	"dagscope/trace"
)

var decisionNames = [...]string{
	decisionPush: trace.DecisionPush, decisionTake: trace.DecisionTake, decisionPop: trace.DecisionPop,
	decisionSteal: trace.DecisionSteal, decisionPlan: trace.DecisionPlan,
}

// decisions adds what the scheduler did, in order.
func (t *tracer) decisions() {
	m := t.e.decisions
	d, n := &t.b.Run.Decision, len(m.decisions)
	before := int32(len(d.Time))
	trace.Reserve(n, &d.Task, &d.Worker, &d.By, &d.Owner, &d.Place, &d.Kind.Index, &d.Queue.Index)
	trace.Reserve(n, &d.Time)
	trace.Reserve(n, &d.Clock, &d.Best, &d.Alpha, &d.Beta)
	kinds, queues := t.kindNumbers(), t.queueNumbers()
	for i := range m.decisions {
		v := &m.decisions[i]
		owner := int32(none)
		if v.queue != none {
			owner = m.queues[v.queue].owner
		}
		d.Task = append(d.Task, t.rowOf(v.task))
		d.Kind.AppendIndex(kinds[v.kind])
		d.Time = append(d.Time, t.e.nanoseconds(max(v.at, t.e.zero)))
		d.Worker, d.By, d.Owner = append(d.Worker, t.workerRow(v.worker)), append(d.By, t.workerRow(v.by)), append(d.Owner, t.workerRow(owner))
		d.Queue.AppendIndex(queues[v.queue+1])
		d.Place = append(d.Place, v.place)
		d.Clock, d.Best = append(d.Clock, v.basis.Clock), append(d.Best, v.basis.Best)
		d.Alpha, d.Beta = append(d.Alpha, v.basis.Alpha), append(d.Beta, v.basis.Beta)
	}
	t.estimates(before)
}

func (t *tracer) kindNumbers() []int32 {
	numbers := make([]int32, len(decisionNames))
	for i, name := range decisionNames {
		numbers[i] = t.b.Run.Decision.Kind.Intern(name)
	}
	return numbers
}

// queueNumbers are the interned names of queues, after that of none.
func (t *tracer) queueNumbers() []int32 {
	s := &t.b.Run.Decision.Queue
	numbers := []int32{s.Intern("")}
	for _, q := range t.e.decisions.queues {
		switch {
		case q.owner != none:
			q.name = t.b.Run.Resource.Name.At(int(t.workers[q.owner]))
		case t.of != nil:
			q.name = strconv.Itoa(int(t.rank)) + "_" + q.name
		}
		numbers = append(numbers, s.Intern(q.name))
	}
	return numbers
}

func (t *tracer) workerRow(worker int32) int32 {
	if worker == none {
		return trace.None
	}
	return t.workers[worker]
}

// estimates adds the estimates behind decisions. Rows of workers need not
// ascend with their numbers: Finish sorts. before is the number of decisions of
// other nodes.
func (t *tracer) estimates(before int32) {
	m, s := t.e.decisions, &t.b.Run.Estimate
	n := len(m.estimates)
	trace.Reserve(n, &s.Decision, &s.Worker)
	trace.Reserve(n, &s.Available, &s.Queued, &s.Transfer, &s.Duration, &s.End, &s.Fitness)
	s.Implementation = append(s.Implementation, make([]int32, n)...)
	decision := int32(0)
	for i := range m.estimates {
		for int(decision)+1 < len(m.decisions) && int(m.decisions[decision+1].first) <= i {
			decision++
		}
		x := &m.estimates[i]
		s.Decision, s.Worker = append(s.Decision, before+decision), append(s.Worker, t.workers[x.Worker])
		s.Available, s.Queued = append(s.Available, x.Available), append(s.Queued, x.Queued)
		s.Transfer, s.Duration = append(s.Transfer, x.Transfer), append(s.Duration, x.Duration)
		s.End, s.Fitness = append(s.End, x.End), append(s.Fitness, x.Fitness)
	}
}
