package starpu

import "slices"

// task of a stop of a patrol.
type errand uint8

const (
	nap   errand = iota // for a microsecond
	enter               // requests of some peers of a memory, in one direction
	tidy                // a memory
	rest                // unless requests are under way
	look                // for requests that may be over
	begin               // requests that wait
	touch               // a lock
	hold                // a lock, from here
	drop                // to here
	chime               // wake who lies in a bed
	makes               // a bed
	lies                // in a bed
	due                 // a task: see turn.go, as for the following
	take
	calm
	seek // a task: see idle.go, as for the following
	hunt
	drowse
	schedules
	retire
	again
	relaxes
	tightens
	departs
	pass
)

// stop of a patrol. Workers of one node walk along the same stops as far as they
// can, and nodes take turns: stops are small, so that caches hold them.
type stop struct {
	errand   errand
	dir      direction
	level    level
	end      int32 // where the next peers come
	memory   int32
	peer, to int32  // of a list its peer; else the first peer, and the end of the last
	guard    *mutex // of the list that is looked into, or of the bed; nil: the worker's own
	size     *int   // of this list
	bed      *bed
}

// patrol is an actor's round along lists most of which are empty. The kernel
// walks it, so that the actor need not be resumed for every lock that others
// have in the meantime.
type patrol struct {
	stops  []stop
	at     int
	inside bool // has the lock of the stop, or waits for it
	done   bool // what there is to do under it
}

// walk goes from the i-th stop to the first where there is something to do, and
// returns its number, holding its lock; none if there is none.
func (a *actor) walk(stops []stop, i int) int {
	if i == len(stops) {
		return none
	}
	a.round = patrol{stops: stops, at: i}
	if !a.proceed() {
		a.giveWay()
	}
	a.round.stops = nil
	if a.round.at == len(stops) {
		return none
	}
	return a.round.at
}

// proceed goes on with an actor's round. It returns false when it is another's
// turn, and true when the round is over.
func (a *actor) proceed() bool {
	r := &a.round
	for r.at < len(r.stops) {
		s := &r.stops[r.at]
		switch s.errand {
		case nap:
			r.at++
			if !a.doze(microsecond) {
				return false
			}
		case enter:
			r.at++
			if n := &a.k.lands[s.memory]; n.open[s.dir] == 0 && a.k.ready.count == 1 && !n.untidy() {
				a.tick += 8 * int64(s.to-s.peer)
				r.at = int(s.end)
			}
		case tidy:
			if a.k.lands[s.memory].untidy() {
				return true
			}
			r.at++
		case rest:
			r.at++
			if a.k.lands[s.memory].anyPending(s.peer, s.to, s.dir) {
				r.at = int(s.end)
			}
		case look, begin, touch:
			if some, turn := a.lookInto(s); some || !turn {
				return some
			}
		case drop:
			s.lock(a).pass(a)
			if !a.next() {
				return false
			}
		case seek, hunt, drowse, schedules, retire, again:
			if a.chance(s) {
				return true
			}
		case due:
			if a.worker.due() {
				return true
			}
			r.at++
		case take:
			if !a.enterStop(s) {
				return false
			}
			if asks, turn := a.takeQueue(a.worker); asks || !turn {
				return asks
			}
		case calm:
			r.at++
			if a.worker.some || a.worker.over() {
				r.at++
			}
		case tightens:
			a.worker.relaxed--
			r.at++
		case relaxes, departs, pass:
			a.letIn(s)
			if !a.next() {
				return false
			}
		default:
			if !a.enterStop(s) || !a.doAtStop(s) {
				return false
			}
		}
	}
	return true
}

// next ends a stop with an operation, and says whether it is still the actor's
// turn.
func (a *actor) next() bool {
	r := &a.round
	r.at++
	r.inside, r.done = false, false
	return a.k.ready.pass(a)
}

// enterStop takes the lock of a stop, and says whether it is the actor's turn
// with it.
func (a *actor) enterStop(s *stop) bool {
	if a.round.inside {
		return true
	}
	a.round.inside = true
	guard := s.lock(a)
	if guard.owner != nil {
		guard.join(a)
		a.leave()
		return false
	}
	guard.owner = a
	return a.k.ready.pass(a)
}

// lock is that of a stop.
func (s *stop) lock(a *actor) *mutex {
	switch {
	case s.guard != nil:
		return s.guard
	case s.errand == makes || s.errand == lies:
		return &a.worker.bed.guard
	}
	return &a.worker.guard
}

