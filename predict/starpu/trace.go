package starpu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dagscope/predict/workload"
	"dagscope/trace"
)

// Trace is the run as an import of StarPU's trace of it would give it: tasks,
// data, dependencies and resources, and with Options.Record states of workers,
// transfers, copies and counters.
func (r *Result) Trace() (*trace.Run, error) {
	if r.Write != nil {
		return r.Write()
	}
	if r.c != nil {
		return r.c.trace(r)
	}
	deps, err := workload.Infer(r.e.g)
	if err != nil {
		return nil, err
	}
	t := &tracer{r: r, e: r.e, g: r.e.g, deps: deps, said: r.e.g.Hints, b: &trace.Builder{}}
	t.resources(t.root())
	t.handles()
	t.tasks()
	t.columns()
	t.relations()
	t.merge(t.events())
	t.details()
	return t.finish(r.Makespan)
}

// relations adds what tasks access, what they wait for, and what was decided.
func (t *tracer) relations() {
	t.fill()
	t.accesses()
	t.edges()
	if t.e.decisions != nil {
		t.decisions()
	}
	t.deps, t.rows = nil, nil
}

// details adds what Options.Record recorded.
func (t *tracer) details() {
	if t.e.log.detail != nil {
		t.states()
		t.transfers()
		t.counters()
	}
}

func (t *tracer) finish(makespan int64) (*trace.Run, error) {
	t.b.Run.Meta.Reader = "simulation"
	t.b.Run.Meta.Horizon = makespan
	run, err := t.b.Finish(t.g.GenerationPattern())
	if err != nil {
		return nil, fmt.Errorf("write down simulated run: %w", err)
	}
	return run, nil
}

// tracer creates a run from a result.
type tracer struct {
	r    *Result
	e    *engine
	g    *workload.Graph
	deps *workload.Deps
	said []workload.Hint // hints of deps
	b    *trace.Builder
	of   *nodeTracer // where there are several nodes, otherwise nil
	rank int32

	firstHandle int32 // row of the first handle
	firstCopy   int   // number of the first copy

	program, scheduler int32   // resources
	managers, workers  []int32 // by memory, by worker
	rows               []int32 // of the task table, by node of deps; none for hints
	order              int32   // of the last submission, from 1
	hints              []submittedHint
}

// submittedHint is a hint of the program.
type submittedHint struct {
	at            int64 // ns since the first submission
	handle, order int32
}

// root adds what all resources are under.
func (t *tracer) root() int32 {
	return t.b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
}

// resources adds the resources that StarPU shows: memory nodes with their
// managers and threads, and a worker on each thread.
func (t *tracer) resources(root int32) {
	prefix := ""
	if t.of != nil {
		prefix = strconv.Itoa(int(t.rank)) + "_"
	}
	add := func(parent int32, level, name, arch string, node, index int32) int32 {
		return t.b.AddResource(parent, level, prefix+name, arch, node, index)
	}
	t.program = add(root, trace.LevelNode, "program", "", t.rank, trace.None)
	t.scheduler = add(t.program, trace.LevelScheduler, "scheduler", "", t.rank, trace.None)
	if t.of != nil {
		t.of.thread = add(t.program, trace.LevelComm, "mpict", "", t.rank, trace.None)
	}
	add(t.program, trace.LevelUserThread, "UserThread0", "", t.rank, trace.None)
	t.workers = make([]int32, len(t.e.m.Workers))
	for i := range t.e.m.Memories {
		number := strconv.Itoa(i)
		memory := add(t.program, trace.LevelMemory, "MEMNODE"+number, "", t.rank, int32(i))
		t.managers = append(t.managers, add(memory, trace.LevelMemoryManager, "MEMMANAGER"+number, "", t.rank, int32(i)))
		for k, w := range t.e.m.Workers {
			if w.Memory == int32(i) {
				thread := add(memory, trace.LevelThread, "T"+strconv.Itoa(k), "", t.rank, trace.None)
				t.workers[k] = add(thread, trace.LevelWorker, strings.TrimPrefix(w.Name, prefix), w.Arch, t.rank, int32(k))
			}
		}
	}
}

