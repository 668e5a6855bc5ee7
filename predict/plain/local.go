package plain

// local has a list for each worker, which steals from the next worker that has
// tasks when its own list is empty (ws, lws).
type local struct {
	e         *engine
	levels    *levels
	lists     []*list
	nonEmpty  set // workers whose lists have tasks
	turn      int32
	keepLocal bool // tasks stay where they became ready; otherwise they are pushed in turn
	total     int
}

func newLocal(e *engine, l *levels, near bool) *local {
	q := &local{e: e, levels: l, keepLocal: near, nonEmpty: newSet(len(e.o.Workers))}
	for range e.o.Workers {
		q.lists = append(q.lists, newList(l, e.next))
	}
	return q
}

func (q *local) length() int { return q.total }

// push puts a task into the list of the worker that made it ready, or of the next
// in turn.
func (q *local) push(t, by int32) {
	for by == none || !q.keepLocal || !q.e.can(t, by) {
		by = q.turn
		if q.turn++; int(q.turn) == len(q.lists) {
			q.turn = 0
		}
		if q.e.can(t, by) {
			break
		}
	}
	q.lists[by].push(t, q.e.level(q.levels, t))
	q.nonEmpty.add(by)
	q.total++
}

// can reports whether a worker can run a task.
func (e *engine) can(t, worker int32) bool {
	return e.o.duration(e.g, t, e.o.Workers[worker]) > 0
}

func (q *local) pop(worker int32) int32 {
	if q.total == 0 {
		return none
	}
	for victim := q.nonEmpty.next(worker); victim != none; victim = q.nonEmpty.next(victim + 1) {
		if t := q.popFrom(worker, victim); t != none {
			return t
		}
	}
	for victim := q.nonEmpty.next(0); victim != none && victim < worker; victim = q.nonEmpty.next(victim + 1) {
		if t := q.popFrom(worker, victim); t != none {
			return t
		}
	}
	return none
}

// popFrom takes the first task of a worker's list, if another can run it.
func (q *local) popFrom(worker, from int32) int32 {
	t, _ := q.lists[from].first()
	if t == none || !q.e.can(t, worker) {
		return none
	}
	q.lists[from].pop()
	if q.total--; q.lists[from].length == 0 {
		q.nonEmpty.remove(from)
	}
	return t
}
