package plain

// locks are the data that tasks hold exclusively, and the tasks that wait.
type locks struct {
	held       []bool
	head, tail []int32 // tasks that wait, first in first out
}

func newLocks(n int) locks {
	l := locks{held: make([]bool, n), head: make([]int32, n), tail: make([]int32, n)}
	for i := range l.head {
		l.head[i] = none
	}
	return l
}

// acquire takes all data that a task must have for itself, or none: then it
// waits for the first that another has.
func (e *engine) acquire(t int32) bool {
	mine := e.d.locks(t)
	for _, l := range mine {
		if e.locks.held[l] {
			e.wait(t, l)
			return false
		}
	}
	for _, l := range mine {
		e.locks.held[l] = true
	}
	return true
}

// wait puts a task behind those that wait for data.
func (e *engine) wait(t, l int32) {
	e.next[t] = none
	if e.locks.head[l] == none {
		e.locks.head[l] = t
	} else {
		e.next[e.locks.tail[l]] = t
	}
	e.locks.tail[l] = t
}

// wake gives data to the first that waits for it and can have all of its own;
// others wait for theirs.
func (e *engine) wake(l, by int32) {
	for e.locks.head[l] != none && !e.locks.held[l] {
		t := e.locks.head[l]
		e.locks.head[l] = e.next[t]
		e.ready(t, by)
	}
}
