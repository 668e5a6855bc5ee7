package starpu

import "dagscope/predict/workload"

// outcome of an attempt to carry out a request.
type outcome int

const (
	carriedOut outcome = iota
	underWay
	noMemory
	noRoom // too many are under way
)

// progress lets requests begin and end on the memories that a worker drives.
// It says whether any did.
func (e *engine) progress(a *actor, allocate bool) bool {
	w := a.worker
	if w == nil {
		return e.goAround(a, e.patrol, allocate)
	}
	return !w.scheduling && e.goAround(a, w.patrol, allocate)
}

// goAround does what there is to do on a patrol.
func (e *engine) goAround(a *actor, stops []stop, allocate bool) bool {
	some := false
	for i := a.walk(stops, 0); i != none; {
		s := &stops[i]
		i++
		done, full := e.request(a, s, allocate)
		some = some || done
		if full {
			i = int(s.end)
		}
		i = a.walk(stops, i)
	}
	return some
}

// request does what there is to do at a stop of a patrol. It says whether it
// has begun or ended requests, and whether memory is lacking.
func (e *engine) request(a *actor, s *stop, allocate bool) (some, full bool) {
	switch s.errand {
	case tidy:
		e.tidy(a, s.memory)
	case look:
		some = e.endCopies(a, s.memory, s.peer, s.dir)
	case begin:
		begun, result := e.serve(a, s.memory, s.peer, s.dir, s.level, allocate)
		return begun, result == noMemory
	}
	return some, false
}

func (n *memory) anyPending(from, to int32, dir direction) bool {
	for p := from; p < to; p++ {
		if n.lists[p][dir].count > 0 {
			return true
		}
	}
	return false
}

// endCopies completes requests whose copies are over. The lock of their list is
// held.
func (e *engine) endCopies(a *actor, m, peer int32, dir direction) bool {
	q := &e.memories[m].lists[peer][dir]
	waiting, kept := e.requests.list(), e.requests.list()
	waiting.move(&q.pending)
	a.unlock(&q.pendingGuard)
	taken := 0
	for r := waiting.pop(); r != nil; r = waiting.pop() {
		taken++
		d := &e.handles[r.handle]
		a.spin(&d.header)
		if r.arrived {
			e.complete(a, r)
			continue
		}
		d.header.taken = false
		kept.pushBack(r)
	}
	a.lock(&q.pendingGuard)
	q.count -= taken - kept.size
	e.memories[m].open[dir] -= taken - kept.size
	ended := taken - kept.size
	q.pending.move(kept)
	e.requests.putAway(waiting, kept)
	a.unlock(&q.pendingGuard)
	return ended > 0
}

// serve begins requests of a level. The lock of their list is held.
func (e *engine) serve(a *actor, m, peer int32, dir direction, l level, allocate bool) (pushed bool, result outcome) {
	q := &e.memories[m].lists[peer][dir]
	list, most := &q.waiting[l], mostPending[l]
	var chosen []*request
	for i := q.count; i < most && list.size > 0; i++ {
		chosen = append(chosen, list.pop())
	}
	if list.size > 0 {
		result = noRoom
	}
	a.unlock(&q.guard)
	if len(chosen) == 0 {
		return false, carriedOut
	}
	return e.serveChosen(a, m, q, chosen, l, allocate, result)
}

func (e *engine) serveChosen(a *actor, m int32, q *queue, chosen []*request, l level, allocate bool, result outcome) (bool, outcome) {
	start, pushed := e.now, false
	var remain []*request
	for len(chosen) > 0 {
		if q.count >= mostPending[l] {
			result = noRoom
			break
		}
		r := chosen[0]
		chosen = chosen[1:]
		if e.carryOut(a, r, allocate) == noMemory {
			result = noMemory
			remain = append(remain, r)
			if l > demand {
				break
			}
		} else {
			pushed = true
		}
		if (e.now-start)*1e6 >= longestServing*1e6 {
			result = noRoom
			break
		}
	}
	remain = append(remain, chosen...)
	if len(remain) > 0 {
		e.putBack(a, m, q, remain, pushed)
	}
	return pushed, result
}

