package sim

import "slices"

// stop is a list that an actor looks into, and the lock that it holds
// meanwhile.
type stop struct {
	guard *mutex
	size  *int
}

// patrol is an actor's round along lists most of which are empty. The kernel
// walks it, so that the actor need not be resumed for every lock that others
// have in the meantime.
type patrol struct {
	stops  []stop
	at     int
	inside bool // has the lock of the stop, or waits for it
}

// walk looks into lists from the i-th on, and returns with the lock of the
// first that is not empty, and its number; -1 if all are empty.
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
	r, k := &a.round, a.k
	for r.at < len(r.stops) {
		s := &r.stops[r.at]
		if !r.inside {
			if len(k.ready) == 1 && s.guard.owner == nil && *s.size == 0 {
				a.tick += 2
				r.at++
				continue
			}
			r.inside = true
			if s.guard.owner != nil {
				s.guard.waiting = append(s.guard.waiting, a)
				i := slices.Index(k.ready, a)
				k.ready = slices.Delete(k.ready, i, i+1)
				return false
			}
			s.guard.owner = a
			a.tick++
			if !a.leads() {
				return false
			}
		}
		if *s.size != 0 {
			return true
		}
		s.guard.pass(a)
		r.inside = false
		r.at++
		a.tick++
		if !a.leads() {
			return false
		}
	}
	return true
}

// beat are the lists that a worker looks into for some peers of a memory, in
// one direction.
type beat struct {
	first         int32 // peer
	peers         int32
	over          []stop // requests that may be over
	begin, idling []stop // requests to begin: urgent ones, and those for idle times
}

// setBeats lays out the rounds of a memory: incoming requests of all peers at
// once, outgoing ones by peer.
func (n *memory) setBeats() {
	n.beats = [2][]beat{{n.beat(0, len(n.lists), in)}, nil}
	for p := range n.lists {
		n.beats[out] = append(n.beats[out], n.beat(p, p+1, out))
	}
}

func (n *memory) beat(from, to int, dir direction) beat {
	b := beat{first: int32(from), peers: int32(to - from)}
	for p := from; p < to; p++ {
		q := &n.lists[p][dir]
		b.over = append(b.over, stop{&q.pendingGuard, &q.pending.size})
	}
	for l := demand; l <= idle; l++ {
		for p := from; p < to; p++ {
			q := &n.lists[p][dir]
			s := stop{&q.guard, &q.waiting[l].size}
			if l == idle {
				b.idling = append(b.idling, s)
			} else {
				b.begin = append(b.begin, s)
			}
		}
	}
	return b
}
