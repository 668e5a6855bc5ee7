package plain

// queue is a policy: ready tasks are pushed to it, and workers pop from it.
type queue interface {
	// push adds a task that became ready when a task ended on worker by, none if
	// it became ready when the program submitted it.
	push(t, by int32)
	// pop takes a task for a worker, none if it has to wait.
	pop(worker int32) int32
	// length is how many tasks there are.
	length() int
}

// newQueue creates the policy.
func newQueue(e *engine) queue {
	levels := newLevels(e.g.Priority)
	switch e.o.Policy {
	case "eager":
		return newCentral(e, newLevels(nil))
	case "lws":
		return newLocal(e, levels, true)
	case "ws":
		return newLocal(e, newLevels(nil), false)
	case earliestFinishName:
		return newEarliestFinish(e, newLevels(nil))
	case earliestFinishPrioName:
		return newEarliestFinish(e, levels)
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
