package trace

import "fmt"

// decisions: known kinds, in the order of time, about workers; queues that hold
// what is taken from them.
func (v *validator) decisions() {
	d := &v.run.Decision
	v.oneOf("decision", "kind", &d.Kind, DecisionPush, DecisionTake, DecisionPop, DecisionSteal, DecisionPlan)
	worker := v.workers()
	sizes := make([]int32, len(d.Queue.Dict)) // of queues
	for i, t := range d.Time {
		if t == NoTime {
			v.add("decision", "time", i, "a time", t)
		} else if i > 0 && t < d.Time[i-1] {
			v.add("decision", "time", i, "rows sorted by time", t, "after", d.Time[i-1])
		}
		v.isWorker("decision", "worker", i, d.Worker[i], worker)
		v.isWorker("decision", "by", i, d.By[i], worker)
		v.isWorker("decision", "owner", i, d.Owner[i], worker)
		kind := d.Kind.text(i)
		if takes := kind == DecisionPop || kind == DecisionSteal || kind == DecisionPlan; takes && d.Worker[i] == None {
			v.add("decision", "worker", i, "a worker that is to run the task", d.Worker[i], "of kind", kind)
		}
		v.moves(i, kind, sizes)
	}
	v.horizon("decision", "time", d.Time)
}

// moves follows the sizes of queues through the i-th decision.
func (v *validator) moves(i int, kind string, sizes []int32) {
	d := &v.run.Decision
	q, place := d.Queue.Index[i], d.Place[i]
	if kind == DecisionPlan {
		if place != None {
			v.add("decision", "place", i, "no place in a plan", place)
		}
		return
	}
	if !within(q, len(sizes)) || sizes[q] < 0 {
		return
	}
	maxPlace, change := sizes[q], int32(1)
	if kind != DecisionPush {
		maxPlace, change = sizes[q]-1, -1
	}
	if place < 0 || place > maxPlace {
		v.add("decision", "place", i, "a place in the queue as earlier rows left it",
			place, fmt.Sprintf("of %d tasks in %s, %s", sizes[q], d.Queue.text(i), kind))
		sizes[q] = -1 // what follows says nothing new
		return
	}
	sizes[q] += change
}

// isWorker checks that a reference is none or a resource that runs tasks.
func (v *validator) isWorker(table, column string, row int, ref int32, worker []bool) {
	if within(ref, len(worker)) && !worker[ref] {
		v.add(table, column, row, "a resource of level worker", ref, "of level", v.run.Resource.Level.text(int(ref)))
	}
}

// estimates: of workers, sorted, none twice.
func (v *validator) estimates() {
	e := &v.run.Estimate
	worker := v.workers()
	for i, w := range e.Worker {
		v.isWorker("estimate", "worker", i, w, worker)
		if e.Implementation[i] < 0 {
			v.add("estimate", "implementation", i, "no negative number", e.Implementation[i])
		}
		if i > 0 && !e.less(i-1, i) {
			v.add("estimate", "decision", i, "rows sorted by decision, worker and implementation, none twice",
				e.Decision[i], w, e.Implementation[i], "after", e.Decision[i-1], e.Worker[i-1], e.Implementation[i-1])
		}
	}
}

func (e *Estimates) less(i, j int) bool {
	if e.Decision[i] != e.Decision[j] {
		return e.Decision[i] < e.Decision[j]
	}
	if e.Worker[i] != e.Worker[j] {
		return e.Worker[i] < e.Worker[j]
	}
	return e.Implementation[i] < e.Implementation[j]
}