// couch is the bed of a stop.
func (s *stop) couch(a *actor) *bed {
	if s.bed != nil {
		return s.bed
	}
	return &a.worker.bed
}

// doAtStop does what there is to do under the lock of a stop, and leaves it.
func (a *actor) doAtStop(s *stop) (turn bool) {
	r := &a.round
	switch s.errand {
	case hold:
		r.at++
		r.inside = false
		return true
	case makes:
		s.couch(a).quiet = true
	case lies:
		if b := s.couch(a); b.quiet {
			a.fallAsleep(&b.rung, &b.guard)
			return false
		}
	case chime:
		if !r.done {
			r.done = true
			s.bed.quiet = false
			if c := &s.bed.rung; len(c.waiting) > 0 {
				c.release(a)
			}
			if !a.k.ready.pass(a) {
				return false
			}
		}
	}
	s.lock(a).pass(a)
	return a.next()
}

// lookInto takes the lock of a list, and releases it if there is nothing.
func (a *actor) lookInto(s *stop) (some, turn bool) {
	r, k := &a.round, a.k
	m := s.guard
	if !r.inside {
		if m.owner == nil && k.ready.count == 1 && *s.size == 0 {
			a.tick += 2
			r.at++
			return false, true
		}
		r.inside = true
		if m.owner != nil {
			m.join(a)
			a.leave()
			return false, false
		}
		m.owner = a
		if !k.ready.pass(a) {
			return false, false
		}
	}
	if *s.size != 0 {
		return true, true
	}
	if m.last == nil {
		m.owner = nil
	} else {
		m.pass(a)
	}
	r.at++
	r.inside = false
	return false, k.ready.pass(a)
}

var nothing int

// touchAll locks and unlocks one lock after the other.
func (a *actor) touchAll(guards ...*mutex) {
	for len(guards) > 0 && a.free(guards[0]) {
		a.tick += 2
		guards = guards[1:]
	}
	if len(guards) == 0 {
		return
	}
	stops := a.touches[:0]
	for _, m := range guards {
		stops = append(stops, stop{errand: touch, guard: m, size: &nothing})
	}
	a.walk(stops, 0)
}

// leave takes the actor out of those that are ready.
func (a *actor) leave() { a.k.ready.leave(a) }

// setPatrols lays out the rounds of workers and of the program.
func (e *engine) setPatrols() {
	e.lands = e.memories
	e.patrol = e.patrolOf(0)
	for i, w := range e.workers {
		k := slices.IndexFunc(e.workers[:i], func(v *worker) bool { return slices.Equal(v.drives, w.drives) })
		if k >= 0 {
			w.patrol = e.workers[k].patrol
		} else {
			w.patrol = e.patrolOf(w.drives...)
		}
		if k >= 0 && e.workers[k].device == w.device {
			w.turn = e.workers[k].turn
		} else {
			e.setTurn(w)
		}
	}
}

// patrolOf is the round along the requests of memories: of each, the incoming
// ones of all peers at once, then the outgoing ones by peer.
func (e *engine) patrolOf(memories ...int32) []stop {
	var stops []stop
	for _, m := range memories {
		stops = append(stops, stop{errand: nap})
		peers := int32(len(e.memories))
		stops = e.beat(stops, stop{memory: m, dir: in, to: peers})
		for p := range peers {
			stops = e.beat(stops, stop{memory: m, dir: out, peer: p, to: p + 1})
		}
	}
	return stops
}

// beat adds the stops for some peers of a memory, in one direction.
func (e *engine) beat(stops []stop, s stop) []stop {
	from := len(stops)
	lists := e.memories[s.memory].lists
	add := func(what errand, peer int32, guard *mutex, size *int) {
		x := s
		x.errand, x.peer, x.guard, x.size = what, peer, guard, size
		stops = append(stops, x)
	}
	add(enter, s.peer, nil, nil)
	for p := s.peer; p < s.to; p++ {
		q := &lists[p][s.dir]
		add(look, p, &q.pendingGuard, &q.pending.size)
	}
	add(tidy, s.peer, nil, nil)
	for s.level = demand; s.level <= idle; s.level++ {
		if s.level == idle {
			add(rest, s.peer, nil, nil)
		}
		for p := s.peer; p < s.to; p++ {
			q := &lists[p][s.dir]
			add(begin, p, &q.guard, &q.waiting[s.level].size)
		}
	}
	for i := from; i < len(stops); i++ {
		stops[i].end = int32(len(stops))
	}
	return stops
}
