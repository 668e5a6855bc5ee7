package starpu

import "math"

// Workers that have been woken poll a memory node for a microsecond each, and
// then look through its lists of requests, which are mostly empty. Those that
// were woken together do so at the same instant, in turns, each simcall of one
// after that of another, for the lists' mutexes. Where only such workers are
// ready, and all lists of their memory nodes are empty, none of that depends on
// anything but how many there are on each node: who has the mutex of a list
// makes the others wait, and they follow it from list to list. So what comes out,
// how many simcalls each has made and who is ready before whom, is worked out
// once for each such company (convoy), and later applied as a whole.

// mostPolling is how many workers poll in bulk. More are rare, and would be too
// far apart at the end (mostApart).
const mostPolling = 8

// mostApart is by how many simcalls the first of a company may be through its
// lists before the last. A worker that is through makes at least six simcalls
// before it touches a list of requests or wakes an actor: it locks and unlocks
// its own queue, pops, and locks, signals and unlocks its queue again. Until
// then, those behind it neither see it nor are seen.
const mostApart = 4

// convoy is what comes out for a company of polling workers: by their order
// before.
type convoy struct {
	simcalls [mostPolling]int64
	order    [mostPolling]uint8 // who is ready before whom afterwards
	bulk     bool               // they are close enough together
}

// pollTogether takes all ready actors through the lists of the memory nodes that
// they poll, if that is all that they do.
func (k *kernel) pollTogether() {
	n := k.ready.count
	if n < 2 || n > mostPolling {
		return
	}
	var company [mostPolling]*actor
	var memories [mostPolling]int32
	key := uint64(n)
	i := 0
	for a := k.ready.firstReady; a != nil; a = a.nextReady {
		m, polls := a.pollsEmptyLists()
		if !polls {
			return
		}
		group := 0
		for memories[group] != m && group < i {
			group++
		}
		company[i], memories[i] = a, m
		key = key<<4 | uint64(group)
		i++
	}
	c := k.convoys[key]
	if c == nil {
		c = k.newConvoy(company[:n], memories[:n])
		if k.convoys == nil {
			k.convoys = make(map[uint64]*convoy)
		}
		k.convoys[key] = c
	}
	if !c.bulk {
		return
	}
	k.ready = readyQueue{}
	for _, at := range c.order[:n] {
		a := company[at]
		a.loop.at += k.pollSteps
		a.readyLinks = readyLinks{}
		a.simcallCount = c.simcalls[at]
		k.ready.pushBack(a)
	}
}

// pollsEmptyLists says that an actor is a worker that has just slept the
// microsecond of polling a memory node, in its own loop, and that the node has no
// requests; which node that is.
func (a *actor) pollsEmptyLists() (m int32, polls bool) {
	r, w := &a.loop, a.worker
	if w == nil || r.at == 0 || r.at >= len(r.steps) || r.steps[r.at-1].op != opSleep {
		return 0, false
	}
	first := &r.steps[0]
	if first != &w.driverLoop[0] && (len(w.idleLoop) == 0 || first != &w.idleLoop[0]) {
		return 0, false
	}
	m = r.steps[r.at].memory
	n := &a.k.memoryNodes[m]
	return m, n.unfinished[in] == 0 && n.unfinished[out] == 0 && !n.needsTidy()
}

// newConvoy works out what comes out for a company: it runs the steps for real,
// on mutexes of its own.
func (k *kernel) newConvoy(company []*actor, memories []int32) *convoy {
	k.pollSteps = pollStepsFrom(company[0].loop)
	scratch := &kernel{limit: math.Inf(1)}
	copies := make([]actor, len(company))
	mutexes := make(map[*mutex]*mutex)
	for i, a := range company {
		var steps []step
		for _, s := range a.loop.steps[a.loop.at : a.loop.at+k.pollSteps] {
			if s.mutex == nil {
				continue // no simcall: finds that there is nothing to skip or to tidy
			}
			if mutexes[s.mutex] == nil {
				mutexes[s.mutex] = &mutex{}
			}
			steps = append(steps, step{op: opLockUnlock, mutex: mutexes[s.mutex], size: &emptyList})
		}
		copies[i] = actor{k: scratch, number: i, loop: position{steps: steps}}
		scratch.ready.pushBack(&copies[i])
	}
	c := &convoy{}
	least, most := int64(math.MaxInt64), int64(0)
	for scratch.ready.first != nil {
		if a := scratch.ready.first; a.advance() {
			// It is ready for what follows, and takes no more turns here.
			scratch.ready.unlinkTurn(a)
			c.simcalls[a.number] = a.simcallCount
			least, most = min(least, a.simcallCount), max(most, a.simcallCount)
		}
	}
	i := 0
	for a := scratch.ready.firstReady; a != nil; a = a.nextReady {
		c.order[i] = uint8(a.number)
		i++
	}
	c.bulk = most-least <= mostApart
	return c
}

// pollStepsFrom counts the steps of a memory node from a position in a loop on.
func pollStepsFrom(p position) int {
	n := 0
	for s := range p.steps[p.at:] {
		switch p.steps[p.at+s].op {
		case opProgress, opPendingRequests, opTidyMemChunks, opRequests, opSkipIdleRequests:
			n++
		default:
			return n
		}
	}
	return n
}
