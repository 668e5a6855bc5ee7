package starpu

import "slices"

// task of a stop of a patrol.
type op uint8

const (
	opSleep            op = iota // for a microsecond
	opProgress                   // requests of some peers of a memory, in one direction
	opTidyMemChunks              // a memory
	opSkipIdleRequests           // unless requests are under way
	opPendingRequests            // for requests that may be over
	opRequests                   // requests that wait
	opLockUnlock                 // a lock
	opLock                       // a lock, from here
	opUnlock                     // to here
	opSignal                     // wake who lies in a bed
	opWaitReset                  // a bed
	opWait                       // in a bed
	opTaskEvent                  // a task: see turn.go, as for the following
	opGetTask
	opSkipWait
	opPop // a task: see idle.go, as for the following
	opSteal
	opSetSleeping
	opEnterSched
	opRetire
	opRepeat
	opRelaxOn
	opRelaxOff
	opLeaveSched
	opSimcall
)

// stop of a patrol. Workers of one node walk along the same stops as far as they
// can, and nodes take turns: stops are small, so that caches hold them.
type step struct {
	op       op
	dir      direction
	level    level
	end      int32 // where the next peers come
	memory   int32
	peer, to int32  // of a list its peer; else the first peer, and the end of the last
	mutex    *mutex // of the list that is looked into, or of the bed; nil: the worker's own
	size     *int   // of this list
	waiter   *waiter
}

// patrol is an actor's round along lists most of which are empty. The kernel
// walks it, so that the actor need not be resumed for every lock that others
// have in the meantime.
type position struct {
	steps     []step
	at        int
	locked    bool // has the lock of the stop, or waits for it
	signalled bool // what there is to do under it
}

// walk goes from the i-th stop to the first where there is something to do, and
// returns its number, holding its lock; none if there is none.
func (a *actor) runSteps(steps []step, i int) int {
	if i == len(steps) {
		return none
	}
	a.loop = position{steps: steps, at: i}
	if !a.advance() {
		a.yieldTurn()
	}
	a.loop.steps = nil
	if a.loop.at == len(steps) {
		return none
	}
	return a.loop.at
}

// proceed goes on with an actor's round. It returns false when it is another's
// turn, and true when the round is over.
func (a *actor) advance() bool {
	r := &a.loop
	for r.at < len(r.steps) {
		s := &r.steps[r.at]
		switch s.op {
		case opSleep:
			r.at++
			if !a.startSleep(microsecond) {
				return false
			}
		case opProgress:
			r.at++
			if n := &a.k.memoryNodes[s.memory]; n.unfinished[s.dir] == 0 && a.k.ready.count == 1 && !n.needsTidy() {
				a.simcallCount += 8 * int64(s.to-s.peer)
				r.at = int(s.end)
			}
		case opTidyMemChunks:
			if a.k.memoryNodes[s.memory].needsTidy() {
				return true
			}
			r.at++
		case opSkipIdleRequests:
			r.at++
			if a.k.memoryNodes[s.memory].anyPending(s.peer, s.to, s.dir) {
				r.at = int(s.end)
			}
		case opPendingRequests, opRequests, opLockUnlock:
			if some, turn := a.checkList(s); some || !turn {
				return some
			}
		case opUnlock:
			s.lock(a).handOver(a)
			if !a.endStep() {
				return false
			}
		case opPop, opSteal, opSetSleeping, opEnterSched, opRetire, opRepeat:
			if a.tryToPop(s) {
				return true
			}
		case opTaskEvent:
			if a.worker.taskEvent() {
				return true
			}
			r.at++
		case opGetTask:
			if !a.lockStep(s) {
				return false
			}
			if asks, turn := a.getTask(a.worker); asks || !turn {
				return asks
			}
		case opSkipWait:
			r.at++
			if a.worker.progressed || a.worker.kernelDone() {
				r.at++
			}
		case opRelaxOff:
			a.worker.relaxRefcnt--
			r.at++
		case opRelaxOn, opLeaveSched, opSimcall:
			a.broadcastSched(s)
			if !a.endStep() {
				return false
			}
		default:
			if !a.lockStep(s) || !a.underLock(s) {
				return false
			}
		}
	}
	return true
}

// next ends a stop with an operation, and says whether it is still the actor's
// turn.
func (a *actor) endStep() bool {
	r := &a.loop
	r.at++
	r.locked, r.signalled = false, false
	return a.k.ready.simcall(a)
}

// enterStop takes the lock of a stop, and says whether it is the actor's turn
// with it.
func (a *actor) lockStep(s *step) bool {
	if a.loop.locked {
		return true
	}
	a.loop.locked = true
	guard := s.lock(a)
	if guard.owner != nil {
		guard.enqueue(a)
		a.suspend()
		return false
	}
	guard.owner = a
	return a.k.ready.simcall(a)
}