// putBack lists again what could not be begun.
func (e *engine) putBack(a *actor, m int32, q *queue, remain []*request, pushed bool) {
	a.lock(&q.guard)
	for i := len(remain) - 1; i >= 0; i-- {
		q.waiting[remain[i].level].pushFront(remain[i])
	}
	a.unlock(&q.guard)
	if pushed {
		a.sleep(microsecond)
		e.wakeDrivers(a, m)
	}
}

// carryOut begins one request.
func (e *engine) carryOut(a *actor, r *request, allocate bool) outcome {
	d := &e.handles[r.handle]
	open := &e.memories[r.handler].open[r.dir]
	a.spin(&d.header)
	if r.cancel > 0 {
		r.cancel = 2
		*open--
		e.complete(a, r)
		return carriedOut
	}
	to := e.copyOf(r.handle, r.to)
	if other := to.loading; other != nil && other != r {
		*open--
		e.hang(a, r, other)
		d.header.taken = false
		return carriedOut
	}
	to.loading = r
	if r.level > demand {
		r.held = true
		to.refs++
	}
	result := carriedOut
	if to.state == invalid {
		result = e.copyData(a, r, to, allocate)
	}
	switch result {
	case noMemory:
		if r.level > demand {
			r.held = false
			to.leave()
		}
		d.header.taken = false
	case underWay:
		d.header.taken = false
		q := &e.memories[r.handler].lists[r.peer][r.dir]
		a.lock(&q.pendingGuard)
		q.pending.pushBack(r)
		q.count++
		a.unlock(&q.pendingGuard)
	default:
		*open--
		e.complete(a, r)
	}
	return result
}

// hang lets a request wait for another that brings the same copy.
func (e *engine) hang(a *actor, r, other *request) {
	r.cancel = 2
	if r.level < other.level {
		e.promote(a, other, r.level)
	}
	other.done = append(other.done, callback{hung: r})
}

// copyData allocates the target of a request and begins its copy.
func (e *engine) copyData(a *actor, r *request, to *replica, allocate bool) outcome {
	if !to.allocated {
		if n := &e.memories[r.to]; !allocate || n.reclaiming > 0 || n.tidying > 0 {
			return noMemory
		}
		if !e.allocate(a, r.handle, r.to, r.level) {
			return noMemory
		}
	}
	if r.mode&workload.Read == 0 {
		return carriedOut
	}
	to.filled = true
	r.copying = e.log.copyBegins(e, r)
	if !e.o.Costs.Transfer || e.handles[r.handle].bytes == 0 {
		return carriedOut
	}
	e.beginTransfer(a, r)
	return underWay
}

// complete ends a request: its handle's header is held, and released.
func (e *engine) complete(a *actor, r *request) {
	d, to := &e.handles[r.handle], e.copyOf(r.handle, r.to)
	if r.cancel < 2 {
		e.changeState(r.handle, r.to, r.mode)
		to.loading = nil
		e.log.copyEnds(e, r)
	}
	for _, n := range r.next {
		n.after--
		e.enqueue(a, n)
	}
	if to.loading == r {
		to.loading = nil
	}
	r.over = true
	e.wakeDrivers(a, r.to)
	if r.cancel < 2 && to.chunk != nil {
		to.awaited += r.counts
	}
	if r.held {
		to.leave()
	}
	if r.mode&workload.Read != 0 {
		e.copyOf(r.handle, r.from).leave()
	}
	if r.cleans {
		d.invalidation = nil
	} else {
		d.remove(r)
	}
	d.header.taken = false
	for i := len(r.done) - 1; i >= 0; i-- {
		e.call(a, r.done[i])
	}
	if !r.watched {
		e.requests.put(r)
	}
}
