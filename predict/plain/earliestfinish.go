package plain

import "math"

// earliestFinish has a list for each worker, and puts a ready task into that of the
// worker where it should end first, of several the first (dm, dmdas).
type earliestFinish struct {
	e      *engine
	levels *levels
	lists  []*list
	until  []int64 // by worker: when its list is expected to end
	total  int
}

func newEarliestFinish(e *engine, l *levels) *earliestFinish {
	q := &earliestFinish{e: e, levels: l, until: make([]int64, len(e.o.Workers))}
	for range e.o.Workers {
		q.lists = append(q.lists, newList(l, e.next))
	}
	return q
}

func (q *earliestFinish) length() int { return q.total }

func (q *earliestFinish) push(t, _ int32) {
	best, end := none, int64(math.MaxInt64)
	for w := range int32(len(q.lists)) {
		if ns := q.e.o.duration(q.e.g, t, q.e.o.Workers[w]); ns > 0 {
			if at := max(q.until[w], q.e.now) + q.e.o.Overhead + ns; at < end {
				best, end = w, at
			}
		}
	}
	q.until[best] = end
	q.lists[best].push(t, q.e.level(q.levels, t))
	q.total++
}

func (q *earliestFinish) pop(worker int32) int32 {
	t := q.lists[worker].pop()
	if t != none {
		q.total--
	}
	return t
}