// lock is that of a stop.
func (s *step) lock(a *actor) *mutex {
	switch {
	case s.mutex != nil:
		return s.mutex
	case s.op == opWaitReset || s.op == opWait:
		return &a.worker.wait.mutex
	}
	return &a.worker.schedMutex
}

// couch is the bed of a stop.
func (s *step) waiting(a *actor) *waiter {
	if s.waiter != nil {
		return s.waiter
	}
	return &a.worker.wait
}

// doAtStop does what there is to do under the lock of a stop, and leaves it.
func (a *actor) underLock(s *step) (turn bool) {
	r := &a.loop
	switch s.op {
	case opLock:
		r.at++
		r.locked = false
		return true
	case opWaitReset:
		s.waiting(a).block = true
	case opWait:
		if b := s.waiting(a); b.block {
			a.startWait(&b.cond, &b.mutex)
			return false
		}
	case opSignal:
		if !r.signalled {
			r.signalled = true
			s.waiter.block = false
			if c := &s.waiter.cond; len(c.waiting) > 0 {
				c.signal(a)
			}
			if !a.k.ready.simcall(a) {
				return false
			}
		}
	}
	s.lock(a).handOver(a)
	return a.endStep()
}

// lookInto takes the lock of a list, and releases it if there is nothing.
func (a *actor) checkList(s *step) (found, turn bool) {
	r, k := &a.loop, a.k
	m := s.mutex
	if !r.locked {
		if m.owner == nil && k.ready.count == 1 && *s.size == 0 {
			a.simcallCount += 2
			r.at++
			return false, true
		}
		r.locked = true
		if m.owner != nil {
			m.enqueue(a)
			a.suspend()
			return false, false
		}
		m.owner = a
		if !k.ready.simcall(a) {
			return false, false
		}
	}
	if *s.size != 0 {
		return true, true
	}
	if m.last == nil {
		m.owner = nil
	} else {
		m.handOver(a)
	}
	r.at++
	r.locked = false
	return false, k.ready.simcall(a)
}

var emptyList int

// touchAll locks and unlocks one lock after the other.
func (a *actor) lockUnlockAll(guards ...*mutex) {
	for len(guards) > 0 && a.uncontended(guards[0]) {
		a.simcallCount += 2
		guards = guards[1:]
	}
	if len(guards) == 0 {
		return
	}
	steps := a.scratchSteps[:0]
	for _, m := range guards {
		steps = append(steps, step{op: opLockUnlock, mutex: m, size: &emptyList})
	}
	a.runSteps(steps, 0)
}

// leave takes the actor out of those that are ready.
func (a *actor) suspend() { a.k.ready.remove(a) }

// setPatrols lays out the rounds of workers and of the program.
func (e *engine) setProgressSteps() {
	e.memoryNodes = e.memories
	e.progressLoop = e.progressSteps(0)
	for i, w := range e.workers {
		k := slices.IndexFunc(e.workers[:i], func(v *worker) bool { return slices.Equal(v.memoryNodes, w.memoryNodes) })
		if k >= 0 {
			w.progressLoop = e.workers[k].progressLoop
		} else {
			w.progressLoop = e.progressSteps(w.memoryNodes...)
		}
		if k >= 0 && e.workers[k].device == w.device {
			w.driverLoop = e.workers[k].driverLoop
		} else {
			e.setDriverLoop(w)
		}
	}
}

// patrolOf is the round along the requests of memories: of each, the incoming
// ones of all peers at once, then the outgoing ones by peer.
func (e *engine) progressSteps(memories ...int32) []step {
	var steps []step
	for _, m := range memories {
		steps = append(steps, step{op: opSleep})
		peers := int32(len(e.memories))
		steps = e.appendPeerSteps(steps, step{memory: m, dir: in, to: peers})
		for p := range peers {
			steps = e.appendPeerSteps(steps, step{memory: m, dir: out, peer: p, to: p + 1})
		}
	}
	return steps
}

// beat adds the stops for some peers of a memory, in one direction.
func (e *engine) appendPeerSteps(steps []step, s step) []step {
	from := len(steps)
	lists := e.memories[s.memory].requests
	add := func(op op, peer int32, guard *mutex, size *int) {
		x := s
		x.op, x.peer, x.mutex, x.size = op, peer, guard, size
		steps = append(steps, x)
	}
	add(opProgress, s.peer, nil, nil)
	for p := s.peer; p < s.to; p++ {
		q := &lists[p][s.dir]
		add(opPendingRequests, p, &q.pendingListMutex, &q.pending.size)
	}
	add(opTidyMemChunks, s.peer, nil, nil)
	for s.level = fetchLevel; s.level <= idleLevel; s.level++ {
		if s.level == idleLevel {
			add(opSkipIdleRequests, s.peer, nil, nil)
		}
		for p := s.peer; p < s.to; p++ {
			q := &lists[p][s.dir]
			add(opRequests, p, &q.listMutex, &q.waiting[s.level].size)
		}
	}
	for i := from; i < len(steps); i++ {
		steps[i].end = int32(len(steps))
	}
	return steps
}
