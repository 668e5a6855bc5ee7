package replay

import (
	"slices"

	"dagscope/read/ompt/event"

	"pgregory.net/rapid"
)

// program is a runtime that does at each step what chance says, and reports it
// as libomp does: implicit tasks that end in a barrier, tied tasks with
// dependences, undeferred ones, taskwaits and taskgroups in which threads run
// other tasks on top of what waits.
type program struct {
	t       *rapid.T
	at      int64
	events  []event.Event
	threads []*runner
	number  []uint64 // tasks made on each thread
	queue   []*job   // that have not started
	open    int      // explicit tasks that are not complete
	budget  int      // tasks still to be made
}

// runner is a thread; it runs the top of its stack, unless that waits.
type runner struct {
	number  int32
	stack   []*job
	arrived bool // in the barrier
}

// job is a task.
type job struct {
	id       event.ID
	parent   *job
	deps     []event.Dep
	children []*job
	done     bool
	waits    uint8    // kind of the sync region that it is in, 0 for none
	groups   [][]*job // open taskgroups of its own: members
	memberOf []*job   // tasks with a group that it belongs to, and
	level    []int    // which of their groups
}

func drawProgram(t *rapid.T) []event.Event {
	p := &program{t: t, budget: rapid.IntRange(0, 25).Draw(t, "tasks")}
	p.begin(rapid.IntRange(1, 3).Draw(t, "threads"))
	for !p.over() {
		p.step(p.threads[rapid.IntRange(0, len(p.threads)-1).Draw(t, "thread")])
	}
	p.end()
	return p.events
}

func (p *program) tell(e event.Event) {
	p.at += rapid.Int64Range(0, 3).Draw(p.t, "later")
	e.Time, e.Position = p.at, int64(len(p.events))
	p.events = append(p.events, e)
}

func (p *program) id(th int32) event.ID {
	p.number[th]++
	return event.NewID(th, p.number[th])
}

// initial is the initial task, which is not a runner's own.
var initial = event.NewID(0, 1)

func (p *program) begin(threads int) {
	p.number = make([]uint64, threads)
	p.tell(event.Event{Type: event.ThreadBegin, Kind: event.ThreadInitial})
	p.tell(event.Event{Type: event.ImplicitBegin, Kind: event.TaskInitial, Task: p.id(0), Value: 1})
	p.tell(event.Event{Type: event.ParallelBegin, Task: initial, Parallel: 1, Value: int64(threads)})
	for i := range int32(threads) {
		if i > 0 {
			p.tell(event.Event{Type: event.ThreadBegin, Kind: event.ThreadWorker, Thread: i})
		}
		j := &job{id: p.id(i)}
		p.tell(event.Event{Type: event.ImplicitBegin, Kind: event.TaskImplicit, Thread: i, Task: j.id, Parallel: 1})
		p.threads = append(p.threads, &runner{number: i, stack: []*job{j}})
	}
}

// over reports whether all threads are in the barrier and nothing is left to do.
func (p *program) over() bool {
	return p.open == 0 && !slices.ContainsFunc(p.threads, func(r *runner) bool { return !r.arrived || len(r.stack) > 1 })
}

func (p *program) end() {
	for _, r := range p.threads {
		j := r.stack[0]
		p.wait(r, event.WaitEnd, event.SyncBarrierImplicitParallel)
		p.tell(event.Event{Type: event.ImplicitEnd, Thread: r.number, Task: j.id})
	}
	p.tell(event.Event{Type: event.ParallelEnd, Task: initial, Parallel: 1})
	for _, r := range p.threads[1:] {
		p.tell(event.Event{Type: event.ThreadEnd, Thread: r.number})
	}
	p.tell(event.Event{Type: event.ImplicitEnd, Task: initial})
	p.tell(event.Event{Type: event.ThreadEnd})
}

// wait reports a wait of the task on top, and the sync region around it.
func (p *program) wait(r *runner, what event.Type, kind uint8) {
	j := r.stack[len(r.stack)-1]
	e := event.Event{Type: what, Kind: kind, Thread: r.number, Task: j.id, Parallel: 1}
	if j.waits = kind; what == event.WaitEnd {
		j.waits = 0
	}
	p.tell(e)
}

// step lets a thread do something.
func (p *program) step(r *runner) {
	j := r.stack[len(r.stack)-1]
	if j.waits != 0 {
		p.waiting(r, j)
		return
	}
	switch rapid.IntRange(0, 5).Draw(p.t, "what") {
	case 0, 1:
		if p.budget > 0 {
			p.create(r, j)
		}
	case 2:
		p.tell(event.Event{Type: event.SyncBegin, Kind: event.SyncTaskwait, Thread: r.number, Task: j.id})
		p.wait(r, event.WaitBegin, event.SyncTaskwait)
	case 3:
		if len(j.groups) < 2 {
			p.tell(event.Event{Type: event.SyncBegin, Kind: event.SyncTaskgroup, Thread: r.number, Task: j.id})
			j.groups = append(j.groups, []*job{})
		}
	case 4:
		if len(j.groups) > 0 {
			p.wait(r, event.WaitBegin, event.SyncTaskgroup)
		}
	default:
		p.finish(r, j)
	}
}

