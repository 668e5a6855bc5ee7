package starpu

import "dagscope/predict/workload"

// taking is the use of a piece of data by the program itself: to send it, to
// receive it, or to forget it. It has its place in the sequential task flow, as
// a task would.
type acquisition struct {
	what        actionKind // doSend, doReceive or doForget
	handle      int32
	mode        workload.Mode
	priority    int32
	postSyncJob int32 // job that ends it
	coopSends   *coopSends
	receive     *receive
}

// occupy asks for data: what is to be done with it follows when those before
// have ended.
func (e *engine) acquireData(a *actor, t *acquisition) {
	before, after := e.newInternal(acquireTask, t.handle), e.newInternal(releaseTask, t.handle)
	in := e.internalOf(before)
	in.postSync, in.acquisition = after, t
	t.postSyncJob = after
	h := &e.handles[t.handle]
	a.lock(&h.seqMutex)
	first, waits := e.detectImplicitDeps(a, before, after, e.slotOf(after), t.handle, t.mode)
	a.unlock(&h.seqMutex)
	if e.submitAcquisition(a, first, before, waits) {
		return
	}
	e.acquirePreSync(a, t)
	e.freeInternals = append(e.freeInternals, before)
}

// claimTaken is reached when those before have ended.
func (e *engine) acquirePreSync(a *actor, t *acquisition) {
	a.spinLockUnlock(&e.handles[t.handle].header)
	if e.attemptAccess(t.handle, t.mode, requester{job: t.postSyncJob, handle: t.handle, kind: requesterAcquisition, acquisition: t}) {
		e.fetchAcquired(a, t)
	}
}

// fetchTaken brings the data to the RAM, or makes room for it there.
func (e *engine) fetchAcquired(a *actor, t *acquisition) {
	if t.what == actionInvalidate {
		e.invalidateAcquired(a, t)
		return
	}
	e.fetchOnNode(a, fetchArgs{handle: t.handle, to: 0, mode: t.mode, level: fetchLevel, priority: t.priority, task: none, acquisition: t})
}

// taken is reached when the data is there.
func (e *engine) acquisitionReady(a *actor, t *acquisition) {
	e.addPostSync(a, t.handle, t.postSyncJob)
	if t.what == actionSend {
		e.node.releaseCoopSends(a, t.coopSends)
		return
	}
	e.node.postEarlyRequest(a, t.receive)
}

// vacate ends the use of data in the RAM.
func (e *engine) releaseAcquired(a *actor, t *acquisition) {
	e.unlockPostSync(a, t.handle)
	e.lockHeader(a, t.handle, true)
	e.replicaOf(t.handle, 0).unref()
	e.notifyDataDeps(a, t.handle)
}

// hold notes that the program has a piece of data, and which job ends that.
func (e *engine) addPostSync(a *actor, h, after int32) {
	d := &e.handles[h]
	a.lockUnlock(&d.seqMutex)
	if d.postSync == nil {
		d.postSync = &postSync{}
	}
	d.postSync.count++
	d.postSync.jobs = append(d.postSync.jobs, after)
}

// unhold is the end of such a use: those that come after go on once the last of
// several at the same time has ended, those after the latest first.
func (e *engine) unlockPostSync(a *actor, h int32) {
	d := &e.handles[h]
	a.lockUnlock(&d.seqMutex)
	d.postSync.count--
	if d.postSync.count > 0 {
		return
	}
	ended := d.postSync.jobs
	d.postSync = nil
	for i := len(ended) - 1; i >= 0; i-- {
		a.lockUnlock(&d.seqMutex)
		e.releaseImplicitDep(ended[i], e.slotOf(ended[i]), h)
		e.submitInternal(a, ended[i])
	}
}

// forgetTaken invalidates all copies of data that another node owns.
func (e *engine) invalidateAcquired(a *actor, t *acquisition) {
	h := t.handle
	e.addPostSync(a, h, t.postSyncJob)
	a.spinLock(&e.handles[h].header)
	for n := range e.memories {
		r := e.replicaOf(h, int32(n))
		r.setState(invalid)
		if c := r.memChunk; r.refcnt == 0 && c != nil && r.allocated && r.automaticallyAllocated {
			e.memories[n].memChunks.remove(c)
			e.memories[n].cache(c.allocation)
			r.memChunk, r.allocated, r.automaticallyAllocated, r.initialized = nil, false, false, false
		}
		r.refcnt++
	}
	e.log.updateStates(e, h)
	e.handles[h].header.taken = false
	e.unlockPostSync(a, t.handle)
	a.spinLock(&e.handles[h].header)
	for n := range e.memories {
		e.replicaOf(h, int32(n)).unref()
	}
	e.notifyDataDeps(a, h)
}
