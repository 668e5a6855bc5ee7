package starpu

import "slices"

// mutex is a lock between actors: who waits longest gets it first.
type mutex struct {
	owner *actor
	last  *actor // who waits, in a ring of those that do: the next is the first
}

// join makes an actor wait for the lock. It waits for one at a time.
func (m *mutex) join(a *actor) {
	if m.last == nil {
		a.behind = a
	} else {
		a.behind, m.last.behind = m.last.behind, a
	}
	m.last = a
}

// next takes out who has waited longest, nil if nobody waits.
func (m *mutex) next() *actor {
	if m.last == nil {
		return nil
	}
	a := m.last.behind
	if a == m.last {
		m.last = nil
	} else {
		m.last.behind = a.behind
	}
	a.behind = nil
	return a
}

// lock is one operation, and more where another has the lock.
func (a *actor) lock(m *mutex) {
	if m.owner == nil {
		m.owner = a
		a.step(1)
		return
	}
	m.join(a)
	a.block()
}

func (a *actor) unlock(m *mutex) {
	m.pass(a)
	a.step(1)
}

// pass gives the lock to who waits for it.
func (m *mutex) pass(from *actor) {
	m.owner = m.next()
	if m.owner != nil {
		from.wake(m.owner)
	}
}

// touch locks and unlocks at once.
func (a *actor) touch(m *mutex) {
	if a.free(m) {
		a.skip(2)
		return
	}
	a.touchAll(m)
}

// free says that nobody has the lock, nor can take it before the actor does
// something that takes time: operations need only be counted.
func (a *actor) free(m *mutex) bool { return m.owner == nil && a.k.ready.count == 1 }

// condition lets actors wait for something that a lock protects.
type condition struct {
	lock    *mutex // of those that wait
	waiting []*actor
}

// wait releases the lock, which it has again when it returns.
func (a *actor) wait(c *condition, m *mutex) {
	a.fallAsleep(c, m)
	a.giveWay()
}

// fallAsleep releases the lock and takes the actor out of those that are ready.
func (a *actor) fallAsleep(c *condition, m *mutex) {
	m.pass(a)
	c.lock = m
	c.waiting = append(c.waiting, a)
	a.leave()
}

// broadcast wakes all that wait.
func (a *actor) broadcast(c *condition) {
	for len(c.waiting) > 0 {
		c.release(a)
	}
	a.step(1)
}

// release lets the first waiting actor try for the lock.
func (c *condition) release(from *actor) {
	b := c.waiting[0]
	c.waiting = c.waiting[:copy(c.waiting, c.waiting[1:])]
	if c.lock.owner != nil {
		c.lock.join(b)
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
		a.step(1)
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
	a.step(1)
}

// gate holds actors until time advances.
type gate struct {
	guard   mutex
	waiting condition
}

func (g *gate) empty() bool { return len(g.waiting.waiting) == 0 }

// openAll wakes those that wait, one after the other, at the beginning of an
// instant.
func (g *gate) openAll(k *kernel) {
	for _, a := range g.waiting.waiting {
		if g.guard.owner == nil {
			g.guard.owner = a
			k.appear(a)
		} else {
			a.tick = 0
			g.guard.join(a)
		}
	}
	g.waiting.waiting = g.waiting.waiting[:0]
}

// spinlock is a lock that costs nothing unless it is taken.
type spinlock struct{ taken bool }

// spin takes the lock. Where it is taken, this costs a microsecond, and then
// whatever it takes.
func (a *actor) spin(l *spinlock) {
	if l.taken {
		a.sleep(microsecond)
	}
	if l.taken {
		g := &a.k.advance
		a.lock(&g.guard)
		for l.taken {
			a.wait(&g.waiting, &g.guard)
		}
		l.taken = true
		a.unlock(&g.guard)
	}
	l.taken = true
}

// brush takes the lock and releases it at once.
func (a *actor) brush(l *spinlock) {
	if l.taken {
		a.spin(l)
		l.taken = false
	}
}

// bell wakes actors that lie in beds.
type bell struct {
	guard mutex
	beds  []*bed
	round []stop // along these beds, nil if they have changed
}

// bed is where an actor sleeps until a bell that it listens to has rung since
// it last made its bed.
type bed struct {
	guard mutex
	rung  condition
	quiet bool
}

func (b *bell) add(x *bed) { b.beds, b.round = append(b.beds, x), nil }

func (b *bell) remove(x *bed) {
	i := slices.Index(b.beds, x)
	b.beds, b.round = slices.Delete(b.beds, i, i+1), nil
}

// stops are what there is to do to ring the bell.
func (b *bell) stops() []stop {
	if b.round == nil {
		b.round = append(b.round, stop{errand: hold, guard: &b.guard})
		for _, x := range b.beds {
			b.round = append(b.round, stop{errand: chime, guard: &x.guard, bed: x})
		}
		b.round = append(b.round, stop{errand: drop, guard: &b.guard})
	}
	return b.round
}

// ring wakes all that listen.
func (a *actor) ring(b *bell) {
	if !a.free(&b.guard) {
		a.walk(b.stops(), 0)
		return
	}
	for i, bed := range b.beds {
		if !bed.idle() {
			a.tick += int64(1 + 3*i)
			b.guard.owner = a
			a.walk(b.stops(), i+1)
			return
		}
		bed.quiet = false
	}
	a.tick += int64(2 + 3*len(b.beds))
}

// idle says that nobody sleeps in the bed or is about to.
func (b *bed) idle() bool { return b.guard.owner == nil && len(b.rung.waiting) == 0 }

// make forgets what has rung before.
func (a *actor) makeBed(b *bed) {
	if a.free(&b.guard) {
		b.quiet = true
		a.skip(2)
		return
	}
	a.touches[0] = stop{errand: makes, guard: &b.guard, bed: b}
	a.walk(a.touches[:1], 0)
}

// lie sleeps until a bell has rung.
func (a *actor) lie(b *bed) {
	a.touches[0] = stop{errand: lies, guard: &b.guard, bed: b}
	a.walk(a.touches[:1], 0)
}
