package starpu

import "slices"

// mutex is a lock between actors: who waits longest gets it first.
type mutex struct {
	owner *actor
	last  *actor // who waits, in a ring of those that do: the next is the first
}

// join makes an actor wait for the lock. It waits for one at a time.
func (m *mutex) enqueue(a *actor) {
	if m.last == nil {
		a.nextWaiting = a
	} else {
		a.nextWaiting, m.last.nextWaiting = m.last.nextWaiting, a
	}
	m.last = a
}

// next takes out who has waited longest, nil if nobody waits.
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

// lock is one operation, and more where another has the lock.
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

// pass gives the lock to who waits for it.
func (m *mutex) handOver(from *actor) {
	m.owner = m.dequeue()
	if m.owner != nil {
		from.wake(m.owner)
	}
}

// touch locks and unlocks at once.
func (a *actor) lockUnlock(m *mutex) {
	if a.uncontended(m) {
		a.countSimcalls(2)
		return
	}
	a.lockUnlockAll(m)
}

// free says that nobody has the lock, nor can take it before the actor does
// something that takes time: operations need only be counted.
func (a *actor) uncontended(m *mutex) bool { return m.owner == nil && a.k.ready.count == 1 }

// condition lets actors wait for something that a lock protects.
type condition struct {
	lock    *mutex // of those that wait
	waiting []*actor
}

// wait releases the lock, which it has again when it returns.
func (a *actor) wait(c *condition, m *mutex) {
	a.startWait(c, m)
	a.yieldTurn()
}

// fallAsleep releases the lock and takes the actor out of those that are ready.
func (a *actor) startWait(c *condition, m *mutex) {
	m.handOver(a)
	c.lock = m
	c.waiting = append(c.waiting, a)
	a.suspend()
}

// broadcast wakes all that wait.
func (a *actor) broadcast(c *condition) {
	for len(c.waiting) > 0 {
		c.signal(a)
	}
	a.simcalls(1)
}

// release lets the first waiting actor try for the lock.
func (c *condition) signal(from *actor) {
	b := c.waiting[0]
	c.waiting = c.waiting[:copy(c.waiting, c.waiting[1:])]
	if c.lock.owner != nil {
		c.lock.enqueue(b)
		return
	}
	c.lock.owner = b
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

// gate holds actors until time advances.
type timeAdvance struct {
	mutex    mutex
	advanced condition
}

func (g *timeAdvance) empty() bool { return len(g.advanced.waiting) == 0 }

// openAll wakes those that wait, one after the other, at the beginning of an
// instant.
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

// spinlock is a lock that costs nothing unless it is taken.
type spinlock struct{ taken bool }

// spin takes the lock. Where it is taken, this costs a microsecond, and then
// whatever it takes.
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

// brush takes the lock and releases it at once.
func (a *actor) spinLockUnlock(l *spinlock) {
	if l.taken {
		a.spinLock(l)
		l.taken = false
	}
}

// bell wakes actors that lie in beds.
type waitQueue struct {
	mutex   mutex
	waiters []*waiter
	steps   []step // along these beds, nil if they have changed
}

// bed is where an actor sleeps until a bell that it listens to has rung since
// it last made its bed.
type waiter struct {
	mutex mutex
	cond  condition
	block bool
}

func (b *waitQueue) add(x *waiter) { b.waiters, b.steps = append(b.waiters, x), nil }

func (b *waitQueue) remove(x *waiter) {
	i := slices.Index(b.waiters, x)
	b.waiters, b.steps = slices.Delete(b.waiters, i, i+1), nil
}

// stops are what there is to do to ring the bell.
func (b *waitQueue) broadcastSteps() []step {
	if b.steps == nil {
		b.steps = append(b.steps, step{op: opLock, mutex: &b.mutex})
		for _, x := range b.waiters {
			b.steps = append(b.steps, step{op: opSignal, mutex: &x.mutex, waiter: x})
		}
		b.steps = append(b.steps, step{op: opUnlock, mutex: &b.mutex})
	}
	return b.steps
}

// ring wakes all that listen.
func (a *actor) broadcastQueue(b *waitQueue) {
	if !a.uncontended(&b.mutex) {
		a.runSteps(b.broadcastSteps(), 0)
		return
	}
	for i, w := range b.waiters {
		if !w.notWaiting() {
			a.simcallCount += int64(1 + 3*i)
			b.mutex.owner = a
			a.runSteps(b.broadcastSteps(), i+1)
			return
		}
		w.block = false
	}
	a.simcallCount += int64(2 + 3*len(b.waiters))
}

// idle says that nobody sleeps in the bed or is about to.
func (b *waiter) notWaiting() bool { return b.mutex.owner == nil && len(b.cond.waiting) == 0 }

// make forgets what has rung before.
func (a *actor) waitReset(b *waiter) {
	if a.uncontended(&b.mutex) {
		b.block = true
		a.countSimcalls(2)
		return
	}
	a.scratchSteps[0] = step{op: opWaitReset, mutex: &b.mutex, waiter: b}
	a.runSteps(a.scratchSteps[:1], 0)
}

// lie sleeps until a bell has rung.
func (a *actor) waitOn(b *waiter) {
	a.scratchSteps[0] = step{op: opWait, mutex: &b.mutex, waiter: b}
	a.runSteps(a.scratchSteps[:1], 0)
}
