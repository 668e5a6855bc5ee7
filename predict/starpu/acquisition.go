package starpu

import "dagscope/predict/workload"

// acquisition is an access to data by the program itself, which sends, receives
// or invalidates it (starpu_data_acquire_on_node_cb). It is part of the
// sequential task flow, as a task would be.
type acquisition struct {
	what        actionKind // actionSend, actionReceive, actionInvalidate, actionEarly or actionCopy
	handle      int32
	mode        workload.Mode
	priority    int32
	postSyncJob int32 // job that ends it
	coopSends   *coopSends
	receive     *receive
}

// acquireData acquires data. What follows is done when earlier accesses have
// ended.
func (e *engine) acquireData(a *actor, t *acquisition) {
	before, after := e.newInternal(acquireTask, t.handle), e.newInternal(releaseTask, t.handle)
	in := e.internalOf(before)
	in.postSync, in.acquisition = after, t
	t.postSyncJob = after
	h := &e.handles[t.handle]
	a.lock(&h.seqMutex)
	first, waits := e.detectImplicitDeps(a, before, after, e.accessOf(after), t.handle, t.mode)
	a.unlock(&h.seqMutex)
	if e.submitAcquisition(a, first, before, waits) {
		return
	}
	e.acquirePreSync(a, t)
	e.freeInternals = append(e.freeInternals, before)
}

// acquirePreSync is called when earlier accesses have ended
// (starpu_data_acquire_cb_pre_sync_callback).
func (e *engine) acquirePreSync(a *actor, t *acquisition) {
	a.spinLockUnlock(&e.handles[t.handle].header)
	if e.attemptAccess(t.handle, t.mode, requester{job: t.postSyncJob, handle: t.handle, kind: requesterAcquisition, acquisition: t}) {
		e.fetchAcquired(a, t)
	}
}

// fetchAcquired fetches the data to RAM, or allocates memory for it there.
func (e *engine) fetchAcquired(a *actor, t *acquisition) {
	if t.what == actionInvalidate {
		e.invalidateAcquired(a, t)
		return
	}
	e.fetchOnNode(a, fetchArgs{handle: t.handle, to: 0, mode: t.mode, level: fetchLevel, priority: t.priority, task: none, acquisition: t})
}

// acquisitionReady is called when the data is there.
func (e *engine) acquisitionReady(a *actor, t *acquisition) {
	e.addPostSync(a, t.handle, t.postSyncJob)
	switch t.what {
	case actionSend:
		e.node.releaseCoopSends(a, t.coopSends)
	case actionEarly:
		e.node.earlyPosted(a, t.receive)
	case actionCopy:
		e.node.copyEarly(a, t)
	default:
		e.node.postEarlyRequest(a, t.receive)
	}
}

// releaseAcquired ends the access (starpu_data_release_on_node).
func (e *engine) releaseAcquired(a *actor, t *acquisition) {
	e.unlockPostSync(a, t.handle)
	e.lockHeader(a, t.handle, true)
	e.replicaOf(t.handle, 0).unref()
	e.notifyDataDeps(a, t.handle)
}

// addPostSync notes that the program has acquired data, and which job ends that
// (_starpu_add_post_sync_tasks).
func (e *engine) addPostSync(a *actor, h, after int32) {
	d := &e.handles[h]
	a.lockUnlock(&d.seqMutex)
	if d.postSync == nil {
		d.postSync = &postSync{}
	}
	d.postSync.count++
	d.postSync.jobs = append(d.postSync.jobs, after)
}

// unlockPostSync releases such data: later accesses go on once the last of
// several acquisitions has been released, those after the latest first
// (_starpu_unlock_post_sync_tasks).
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
		e.releaseImplicitDep(ended[i], e.accessOf(ended[i]), h)
		e.submitInternal(a, ended[i])
	}
}

// cacheReplica caches the memory of a replica that nobody uses.
func (e *engine) cacheReplica(r *replica, n int32) {
	if c := r.memChunk; r.refcnt == 0 && c != nil && r.allocated && r.automaticallyAllocated {
		e.memories[n].memChunks.remove(c)
		e.memories[n].cache(c.allocation)
		r.memChunk, r.allocated, r.automaticallyAllocated, r.initialized = nil, false, false, false
	}
}

// invalidateAcquired invalidates all replicas of data that another node owns.
func (e *engine) invalidateAcquired(a *actor, t *acquisition) {
	h := t.handle
	e.addPostSync(a, h, t.postSyncJob)
	a.spinLock(&e.handles[h].header)
	for n := range e.memories {
		r := e.replicaOf(h, int32(n))
		r.setState(invalid)
		e.cacheReplica(r, int32(n))
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