// handles adds the data handles. Their keys have equal lengths, so that their
// order is that of the graph.
func (t *tracer) handles() {
	g, h := t.g, &t.b.Run.Handle
	n := len(g.Bytes)
	trace.Reserve(n, &h.Node, &h.X, &h.Y, &h.Home, &h.Owner, &h.Name.Index, &h.Description.Index, &h.Coordinates.Index)
	trace.Reserve(n, &h.Bytes, &h.Tag)
	keys := g.HandleKeys()
	if t.of == nil {
		h.Key = keys
	}
	t.firstHandle = int32(len(h.Bytes))
	name, blank, nowhere := h.Name.Intern("tile"), h.Description.Intern(""), h.Coordinates.Intern("")
	for i, bytes := range g.Bytes {
		x, y, coordinates := trace.NoInt, trace.NoInt, nowhere
		if g.HandleX != nil {
			x, y = g.HandleX[i], g.HandleY[i]
			coordinates = h.Coordinates.Intern(fmt.Sprintf("%d %d", x, y))
		}
		owner, tag := trace.None, int64(-1)
		if t.of != nil {
			h.Key.Append(keys.At(i))
			owner, tag = t.of.owner(i), int64(t.of.n.handles[i])
		}
		h.Coordinates.AppendIndex(coordinates)
		h.Node = append(h.Node, t.rank)
		h.Name.AppendIndex(name)
		h.Bytes = append(h.Bytes, bytes)
		h.X, h.Y = append(h.X, x), append(h.Y, y)
		h.Home = append(h.Home, t.home(i))
		h.Description.AppendIndex(blank)
		h.Owner = append(h.Owner, owner)
		h.Tag = append(h.Tag, tag)
	}
}

func (t *tracer) home(i int) int32 {
	if t.g.Home == nil {
		return 0
	}
	return t.g.Home[i]
}

// tasks adds the tasks in the order of their submission, and among them the
// runtime's synchronisation tasks.
func (t *tracer) tasks() {
	t.rows = make([]int32, t.deps.Nodes())
	t.reserve(t.deps.Nodes() - len(t.said))
	own := 0
	for i := range t.deps.Tasks + 1 {
		for ; own < len(t.deps.Before) && int(t.deps.Before[own]) <= i; own++ {
			t.rows[t.deps.Tasks+own] = none
			if hint := t.deps.Hint[own]; hint == workload.None {
				t.rows[t.deps.Tasks+own] = t.join()
			} else {
				t.hint(hint)
			}
		}
		if i < t.deps.Tasks {
			t.rows[i] = t.step(int32(i))
		}
	}
}

// step adds a task, or the acquisition of a message's data.
func (t *tracer) step(i int32) int32 {
	if t.order++; t.of != nil {
		t.order = t.of.order(t.of.actions[i])
	}
	own := t.own(i)
	if own == none {
		return t.of.message(i)
	}
	return t.task(own)
}

// own is the task of a step, none for a message.
func (t *tracer) own(i int32) int32 {
	if t.of == nil {
		return i
	}
	return t.of.steps[i]
}

// reserve reserves n rows of tasks.
func (t *tracer) reserve(n int) {
	c := &t.b.Run.Task
	trace.Reserve(n, &c.Worker, &c.Order, &c.Priority, &c.Iteration, &c.Kind.Index)
	trace.Reserve(n, &c.Start, &c.End, &c.Submit, &c.Ready, &c.Key.Code)
	trace.Reserve(n, &c.Generation, &c.Internal)
}

// hint adds a hint of the program, which is numbered among the submissions.
func (t *tracer) hint(number int32) {
	h := &t.said[number]
	at := int64(0)
	for i := h.After - 1; i >= 0; i-- {
		if own := t.own(i); own != none {
			at = t.e.log.submit[own]
			break
		}
	}
	if t.order++; t.of != nil {
		t.order = t.of.order(t.of.hints[number])
	}
	t.hints = append(t.hints, submittedHint{at: at, handle: h.Handle, order: t.order})
}

// join adds a synchronisation task of the runtime.
func (t *tracer) join() int32 {
	return t.b.AddTask(trace.TaskRow{
		Kind: "_starpu_sync_task", Worker: trace.None, Start: trace.NoTime, End: trace.NoTime,
		Submit: trace.NoTime, Ready: trace.NoTime, Order: t.order, Iteration: -1, Internal: true,
	})
}

// taskKey is the name of a task: the program's, or its number from 1.
func (e *engine) taskKey(i int32) string {
	if e.g.Key != nil {
		return e.g.Key[i]
	}
	return strconv.Itoa(int(i) + 1)
}