// finish ends the task on top, or brings an implicit one to the barrier.
func (p *program) finish(r *runner, j *job) {
	switch {
	case len(j.groups) > 0:
	case len(r.stack) == 1:
		r.arrived = true
		p.wait(r, event.WaitBegin, event.SyncBarrierImplicitParallel)
	default:
		r.stack = r.stack[:len(r.stack)-1]
		j.done = true
		p.open--
		p.tell(event.Event{Type: event.TaskSchedule, Kind: event.StatusComplete, Thread: r.number, Task: j.id, Task2: r.stack[len(r.stack)-1].id})
	}
}

// waiting runs another task meanwhile, or goes on when that is possible.
func (p *program) waiting(r *runner, j *job) {
	undone := func(j *job) bool { return !j.done }
	free := j.waits == event.SyncTaskwait && !slices.ContainsFunc(j.children, undone)
	if j.waits == event.SyncTaskgroup {
		free = !slices.ContainsFunc(j.groups[len(j.groups)-1], undone)
	}
	if free && rapid.Bool().Draw(p.t, "go on") {
		kind := j.waits
		p.wait(r, event.WaitEnd, kind)
		p.tell(event.Event{Type: event.SyncEnd, Kind: kind, Thread: r.number, Task: j.id})
		if kind == event.SyncTaskgroup {
			j.groups = j.groups[:len(j.groups)-1]
		}
		return
	}
	for i, k := range p.queue {
		if p.mayRun(k) && rapid.Bool().Draw(p.t, "take") {
			p.queue = slices.Delete(p.queue, i, i+1)
			p.start(r, j, k)
			return
		}
	}
}

func (p *program) start(r *runner, from, j *job) {
	p.tell(event.Event{Type: event.TaskSchedule, Kind: event.StatusSwitch, Thread: r.number, Task: from.id, Task2: j.id})
	r.stack = append(r.stack, j)
}

// mayRun: every earlier sibling with which the task conflicts is complete.
func (p *program) mayRun(j *job) bool {
	for _, k := range j.parent.children {
		if k == j {
			return true
		}
		if !k.done && conflict(k.deps, j.deps) {
			return false
		}
	}
	return true
}

func (p *program) create(r *runner, j *job) {
	p.budget--
	p.open++
	k := &job{id: p.id(r.number), parent: j}
	j.children = append(j.children, k)
	p.enlist(j, k)
	e := event.Event{Type: event.TaskCreate, Thread: r.number, Task: k.id, Task2: j.id, Flags: event.FlagExplicit, Code: 7}
	undeferred := rapid.IntRange(0, 5).Draw(p.t, "undeferred") == 0
	if undeferred {
		e.Flags |= event.FlagUndeferred
	} else {
		k.deps = drawDeps(p.t)
	}
	if k.deps != nil {
		e.Value = 1
	}
	p.tell(e)
	if k.deps != nil {
		p.tell(event.Event{Type: event.Dependences, Thread: r.number, Task: k.id, Deps: k.deps})
	}
	if undeferred {
		p.start(r, j, k)
	} else {
		p.queue = append(p.queue, k)
	}
}

// enlist makes a task a member of the groups that are open around it.
func (p *program) enlist(j, k *job) {
	k.memberOf, k.level = slices.Clone(j.memberOf), slices.Clone(j.level)
	for i := range j.groups {
		k.memberOf, k.level = append(k.memberOf, j), append(k.level, i)
	}
	for i, owner := range k.memberOf {
		if l := k.level[i]; l < len(owner.groups) {
			owner.groups[l] = append(owner.groups[l], k)
		}
	}
}

func drawDeps(t *rapid.T) (deps []event.Dep) {
	for range rapid.IntRange(0, 3).Draw(t, "dependences") {
		kind := rapid.SampledFrom([]uint8{event.DepIn, event.DepIn, event.DepInout, event.DepOut, event.DepMutexinoutset,
			event.DepInoutset, event.DepOutAllMemory, event.DepAny}).Draw(t, "kind")
		d := event.Dep{Type: kind, Address: rapid.Uint64Range(16, 18).Draw(t, "address")}
		if kind == event.DepOutAllMemory || kind == event.DepAny {
			d.Address = 0
		}
		deps = append(deps, d)
	}
	return deps
}

// conflict reports whether of two siblings the later one depends on the earlier
// one, directly or not (OpenMP 5.2, 15.9.5): they name the same address, and not
// both in the same way that allows both to run at once.
func conflict(a, b []event.Dep) bool {
	for _, x := range a {
		for _, y := range b {
			if anyMemory(x.Type) || anyMemory(y.Type) {
				return true
			}
			if x.Address == y.Address && (shared(a, x.Address) == event.DepOut || shared(a, x.Address) != shared(b, y.Address)) {
				return true
			}
		}
	}
	return false
}

// shared is how a task names an address in all.
func shared(deps []event.Dep, address uint64) (kind uint8) {
	for _, d := range deps {
		switch k := normal(d.Type); {
		case d.Address != address:
		case kind == 0, kind == k:
			kind = k
		default:
			kind = event.DepOut
		}
	}
	return kind
}
