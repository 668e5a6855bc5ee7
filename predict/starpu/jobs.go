package starpu

import "slices"

// job is a task of the graph, or an internal one of the runtime (struct
// _starpu_job).
//
// A simulation goes over its tasks in an order that no cache foresees: what is
// needed of a job together is stored together, in as few bytes as possible.
type job struct {
	left       int32 // groups of predecessors that have not ended (ndeps - ndeps_completed)
	successors int32 // the latest first, until the job ends
	class      int32 // of a task of the graph
	state      jobState
	prefetched bool // data has been requested ahead
	modelRead  bool // the performance model has been read
}

type jobState uint8

const (
	jobNew     jobState = iota
	jobWaiting          // submitted, but not all predecessors have ended
	jobReady
	jobOver
)

// internal is what the runtime knows of its internal tasks.
type internal struct {
	kind              internalKind
	implicitDepHandle int32 // handle whose accesses it orders, none (implicit_dep_handle)
	handle            int32
	postSync          int32        // of acquireTask: the releaseTask that follows it
	acquisition       *acquisition // of acquireTask: for messages, nil for hints
}

type internalKind uint8

const (
	syncTask    internalKind = iota // waits for the accesses of several tasks
	acquireTask                     // waits until the program may access the data
	releaseTask                     // the program has released it
)

// edge leads to a successor: a job, or ^group.
type edge struct{ to, next int32 }

// completionGroup is a set of predecessors that a job waits for as one (struct
// _starpu_cg).
type completionGroup struct{ left, job int32 }

func (e *engine) setJobs() {
	// Room for what is made while the program is submitted, so that these columns,
	// as long as the program, are not copied then: hints have two jobs each, and
	// accesses mostly one edge at most.
	n, more := len(e.g.Class), 2*len(e.g.Hints)+64
	e.jobs = make([]job, n, n+more)
	e.internals = make([]internal, 0, more)
	e.edges = make([]edge, 0, len(e.g.Handle)+more)
	for i := range e.jobs {
		e.jobs[i] = job{successors: none, class: e.g.Class[i]}
	}
	e.freeEdge, e.freeGroup = none, none
	e.sortAccesses(more)
}

// sortAccesses orders the data of each task as it is locked: written data
// first, then by number. A handle that a task accesses several times is locked
// once.
func (e *engine) sortAccesses(more int) {
	g := e.g
	e.accessList = make([]access, len(g.Handle), len(g.Handle)+more)
	for t := range int32(len(g.Class)) {
		s := e.accesses(t)
		for i := range s {
			at := g.AccessAt[t] + int32(i)
			s[i] = newAccess(g.Handle[at], g.Mode[at], t)
		}
		slices.SortFunc(s, func(a, b access) int {
			if x := modeRank(a.mode()) - modeRank(b.mode()); x != 0 && !e.o.separateHandles {
				return x
			}
			return int(a.handle() - b.handle())
		})
		for i := range s {
			if slices.ContainsFunc(s[:i], func(x access) bool { return x.handle() == s[i].handle() }) {
				s[i].what |= uint32(repeated)
			}
		}
	}
}

// accesses of a task in the order in which its data is locked.
func (e *engine) accesses(task int32) []access {
	return e.accessList[e.g.AccessAt[task]:e.g.AccessAt[task+1]]
}

// lockJob locks a job's mutex. Where no other actor takes turns, none waits for
// it.
func (e *engine) lockJob(a *actor, id int32) {
	if len(e.lockedJobs) == 0 && a.k.alone() {
		a.countSimcalls(1)
		return
	}
	m := e.lockedJobs[id]
	if m == nil {
		m = e.newMutex()
		e.lockedJobs[id] = m
	}
	a.lock(m)
}

func (e *engine) unlockJob(a *actor, id int32) {
	m := e.lockedJobs[id]
	if m == nil {
		a.simcalls(1)
		return
	}
	if m.last == nil {
		delete(e.lockedJobs, id)
		e.freeMutexes = append(e.freeMutexes, m)
		m.owner = nil
		a.simcalls(1)
		return
	}
	a.unlock(m)
}

// newMutex is one that no actor has.
func (e *engine) newMutex() *mutex {
	if n := len(e.freeMutexes); n > 0 {
		m := e.freeMutexes[n-1]
		e.freeMutexes = e.freeMutexes[:n-1]
		return m
	}
	return &mutex{}
}

