package starpu

import (
	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// Shares of a memory node's chunks that are kept clean, in percent: where fewer
// are clean than the first, replicas are written back until the second is reached
// (STARPU_MINIMUM_CLEAN_BUFFERS, STARPU_TARGET_CLEAN_BUFFERS).
const (
	minClean    = 5
	targetClean = 10
)

// allocationAttempts is how often an allocation is tried.
const allocationAttempts = 3

// reclaimFactor times its size is freed for what has to be allocated.
const reclaimFactor = 2

// allocateReplica allocates memory for a replica, and says whether there is any
// (_starpu_allocate_memory_on_node). The handle's header is locked; it is
// unlocked meanwhile, and locked again at the end.
func (e *engine) allocateReplica(a *actor, h, at int32, l level) bool {
	d, r := &e.handles[h], e.replicaOf(h, at)
	if r.allocated {
		return true
	}
	r.refcnt++
	d.header.taken = false
	p, ok := e.allocateInterface(a, h, at, l)
	e.lockHeader(a, h, false)
	r.unref()
	if r.allocated {
		if ok {
			e.freeOnNode(a, at, p)
			e.log.dropped(h, at, e.now)
		}
		return true
	}
	if ok {
		e.registerMemChunk(h, at, p)
	}
	return ok
}

// allocateInterface takes memory, where necessary from other replicas
// (_starpu_allocate_interface).
func (e *engine) allocateInterface(a *actor, h, at int32, l level) (p allocation, ok bool) {
	n := &e.memories[at]
	noted := e.log.searched(h, at, l, e.now)
	reclaiming := false
	defer func() {
		if reclaiming {
			n.reclaiming--
		}
	}()
	for range allocationAttempts {
		begin := e.now
		p, ok := e.mallocOnNode(a, at, e.handles[h].bytes)
		if noted {
			e.log.attempted(h, at, l, begin, e.now, ok)
		}
		if ok {
			e.log.setFull(at, true)
			return p, true
		}
		if l >= idleLevel {
			e.log.setFull(at, false)
			continue
		}
		if p, ok := e.reuseMemChunk(a, h, at, l); ok {
			return p, true
		}
		if !reclaiming {
			n.reclaiming++
			reclaiming = true
		}
		freed := e.reclaim(a, at, reclaimFactor*e.handles[h].bytes, l)
		e.log.setFull(at, freed > 0)
	}
	return allocation{}, false
}

// reuseMemChunk takes the memory of a replica of the same size that is not
// needed and need not be written back (try_to_reuse_potentially_in_use_mc).
func (e *engine) reuseMemChunk(a *actor, h, at int32, l level) (allocation, bool) {
	n := &e.memories[at]
	wanted := evictableBy(l) | otherReplica
	for c := n.memChunks.first.nextWith(wanted); c != nil; c = c.next.nextWith(wanted) {
		if c.notify != nil || c.bytes != e.handles[h].bytes {
			continue
		}
		if c.next != nil && c.next.notify != nil {
			continue
		}
		d, r := &e.handles[c.handle], e.replicaOf(c.handle, at)
		if r.state == owner {
			c.clearFlags(otherReplica)
		}
		if !e.mayEvict(c.handle, at, l) || d.header.taken || r.state == owner || e.chooseTarget(c.handle, at) == none {
			continue
		}
		e.invalidateShared(c.handle, at)
		p := c.allocation
		n.memChunks.remove(c)
		e.log.writtenBack(c.handle, at, none, e.now, e.now)
		e.log.updateStates(e, c.handle)
		r.memChunk, r.allocated, r.automaticallyAllocated, r.initialized = nil, false, false, false
		return p, true
	}
	return allocation{}, false
}

// invalidateShared invalidates a replica of which there are others.
func (e *engine) invalidateShared(h, at int32) {
	r := e.replicaOf(h, at)
	if r.state != shared {
		return
	}
	r.state = invalid
	count, last := 0, int32(0)
	for n := range e.memories {
		if e.replicaOf(h, int32(n)).state == shared {
			count++
			last = int32(n)
		}
	}
	if count == 1 {
		e.replicaOf(h, last).state = owner
	}
}

// mayEvict says that a replica is not needed.
func (e *engine) mayEvict(h, at int32, l level) bool {
	d := &e.handles[h]
	if d.home == at || d.home == none && e.memories[at].kind == platform.RAM && !e.memories[0].evictable {
		return false
	}
	r := e.replicaOf(h, at)
	if l >= prefetchLevel && r.tasksPrefetch > 0 {
		r.memChunk.clearFlags(notPrefetched)
		return false
	}
	if r.refcnt > 0 {
		r.memChunk.clearFlags(unreferenced)
		return false
	}
	return e.mayFreeHandle(h, at)
}

// evictableBy are the flags of chunks that a request may evict.
func evictableBy(l level) evictFlags {
	if l >= prefetchLevel {
		return unreferenced | notPrefetched
	}
	return unreferenced
}

// mayFreeHandle says that nothing refers to a replica, and that no access
// writes the handle (may_free_handle).
func (e *engine) mayFreeHandle(h, at int32) bool {
	if e.replicaOf(h, at).refcnt > 0 {
		return false
	}
	d := &e.handles[h]
	return d.currentMode != workload.Write || d.invalidation == nil && !e.anyReplicaReferenced(h)
}

func (e *engine) anyReplicaReferenced(h int32) bool {
	for n := range e.memories {
		if e.replicaOf(h, int32(n)).refcnt > 0 {
			return true
		}
	}
	return false
}

// chooseTarget is the memory node to write a replica back to, none without one
// .
func (e *engine) chooseTarget(h, at int32) int32 {
	home := e.handles[h].home
	if home != none && (e.memories[home].kind != platform.Disk || e.memories[at].kind == platform.RAM) {
		return home
	}
	if e.memories[at].kind != platform.RAM {
		n := &e.memories[0]
		if e.replicaOf(h, 0).allocated || n.capacity == 0 || n.used+e.handles[h].bytes <= n.capacity {
			return 0
		}
	}
	return e.chooseDisk(h, at)
}

// chooseDisk is a disk with room for a handle, none without one.
func (e *engine) chooseDisk(h, at int32) int32 {
	for i := range e.memories {
		n := &e.memories[i]
		if n.kind == platform.Disk && int32(i) != at && (e.replicaOf(h, int32(i)).allocated || n.capacity == 0 || n.used+e.handles[h].bytes <= n.capacity) {
			return int32(i)
		}
	}
	return none
}

// reclaim evicts replicas until so many bytes are free
// (_starpu_memory_reclaim_generic).
func (e *engine) reclaim(a *actor, at int32, bytes int64, l level) int64 {
	n := &e.memories[at]
	freed := e.flushAllocCache(a, at)
restart:
	wanted := evictableBy(l)
	for c := n.memChunks.first.nextWith(wanted); c != nil && freed < bytes; c = c.nextWith(wanted) {
		next := c.next
		if c.notify != nil || next != nil && next.notify != nil {
			c = next
			continue
		}
		watch := next
		if next != nil {
			next.notify = &watch
		}
		freed += e.tryToThrowMemChunk(a, c, at, l)
		if next != nil {
			if watch == nil {
				goto restart
			}
			next.notify = nil
		}
		c = next
	}
	return freed
}

// tryToThrowMemChunk evicts a replica, written back where necessary, and
// returns how many bytes that frees (try_to_throw_mem_chunk).
func (e *engine) tryToThrowMemChunk(a *actor, c *memChunk, at int32, l level) int64 {
	h := c.handle
	d := &e.handles[h]
	if !e.mayEvict(h, at, l) || d.header.taken {
		return 0
	}
	d.header.taken = true
	defer func() { d.header.taken = false }()
	target := e.chooseTarget(h, at)
	if target == none {
		return 0
	}
	watched := c
	c.notify = &watched
	begin := e.now
	moved := e.transferToNode(a, h, at, target)
	e.log.writtenBack(h, at, target, begin, e.now)
	if watched == nil {
		return 0
	}
	c.notify = nil
	if !moved || e.replicaOf(h, at).refcnt > 0 {
		return 0
	}
	return e.freeMemChunk(a, c)
}

// transferToNode makes a replica that is not needed superfluous: it is written
// to the target if it is the only valid one (transfer_subtree_to_node).
func (e *engine) transferToNode(a *actor, h, at, target int32) bool {
	d, r := &e.handles[h], e.replicaOf(h, at)
	for r.state == owner {
		q := e.createRequestToFetch(a, fetchArgs{handle: h, to: target, mode: workload.Read, level: fetchLevel, task: none})
		if q == nil {
			d.header.taken = true
			continue
		}
		q.waitedFor = true
		d.header.taken = false
		e.waitRequestCompletion(a, q)
		a.spinLock(&d.header)
		if !e.mayFreeHandle(h, at) {
			return false
		}
	}
	e.invalidateShared(h, at)
	return true
}

// waitRequestCompletion lets requests make progress until one has completed
// (_starpu_wait_data_request_completion).
func (e *engine) waitRequestCompletion(a *actor, r *request) {
	own := int32(0)
	if a.worker != nil {
		own = a.worker.memory
		e.setStatus(a, a.worker, statusWaiting)
		defer e.clearStatus(a, a.worker, statusWaiting)
	}
	e.waitOnQueues(a, []int32{own, r.to}, func() bool { return r.completed }, func() { e.datawizardProgress(a, true) })
	e.requests.put(r)
}

// freeMemChunk frees the memory of a chunk (free_memory_on_node).
func (e *engine) freeMemChunk(a *actor, c *memChunk) int64 {
	r := e.replicaOf(c.handle, c.memory)
	r.memChunk = nil
	e.freeOnNode(a, c.memory, c.allocation)
	r.allocated, r.automaticallyAllocated = false, false
	e.memories[c.memory].memChunks.remove(c)
	e.log.dropped(c.handle, c.memory, e.now)
	e.log.updateStates(e, c.handle)
	a.broadcastQueue(&e.memories[c.memory].waitQueue)
	return c.bytes
}

// needsTidy says that too few chunks are clean.
func (n *memory) needsTidy() bool {
	return n.evictable && n.memChunks.clean < n.memChunks.count*minClean/100
}

// tidyMemChunks has replicas written back where few chunks are clean
// (starpu_memchunk_tidy).
func (e *engine) tidyMemChunks(a *actor, m int32) {
	n := &e.memories[m]
	l := &n.memChunks
	if !n.needsTidy() {
		return
	}
	skipped := false
	for c := l.dirty; c != nil && l.clean < l.count*targetClean/100; {
		next := c.next
		watch := next
		if e.cleanMemChunk(a, c, m, &watch) {
			skipped = true
		}
		c = watch
		if c == nil && next != nil {
			break
		}
		if c == nil || !skipped {
			l.dirty = c
		}
	}
}

// cleanMemChunk requests that a dirty replica be written back, and says whether
// it was skipped. next is what follows it in its list, nil if that leaves it.
func (e *engine) cleanMemChunk(a *actor, c *memChunk, m int32, next **memChunk) (skipped bool) {
	if c.home || c.clean {
		return false
	}
	if *next != nil && (*next).notify != nil {
		return true
	}
	h := c.handle
	d := &e.handles[h]
	if d.home == none && e.memories[m].kind == platform.RAM && !e.memories[0].evictable {
		return false
	}
	if d.header.taken {
		return true
	}
	if d.currentMode == workload.Write {
		if d.invalidation != nil {
			return false
		}
		if e.anyReplicaReferenced(h) {
			return true
		}
	}
	return e.requestCleaning(a, c, m, next)
}

func (e *engine) requestCleaning(a *actor, c *memChunk, m int32, next **memChunk) (skipped bool) {
	h := c.handle
	d := &e.handles[h]
	target := d.home
	if target != none && e.replicaOf(h, target).state != invalid {
		c.clean = true
		e.memories[m].memChunks.clean++
		return false
	}
	if target == none {
		target = e.chooseTarget(h, m)
	}
	if target == none {
		return false
	}
	d.header.taken = true
	c.clean = true
	e.memories[m].memChunks.clean++
	follower := *next
	if follower != nil {
		follower.notify = next
	}
	if e.createRequestToFetch(a, fetchArgs{handle: h, to: target, mode: workload.Read, level: idleLevel, task: none, detached: true}) != nil {
		d.header.taken = false
	}
	if follower != nil && *next != nil {
		follower.notify = nil
	}
	return false
}
