package starpu

import "slices"

// mutex is a lock between actors: the one that waits longest gets it first.
type mutex struct {
	owner *actor
	last  *actor // the last of those that wait, in a ring: the next is the first
}

// enqueue makes an actor wait for the mutex. It waits for one at a time.
func (m *mutex) enqueue(a *actor) {
	if m.last == nil {
		a.nextWaiting = a
	} else {
		a.nextWaiting, m.last.nextWaiting = m.last.nextWaiting, a
	}
	m.last = a
}

// dequeue takes out the actor that has waited longest, nil if none waits.
func (m *mutex) dequeue() *actor {
	if m.last == nil {
		return nil
	}
	a := m.last.nextWaiting
	if a == m.last {
		m.last = nil
	} else {
		m.last.nextWaiting = a.nextWaiting
	}
	a.nextWaiting = nil
	return a
}

// lock is one simcall, and waits where another actor has the mutex.
func (a *actor) lock(m *mutex) {
	if m.owner == nil {
		m.owner = a
		a.simcalls(1)
		return
	}
	m.enqueue(a)
	a.block()
}

func (a *actor) unlock(m *mutex) {
	m.handOver(a)
	a.simcalls(1)
}

// handOver gives the mutex to the actor that waits for it, if any.
func (m *mutex) handOver(from *actor) {
	m.owner = m.dequeue()
	if m.owner != nil {
		from.wake(m.owner)
	}
}

// lockUnlock locks a mutex and unlocks it at once.
func (a *actor) lockUnlock(m *mutex) {
	if a.uncontended(m) {
		a.countSimcalls(2)
		return
	}
	a.lockUnlockAll(m)
}

// uncontended says that no actor has the mutex, and that none can lock it before
// this one does something that takes time: simcalls need only be counted.
func (a *actor) uncontended(m *mutex) bool { return m.owner == nil && a.k.ready.count == 1 }

// condition is a condition variable.
type condition struct {
	mutex   *mutex // of those that wait
	waiting []*actor
}

// wait unlocks the mutex and waits for the condition; the mutex is locked again
// when it returns.
func (a *actor) wait(c *condition, m *mutex) {
	a.startWait(c, m)
	a.yieldTurn()
}

// startWait unlocks the mutex and takes the actor out of those that are ready.
func (a *actor) startWait(c *condition, m *mutex) {
	m.handOver(a)
	c.mutex = m
	c.waiting = append(c.waiting, a)
	a.suspend()
}

// broadcast is a simcall that wakes all actors that wait for the condition.
func (a *actor) broadcast(c *condition) {
	c.signalAll(a)
	a.simcalls(1)
}

// signalAll wakes all that wait.
func (c *condition) signalAll(from *actor) {
	for len(c.waiting) > 0 {
		c.signal(from)
	}
}

// signal lets the first waiting actor try to lock the mutex.
func (c *condition) signal(from *actor) {
	b := c.waiting[0]
	c.waiting = c.waiting[:copy(c.waiting, c.waiting[1:])]
	if c.mutex.owner != nil {
		c.mutex.enqueue(b)
		return
	}
	c.mutex.owner = b
	from.wake(b)
}

// semaphore counts what is left to do for one actor.
type semaphore struct {
	value   int
	waiting *actor
}

func (a *actor) acquire(s *semaphore) {
	if s.value > 0 {
		s.value--
		a.simcalls(1)
		return
	}
	s.waiting = a
	a.block()
}

func (a *actor) post(s *semaphore) {
	if b := s.waiting; b != nil {
		s.waiting = nil
		a.wake(b)
	} else {
		s.value++
	}
	a.simcalls(1)
}

// timeAdvance holds actors until time advances.
type timeAdvance struct {
	mutex    mutex
	advanced condition
}

func (g *timeAdvance) empty() bool { return len(g.advanced.waiting) == 0 }

// broadcast wakes the actors that wait, one after the other, at the beginning of
// an instant.
func (g *timeAdvance) broadcast(k *kernel) {
	for _, a := range g.advanced.waiting {
		if g.mutex.owner == nil {
			g.mutex.owner = a
			k.makeReady(a)
		} else {
			a.simcallCount = 0
			g.mutex.enqueue(a)
		}
	}
	g.advanced.waiting = g.advanced.waiting[:0]
}

