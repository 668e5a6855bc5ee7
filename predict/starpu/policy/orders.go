package policy

import (
	"cmp"
	"slices"
)

// orders are a schedule that was made before the run: which worker runs each task,
// and in which order.
type orders struct {
	planned []planned      // by task
	queues  []plannedQueue // by worker
}

// planned is where and when a task is to run.
type planned struct {
	worker int32 // none for a task without work
	place  int32 // position in the order of its worker
}

// plannedQueue holds the tasks of a worker in their planned order.
type plannedQueue struct {
	tasks []int32
	ready []bool // by place
	next  int    // all before have been popped
	done  []bool // by place; nil where the order is kept
}

// newOrders makes orders of the worker and the start of each task. Tasks
// that start at the same time on a worker are in the order of their numbers.
func newOrders[T cmp.Ordered](worker []int32, start []T, workers int) orders {
	o := orders{planned: make([]planned, len(worker)), queues: make([]plannedQueue, workers)}
	byStart := make([]int32, len(worker))
	for i := range byStart {
		byStart[i] = int32(i)
	}
	slices.SortStableFunc(byStart, func(a, b int32) int { return cmp.Compare(start[a], start[b]) })
	for _, i := range byStart {
		w := worker[i]
		o.planned[i].worker = w
		if w != none {
			o.planned[i].place = int32(len(o.queues[w].tasks))
			o.queues[w].tasks = append(o.queues[w].tasks, i)
		}
	}
	for w := range o.queues {
		o.queues[w].ready = make([]bool, len(o.queues[w].tasks))
	}
	return o
}

// readyBefore is how many tasks before a position are ready.
func (q *plannedQueue) readyBefore(place int) (n int) {
	for _, ready := range q.ready[min(q.next, place):place] {
		if ready {
			n++
		}
	}
	return n
}

// markDone marks a position as popped where the order is not kept.
func (q *plannedQueue) markDone(at int) {
	if q.done == nil {
		q.done = make([]bool, len(q.tasks))
	}
	q.done[at] = true
	for q.next < len(q.tasks) && q.done[q.next] {
		q.next++
	}
}
