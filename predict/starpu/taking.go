package starpu

import "dagscope/predict/workload"

// taking is the use of a piece of data by the program itself: to send it, to
// receive it, or to forget it. It has its place in the sequential task flow, as
// a task would.
type taking struct {
	what     doingKind // doSend, doReceive or doForget
	handle   int32
	mode     workload.Mode
	priority int32
	after    int32 // job that ends it
	bag      *bag
	receive  *receive
}

// occupy asks for data: what is to be done with it follows when those before
// have ended.
func (e *engine) occupy(a *actor, t *taking) {
	before, after := e.newInternal(acquire, t.handle), e.newInternal(release, t.handle)
	in := e.own(before)
	in.mate, in.taking = after, t
	t.after = after
	h := &e.handles[t.handle]
	a.lock(&h.guard)
	first, waits := e.depend(a, before, after, e.slotOf(after), t.handle, t.mode)
	a.unlock(&h.guard)
	if e.deferred(a, first, before, waits) {
		return
	}
	e.claimTaken(a, t)
	e.unused = append(e.unused, before)
}

// claimTaken is reached when those before have ended.
func (e *engine) claimTaken(a *actor, t *taking) {
	a.brush(&e.handles[t.handle].header)
	if e.attempt(t.handle, t.mode, claim{job: t.after, handle: t.handle, kind: claimTaking, taking: t}) {
		e.fetchTaken(a, t)
	}
}

// fetchTaken brings the data to the RAM, or makes room for it there.
func (e *engine) fetchTaken(a *actor, t *taking) {
	if t.what == doForget {
		e.forgetTaken(a, t)
		return
	}
	e.ask(a, asking{handle: t.handle, to: 0, mode: t.mode, level: demand, priority: t.priority, task: none, taking: t})
}

// taken is reached when the data is there.
func (e *engine) taken(a *actor, t *taking) {
	e.hold(a, t.handle, t.after)
	if t.what == doSend {
		e.node.sendAll(a, t.bag)
		return
	}
	e.node.expect(a, t.receive)
}

// vacate ends the use of data in the RAM.
func (e *engine) vacate(a *actor, t *taking) {
	e.unhold(a, t.handle)
	e.takeHeader(a, t.handle, true)
	e.copyOf(t.handle, 0).leave()
	e.letGo(a, t.handle)
}

// hold notes that the program has a piece of data, and which job ends that.
func (e *engine) hold(a *actor, h, after int32) {
	d := &e.handles[h]
	a.touch(&d.guard)
	if d.holds == nil {
		d.holds = &holds{}
	}
	d.holds.count++
	d.holds.after = append(d.holds.after, after)
}

// unhold is the end of such a use: those that come after go on once the last of
// several at the same time has ended, those after the latest first.
func (e *engine) unhold(a *actor, h int32) {
	d := &e.handles[h]
	a.touch(&d.guard)
	d.holds.count--
	if d.holds.count > 0 {
		return
	}
	ended := d.holds.after
	d.holds = nil
	for i := len(ended) - 1; i >= 0; i-- {
		a.touch(&d.guard)
		e.forget(ended[i], e.slotOf(ended[i]), h)
		e.submitOwn(a, ended[i])
	}
}

// forgetTaken invalidates all copies of data that another node owns.
func (e *engine) forgetTaken(a *actor, t *taking) {
	h := t.handle
	e.hold(a, h, t.after)
	a.spin(&e.handles[h].header)
	for n := range e.memories {
		r := e.copyOf(h, int32(n))
		r.become(invalid)
		if c := r.chunk; r.refs == 0 && c != nil && r.allocated && r.automatic {
			e.memories[n].chunks.remove(c)
			e.memories[n].keep(c.place)
			r.chunk, r.allocated, r.automatic, r.filled = nil, false, false, false
		}
		r.refs++
	}
	e.log.coherent(e, h)
	e.handles[h].header.taken = false
	e.unhold(a, t.handle)
	a.spin(&e.handles[h].header)
	for n := range e.memories {
		e.copyOf(h, int32(n)).leave()
	}
	e.letGo(a, h)
}
