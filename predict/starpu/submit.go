package starpu

import "dagscope/predict/workload"

// submitAll is the program: it submits all tasks, and waits for their end.
func (e *engine) submitAll(a *actor) {
	hints, waits := e.g.Hints, e.o.Waits
	for t := range e.g.Class {
		if len(waits) > 0 && int(waits[0]) <= t {
			e.awaitAll(a)
			waits = waits[1:]
		}
		for len(hints) > 0 && int(hints[0].After) <= t {
			e.wontUse(a, hints[0])
			hints = hints[1:]
		}
		e.submitTask(a, int32(t))
	}
	for _, h := range hints {
		e.wontUse(a, h)
	}
	e.awaitAll(a)
	e.log.end = e.now
	e.unregisterAll(a)
	e.halt()
}

// unregisterAll is what programs do with data that has no home node: they
// unregister one handle after the other, which waits until its requests have
// completed and makes room for the others. Requests that never get memory are
// not waited for.
func (e *engine) unregisterAll(a *actor) {
	const patience = 20 // polls at which nothing is copied
	for i := range e.handles {
		h := &e.handles[i]
		if h.home != none {
			continue
		}
		for quiet := 0; h.requests != nil && quiet < patience; quiet++ {
			if len(e.transfers.pending) > 0 {
				quiet = 0
			}
			a.sleep(maxPushTime / patience)
		}
		if h.requests == nil {
			e.unregister(a, int32(i))
		}
	}
}

// unregister frees the memory of a handle.
func (e *engine) unregister(a *actor, h int32) {
	for m := range e.memories {
		r := e.replicaOf(h, int32(m))
		if r.memChunk != nil && r.refcnt == 0 {
			e.freeMemChunk(a, r.memChunk)
		}
		r.state = invalid
	}
}

func (e *engine) awaitAll(a *actor) {
	c := &e.submitCount
	a.lock(&c.mutex)
	for c.count > 0 {
		a.wait(&c.zero, &c.mutex)
	}
	a.unlock(&c.mutex)
}

// awaitRoom waits while the window of submitted tasks is full
// (starpu_task_wait_for_n_submitted).
func (e *engine) awaitRoom(a *actor) {
	c := &e.submitCount
	if e.o.Window == 0 || c.count <= e.o.Window {
		return
	}
	a.lock(&c.mutex)
	for c.target = e.o.WindowMin; c.count > c.target; {
		a.wait(&c.zero, &c.mutex)
	}
	c.target = 0
	a.unlock(&c.mutex)
}

func (e *engine) submitTask(a *actor, t int32) {
	e.awaitRoom(a)
	e.lockUnlockJob(a, t)
	e.log.submitted(e, t)
	if !e.g.Explicit {
		e.enforceSequentialConsistency(a, t)
	}
	e.declareExplicitDeps(a, t)
	e.submitJob(a, t)
}

// enforceSequentialConsistency makes a task wait for earlier accesses to its
// data (_starpu_detect_implicit_data_deps).
func (e *engine) enforceSequentialConsistency(a *actor, t int32) {
	accesses := e.accesses(t)
	for i := range accesses {
		x := &accesses[i]
		if x.scratch() || x.repeated() {
			continue
		}
		h := &e.handles[x.handle()]
		a.lock(&h.seqMutex)
		first, _ := e.detectImplicitDeps(a, t, t, e.g.AccessAt[t]+int32(i), x.handle(), x.mode())
		a.unlock(&h.seqMutex)
		if first != none {
			e.submitInternal(a, first)
		}
	}
}

// declareExplicitDeps makes a task wait for the tasks that the graph names.
func (e *engine) declareExplicitDeps(a *actor, t int32) {
	for ; e.log.explicit < len(e.g.To) && e.g.To[e.log.explicit] == t; e.log.explicit++ {
		e.declareDep(a, t, e.g.From[e.log.explicit])
	}
}

func (e *engine) submitInternal(a *actor, id int32) {
	e.lockUnlockJob(a, id)
	e.submitJob(a, id)
}

