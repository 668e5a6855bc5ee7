package plain

import "math"

// earliestFinish has a list for each worker, and puts a ready task into that of the
// worker where it is expected to end first, of several the first. A worker is
// expected to be busy for what its tasks should take; when one ends earlier or
// later, that is known from then on.
type earliestFinish struct {
	e      *engine
	levels *levels
	lists  []*list
	until  []int64 // by worker: when its task is expected to end
	queued []int64 // by worker: how long its list is expected to take
	total  int
}

func newEarliestFinish(e *engine, l *levels) *earliestFinish {
	n := len(e.o.Workers)
	q := &earliestFinish{e: e, levels: l, until: make([]int64, n), queued: make([]int64, n)}
	for range n {
		q.lists = append(q.lists, newList(l, e.next))
	}
	return q
}

func (q *earliestFinish) length() int { return q.total }

// takes is how long a worker is expected to be busy with a task; 0: it cannot run
// it.
func (q *earliestFinish) takes(t, worker int32) int64 {
	if ns := q.e.o.expected(q.e.g, t, q.e.o.Workers[worker]); ns > 0 {
		return q.e.o.Overhead + ns
	}
	return 0
}

// free is when a worker is expected to have done all that it has.
func (q *earliestFinish) free(worker int32) int64 {
	if q.e.idle.has(worker) {
		return q.e.now + q.queued[worker]
	}
	return max(q.until[worker], q.e.now) + q.queued[worker]
}

func (q *earliestFinish) push(t, _ int32) {
	best, end := none, int64(math.MaxInt64)
	for w := range int32(len(q.lists)) {
		if ns := q.takes(t, w); ns > 0 {
			if at := q.free(w) + ns; at < end {
				best, end = w, at
			}
		}
	}
	q.queued[best] += q.takes(t, best)
	q.lists[best].push(t, q.e.level(q.levels, t))
	q.total++
}

func (q *earliestFinish) pop(worker int32) int32 {
	t := q.lists[worker].pop()
	if t != none {
		q.total--
		q.queued[worker] -= q.takes(t, worker)
		q.until[worker] = q.e.now + q.takes(t, worker)
	}
	return t
}