func (t *tracer) task(i int32) int32 {
	row := trace.TaskRow{
		Key: t.e.taskKey(i), Kind: t.g.Classes[t.g.Class[i]].Kind, Worker: trace.None, Start: trace.NoTime, End: trace.NoTime,
		Submit: t.e.log.submit[i], Ready: t.e.log.ready[i], Order: t.order, Iteration: -1,
	}
	if t.g.Priority != nil {
		row.Priority = t.g.Priority[i]
	}
	if t.g.Iteration != nil {
		row.Iteration = t.g.Iteration[i]
	}
	if w := t.r.Worker[i]; w >= 0 {
		row.Worker, row.Start, row.End = t.workers[w], t.r.Begin[i], t.r.End[i]
	} else {
		row.Internal = true
	}
	return t.b.AddTask(row)
}

// columns creates the optional columns of tasks.
func (t *tracer) columns() {
	c := &t.b.Run.Task
	n := len(c.Start)
	c.Footprint, c.GFlop, c.Bytes = make([]uint32, n), make([]float64, n), make([]int64, n)
	c.X, c.Y, c.MemoryNode = slices.Repeat([]int32{trace.NoInt}, n), slices.Repeat([]int32{trace.NoInt}, n), slices.Repeat([]int32{trace.None}, n)
	c.Parameters.Index = slices.Repeat([]int32{c.Parameters.Intern("")}, n)
	if t.g.Factor != nil && t.g.Duration == nil {
		c.Factor = slices.Repeat([]float64{1}, n)
	}
}

// fill fills them.
func (t *tracer) fill() {
	c := &t.b.Run.Task
	layouts := make([]int32, len(t.g.Classes))
	for k := range layouts {
		layouts[k] = c.Parameters.Intern(t.g.Classes[k].Layout)
	}
	for step := range t.deps.Tasks {
		i := t.own(int32(step))
		if i == none {
			continue
		}
		row, class := t.rows[step], &t.g.Classes[t.g.Class[i]]
		c.Footprint[row], c.GFlop[row], c.Bytes[row] = class.Footprint, class.GFlop, class.Bytes
		c.Parameters.Index[row] = layouts[t.g.Class[i]]
		if t.g.X != nil && t.g.Y != nil {
			c.X[row], c.Y[row] = t.g.X[i], t.g.Y[i]
		}
		if c.Factor != nil {
			c.Factor[row] = t.g.Factor[i]
		}
		if w := t.r.Worker[i]; w >= 0 {
			c.MemoryNode[row] = t.e.m.Workers[w].Memory
		}
	}
}

// accesses adds what tasks access.
func (t *tracer) accesses() {
	a, n := &t.b.Run.Access, len(t.g.Handle)
	trace.Reserve(n, &a.Task, &a.Handle, &a.Mode.Index)
	trace.Reserve(n, &a.Bytes)
	for step := range t.deps.Tasks {
		i := t.own(int32(step))
		if i == none {
			continue
		}
		for at := t.g.AccessAt[i]; at < t.g.AccessAt[i+1]; at++ {
			a.Task = append(a.Task, t.rows[step])
			a.Handle = append(a.Handle, t.firstHandle+t.g.Handle[at])
			a.Mode.Append(t.g.Mode[at].String())
			a.Bytes = append(a.Bytes, t.g.Bytes[t.g.Handle[at]])
		}
	}
}

// edges adds the dependencies.
func (t *tracer) edges() {
	d := &t.b.Run.Dep
	n := 0
	t.eachEdge(func(from, to int32) { n++ })
	trace.Reserve(n, &d.From, &d.To, &d.Kind.Index)
	kind := d.Kind.Intern(trace.DepTask)
	t.eachEdge(func(from, to int32) {
		d.From, d.To = append(d.From, from), append(d.To, to)
		d.Kind.AppendIndex(kind)
		if t.of != nil {
			d.Via = append(d.Via, trace.None)
		}
	})
}

// eachEdge calls add with the rows of each task and of each of its
// predecessors.
func (t *tracer) eachEdge(add func(from, to int32)) {
	for v, row := range t.rows {
		if row == none {
			continue
		}
		for _, p := range t.deps.Preds(int32(v)) {
			if t.rows[p] != none {
				add(t.rows[p], row)
			}
			// A task that waits for a hint waits for the predecessors of the hint.
			for _, q := range t.behindHint(p) {
				add(t.rows[q], row)
			}
		}
	}
}

// behindHint are the predecessors of a hint; none for other nodes.
func (t *tracer) behindHint(node int32) (preds []int32) {
	if t.rows[node] != none {
		return nil
	}
	for _, p := range t.deps.Preds(node) {
		if t.rows[p] != none {
			preds = append(preds, p)
		}
	}
	return preds
}
