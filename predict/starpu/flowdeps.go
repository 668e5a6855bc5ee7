package starpu

import "dagscope/predict/workload"

// access is an access of a job to data. Those of a task follow each other, in the
// order in which its data is locked. Those to a handle that have not ended are a
// doubly linked list, whose ends are the handle itself.
type access struct {
	what       uint32 // handle and mode
	job        int32
	next, prev int32 // accesses, lastAccess at the end; prev is unlinked of those not in the list
}

const (
	lastAccess = -1
	unlinked   = -2
)

// Parts of access.what.
const (
	modeBits   = workload.ReadWrite | workload.Commute | workload.Scratch
	repeated   = modeBits + 1
	handleBits = 5
	maxHandles = 1 << (32 - handleBits)
)

func newAccess(handle int32, mode workload.Mode, job int32) access {
	return access{what: uint32(handle)<<handleBits | uint32(mode), job: job, prev: unlinked}
}

func (x *access) handle() int32 { return int32(x.what >> handleBits) }

func (x *access) mode() workload.Mode { return workload.Mode(x.what) & modeBits }

// repeated says that the access is to the same data as an earlier one of its
// task.
func (x *access) repeated() bool { return x.what&uint32(repeated) != 0 }

// scratch says that the data has no content before and after the task.
func (x *access) scratch() bool { return x.what&uint32(workload.Scratch) != 0 }

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

// accessOf is the access of an internal task.
func (e *engine) accessOf(id int32) int32 {
	return int32(len(e.g.Handle)) + id - int32(len(e.g.Class))
}

// link adds an access before the others of its handle.
func (e *engine) link(h *handle, x, id int32) {
	y := &e.accessList[x]
	y.job, y.next, y.prev = id, h.accessors, lastAccess
	if h.accessors != lastAccess {
		e.accessList[h.accessors].prev = x
	}
	h.accessors = x
}

func (e *engine) unlink(h *handle, x int32) {
	y := &e.accessList[x]
	if y.prev == lastAccess {
		h.accessors = y.next
	} else {
		e.accessList[y.prev].next = y.next
	}
	if y.next != lastAccess {
		e.accessList[y.next].prev = y.prev
	}
	y.prev = unlinked
}

// detectImplicitDeps makes a task wait for earlier ones that access a handle in
// a way that excludes its own access (sequential task flow,
// _starpu_detect_implicit_data_deps_with_handle), and registers the access.
// before is the job that waits, after the job that later accesses wait for: the
// same, except for acquisitions by the program. It returns an internal task
// that has to be submitted first, and says whether before waits for anything.
func (e *engine) detectImplicitDeps(a *actor, before, after, x, handle int32, mode workload.Mode) (first int32, waits bool) {
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
		return none, e.addAccessor(a, h, before, after, x)
	case h.accessors != lastAccess && e.accessList[h.accessors].next != lastAccess:
		if mode == workload.Write {
			e.addSyncTask(a, h, handle, before, after)
			return none, true
		}
		first = e.newInternal(syncTask, handle)
		e.addSyncTask(a, h, handle, first, first)
		return first, e.addAccessor(a, h, before, after, x)
	case h.accessors != lastAccess:
		only := h.accessors
		h.lastSync = e.accessList[only].job
		e.unlink(h, only)
	}
	return none, e.addAccessor(a, h, before, after, x)
}

// concurrentModes says that accesses in these modes may go on at the same time.
func concurrentModes(previous, mode workload.Mode) bool {
	const commuting = workload.Write | workload.Commute
	return mode == workload.Read && previous == workload.Read || mode&commuting == commuting && previous&commuting == commuting
}

// addAccessor adds an access, which waits for the last job that all wait for
// (_starpu_add_accessor).
func (e *engine) addAccessor(a *actor, h *handle, before, after, x int32) bool {
	e.link(h, x, after)
	if h.lastSync == none || h.lastSync == after {
		return false
	}
	e.declareDep(a, before, h.lastSync)
	if in := e.internalOf(before); in != nil && in.kind == acquireTask {
		a.spinLockUnlock(&h.header)
		in.implicitDepHandle = in.handle
	}
	return true
}

// addSyncTask makes before wait for all that access the handle, and later
// accesses wait for after instead (_starpu_add_sync_task).
func (e *engine) addSyncTask(a *actor, h *handle, handle, before, after int32) {
	all := e.spareJobs[:0]
	e.spareJobs = nil // while others take turns
	for x := h.accessors; x != lastAccess; x = e.accessList[x].next {
		all = append(all, e.accessList[x].job)
		e.accessList[x].prev = unlinked
	}
	h.accessors = lastAccess
	e.declareDeps(a, before, all)
	e.spareJobs = all
	h.lastSync = after
	if in := e.internalOf(after); in != nil {
		a.spinLockUnlock(&h.header)
		in.implicitDepHandle = handle
	}
}

// releaseImplicitDep removes a task that has ended from the accesses of a
// handle (_starpu_release_data_enforce_sequential_consistency).
func (e *engine) releaseImplicitDep(id, x, handle int32) {
	h := &e.handles[handle]
	if h.lastSync == id {
		h.lastSync = none
	}
	if y := &e.accessList[x]; y.prev != unlinked && y.job == id {
		e.unlink(h, x)
	}
}
