package starpu

import "dagscope/predict/workload"

// slot is an access among those of its handle that have not ended: a doubly
// linked list, whose ends are the handle itself.
type slot struct {
	job        int32
	next, prev int32 // slots, lastSlot at the end; prev is unlinked of those not in the list
}

const (
	lastSlot = -1
	unlinked = -2
)

// modeRank orders access modes: read and write, write, read.
func modeRank(m workload.Mode) int {
	switch {
	case m&workload.Write != 0 && m&workload.Read != 0:
		return 0
	case m&workload.Write != 0:
		return 1
	}
	return 2
}

// slotOf is the slot of an internal task.
func (e *engine) slotOf(id int32) int32 {
	return int32(len(e.g.Handle)) + id - int32(len(e.g.Class))
}

// link adds an access before the others of its handle.
func (e *engine) link(h *handle, s, id int32) {
	e.slots[s] = slot{job: id, next: h.accessors, prev: lastSlot}
	if h.accessors != lastSlot {
		e.slots[h.accessors].prev = s
	}
	h.accessors = s
}

func (e *engine) unlink(h *handle, s int32) {
	x := &e.slots[s]
	if x.prev == lastSlot {
		h.accessors = x.next
	} else {
		e.slots[x.prev].next = x.next
	}
	if x.next != lastSlot {
		e.slots[x.next].prev = x.prev
	}
	x.prev = unlinked
}

// detectImplicitDeps makes a task wait for earlier ones that access a handle in
// a way that excludes its own access (sequential task flow,
// _starpu_detect_implicit_data_deps_with_handle), and registers the access.
// before is the job that waits, after the job that later accesses wait for: the
// same, except for acquisitions by the program. It returns an internal task
// that has to be submitted first, and says whether before waits for anything.
func (e *engine) detectImplicitDeps(a *actor, before, after, s, handle int32, mode workload.Mode) (first int32, waits bool) {
	h := &e.handles[handle]
	mode &^= workload.Scratch
	if mode&workload.Write != 0 {
		h.initialized = true
	}
	previous := h.lastMode
	h.lastMode = mode
	first = none
	switch {
	case concurrentModes(previous, mode):
		return none, e.addAccessor(a, h, before, after, s)
	case h.accessors != lastSlot && e.slots[h.accessors].next != lastSlot:
		if mode == workload.Write {
			e.addSyncTask(a, h, handle, before, after)
			return none, true
		}
		first = e.newInternal(syncTask, handle)
		e.addSyncTask(a, h, handle, first, first)
		return first, e.addAccessor(a, h, before, after, s)
	case h.accessors != lastSlot:
		only := h.accessors
		h.lastSync = e.slots[only].job
		e.unlink(h, only)
	}
	return none, e.addAccessor(a, h, before, after, s)
}

// concurrentModes says that accesses in these modes may go on at the same time.
func concurrentModes(previous, mode workload.Mode) bool {
	const commuting = workload.Write | workload.Commute
	return mode == workload.Read && previous == workload.Read || mode&commuting == commuting && previous&commuting == commuting
}

// addAccessor adds an access, which waits for the last job that all wait for
// (_starpu_add_accessor).
func (e *engine) addAccessor(a *actor, h *handle, before, after, s int32) bool {
	e.link(h, s, after)
	if h.lastSync == none || h.lastSync == after {
		return false
	}
	e.declareDeps(a, before, []int32{h.lastSync})
	if in := e.internalOf(before); in != nil && in.kind == acquireTask {
		a.spinLockUnlock(&h.header)
		in.implicitDepHandle = in.handle
	}
	return true
}

// addSyncTask makes before wait for all that access the handle, and later
// accesses wait for after instead (_starpu_add_sync_task).
func (e *engine) addSyncTask(a *actor, h *handle, handle, before, after int32) {
	var all []int32
	for s := h.accessors; s != lastSlot; s = e.slots[s].next {
		all = append(all, e.slots[s].job)
		e.slots[s].prev = unlinked
	}
	h.accessors = lastSlot
	e.declareDeps(a, before, all)
	h.lastSync = after
	if in := e.internalOf(after); in != nil {
		a.spinLockUnlock(&h.header)
		in.implicitDepHandle = handle
	}
}

// releaseImplicitDep removes a task that has ended from the accesses of a
// handle (_starpu_release_data_enforce_sequential_consistency).
func (e *engine) releaseImplicitDep(id, s, handle int32) {
	h := &e.handles[handle]
	if h.lastSync == id {
		h.lastSync = none
	}
	if e.slots[s].prev != unlinked && e.slots[s].job == id {
		e.unlink(h, s)
	}
}
