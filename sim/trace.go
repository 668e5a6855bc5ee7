package sim

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dagscope/trace"
	"dagscope/workload"
)

// Trace is the run as an import of StarPU's trace of it would give it: tasks,
// data, dependencies and resources, and with Options.Record states of workers,
// transfers, copies and counters.
func (r *Result) Trace() (*trace.Run, error) {
	deps, err := workload.Infer(r.e.g)
	if err != nil {
		return nil, err
	}
	t := &tracer{r: r, e: r.e, g: r.e.g, deps: deps}
	t.b.Run.Meta.Reader = "simulation"
	t.resources()
	t.handles()
	t.tasks()
	t.edges()
	if t.e.log.trail != nil {
		t.states()
		t.transfers()
		t.events()
		t.counters()
	}
	t.b.Run.Meta.Horizon = r.Makespan
	run, err := t.b.Finish(t.generation())
	if err != nil {
		return nil, fmt.Errorf("write down simulated run: %w", err)
	}
	return run, nil
}

// tracer makes a run of a result.
type tracer struct {
	r    *Result
	e    *engine
	g    *workload.Graph
	deps *workload.Deps
	b    trace.Builder

	program, scheduler int32   // resources
	managers, workers  []int32 // by memory, by worker
	rows               []int32 // of the task table, by node of deps; none for hints
	order              int32   // of the last submission, from 1
}

// generation is the pattern of the kinds that prepare the input.
func (t *tracer) generation() string {
	var kinds []string
	for _, c := range t.g.Classes {
		if kind := regexp.QuoteMeta(c.Kind); c.Generation && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, "|")
}

