package starpu

import "dagscope/predict/workload"

// outcome of an attempt to handle a request.
type outcome int

const (
	requestDone outcome = iota
	requestPending
	requestNoMemory
	requestBusy // too many are under way (EBUSY)
)

// datawizardProgress begins and completes requests of the memory nodes that a
// worker drives, and says whether there were any (_starpu_datawizard_progress).
func (e *engine) datawizardProgress(a *actor, allocate bool) bool {
	w := a.worker
	if w == nil {
		return e.runProgressLoop(a, e.progressLoop, allocate)
	}
	return !w.schedOpPending && e.runProgressLoop(a, w.progressLoop, allocate)
}

// runProgressLoop handles all requests that the steps of a progress loop find.
func (e *engine) runProgressLoop(a *actor, steps []step, allocate bool) bool {
	progressed := false
	for i := a.runSteps(steps, 0); i != none; {
		s := &steps[i]
		i++
		did, noMemory := e.handleRequestStep(a, s, allocate)
		progressed = progressed || did
		if noMemory {
			i = int(s.end)
		}
		i = a.runSteps(steps, i)
	}
	return progressed
}

// handleRequestStep handles the requests of a step. It says whether any began
// or completed, and whether memory is lacking.
func (e *engine) handleRequestStep(a *actor, s *step, allocate bool) (progressed, noMemory bool) {
	switch s.op {
	case opTidyMemChunks:
		e.tidyMemChunks(a, s.memory)
	case opPendingRequests:
		progressed = e.handlePendingRequests(a, s.memory, s.peer, s.dir)
	case opRequests:
		begun, result := e.handleNodeRequests(a, s.memory, s.peer, s.dir, s.level, allocate)
		return begun, result == requestNoMemory
	}
	return progressed, false
}

func (n *memory) anyPending(from, to int32, dir direction) bool {
	for p := from; p < to; p++ {
		if n.requests[p][dir].npending > 0 {
			return true
		}
	}
	return false
}

// handlePendingRequests completes requests whose copies have ended
// (_handle_pending_node_data_requests). The mutex of their list is locked.
func (e *engine) handlePendingRequests(a *actor, m, peer int32, dir direction) bool {
	q := &e.memories[m].requests[peer][dir]
	waiting, kept := e.requests.list(), e.requests.list()
	waiting.move(&q.pending)
	a.unlock(&q.pendingListMutex)
	taken := 0
	for r := waiting.pop(); r != nil; r = waiting.pop() {
		taken++
		d := &e.handles[r.handle]
		a.spinLock(&d.header)
		if r.transferred {
			e.completeRequest(a, r)
			continue
		}
		d.header.taken = false
		kept.pushBack(r)
	}
	a.lock(&q.pendingListMutex)
	q.npending -= taken - kept.size
	e.memories[m].unfinished[dir] -= taken - kept.size
	ended := taken - kept.size
	q.pending.move(kept)
	e.requests.putLists(waiting, kept)
	a.unlock(&q.pendingListMutex)
	return ended > 0
}

// handleNodeRequests begins requests of a level
// (__starpu_handle_node_data_requests). The mutex of their list is locked.
func (e *engine) handleNodeRequests(a *actor, m, peer int32, dir direction, l level, allocate bool) (pushed bool, result outcome) {
	q := &e.memories[m].requests[peer][dir]
	list, maxCount := &q.waiting[l], maxPending[l]
	var chosen []*request
	for i := q.npending; i < maxCount && list.size > 0; i++ {
		chosen = append(chosen, list.pop())
	}
	if list.size > 0 {
		result = requestBusy
	}
	a.unlock(&q.listMutex)
	if len(chosen) == 0 {
		return false, requestDone
	}
	return e.handleRequests(a, m, q, chosen, l, allocate, result)
}

func (e *engine) handleRequests(a *actor, m int32, q *requestQueue, chosen []*request, l level, allocate bool, result outcome) (bool, outcome) {
	start, pushed := e.now, false
	var remain []*request
	for len(chosen) > 0 {
		if q.npending >= maxPending[l] {
			result = requestBusy
			break
		}
		r := chosen[0]
		chosen = chosen[1:]
		if e.handleRequest(a, r, allocate) == requestNoMemory {
			result = requestNoMemory
			remain = append(remain, r)
			if l > fetchLevel {
				break
			}
		} else {
			pushed = true
		}
		if (e.now-start)*1e6 >= maxPushTime*1e6 {
			result = requestBusy
			break
		}
	}
	remain = append(remain, chosen...)
	if len(remain) > 0 {
		e.putBack(a, m, q, remain, pushed)
	}
	return pushed, result
}

