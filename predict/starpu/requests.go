package starpu

import (
	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// level is how urgent a request is (enum starpu_is_prefetch).
type level uint8

const (
	fetchLevel    level = iota // a task waits for it
	prefetchLevel              // a task that was assigned to a worker will need it
	idleLevel                  // only while no other request is pending
)

// maxPending is how many requests of a handling node, a peer and a direction, of
// all levels, may be under way when one of the given level begins
// (MAX_PENDING_REQUESTS_PER_NODE and the like).
var maxPending = [3]int{fetchLevel: 5, prefetchLevel: 2, idleLevel: 1}

// maxPushTime is how long a worker goes on beginning requests, in s
// (MAX_PUSH_TIME).
const maxPushTime = 1e-3

// request asks for a replica of a handle on a memory node (struct
// _starpu_data_request).
type request struct {
	handle        int32
	from, to      int32 // from none: only memory is needed, no content
	handler       int32
	peer          int32
	dir           direction
	mode          workload.Mode
	level         level
	priority      int32
	task          int32
	ndeps         int        // requests that it waits for
	nextRequests  []*request // that wait for it
	tasksPrefetch int32      // nb_tasks_prefetch
	canceled      uint8      // 1: not needed any more, 2: will not be handled
	targetRef     bool       // has a reference to its target
	transferred   bool       // the copy has ended
	completed     bool
	invalidates   bool  // waits for other requests, and invalidates the replicas they fetched
	waitedFor     bool  // an actor waits for it, and will free it
	recordNumber  int32 // in traceLog.copies from 1, 0 without a copy
	callbacks     []callback
	list          *requestList
	prevInList    *request
	nextInList    *request
	prevOfHandle  *request
	nextOfHandle  *request
}

// callback is what follows when a request has completed.
type callback struct {
	worker      *worker      // whose task has one more buffer
	duplicate   *request     // request that waited for this one to fetch the same replica
	acquisition *acquisition // of a message
}

// fetchArgs are the arguments of fetchOnNode.
type fetchArgs struct {
	handle, to  int32
	mode        workload.Mode
	level       level
	priority    int32
	task        int32
	detached    bool // no reference to the replica remains
	worker      *worker
	acquisition *acquisition
}

// callback is what follows when the data is there.
func (q *fetchArgs) callback() callback {
	return callback{worker: q.worker, acquisition: q.acquisition}
}

// fetchOnNode requests a replica of a handle on a memory node
// (_starpu_fetch_data_on_node).
func (e *engine) fetchOnNode(a *actor, q fetchArgs) {
	d := &e.handles[q.handle]
	a.spinLock(&d.header)
	if q.mode&workload.Read != 0 && q.level > fetchLevel && !e.hasValidReplica(q.handle) {
		d.header.taken = false
		return
	}
	if !q.detached {
		e.replicaOf(q.handle, q.to).refcnt++
	}
	if e.createRequestToFetch(a, q) != nil {
		d.header.taken = false
	}
}

// hasValidReplica says that some replica is valid.
func (e *engine) hasValidReplica(h int32) bool {
	for n := range e.memories {
		if e.replicaOf(h, int32(n)).state != invalid {
			return true
		}
	}
	return false
}

// createRequestToFetch does so while the header is locked
// (_starpu_create_request_to_fetch_data). Where nothing has to be done, the
// header is unlocked, and there is no request.
func (e *engine) createRequestToFetch(a *actor, q fetchArgs) *request {
	d, r := &e.handles[q.handle], e.replicaOf(q.handle, q.to)
	others := 0
	if q.mode&workload.Write != 0 {
		others = d.countRequests()
	}
	if r.state != invalid && (others == 0 || q.level > fetchLevel) {
		e.useValidReplica(a, q, r)
		return nil
	}
	from := int32(none)
	if q.mode&workload.Read != 0 {
		from = q.to
		if r.state == invalid {
			from = e.selectSource(q.handle, q.to)
		}
		if from == none {
			q.mode &^= workload.Read
		}
	} else if e.allocateOnly(a, q, r, others) {
		return nil
	}
	return e.createRequests(a, q, from, others)
}

// countRequests counts the requests for replicas of the handle.
func (d *handle) countRequests() int {
	n := 0
	for r := d.requests; r != nil; r = r.nextOfHandle {
		n++
	}
	return n
}

// useValidReplica uses a replica that is valid already.
func (e *engine) useValidReplica(a *actor, q fetchArgs, r *replica) {
	e.updateState(q.handle, q.to, q.mode)
	if r.memChunk != nil {
		if q.level == prefetchLevel {
			r.tasksPrefetch++
		}
		e.memChunkRecentlyUsed(r.memChunk)
	}
	if q.task != none {
		e.cancelRequestsOfTask(q.handle, q.to, q.task)
	}
	e.handles[q.handle].header.taken = false
	e.runCallback(a, q.callback())
}

// cancelRequestsOfTask cancels the requests for a task that has the data now.
func (e *engine) cancelRequestsOfTask(h, to, task int32) {
	for r := e.handles[h].requests; r != nil; r = r.nextOfHandle {
		if r.to == to && r.task == task && r.canceled == 0 {
			r.canceled = 1
		}
	}
}

// allocateOnly serves an access that needs no content, in RAM, without a
// request.
func (e *engine) allocateOnly(a *actor, q fetchArgs, r *replica, others int) bool {
	if q.mode&workload.Write != 0 && q.level <= prefetchLevel {
		r.initialized = true
	}
	if e.memories[q.to].kind != platform.RAM || others > 0 || e.pinned(q.to) {
		return false
	}
	if !e.allocateReplica(a, q.handle, q.to, q.level) {
		return false
	}
	if q.level <= prefetchLevel {
		e.updateState(q.handle, q.to, q.mode)
	}
	if r.memChunk != nil {
		if q.level == prefetchLevel {
			r.tasksPrefetch++
		}
		e.memChunkRecentlyUsed(r.memChunk)
	}
	e.handles[q.handle].header.taken = false
	e.runCallback(a, q.callback())
	return true
}

// createRequests creates the requests of the hops, and returns the last.
func (e *engine) createRequests(a *actor, q fetchArgs, from int32, others int) *request {
	cleaning := q.mode&workload.Write != 0 && others > 0 && q.level == fetchLevel
	var hops []hop
	switch {
	case from != none && from != q.to:
		hops = e.requestPath(from, q.to)
	case !cleaning:
		hops = []hop{{from, q.to, q.to}}
		if e.memories[q.to].kind == platform.Disk {
			hops[0].handler = 0
		}
	}
	var first, last *request
	for i, p := range hops {
		r, reused := e.searchExistingRequest(a, q, p)
		if !reused {
			r = e.newRequest(q, p, i > 0)
			e.log.requested(e, r)
			if last != nil {
				last.nextRequests = append(last.nextRequests, r)
			}
			if i == 0 {
				first = r
			}
		}
		last = r
	}
	if last != nil {
		if q.level == prefetchLevel {
			last.tasksPrefetch++
		}
		if !cleaning && (q.worker != nil || q.acquisition != nil) {
			last.callbacks = append(last.callbacks, q.callback())
		}
	}
	if cleaning {
		last = e.newInvalidationRequest(a, q)
	}
	if first != nil {
		e.postRequest(a, first)
	}
	return last
}

// searchExistingRequest finds a request that fetches the same replica, and
// makes it serve this purpose too (_starpu_search_existing_data_request).
// Requests for different tasks are kept separate.
func (e *engine) searchExistingRequest(a *actor, q fetchArgs, p hop) (*request, bool) {
	from := p.from
	if q.mode&workload.Read == 0 {
		from = p.to
	}
	for r := e.handles[q.handle].requests; r != nil; r = r.nextOfHandle {
		if r.to != p.to || r.sourceKey() != from || r.canceled > 0 {
			continue
		}
		if q.task != none && r.task != none && q.task != r.task {
			continue
		}
		if q.level < r.level {
			e.updatePrefetchStatus(a, r, q.level)
		}
		r.mode |= q.mode & workload.ReadWrite
		return r, true
	}
	return nil, false
}

// sourceKey distinguishes requests for one replica.
func (r *request) sourceKey() int32 {
	if r.mode&workload.Read != 0 {
		return r.from
	}
	return r.to
}

func (e *engine) newRequest(q fetchArgs, p hop, chained bool) *request {
	r := e.requests.get()
	*r = request{handle: q.handle, from: p.from, to: p.to, handler: p.handler, mode: q.mode & workload.ReadWrite, level: q.level,
		priority: q.priority, task: q.task, nextRequests: r.nextRequests[:0], callbacks: r.callbacks[:0]}
	if chained {
		r.ndeps = 1
	}
	if p.to == p.handler {
		r.peer, r.dir = p.from, in
		if p.from == none {
			r.peer = p.handler
		}
	} else {
		r.peer, r.dir = p.to, out
	}
	if q.level == fetchLevel {
		r.targetRef = true
		e.replicaOf(r.handle, r.to).refcnt++
	}
	if r.mode&workload.Read != 0 {
		e.replicaOf(r.handle, r.from).refcnt++
	}
	e.handles[q.handle].appendRequest(r)
	return r
}

func (d *handle) appendRequest(r *request) {
	r.prevOfHandle, r.nextOfHandle = d.lastRequest, nil
	if d.lastRequest == nil {
		d.requests = r
	} else {
		d.lastRequest.nextOfHandle = r
	}
	d.lastRequest = r
}

func (d *handle) removeRequest(r *request) {
	if r.prevOfHandle == nil {
		d.requests = r.nextOfHandle
	} else {
		r.prevOfHandle.nextOfHandle = r.nextOfHandle
	}
	if r.nextOfHandle == nil {
		d.lastRequest = r.prevOfHandle
	} else {
		r.nextOfHandle.prevOfHandle = r.prevOfHandle
	}
	r.prevOfHandle, r.nextOfHandle = nil, nil
}

// newInvalidationRequest creates the request that waits for all others of a
// handle and invalidates what they fetched, because the task writes.
func (e *engine) newInvalidationRequest(a *actor, q fetchArgs) *request {
	d := &e.handles[q.handle]
	r := e.requests.get()
	*r = request{handle: q.handle, from: none, to: q.to, handler: q.to, peer: q.to, dir: in, mode: workload.Write, level: q.level,
		priority: q.priority, task: q.task, invalidates: true, targetRef: true, nextRequests: r.nextRequests[:0], callbacks: r.callbacks[:0]}
	e.replicaOf(q.handle, q.to).refcnt++
	d.invalidation = r
	r.callbacks = append(r.callbacks, q.callback())
	for o := d.requests; o != nil; o = o.nextOfHandle {
		if q.level < o.level {
			e.updatePrefetchStatus(a, o, q.level)
		}
		o.nextRequests = append(o.nextRequests, r)
		r.ndeps++
	}
	return r
}

// postRequest queues a request on its handling node, and wakes the workers
// there (_starpu_post_data_request).
func (e *engine) postRequest(a *actor, r *request) {
	if r.ndeps > 0 {
		return
	}
	q := &e.memories[r.handler].requests[r.peer][r.dir]
	a.lock(&q.listMutex)
	q.waiting[r.level].pushBack(r)
	e.memories[r.handler].unfinished[r.dir]++
	a.unlock(&q.listMutex)
	e.wakeBlockedWorkers(a, r.handler)
}

// updatePrefetchStatus makes a request more urgent
// (_starpu_update_prefetch_status).
func (e *engine) updatePrefetchStatus(a *actor, r *request, l level) {
	if l == fetchLevel && !r.targetRef {
		r.targetRef = true
		e.replicaOf(r.handle, r.to).refcnt++
	}
	r.level = l
	if l >= idleLevel {
		return
	}
	for _, n := range r.nextRequests {
		if n.level > l {
			e.updatePrefetchStatus(a, n, l)
		}
	}
	q := &e.memories[r.handler].requests[r.peer][r.dir]
	a.lock(&q.listMutex)
	if r.list == &q.waiting[prefetchLevel] || r.list == &q.waiting[idleLevel] {
		r.list.remove(r)
		q.waiting[l].pushBack(r)
	}
	a.unlock(&q.listMutex)
	e.wakeBlockedWorkers(a, r.handler)
}

// wakeBlockedWorkers wakes the workers that drive a memory node
// (_starpu_wake_all_blocked_workers_on_node).
func (e *engine) wakeBlockedWorkers(a *actor, m int32) {
	a.lock(&e.wakeMutex)
	for _, w := range e.memories[m].drivers {
		w.keepAwake = true
		if a.worker == w {
			continue
		}
		a.lock(&w.schedMutex)
		w.keepAwake = true
		a.broadcast(&w.schedCond)
		a.unlock(&w.schedMutex)
	}
	a.unlock(&e.wakeMutex)
	a.broadcastQueue(&e.memories[m].waitQueue)
}

// runCallback continues what waited for a request.
func (e *engine) runCallback(a *actor, c callback) {
	switch {
	case c.worker != nil:
		c.worker.transferred++
		a.broadcastQueue(&e.memories[c.worker.memory].waitQueue)
	case c.duplicate != nil:
		a.spinLock(&e.handles[c.duplicate.handle].header)
		e.completeRequest(a, c.duplicate)
	case c.acquisition != nil:
		e.acquisitionReady(a, c.acquisition)
	}
}