// resources adds what StarPU shows: memories with their managers and threads,
// on each thread a worker.
func (t *tracer) resources() {
	add := t.b.AddResource
	root := add(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	t.program = add(root, trace.LevelNode, "program", "", 0, trace.None)
	t.scheduler = add(t.program, trace.LevelScheduler, "scheduler", "", 0, trace.None)
	add(t.program, trace.LevelUserThread, "UserThread0", "", 0, trace.None)
	t.workers = make([]int32, len(t.e.m.Workers))
	for i := range t.e.m.Memories {
		number := strconv.Itoa(i)
		memory := add(t.program, trace.LevelMemory, "MEMNODE"+number, "", 0, int32(i))
		t.managers = append(t.managers, add(memory, trace.LevelMemoryManager, "MEMMANAGER"+number, "", 0, int32(i)))
		for k, w := range t.e.m.Workers {
			if w.Memory == int32(i) {
				thread := add(memory, trace.LevelThread, "T"+strconv.Itoa(k), "", 0, trace.None)
				t.workers[k] = add(thread, trace.LevelWorker, w.Name, w.Arch, 0, int32(k))
			}
		}
	}
}

// handles adds the pieces of data. Their keys have equal lengths, so that their
// order is that of the graph.
func (t *tracer) handles() {
	g, h := t.g, &t.b.Run.Handle
	for i, bytes := range g.Bytes {
		x, y := trace.NoInt, trace.NoInt
		if g.HandleX != nil {
			x, y = g.HandleX[i], g.HandleY[i]
			h.Coordinates.Append(fmt.Sprintf("%d %d", x, y))
		} else {
			h.Coordinates.Append("")
		}
		h.Key.Append(t.handleKey(i))
		h.Node = append(h.Node, 0)
		h.Name.Append("tile")
		h.Bytes = append(h.Bytes, bytes)
		h.X, h.Y = append(h.X, x), append(h.Y, y)
		h.Home = append(h.Home, t.home(i))
		h.Description.Append("")
		h.Owner = append(h.Owner, trace.None)
		h.Tag = append(h.Tag, -1)
	}
}

func (t *tracer) handleKey(i int) string {
	if t.g.Names != nil {
		return t.g.Names[i]
	}
	return fmt.Sprintf("%08x", i)
}

func (t *tracer) home(i int) int32 {
	if t.g.Home == nil {
		return 0
	}
	return t.g.Home[i]
}

// tasks adds the tasks in the order of their submission, among them those of
// the runtime that join several.
func (t *tracer) tasks() {
	t.rows = make([]int32, t.deps.Nodes())
	own := 0
	for i := range t.deps.Tasks + 1 {
		for ; own < len(t.deps.Before) && int(t.deps.Before[own]) <= i; own++ {
			t.rows[t.deps.Tasks+own] = none
			if hint := t.deps.Hint[own]; hint == workload.None {
				t.rows[t.deps.Tasks+own] = t.join()
			} else {
				t.hint(&t.g.Hints[hint])
			}
		}
		if i < t.deps.Tasks {
			t.rows[i] = t.task(int32(i))
		}
	}
	t.columns()
}

// hint adds a hint of the program, which has a number among the submissions.
func (t *tracer) hint(h *workload.Hint) {
	at := t.e.zero
	if h.After > 0 {
		at = t.e.log.submit[h.After-1]
	}
	t.order++
	t.note(note{kind: workload.WontUseSubmitted, resource: t.program, at: at, handle: h.Handle, peer: trace.None, info: strconv.Itoa(int(t.order))})
}

// join adds a task of the runtime that joins several.
func (t *tracer) join() int32 {
	return t.b.AddTask(trace.TaskRow{
		Kind: "_starpu_sync_task", Worker: trace.None, Start: trace.NoTime, End: trace.NoTime,
		Submit: trace.NoTime, Ready: trace.NoTime, Order: t.order, Iteration: -1, Internal: true,
	})
}

func (t *tracer) task(i int32) int32 {
	t.order++
	row := trace.TaskRow{
		Key: strconv.Itoa(int(i) + 1), Kind: t.g.Classes[t.g.Class[i]].Kind, Worker: trace.None, Start: trace.NoTime, End: trace.NoTime,
		Submit: t.e.nanoseconds(t.e.log.submit[i]), Ready: t.e.nanoseconds(t.e.log.ready[i]), Order: t.order, Iteration: -1,
	}
	if t.g.Key != nil {
		row.Key = t.g.Key[i]
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

// columns fills the optional columns of tasks, and what they access.
func (t *tracer) columns() {
	c := &t.b.Run.Task
	n := len(c.Start)
	c.Footprint, c.GFlop, c.Bytes = make([]uint32, n), make([]float64, n), make([]int64, n)
	c.X, c.Y, c.MemoryNode = slices.Repeat([]int32{trace.NoInt}, n), slices.Repeat([]int32{trace.NoInt}, n), slices.Repeat([]int32{trace.None}, n)
	layouts := make([]string, n)
	for i := range t.deps.Tasks {
		row, class := t.rows[i], &t.g.Classes[t.g.Class[i]]
		c.Footprint[row], c.GFlop[row], c.Bytes[row], layouts[row] = class.Footprint, class.GFlop, class.Bytes, class.Layout
		if t.g.X != nil && t.g.Y != nil {
			c.X[row], c.Y[row] = t.g.X[i], t.g.Y[i]
		}
		if w := t.r.Worker[i]; w >= 0 {
			c.MemoryNode[row] = t.e.m.Workers[w].Memory
		}
		t.accesses(int32(i))
	}
	for _, l := range layouts {
		c.Parameters.Append(l)
	}
}

func (t *tracer) accesses(i int32) {
	a := &t.b.Run.Access
	for at := t.g.AccessAt[i]; at < t.g.AccessAt[i+1]; at++ {
		a.Task = append(a.Task, t.rows[i])
		a.Handle = append(a.Handle, t.g.Handle[at])
		a.Mode.Append(modeName(t.g.Mode[at]))
		a.Bytes = append(a.Bytes, t.g.Bytes[t.g.Handle[at]])
	}
}

// modeName is a mode as StarPU prints it.
func modeName(m workload.Mode) string {
	name := [4]string{"", "R", "W", "RW"}[m&workload.ReadWrite]
	if m&workload.Commute != 0 {
		name += "C"
	}
	if m&workload.Scratch != 0 {
		name = "S"
	}
	return name
}

// edges adds the dependencies.
func (t *tracer) edges() {
	for v, row := range t.rows {
		if row == none {
			continue
		}
		for _, p := range t.deps.Preds(int32(v)) {
			if t.rows[p] != none {
				t.b.AddDep(t.rows[p], row, trace.None)
			}
			// What waits for a hint waits for what the hint waits for.
			for _, q := range t.behindHint(p) {
				t.b.AddDep(t.rows[q], row, trace.None)
			}
		}
	}
}

// behindHint is what a hint waits for; nothing for other nodes.
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

// states adds what workers did between tasks. A device worker does much while
// a task executes; that is not shown. When it ends while the next one still
// waits for its data, that is what the worker does.
func (t *tracer) states() {
	n := len(t.e.workers)
	since, what, running, waiting := make([]float64, n), make([]workerState, n), make([]int, n), make([]int, n)
	for _, m := range t.e.log.trail.marks {
		w := m.worker
		if running[w] == 0 {
			t.state(w, what[w], since[w], m.at)
		}
		since[w], what[w] = m.at, m.what
		switch m.what {
		case stateFetching:
			waiting[w]++
		case stateExecuting:
			waiting[w]--
			running[w]++
		case stateCleaning:
			if running[w]--; waiting[w] > 0 {
				what[w] = stateFetching
			}
		}
	}
	for w := range n {
		if running[w] == 0 {
			t.state(int32(w), what[w], since[w], t.e.log.end)
		}
	}
}

func (t *tracer) state(worker int32, what workerState, from, to float64) {
	s := &t.b.Run.State
	begin, end := t.e.nanoseconds(from), t.e.nanoseconds(to)
	if end <= begin || what == stateExecuting {
		return
	}
	s.Resource = append(s.Resource, t.workers[worker])
	s.Type.Append("Worker State")
	if t.e.workers[worker].device {
		s.Kind.Append(deviceNames[what])
	} else {
		s.Kind.Append(stateNames[what])
	}
	s.Start, s.End = append(s.Start, begin), append(s.End, end)
	s.Depth = append(s.Depth, 0)
}

// reasonOf is StarPU's number of how urgent a request is.
var reasonOf = [...]string{demand: "0", prefetch: "1", idle: "3"}

// kindOf names transfers by how urgent they were.
var kindOf = [...]string{demand: trace.TransferFetch, prefetch: trace.TransferTaskPrefetch, idle: trace.TransferIdleFetch}

func (t *tracer) transfers() {
	r := &t.b.Run.Transfer
	for i, c := range t.e.log.trail.copies {
		end := trace.NoTime
		if c.end > 0 {
			end = t.e.nanoseconds(c.end)
		}
		r.Key.AppendString("com_" + strconv.Itoa(i+1))
		r.Kind.Append(kindOf[c.level])
		r.From, r.To = append(r.From, t.managers[c.from]), append(r.To, t.managers[c.to])
		r.Start, r.End = append(r.Start, t.e.nanoseconds(c.begin)), append(r.End, end)
		r.Bytes = append(r.Bytes, t.g.Bytes[c.handle])
		r.Handle = append(r.Handle, c.handle)
		r.Priority = append(r.Priority, c.priority)
		r.Tag = append(r.Tag, 0)
	}
}

// events adds what happened to copies: validity, allocation, transport.
func (t *tracer) events() {
	validities := [...]string{invalid: "data state invalid", shared: "data state shared", owner: "data state owner"}
	trail := t.e.log.trail
	for _, s := range trail.states {
		t.event(validities[s.state], s.memory, s.at, s.handle, trace.None)
	}
	t.blocking()
	for _, m := range trail.managed {
		peer := trace.None
		if m.peer != none {
			peer = t.managers[m.peer]
		}
		t.event(managementNames[m.what]+" Start", m.memory, m.begin, m.handle, peer)
		t.event(managementNames[m.what]+" End", m.memory, m.end, m.handle, peer)
	}
	for _, w := range trail.requests {
		t.note(note{
			kind: "Request Created", info: reasonOf[w.level], resource: t.managers[w.from], peer: t.managers[w.to],
			at: w.at, handle: w.handle, bytes: int64(w.priority),
		})
	}
	for _, c := range trail.copies {
		if c.end > 0 {
			t.event("DriverCopy Start", c.to, c.begin, c.handle, t.managers[c.from])
			t.event("DriverCopy End", c.to, c.end, c.handle, t.managers[c.from])
		}
	}
}

// blocking notes when kernels that drain the pipeline of a device begin.
func (t *tracer) blocking() {
	for i, w := range t.r.Worker {
		if w >= 0 && t.e.workers[w].device && t.g.Classes[t.g.Class[i]].Blocking {
			t.note(note{kind: "program event type", value: "sync_task", resource: t.program, at: t.e.log.begin[i], handle: trace.None, peer: trace.None})
		}
	}
}

// event adds something that happened to a copy.
func (t *tracer) event(kind string, memory int32, at float64, handle, peer int32) {
	t.note(note{kind: kind, resource: t.managers[memory], at: at, handle: handle, peer: peer, bytes: t.g.Bytes[handle]})
}

// note is an event.
type note struct {
	kind, value, info      string
	resource, handle, peer int32
	at                     float64 // s
	bytes                  int64
}

func (t *tracer) note(n note) {
	e := &t.b.Run.Event
	e.Kind.Append(n.kind)
	e.Resource = append(e.Resource, n.resource)
	e.Time = append(e.Time, t.e.nanoseconds(n.at))
	e.Value.Append(n.value)
	e.Task, e.Handle = append(e.Task, trace.None), append(e.Handle, n.handle)
	e.Info.Append(n.info)
	e.Bytes = append(e.Bytes, n.bytes)
	e.Peer = append(e.Peer, n.peer)
}

// counters adds the numbers of ready and of submitted tasks, and how much of
// each memory is allocated.
func (t *tracer) counters() {
	l := &t.e.log
	start := t.e.zero - float64(t.e.o.Before)*microsecond
	ready, submitted := []change{{start, 0}}, []change{{start, 0}}
	for i := range l.submit {
		if t.r.Worker[i] < 0 {
			continue
		}
		ready = append(ready, change{l.ready[i], 1}, change{l.trail.popped[i], -1})
		submitted = append(submitted, change{l.submit[i], 1}, change{l.over[i], -1})
	}
	t.counter("Number of Ready Tasks", ready)
	t.counter("Number of Submitted Uncompleted Tasks", submitted)
	for _, m := range t.managers {
		t.sample("Used (MB)", m, t.e.nanoseconds(start), 0)
	}
	for _, u := range l.trail.used {
		t.sample("Used (MB)", t.managers[u.memory], t.e.nanoseconds(u.at), float64(u.bytes)/(1<<20))
	}
}

// change of a counter.
type change struct {
	at float64 // s
	by int
}

// counter adds the steps of a number of tasks.
func (t *tracer) counter(metric string, changes []change) {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), b.by-a.by) })
	count := 0
	for i, c := range changes {
		count += c.by
		if now := t.e.nanoseconds(c.at); i+1 == len(changes) || t.e.nanoseconds(changes[i+1].at) > now {
			t.sample(metric, t.scheduler, now, float64(count))
		}
	}
}

func (t *tracer) sample(metric string, resource int32, at int64, value float64) {
	s := &t.b.Run.Sample
	s.Metric.Append(metric)
	s.Resource = append(s.Resource, resource)
	s.Time, s.Value = append(s.Time, at), append(s.Value, value)
}
