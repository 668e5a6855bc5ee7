package sim

import "dagscope/workload"

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
		return e.progressOn(a, 0, allocate)
	}
	if w.scheduling {
		return false
	}
	some := false
	for _, m := range w.drives {
		some = e.progressOn(a, m, allocate) || some
	}
	return some
}

func (e *engine) progressOn(a *actor, m int32, allocate bool) bool {
	a.sleep(microsecond)
	some := false
	for dir, beats := range e.memories[m].beats {
		for i := range beats {
			some = e.part(a, m, &beats[i], direction(dir), allocate) || some
		}
	}
	return some
}

// part lets requests of some peers and a direction begin and end.
func (e *engine) part(a *actor, m int32, b *beat, dir direction, allocate bool) bool {
	if e.memories[m].open[dir] == 0 && a.k.alone() {
		a.skip(8 * int64(b.peers))
		e.tidy(a, m)
		return false
	}
	some := false
	for i := a.walk(b.over, 0); i != none; i = a.walk(b.over, i+1) {
		some = e.endCopies(a, m, b.first+int32(i), dir) || some
	}
	e.tidy(a, m)
	begun, result := e.begin(a, m, b, b.begin, dir, demand, allocate)
	some = some || begun
	if result != noMemory && !e.anyPending(m, b, dir) {
		begun, _ = e.begin(a, m, b, b.idling, dir, idle, allocate)
		some = some || begun
	}
	return some
}

// begin begins requests of some lists, which are those of a level and the
// following ones.
func (e *engine) begin(a *actor, m int32, b *beat, stops []stop, dir direction, l level, allocate bool) (some bool, result outcome) {
	for i := a.walk(stops, 0); i != none; i = a.walk(stops, i+1) {
		peer := b.first + int32(i)%b.peers
		begun, result := e.serve(a, m, peer, dir, l+level(int32(i)/b.peers), allocate)
		some = some || begun
		if result == noMemory {
			return some, result
		}
	}
	return some, carriedOut
}

func (e *engine) anyPending(m int32, b *beat, dir direction) bool {
	for p := b.first; p < b.first+b.peers; p++ {
		if e.memories[m].lists[p][dir].count > 0 {
			return true
		}
	}
	return false
}

// endCopies completes requests whose copies are over. The lock of their list is
// held.
func (e *engine) endCopies(a *actor, m, peer int32, dir direction) bool {
	q := &e.memories[m].lists[peer][dir]
	var waiting requestList
	waiting.move(&q.pending)
	a.unlock(&q.pendingGuard)
	taken, kept := 0, requestList{}
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
	q.pending.move(&kept)
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
			to.refs--
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
		to.refs--
	}
	if r.mode&workload.Read != 0 {
		e.copyOf(r.handle, r.from).refs--
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
