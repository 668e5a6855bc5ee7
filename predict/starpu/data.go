package starpu

import (
	"slices"

	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// handle is a data handle (struct _starpu_data_state).
type handle struct {
	bytes       int64
	seqMutex    mutex // of the sequential task flow (sequential_consistency_mutex)
	home        int32 // home node: memory node of the program's own copy, none without one
	initialized bool  // some task submitted so far writes it, or the program has
	header      spinlock
	notifying   bool
	currentMode workload.Mode // of the accesses under way: Read or Write
	// Sequential task flow, in the order of submission.
	lastSync  int32 // job that all later accesses wait for
	accessors int32 // the latest
	lastMode  workload.Mode
	// Accesses under way.
	refcnt       int32
	requesters   *[]requester // that wait until these have ended (req_list), nil before the first
	requests     *request     // of all replicas, in the order in which they came
	lastRequest  *request
	invalidation *request  // waits until the others have completed (write_invalidation_req)
	postSync     *postSync // of the program's acquisitions, nil without any
}

// postSync are acquisitions of a handle by the program that have not been
// released (post_sync_tasks).
type postSync struct {
	count int     // post_sync_tasks_cnt
	jobs  []int32 // that end them
}

// validity of a replica (STARPU_INVALID, STARPU_SHARED, STARPU_OWNER).
type validity uint8

const (
	invalid validity = iota
	shared
	owner
)

// replica is the copy of a handle on a memory node (struct
// _starpu_data_replicate).
type replica struct {
	state                  validity
	allocated              bool
	automaticallyAllocated bool  // by the runtime, which may free it
	initialized            bool  // has had content
	refcnt                 int32 // requests, tasks and acquisitions that need it there
	tasksPrefetch          int32 // that it has been prefetched for (nb_tasks_prefetch)
	loadRequest            *request
	memChunk               *memChunk
}

// unref drops a reference.
func (r *replica) unref() {
	r.refcnt--
	if r.refcnt == 0 {
		r.memChunk.setFlags(unreferenced)
	}
}

// requester is an access that waits until those under way have ended (struct
// _starpu_data_requester).
type requester struct {
	job         int32 // of requesterIdlePrefetch the memory node
	index       int32 // of the access among the task's sorted ones
	handle      int32
	kind        requesterKind
	mode        workload.Mode
	acquisition *acquisition

	priority int32
}

type requesterKind uint8

const (
	requesterTask requesterKind = iota
	requesterWontUse
	requesterIdlePrefetch
	requesterAcquisition
)

func (e *engine) setData() {
	g := e.g
	e.handles = make([]handle, len(g.Bytes))
	e.setRoutes()
	e.requestPaths = make([][]hop, len(e.memories)*len(e.memories))
	e.replicas = make([]replica, len(g.Bytes)*len(e.memories))
	for i := range e.handles {
		h := &e.handles[i]
		*h = handle{bytes: g.Bytes[i], home: 0, initialized: true, lastSync: none, accessors: lastAccess}
		if g.Home != nil {
			h.home = g.Home[i]
		}
		if h.home == none {
			h.initialized = false
			continue
		}
		c := e.replicaOf(int32(i), h.home)
		c.state, c.allocated, c.initialized = owner, true, true
	}
}

func (e *engine) replicaOf(handle, memory int32) *replica {
	return &e.replicas[int(handle)*len(e.memories)+int(memory)]
}

// requesterMode is how a handle is accessed: exclusively (Write) or not (Read).
func requesterMode(m workload.Mode) workload.Mode {
	if m&workload.Write != 0 {
		return workload.Write
	}
	return workload.Read
}

// lockHeader locks the header of a handle. While another actor has it, requests
// make progress.
func (e *engine) lockHeader(a *actor, h int32, allocate bool) {
	d := &e.handles[h]
	for i := 0; i < 10 && d.header.taken; i++ {
		e.datawizardProgress(a, allocate)
	}
	a.spinLock(&d.header)
}

// attemptAccess begins an access to a handle, or queues the requester until it
// can (_starpu_attempt_to_submit_data_request).
func (e *engine) attemptAccess(h int32, mode workload.Mode, c requester) bool {
	d := &e.handles[h]
	if d.refcnt == 0 || mode == workload.Read && d.currentMode == workload.Read {
		d.refcnt++
		d.currentMode = mode
		return true
	}
	c.mode = mode
	if d.requesters == nil {
		d.requesters = new([]requester)
	}
	c.priority = 0
	if c.kind == requesterTask {
		c.priority = e.priority(c.job)
	}
	i := len(*d.requesters)
	for i > 0 && (*d.requesters)[i-1].priority < c.priority {
		i--
	}
	*d.requesters = slices.Insert(*d.requesters, i, c)
	return false
}

// enforceDataDeps begins the accesses of a ready job from the i-th on, and
// pushes the job when it has all.
func (e *engine) enforceDataDeps(a *actor, id, i int32) {
	if e.internalOf(id) == nil {
		accesses := e.accesses(id)
		for ; int(i) < len(accesses); i++ {
			x := &accesses[i]
			if x.scratch() || x.repeated() {
				continue
			}
			h := x.handle()
			e.lockHeader(a, h, false)
			e.handles[h].header.taken = false
			if !e.attemptAccess(h, requesterMode(x.mode()), requester{job: id, index: i, handle: h, kind: requesterTask}) {
				return
			}
		}
	}
	e.push(a, id)
}

// notifyDataDeps ends an access to a handle, whose header is locked, and begins
// those of waiting requesters (_starpu_notify_data_dependencies).
func (e *engine) notifyDataDeps(a *actor, h int32) {
	d := &e.handles[h]
	d.refcnt--
	if d.notifying {
		d.header.taken = false
		return
	}
	d.notifying = true
	for d.requesters != nil && len(*d.requesters) > 0 {
		waiting := *d.requesters
		c := waiting[0]
		if d.refcnt > 0 && (d.currentMode == workload.Write || c.mode == workload.Write) {
			break
		}
		*d.requesters = waiting[:copy(waiting, waiting[1:])]
		d.refcnt++
		d.currentMode = c.mode
		d.header.taken = false
		e.runRequester(a, c)
		a.spinLock(&d.header)
	}
	d.notifying = false
	d.header.taken = false
}

// runRequester continues what has waited for access to a handle.
func (e *engine) runRequester(a *actor, c requester) {
	switch c.kind {
	case requesterTask:
		e.enforceDataDeps(a, c.job, c.index+1)
	case requesterWontUse:
		e.wontUseAcquired(a, c.handle, c.job)
	case requesterAcquisition:
		e.fetchAcquired(a, c.acquisition)
	case requesterIdlePrefetch:
		e.requestIdlePrefetch(a, c.handle, c.job)
		a.spinLock(&e.handles[c.handle].header)
		e.notifyDataDeps(a, c.handle)
	}
}

// idleWriteBack requests a replica of a handle on its home node, or on each
// disk if it has none, at the lowest urgency.
func (e *engine) idleWriteBack(a *actor, h int32) {
	if home := e.handles[h].home; home != none {
		e.idlePrefetchOnNode(a, h, home)
		return
	}
	for i := range e.memories {
		if e.memories[i].kind == platform.Disk {
			e.idlePrefetchOnNode(a, h, int32(i))
		}
	}
}

// idlePrefetchOnNode accesses a handle for reading until a replica has been
// requested (starpu_data_idle_prefetch_on_node).
func (e *engine) idlePrefetchOnNode(a *actor, h, to int32) {
	if e.attemptAccess(h, workload.Read, requester{job: to, handle: h, kind: requesterIdlePrefetch}) {
		e.requestIdlePrefetch(a, h, to)
		a.spinLock(&e.handles[h].header)
		e.notifyDataDeps(a, h)
	}
}

func (e *engine) requestIdlePrefetch(a *actor, h, to int32) {
	e.fetchOnNode(a, fetchArgs{handle: h, to: to, mode: workload.Read, level: idleLevel, task: none, detached: true})
}

// updateState is what an access to a replica does to the validity of all
// replicas (_starpu_update_data_state).
func (e *engine) updateState(h, at int32, mode workload.Mode) {
	defer e.log.updateStates(e, h)
	r := e.replicaOf(h, at)
	if mode&workload.Write == 0 {
		if mode&workload.Read != 0 && r.state != owner {
			e.setAllShared(h, r)
		}
		return
	}
	for n := range e.memories {
		e.replicaOf(h, int32(n)).setState(invalid)
	}
	r.state = owner
	if home := e.handles[h].home; home != none && e.replicaOf(h, home).state == invalid {
		e.memChunkDirty(r, at)
	}
}

func (e *engine) setAllShared(h int32, r *replica) {
	for n := range e.memories {
		if c := e.replicaOf(h, int32(n)); c.state != invalid {
			c.setState(shared)
		}
	}
	r.setState(shared)
}

// setState makes a replica invalid or shared.
func (r *replica) setState(v validity) {
	if r.state == owner {
		r.memChunk.setFlags(otherReplica)
	}
	r.state = v
}

// selectSource is the memory node that data is best copied from, none without a
// valid replica (_starpu_select_src_node).
func (e *engine) selectSource(h, to int32) int32 {
	best, minCost, valid := int32(none), 0.0, false
	memories := len(e.memories)
	for n, r := range e.replicas[int(h)*memories : int(h+1)*memories] {
		from := int32(n)
		if r.state == invalid {
			continue
		}
		valid = true
		if !e.routes[e.m.Pair(from, to)].direct {
			continue
		}
		cost := e.predict(from, to, e.handles[h].bytes)
		if cost == 0 {
			return e.anyValidSource(h)
		}
		if best == none || cost < minCost {
			best, minCost = from, cost
		}
	}
	if best == none && valid {
		return e.anyValidSource(h)
	}
	return best
}

// anyValidSource prefers RAM to devices, and devices to disks; among devices,
// the last.
func (e *engine) anyValidSource(h int32) int32 {
	order := map[string]int{platform.RAM: 3, platform.GPU: 2, platform.Disk: 1}
	best := int32(none)
	for n := range e.memories {
		if e.replicaOf(h, int32(n)).state == invalid {
			continue
		}
		if best == none || order[e.m.Memories[n].Kind] >= order[e.m.Memories[best].Kind] {
			best = int32(n)
		}
	}
	return best
}

// handlingNode is the memory node whose workers handle a direct copy
// (link_supports_direct_transfers). Devices without a route between them copy
// through RAM.
func (e *engine) handlingNode(from, to int32) (int32, bool) {
	if from != to && e.m.Memories[from].Kind == platform.GPU && e.m.Memories[to].Kind == platform.GPU && len(e.m.Routes[e.m.Pair(from, to)]) == 0 {
		return none, false
	}
	if e.canAccess(from, to) {
		return to, true
	}
	if e.canAccess(to, from) {
		return from, true
	}
	return none, false
}

// canAccess says that the workers of a memory node can access another.
func (e *engine) canAccess(other, by int32) bool {
	if other == by {
		return true
	}
	if e.memories[by].workers == 0 {
		return false
	}
	if e.m.Memories[other].Kind == platform.GPU {
		return e.m.Memories[by].Kind == platform.GPU && e.m.Memories[by].Peer
	}
	return e.m.Memories[other].Kind == platform.RAM || e.m.Memories[by].Kind == platform.RAM
}

// predict is StarPU's prediction of a copy, in µs, as if all devices copied at
// the same time (starpu_transfer_predict).
func (e *engine) predict(from, to int32, bytes int64) float64 {
	r := &e.routes[e.m.Pair(from, to)]
	if from == to || r.bandwidth <= 0 {
		return 0
	}
	return r.latency + float64(bytes)/r.bandwidth*2*r.devices
}

// route is what is known in advance of copies between two memory nodes.
type route struct {
	direct             bool    // workers of one of them handle it
	latency, bandwidth float64 // µs, bytes/µs
	devices            float64 // that are assumed to share it
}

// setRoutes works out the routes between memory nodes.
func (e *engine) setRoutes() {
	n := len(e.memories)
	e.routes = make([]route, n*n)
	for from := range int32(n) {
		for to := range int32(n) {
			p := e.m.Pair(from, to)
			r := &e.routes[p]
			_, r.direct = e.handlingNode(from, to)
			r.latency, r.bandwidth, r.devices = e.m.Latency[p]*1e6, e.m.Bandwidth[p]*1e-6, float64(e.log.devices)
			if e.m.Memories[from].Kind == platform.GPU && e.m.Memories[to].Kind == platform.GPU && len(e.m.Routes[p]) == 1 {
				r.devices = 1
			}
		}
	}
}

// hop is a copy between two memory nodes, and the node whose workers handle it.
type hop struct{ from, to, handler int32 }

// requestPath is the path of data: direct, or through the first memory node
// (_starpu_determine_request_path).
func (e *engine) requestPath(from, to int32) []hop {
	known := &e.requestPaths[e.m.Pair(from, to)]
	if *known == nil {
		*known = e.determineRequestPath(from, to)
	}
	return *known
}

func (e *engine) determineRequestPath(from, to int32) []hop {
	if h, direct := e.handlingNode(from, to); direct {
		return []hop{{from, to, h}}
	}
	first, second := from, to
	if e.m.Memories[from].Kind == platform.Disk {
		first = 0
	}
	if e.m.Memories[to].Kind == platform.Disk {
		second = 0
	}
	return []hop{{from, 0, first}, {0, to, second}}
}
