package plain

import (
	"cmp"
	"math"
	"slices"
)

// queue is a policy: it takes ready tasks, and gives workers theirs.
type queue interface {
	// push takes a ready task that became so as a task ended on a worker, none
	// if it is the program that submitted it.
	push(t, by int32)
	// pop gives a worker a task, none if it has to wait.
	pop(worker int32) int32
	// length is how many tasks there are.
	length() int
}

// newQueue makes the policy.
func newQueue(e *engine) queue {
	levels := newLevels(e.g.Priority)
	switch e.o.Policy {
	case "eager":
		return newCentral(e, newLevels(nil))
	case "lws":
		return newLocal(e, levels, true)
	case "ws":
		return newLocal(e, newLevels(nil), false)
	case "dm":
		return newPlaced(e, newLevels(nil))
	case "dmdas", "heft":
		return newPlaced(e, levels)
	}
	return newCentral(e, levels)
}

// level is that of a task in levels of priorities.
func (e *engine) level(l *levels, t int32) int32 {
	if len(l.of) == 1 {
		return 0
	}
	return l.level(e.g.Priority[t])
}

// central is one list for all workers; with several types of workers one for
// each set of types that can run a task.
type central struct {
	e      *engine
	levels *levels
	types  int
	lists  []*list
	can    []uint64       // by list: a bit for each type
	number map[uint64]int // of sets
	seq    []int64        // by task: when it was pushed; nil with one list
	count  int64
	total  int
}

func newCentral(e *engine, l *levels) *central {
	c := &central{e: e, levels: l, types: e.o.types(), number: make(map[uint64]int)}
	if c.types > 1 {
		c.seq = make([]int64, e.g.Tasks())
	}
	return c
}

func (c *central) length() int { return c.total }

func (c *central) push(t, _ int32) {
	set := uint64(1)
	if c.types > 1 {
		set = c.e.set(t)
		c.seq[t] = c.count
		c.count++
	}
	k, known := 0, len(c.lists) > 0
	if c.types > 1 {
		k, known = c.number[set]
	}
	if !known {
		k = len(c.lists)
		c.number[set] = k
		c.lists, c.can = append(c.lists, newList(c.levels, c.e.next)), append(c.can, set)
	}
	c.lists[k].push(t, c.e.level(c.levels, t))
	c.total++
}

func (c *central) pop(worker int32) int32 {
	if c.total == 0 {
		return none
	}
	best := 0
	if c.types > 1 {
		if best = c.best(c.e.o.Workers[worker]); best < 0 {
			return none
		}
	}
	c.total--
	return c.lists[best].pop()
}

// best is the list with the most urgent task that a type of workers can run.
func (c *central) best(kind int32) int {
	best, task, level := -1, none, none
	for k, q := range c.lists {
		if c.can[k]>>kind&1 == 0 {
			continue
		}
		if t, l := q.first(); t != none && (best < 0 || l > level || l == level && c.seq[t] < c.seq[task]) {
			best, task, level = k, t, l
		}
	}
	return best
}

// set is the types of workers that can run a task, a bit for each.
func (e *engine) set(t int32) (set uint64) {
	for kind := range int32(len(e.o.Durations)) {
		if e.o.Durations[kind][t] > 0 {
			set |= 1 << kind
		}
	}
	return set
}

// local has a list for each worker, which takes from others when its own is
// empty: from the next one that has something.
type local struct {
	e      *engine
	levels *levels
	lists  []*list
	some   set // workers whose lists have tasks
	turn   int32
	near   bool // tasks stay where they became ready; else in turn
	total  int
}

func newLocal(e *engine, l *levels, near bool) *local {
	q := &local{e: e, levels: l, near: near, some: newSet(len(e.o.Workers))}
	for range e.o.Workers {
		q.lists = append(q.lists, newList(l, e.next))
	}
	return q
}

func (q *local) length() int { return q.total }

// push gives a task to the worker that made it ready, or to the next in turn.
func (q *local) push(t, by int32) {
	for by == none || !q.near || !q.e.can(t, by) {
		by = q.turn
		if q.turn++; int(q.turn) == len(q.lists) {
			q.turn = 0
		}
		if q.e.can(t, by) {
			break
		}
	}
	q.lists[by].push(t, q.e.level(q.levels, t))
	q.some.add(by)
	q.total++
}

// can tells whether a worker can run a task.
func (e *engine) can(t, worker int32) bool {
	return e.o.duration(e.g, t, e.o.Workers[worker]) > 0
}

func (q *local) pop(worker int32) int32 {
	if q.total == 0 {
		return none
	}
	for victim := q.some.next(worker); victim != none; victim = q.some.next(victim + 1) {
		if t := q.take(worker, victim); t != none {
			return t
		}
	}
	for victim := q.some.next(0); victim != none && victim < worker; victim = q.some.next(victim + 1) {
		if t := q.take(worker, victim); t != none {
			return t
		}
	}
	return none
}

// take takes the first task of a worker's list, if another can run it.
func (q *local) take(worker, from int32) int32 {
	t, _ := q.lists[from].first()
	if t == none || !q.e.can(t, worker) {
		return none
	}
	q.lists[from].pop()
	if q.total--; q.lists[from].length == 0 {
		q.some.remove(from)
	}
	return t
}

// placed puts a ready task where it is expected to end first, the first worker
// of several: a list for each worker.
type placed struct {
	e      *engine
	levels *levels
	lists  []*list
	until  []int64 // by worker: when what it has been given is expected to end
	total  int
}

func newPlaced(e *engine, l *levels) *placed {
	q := &placed{e: e, levels: l, until: make([]int64, len(e.o.Workers))}
	for range e.o.Workers {
		q.lists = append(q.lists, newList(l, e.next))
	}
	return q
}

func (q *placed) length() int { return q.total }

func (q *placed) push(t, _ int32) {
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

func (q *placed) pop(worker int32) int32 {
	t := q.lists[worker].pop()
	if t != none {
		q.total--
	}
	return t
}

// compare orders changes of memory by time.
func compare(a, b Change) int { return cmp.Compare(a.At, b.At) }

// sorted sorts changes of memory unless they are.
func sorted(c []Change) []Change {
	if !slices.IsSortedFunc(c, compare) {
		slices.SortStableFunc(c, compare)
	}
	return c
}