// submitJob submits a job: it is pushed at once if it waits for nothing
// (_starpu_submit_job).
func (e *engine) submitJob(a *actor, id int32) {
	e.countUp(a, &e.submitCount)
	e.spinLockUnlockAll(a, id)
	e.lockJob(a, id)
	j := &e.jobs[id]
	waiting := j.left > 0
	if waiting {
		j.state = jobWaiting
	} else {
		j.state = jobReady
	}
	e.unlockJob(a, id)
	if !waiting {
		e.enforceDataDeps(a, id, 0)
	}
	a.pause(e.costs.submit)
}

// spinLockUnlockAll waits until no actor has the header of a handle of a task.
func (e *engine) spinLockUnlockAll(a *actor, id int32) {
	if e.internalOf(id) != nil {
		return
	}
	for x := e.g.AccessAt[id]; x < e.g.AccessAt[id+1]; x++ {
		a.spinLockUnlock(&e.handles[e.g.Handle[x]].header)
	}
}

// pause sleeps unless the duration is 0.
func (a *actor) pause(duration float64) {
	if duration > 0 {
		a.sleep(duration)
	}
}

func (e *engine) countUp(a *actor, c *counter) {
	if a.uncontended(&c.mutex) {
		c.count++
		a.countSimcalls(3)
		return
	}
	a.lock(&c.mutex)
	c.count++
	a.simcalls(1)
	a.unlock(&c.mutex)
}

func (e *engine) countDown(a *actor, c *counter) {
	if c.count > c.target+1 && a.uncontended(&c.mutex) {
		c.count--
		a.countSimcalls(2)
		return
	}
	a.lock(&c.mutex)
	c.count--
	if c.count == c.target {
		a.broadcast(&c.zero)
	}
	a.unlock(&c.mutex)
}

// wontUse passes on that the program will not use data for a while: it acquires
// the data for reading and releases it at once (starpu_data_wont_use).
func (e *engine) wontUse(a *actor, hint workload.Hint) {
	h := &e.handles[hint.Handle]
	if !h.initialized {
		return
	}
	before, after := e.newInternal(acquireTask, hint.Handle), e.newInternal(releaseTask, hint.Handle)
	e.internalOf(before).postSync = after
	a.lock(&h.seqMutex)
	first, waits := int32(none), false
	if !e.g.Explicit {
		first, waits = e.detectImplicitDeps(a, before, after, e.accessOf(after), hint.Handle, workload.Read)
	}
	a.unlock(&h.seqMutex)
	if e.submitAcquisition(a, first, before, waits) {
		return
	}
	e.acquireCallback(a, before)
	e.freeInternals = append(e.freeInternals, before)
}

// submitAcquisition submits the job that has to come before an acquisition, and
// the acquisition itself if it waits, and returns whether it does.
func (e *engine) submitAcquisition(a *actor, first, acquisition int32, waits bool) bool {
	if first != none {
		e.submitInternal(a, first)
	}
	if waits {
		e.submitInternal(a, acquisition)
	} else {
		a.simcalls(2)
	}
	return waits
}

// acquireCallback is called when the program may access the data of an
// acquisition.
func (e *engine) acquireCallback(a *actor, id int32) {
	in := e.internalOf(id)
	if in.acquisition != nil {
		e.acquirePreSync(a, in.acquisition)
		return
	}
	h, after := in.handle, in.postSync
	a.spinLockUnlock(&e.handles[h].header)
	if !e.attemptAccess(h, workload.Read, requester{job: after, handle: h, kind: requesterWontUse}) {
		return
	}
	e.wontUseAcquired(a, h, after)
}

// wontUseAcquired marks data that the program will not use for a while, and has
// it written back to its home node at the lowest urgency.
func (e *engine) wontUseAcquired(a *actor, h, after int32) {
	a.spinLockUnlock(&e.handles[h].header)
	for n := range e.memories {
		e.replicaOf(h, int32(n)).refcnt++
	}
	e.addPostSync(a, h, after)
	e.memChunkWontUse(a, h)
	e.unlockPostSync(a, h)
	a.spinLock(&e.handles[h].header)
	for n := range e.memories {
		e.replicaOf(h, int32(n)).unref()
	}
	e.notifyDataDeps(a, h)
	e.idleWriteBack(a, h)
}
