package starpu

import "dagscope/predict/workload"

// submitAll is the program: it submits all tasks, and waits for their end.
func (e *engine) submitAll(a *actor) {
	hints := e.g.Hints
	for t := range e.g.Class {
		for len(hints) > 0 && int(hints[0].After) <= t {
			e.hint(a, hints[0])
			hints = hints[1:]
		}
		e.submitTask(a, int32(t))
	}
	for _, h := range hints {
		e.hint(a, h)
	}
	e.awaitAll(a)
	e.log.end = e.now
	e.releaseAll(a)
	e.halt()
}

// releaseAll is what programs do with data that has no home: they let the
// runtime forget it piece by piece, which waits until it is not copied any more
// and makes room for what still is to be. Nothing is waited for that lacks
// memory for ever.
func (e *engine) releaseAll(a *actor) {
	const patience = 20 // looks at which nothing is copied
	for i := range e.handles {
		h := &e.handles[i]
		if h.home != none {
			continue
		}
		for quiet := 0; h.requests != nil && quiet < patience; quiet++ {
			if len(e.transfers.pending) > 0 {
				quiet = 0
			}
			a.sleep(longestServing / patience)
		}
		if h.requests == nil {
			e.forgetCopies(a, int32(i))
		}
	}
}

// forgetCopies frees the memory of a handle.
func (e *engine) forgetCopies(a *actor, h int32) {
	for m := range e.memories {
		r := e.copyOf(h, int32(m))
		if r.chunk != nil && r.refs == 0 {
			e.freeChunk(a, r.chunk)
		}
		r.state = invalid
	}
}

func (e *engine) awaitAll(a *actor) {
	c := &e.submitCount
	a.lock(&c.guard)
	for c.count > 0 {
		a.wait(&c.zero, &c.guard)
	}
	a.unlock(&c.guard)
}

func (e *engine) submitTask(a *actor, t int32) {
	e.touchJob(a, t)
	e.log.submitted(t, e.now)
	if !e.g.Explicit {
		e.dependAll(a, t)
	}
	e.followExplicit(a, t)
	e.submitJob(a, t)
}

// dependAll makes a task wait for what its data needs.
func (e *engine) dependAll(a *actor, t int32) {
	accesses := e.accesses(t)
	for i, x := range accesses {
		mode := e.g.Mode[x]
		if mode&workload.Scratch != 0 || e.again(accesses, i) {
			continue
		}
		h := &e.handles[e.g.Handle[x]]
		a.lock(&h.guard)
		first, _ := e.depend(a, t, t, x, e.g.Handle[x], mode)
		a.unlock(&h.guard)
		if first != none {
			e.submitOwn(a, first)
		}
	}
}

// followExplicit makes a task wait for those that the graph names.
func (e *engine) followExplicit(a *actor, t int32) {
	for ; e.log.explicit < len(e.g.To) && e.g.To[e.log.explicit] == t; e.log.explicit++ {
		e.follow(a, t, []int32{e.g.From[e.log.explicit]})
	}
}

func (e *engine) submitOwn(a *actor, id int32) {
	e.touchJob(a, id)
	e.submitJob(a, id)
}

// submitJob hands a job over: it is pushed at once if it waits for nothing.
func (e *engine) submitJob(a *actor, id int32) {
	e.countUp(a, &e.submitCount)
	e.brushAll(a, id)
	e.lockJob(a, id)
	j := &e.jobs[id]
	waiting := j.done < j.waits
	if waiting {
		j.state = jobWaiting
	} else {
		j.state = jobReady
	}
	e.unlockJob(a, id)
	if !waiting {
		e.takeData(a, id, 0)
	}
	a.pause(e.costs.submit)
}

// brushAll waits until nobody works on the data of a task.
func (e *engine) brushAll(a *actor, id int32) {
	if e.own(id) != nil {
		return
	}
	for x := e.g.AccessAt[id]; x < e.g.AccessAt[id+1]; x++ {
		a.brush(&e.handles[e.g.Handle[x]].header)
	}
}

// pause sleeps unless that is free.
func (a *actor) pause(duration float64) {
	if duration > 0 {
		a.sleep(duration)
	}
}

func (e *engine) countUp(a *actor, c *counter) {
	if a.free(&c.guard) {
		c.count++
		a.skip(3)
		return
	}
	a.lock(&c.guard)
	c.count++
	a.step(1)
	a.unlock(&c.guard)
}

func (e *engine) countDown(a *actor, c *counter) {
	if c.count > 1 && a.free(&c.guard) {
		c.count--
		a.skip(2)
		return
	}
	a.lock(&c.guard)
	c.count--
	if c.count == 0 {
		a.broadcast(&c.zero)
	}
	a.unlock(&c.guard)
}

// hint passes on that the program does not use a piece of data for a while:
// it acquires it for reading and releases it at once.
func (e *engine) hint(a *actor, hint workload.Hint) {
	h := &e.handles[hint.Handle]
	if !h.initialized {
		return
	}
	before, after := e.newInternal(acquire, hint.Handle), e.newInternal(release, hint.Handle)
	e.own(before).mate = after
	a.lock(&h.guard)
	first, waits := int32(none), false
	if !e.g.Explicit {
		first, waits = e.depend(a, before, after, e.slotOf(after), hint.Handle, workload.Read)
	}
	a.unlock(&h.guard)
	if e.deferred(a, first, before, waits) {
		return
	}
	e.acquired(a, before)
	e.unused = append(e.unused, before)
}

// deferred submits what has to come before an acquisition of data, and the
// acquisition itself if it waits, which it says.
func (e *engine) deferred(a *actor, first, acquisition int32, waits bool) bool {
	if first != none {
		e.submitOwn(a, first)
	}
	if waits {
		e.submitOwn(a, acquisition)
	} else {
		a.step(2)
	}
	return waits
}

// acquired is reached when the program may have the data of an acquisition.
func (e *engine) acquired(a *actor, id int32) {
	in := e.own(id)
	if in.taking != nil {
		e.claimTaken(a, in.taking)
		return
	}
	h, after := in.handle, in.mate
	a.brush(&e.handles[h].header)
	if !e.attempt(h, workload.Read, claim{job: after, handle: h, kind: claimAcquire}) {
		return
	}
	e.unusedFor(a, h, after)
}

// unusedFor releases data that the program says it does not use for a while,
// and has it written back to its home when nothing else is to be done.
func (e *engine) unusedFor(a *actor, h, after int32) {
	a.brush(&e.handles[h].header)
	for n := range e.memories {
		e.copyOf(h, int32(n)).refs++
	}
	e.hold(a, h, after)
	e.setAside(a, h)
	e.unhold(a, h)
	a.spin(&e.handles[h].header)
	for n := range e.memories {
		e.copyOf(h, int32(n)).leave()
	}
	e.letGo(a, h)
	e.writeBackIdle(a, h)
}