// lockUnlockJob locks a job's mutex and unlocks it at once.
func (e *engine) lockUnlockJob(a *actor, id int32) {
	if len(e.lockedJobs) == 0 && a.k.alone() {
		a.countSimcalls(2)
		return
	}
	e.lockJob(a, id)
	e.unlockJob(a, id)
}

// newInternal creates an internal task.
func (e *engine) newInternal(kind internalKind, handle int32) int32 {
	n := int32(len(e.g.Class))
	in := internal{kind: kind, implicitDepHandle: none, handle: handle, postSync: none}
	fresh := job{successors: none}
	if last := len(e.freeInternals) - 1; last >= 0 {
		id := e.freeInternals[last]
		e.freeInternals = e.freeInternals[:last]
		e.jobs[id], e.internals[id-n] = fresh, in
		return id
	}
	e.jobs = append(e.jobs, fresh)
	e.internals = append(e.internals, in)
	e.accessList = append(e.accessList, access{prev: unlinked})
	return int32(len(e.jobs)) - 1
}

// internalOf is what the runtime knows of an internal task, nil for tasks of
// the graph.
func (e *engine) internalOf(id int32) *internal {
	if n := int32(len(e.g.Class)); id >= n {
		return &e.internals[id-n]
	}
	return nil
}

// declareDeps makes a job wait for others: as one, if they are several
// (_starpu_task_declare_deps_array).
func (e *engine) declareDeps(a *actor, id int32, before []int32) {
	if len(before) == 1 {
		e.declareDep(a, id, before[0])
		return
	}
	e.lockUnlockJob(a, id)
	e.jobs[id].left++
	group := ^e.newGroup(int32(len(before)), id)
	for _, b := range before {
		e.follow(a, b, group)
	}
}

// declareDep makes a job wait for another.
func (e *engine) declareDep(a *actor, id, before int32) {
	e.lockUnlockJob(a, id)
	e.jobs[id].left++
	e.follow(a, before, id)
}

// follow adds a successor to a job, a job or a group, unless the job has ended.
func (e *engine) follow(a *actor, before, to int32) {
	e.lockUnlockJob(a, before)
	if e.jobs[before].state == jobOver {
		e.notifyGroup(a, to)
		return
	}
	e.addEdge(before, to)
}

func (e *engine) newGroup(left, id int32) int32 {
	if i := e.freeGroup; i != none {
		e.freeGroup = e.groups[i].left
		e.groups[i] = completionGroup{left, id}
		return i
	}
	e.groups = append(e.groups, completionGroup{left, id})
	return int32(len(e.groups)) - 1
}

func (e *engine) addEdge(from, to int32) {
	i := e.freeEdge
	if i != none {
		e.freeEdge = e.edges[i].next
	} else {
		i = int32(len(e.edges))
		e.edges = append(e.edges, edge{})
	}
	j := &e.jobs[from]
	e.edges[i] = edge{to, j.successors}
	j.successors = i
}

// notifySuccessors notifies the successors of a job that it has ended
// (_starpu_notify_cg_list).
func (e *engine) notifySuccessors(a *actor, id int32) {
	j := &e.jobs[id]
	j.state = jobOver // gets no more successors
	first := int32(none)
	for i := j.successors; i != none; {
		x := &e.edges[i]
		first, i, x.next = i, x.next, first
	}
	j.successors = none
	for i := first; i != none; {
		x := e.edges[i]
		e.edges[i].next, e.freeEdge = e.freeEdge, i
		e.notifyGroup(a, x.to)
		i = x.next
	}
}

// notifyGroup notes that a predecessor of a job or of a group has ended
// (_starpu_notify_cg).
func (e *engine) notifyGroup(a *actor, to int32) {
	if to < 0 {
		g := &e.groups[^to]
		g.left--
		if g.left > 0 {
			return
		}
		id := g.job
		g.left = e.freeGroup
		e.freeGroup = ^to
		to = id
	}
	e.lockJob(a, to)
	j := &e.jobs[to]
	j.left--
	ready := j.state == jobWaiting && j.left == 0
	if ready {
		j.state = jobReady
	}
	e.unlockJob(a, to)
	if ready {
		e.enforceDataDeps(a, to, 0)
	}
}
