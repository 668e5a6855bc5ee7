package starpu

import "slices"

// job is a task of the graph, or an internal one of the runtime (struct
// _starpu_job).
type job struct {
	ndeps          int32 // groups of predecessors
	ndepsCompleted int32 // of these, those that have ended
	head           int32 // successors, in the order in which they came
	tail           int32
	state          jobState
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
		e.jobs[i].head, e.jobs[i].tail = none, none
	}
	e.freeEdge, e.freeGroup = none, none
	e.slots = make([]slot, len(e.g.Handle), len(e.g.Handle)+more)
	for i := range e.slots {
		e.slots[i].prev = unlinked
	}
	e.sortAccesses()
}

// sortAccesses orders the data of each task as it is locked: written data
// first, then by number. A handle that a task accesses several times is locked
// once.
func (e *engine) sortAccesses() {
	g := e.g
	e.sorted = make([]int32, len(g.Handle))
	for i := range e.sorted {
		e.sorted[i] = int32(i)
	}
	for t := range g.Class {
		s := e.sorted[g.AccessAt[t]:g.AccessAt[t+1]]
		slices.SortFunc(s, func(a, b int32) int {
			if x := modeRank(g.Mode[a]) - modeRank(g.Mode[b]); x != 0 && !e.o.separateHandles {
				return x
			}
			return int(g.Handle[a] - g.Handle[b])
		})
	}
}

// accesses of a task in the order in which its data is locked.
func (e *engine) accesses(task int32) []int32 {
	return e.sorted[e.g.AccessAt[task]:e.g.AccessAt[task+1]]
}

// repeated says that the i-th of these accesses is to the same data as an
// earlier one.
func (e *engine) repeated(accesses []int32, i int) bool {
	for _, a := range accesses[:i] {
		if e.g.Handle[a] == e.g.Handle[accesses[i]] {
			return true
		}
	}
	return false
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
	fresh := job{head: none, tail: none}
	if last := len(e.freeInternals) - 1; last >= 0 {
		id := e.freeInternals[last]
		e.freeInternals = e.freeInternals[:last]
		e.jobs[id], e.internals[id-n] = fresh, in
		return id
	}
	e.jobs = append(e.jobs, fresh)
	e.internals = append(e.internals, in)
	e.slots = append(e.slots, slot{prev: unlinked})
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
	e.lockUnlockJob(a, id)
	e.jobs[id].ndeps++
	to := id
	if len(before) > 1 {
		to = ^e.newGroup(int32(len(before)), id)
	}
	for _, b := range before {
		e.lockUnlockJob(a, b)
		if e.jobs[b].state == jobOver {
			e.notifyGroup(a, to)
			continue
		}
		e.addEdge(b, to)
	}
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
		e.edges[i] = edge{to, none}
	} else {
		i = int32(len(e.edges))
		e.edges = append(e.edges, edge{to, none})
	}
	j := &e.jobs[from]
	if j.tail == none {
		j.head = i
	} else {
		e.edges[j.tail].next = i
	}
	j.tail = i
}

// notifySuccessors notifies the successors of a job that it has ended
// (_starpu_notify_cg_list).
func (e *engine) notifySuccessors(a *actor, id int32) {
	e.jobs[id].state = jobOver
	for i := e.jobs[id].head; i != none; i = e.jobs[id].head {
		to := e.edges[i].to
		e.jobs[id].head = e.edges[i].next
		e.edges[i].next = e.freeEdge
		e.freeEdge = i
		e.notifyGroup(a, to)
	}
	e.jobs[id].tail = none
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
	j.ndepsCompleted++
	ready := j.state == jobWaiting && j.ndepsCompleted == j.ndeps
	if ready {
		j.state = jobReady
	}
	e.unlockJob(a, to)
	if ready {
		e.enforceDataDeps(a, to, 0)
	}
}