// spinlock is a lock that costs nothing unless it is contended.
type spinlock struct{ taken bool }

// spinLock takes the lock. Where another actor has it, this costs a microsecond,
// and then the time until the lock is free.
func (a *actor) spinLock(l *spinlock) {
	if l.taken {
		a.sleep(microsecond)
	}
	if l.taken {
		g := &a.k.advance
		a.lock(&g.mutex)
		for l.taken {
			a.wait(&g.advanced, &g.mutex)
		}
		l.taken = true
		a.unlock(&g.mutex)
	}
	l.taken = true
}

// spinLockUnlock takes the lock and releases it at once.
func (a *actor) spinLockUnlock(l *spinlock) {
	if l.taken {
		a.spinLock(l)
		l.taken = false
	}
}

// waitQueue wakes waiters (starpu_pthread_queue_t).
type waitQueue struct {
	mutex   mutex
	waiters []*waiter
	steps   []step // of a broadcast, nil where waiters have changed since
}

// waiter lets an actor sleep until one of the wait queues that it is registered
// with has been broadcast since the waiter was reset (starpu_pthread_wait_t).
type waiter struct {
	mutex  mutex
	cond   condition
	block  bool    // has not been signalled since it was reset
	worker *worker // whose own waiter it is, nil for others
}

func (q *waitQueue) add(x *waiter) { q.waiters, q.steps = append(q.waiters, x), nil }

func (q *waitQueue) remove(x *waiter) {
	i := slices.Index(q.waiters, x)
	q.waiters, q.steps = slices.Delete(q.waiters, i, i+1), nil
}

// broadcastSteps are the steps of a broadcast.
func (q *waitQueue) broadcastSteps() []step {
	if q.steps == nil {
		q.steps = append(q.steps, step{op: opLock, mutex: &q.mutex})
		for _, x := range q.waiters {
			q.steps = append(q.steps, step{op: opSignal, mutex: &x.mutex, waiter: x})
		}
		q.steps = append(q.steps, step{op: opUnlock, mutex: &q.mutex})
	}
	return q.steps
}

// broadcastQueue wakes all waiters of a queue (starpu_pthread_queue_broadcast).
func (a *actor) broadcastQueue(q *waitQueue) {
	if !a.uncontended(&q.mutex) {
		a.runSteps(q.broadcastSteps(), 0)
		return
	}
	for i, w := range q.waiters {
		// An idle worker polls by the time that the next waiter has been signalled:
		// it makes its three simcalls (see wakeIdle) after the end of its own signal
		// and while the next waiter is locked and signalled, and sleeps when that is
		// unlocked.
		if i+1 < len(q.waiters) && w.idle() {
			w.worker.pollAgain()
			continue
		}
		if !w.notWaiting() {
			a.simcallCount += int64(1 + 3*i)
			q.mutex.owner = a
			a.runSteps(q.broadcastSteps(), i+1)
			return
		}
		w.block = false
	}
	a.simcallCount += int64(2 + 3*len(q.waiters))
}

// notWaiting says that no actor sleeps there or is about to.
func (w *waiter) notWaiting() bool { return w.mutex.owner == nil && len(w.cond.waiting) == 0 }

// waitReset forgets earlier signals (starpu_pthread_wait_reset).
func (a *actor) waitReset(w *waiter) {
	if a.uncontended(&w.mutex) {
		w.block = true
		a.countSimcalls(2)
		return
	}
	a.scratchSteps[0] = step{op: opWaitReset, mutex: &w.mutex, waiter: w}
	a.runSteps(a.scratchSteps[:1], 0)
}

// waitOn sleeps until the waiter is signalled, unless it has been since it was
// reset (starpu_pthread_wait_wait).
func (a *actor) waitOn(w *waiter) {
	a.scratchSteps[0] = step{op: opWait, mutex: &w.mutex, waiter: w}
	a.runSteps(a.scratchSteps[:1], 0)
}