// putBack queues again the requests that could not begin.
func (e *engine) putBack(a *actor, m int32, q *requestQueue, remain []*request, pushed bool) {
	a.lock(&q.listMutex)
	for i := len(remain) - 1; i >= 0; i-- {
		q.waiting[remain[i].level].pushFront(remain[i])
	}
	a.unlock(&q.listMutex)
	if pushed {
		a.sleep(microsecond)
		e.wakeBlockedWorkers(a, m)
	}
}

// handleRequest begins one request (starpu_handle_data_request).
func (e *engine) handleRequest(a *actor, r *request, allocate bool) outcome {
	d := &e.handles[r.handle]
	open := &e.memories[r.handler].unfinished[r.dir]
	a.spinLock(&d.header)
	if r.canceled > 0 {
		r.canceled = 2
		*open--
		e.completeRequest(a, r)
		return requestDone
	}
	to := e.replicaOf(r.handle, r.to)
	if other := to.loadRequest; other != nil && other != r {
		*open--
		e.joinRequest(a, r, other)
		d.header.taken = false
		return requestDone
	}
	to.loadRequest = r
	if r.level > fetchLevel {
		r.targetRef = true
		to.refcnt++
	}
	result := requestDone
	if to.state == invalid {
		result = e.copyData(a, r, to, allocate)
	}
	switch result {
	case requestNoMemory:
		if r.level > fetchLevel {
			r.targetRef = false
			to.unref()
		}
		d.header.taken = false
	case requestPending:
		d.header.taken = false
		q := &e.memories[r.handler].requests[r.peer][r.dir]
		a.lock(&q.pendingListMutex)
		q.pending.pushBack(r)
		q.npending++
		a.unlock(&q.pendingListMutex)
	default:
		*open--
		e.completeRequest(a, r)
	}
	return result
}

// joinRequest makes a request wait for another that fetches the same replica.
func (e *engine) joinRequest(a *actor, r, other *request) {
	r.canceled = 2
	if r.level < other.level {
		e.updatePrefetchStatus(a, other, r.level)
	}
	other.callbacks = append(other.callbacks, callback{duplicate: r})
}

// copyData allocates the target of a request and begins its copy
// (_starpu_driver_copy_data_1_to_1).
func (e *engine) copyData(a *actor, r *request, to *replica, allocate bool) outcome {
	if !to.allocated {
		if n := &e.memories[r.to]; !allocate || n.reclaiming > 0 || n.tidying > 0 {
			return requestNoMemory
		}
		if !e.allocateReplica(a, r.handle, r.to, r.level) {
			return requestNoMemory
		}
	}
	if r.mode&workload.Read == 0 {
		return requestDone
	}
	to.initialized = true
	r.recordNumber = e.log.copyBegins(e, r)
	if !e.o.Costs.Transfer || e.handles[r.handle].bytes == 0 {
		return requestDone
	}
	e.beginTransfer(a, r)
	return requestPending
}

// completeRequest ends a request: its handle's header is locked, and gets
// unlocked (starpu_handle_data_request_completion).
func (e *engine) completeRequest(a *actor, r *request) {
	d, to := &e.handles[r.handle], e.replicaOf(r.handle, r.to)
	if r.canceled < 2 {
		e.updateState(r.handle, r.to, r.mode)
		to.loadRequest = nil
		e.log.copyEnds(e, r)
	}
	for _, n := range r.nextRequests {
		n.ndeps--
		e.postRequest(a, n)
	}
	if to.loadRequest == r {
		to.loadRequest = nil
	}
	r.completed = true
	e.wakeBlockedWorkers(a, r.to)
	if r.canceled < 2 && to.memChunk != nil {
		to.tasksPrefetch += r.tasksPrefetch
	}
	if r.targetRef {
		to.unref()
	}
	if r.mode&workload.Read != 0 {
		e.replicaOf(r.handle, r.from).unref()
	}
	if r.invalidates {
		d.invalidation = nil
	} else {
		d.removeRequest(r)
	}
	d.header.taken = false
	for i := len(r.callbacks) - 1; i >= 0; i-- {
		e.runCallback(a, r.callbacks[i])
	}
	if !r.waitedFor {
		e.requests.put(r)
	}
}
