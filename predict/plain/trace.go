package plain

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"dagscope/predict/workload"
	"dagscope/trace"
)

// Details are what a trace shows of tasks beyond their classes; what is nil is left
// out.
type Details struct {
	Workers    []string                           // names of workers, by worker; nil: CPU0, CPU1, …
	Archs      []string                           // of workers; nil: cpu
	Parameters func(task int32, to []byte) []byte // appends the text of a task's parameters
	GFlops     func(task int32) float64           // operations of a task / 1e9
	TreeNode   []int32                            // by task: row of TreeKey, -1 for none
	TreeKey    []int64                            // numbers of the nodes of the elimination tree, parents first
	TreeParent []int32
}

// Trace is the run as an import of a trace of it would give it: tasks with when
// they were ready, dependencies, data, and the memory allocated over time. The
// simulation must have been recorded.
func (r *Result) Trace(more Details) (*trace.Run, error) {
	if r.Begin == nil {
		return nil, errors.New("write down simulated run: found no record of the tasks, want Options.Record")
	}
	t := &tracer{r: r, g: r.g, d: r.d, more: more}
	t.b.Run.Meta.Reader = "simulation"
	t.resources()
	t.tasks()
	t.columns()
	t.edges()
	t.ready()
	t.handles()
	t.accesses()
	t.memory()
	t.tree()
	run, err := t.b.Finish(t.g.GenerationPattern())
	if err != nil {
		return nil, fmt.Errorf("write down simulated run: %w", err)
	}
	return run, nil
}

// tracer creates a run from a result.
type tracer struct {
	r       *Result
	g       *workload.Graph
	d       *Deps
	more    Details
	b       trace.Builder
	manager int32
	workers []int32 // resources
	rows    []int32 // of the task table, by node of the dependencies
}

func (t *tracer) resources() {
	add := t.b.AddResource
	root := add(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	program := add(root, trace.LevelNode, "program", "", 0, trace.None)
	memory := add(program, trace.LevelMemory, "MEMNODE0", "", 0, 0)
	t.manager = add(memory, trace.LevelMemoryManager, "MEMMANAGER0", "", 0, 0)
	for w := range t.r.o.Workers {
		name, arch := "CPU"+strconv.Itoa(w), "cpu"
		if t.more.Workers != nil {
			name = t.more.Workers[w]
		}
		if t.more.Archs != nil {
			arch = t.more.Archs[w]
		}
		t.workers = append(t.workers, add(memory, trace.LevelWorker, name, arch, 0, int32(w)))
	}
}

// tasks adds the tasks in the order of their submission, joins among them as
// the runtime's own.
func (t *tracer) tasks() {
	n, c := t.d.Nodes(), &t.b.Run.Task
	t.rows = make([]int32, n)
	trace.Reserve(n, &c.Worker, &c.Order, &c.Priority, &c.Iteration, &c.Kind.Index)
	trace.Reserve(n, &c.Start, &c.End, &c.Submit, &c.Ready, &c.Key.Code)
	trace.Reserve(n, &c.Generation, &c.Internal)
	kinds := make([]int32, len(t.g.Classes))
	for k := range kinds {
		kinds[k] = c.Kind.Intern(t.g.Classes[k].Kind)
	}
	join := 0
	for i := range int32(t.d.Tasks) {
		for ; join < len(t.d.Before) && t.d.Before[join] <= i; join++ {
			t.rows[t.d.Tasks+join] = t.row(trace.NoKey, c.Kind.Intern("_starpu_sync_task"), trace.None, trace.NoTime, trace.NoTime, trace.NoTime)
		}
		worker, begin, end := trace.None, trace.NoTime, trace.NoTime
		if w := t.r.Worker[i]; w >= 0 {
			worker, begin, end = t.workers[w], t.r.Begin[i], t.r.End[i]
		}
		t.rows[i] = t.row(t.key(i), kinds[t.g.Class[i]], worker, begin, end, t.r.Submit[i])
		k := t.rows[i]
		if t.g.Priority != nil {
			c.Priority[k] = t.g.Priority[i]
		}
		if t.g.Iteration != nil {
			c.Iteration[k] = t.g.Iteration[i]
		}
	}
}

// key is the name of a task: that of the program, or its number from 0.
func (t *tracer) key(i int32) int64 {
	k := &t.b.Run.Task.Key
	if t.g.Key != nil {
		return k.Encode([]byte(t.g.Key[i]))
	}
	if i == 0 {
		return k.Encode([]byte("0"))
	}
	return k.Code[t.rows[0]] + int64(i)
}

func (t *tracer) row(key int64, kind, worker int32, start, end, submit int64) int32 {
	c := &t.b.Run.Task
	c.Key.AppendCode(key)
	c.Kind.AppendIndex(kind)
	c.Worker, c.Start, c.End = append(c.Worker, worker), append(c.Start, start), append(c.End, end)
	c.Submit, c.Ready, c.Order = append(c.Submit, submit), append(c.Ready, submit), append(c.Order, int32(len(c.Order))+1)
	c.Priority, c.Iteration = append(c.Priority, 0), append(c.Iteration, -1)
	c.Generation, c.Internal = append(c.Generation, false), append(c.Internal, worker == trace.None)
	return int32(len(c.Start) - 1)
}

// columns fills the optional columns of tasks.
func (t *tracer) columns() {
	c := &t.b.Run.Task
	n := len(c.Start)
	c.Footprint, c.GFlop, c.Bytes = make([]uint32, n), slices.Repeat([]float64{math.NaN()}, n), make([]int64, n)
	c.Parameters.Index = slices.Repeat([]int32{c.Parameters.Intern("")}, n)
	if t.g.X != nil && t.g.Y != nil {
		c.X, c.Y = slices.Repeat([]int32{trace.NoInt}, n), slices.Repeat([]int32{trace.NoInt}, n)
	}
	if t.g.Factor != nil && t.g.Duration == nil {
		c.Factor = slices.Repeat([]float64{1}, n)
	}
	layouts := make([]int32, len(t.g.Classes))
	for k := range layouts {
		layouts[k] = c.Parameters.Intern(t.g.Classes[k].Layout)
	}
	var text []byte
	for i := range int32(t.d.Tasks) {
		row, class := t.rows[i], &t.g.Classes[t.g.Class[i]]
		c.Footprint[row], c.GFlop[row], c.Bytes[row] = class.Footprint, class.GFlop, class.Bytes
		c.Parameters.Index[row] = layouts[t.g.Class[i]]
		if t.more.GFlops != nil {
			c.GFlop[row] = t.more.GFlops(i)
		}
		if t.more.Parameters != nil {
			text = t.more.Parameters(i, text[:0])
			c.Parameters.Index[row] = c.Parameters.InternBytes(text)
		}
		if c.X != nil {
			c.X[row], c.Y[row] = t.g.X[i], t.g.Y[i]
		}
		if c.Factor != nil {
			c.Factor[row] = t.g.Factor[i]
		}
	}
}

// edges adds the dependencies, each once.
func (t *tracer) edges() {
	d := &t.b.Run.Dep
	at := make([]int32, t.d.Nodes()+1) // predecessors by node
	for node, need := range t.d.Need {
		at[node+1] = at[node] + need
	}
	from := make([]int32, len(t.d.Succ))
	next := slices.Clone(at[:t.d.Nodes()])
	for v := range int32(t.d.Nodes()) {
		for _, s := range t.d.Succs(v) {
			from[next[s]] = t.rows[v]
			next[s]++
		}
	}
	node := make([]int32, len(t.rows)) // by row
	for v, row := range t.rows {
		node[row] = int32(v)
	}
	trace.Reserve(len(from), &d.From, &d.To)
	for row, v := range node {
		mine := from[at[v]:at[v+1]]
		slices.Sort(mine)
		for _, p := range slices.Compact(mine) {
			d.From, d.To = append(d.From, p), append(d.To, int32(row))
		}
	}
	d.Kind.Index = make([]int32, len(d.To))
	if len(d.To) > 0 {
		d.Kind.Intern(trace.DepTask)
	}
	d.Via = slices.Repeat([]int32{trace.None}, len(d.To))
}

// ready finds when tasks became ready, through the joins between them. Rows come
// after those of their predecessors.
func (t *tracer) ready() {
	c, d := &t.b.Run.Task, &t.b.Run.Dep
	for i, to := range d.To {
		from := d.From[i]
		over := c.End[from]
		if over == trace.NoTime {
			over = c.Ready[from]
		}
		c.Ready[to] = max(c.Ready[to], over)
	}
}

func (t *tracer) handles() {
	g, h := t.g, &t.b.Run.Handle
	h.Key = g.HandleKeys()
	name, blank, nowhere := h.Name.Intern(""), h.Description.Intern(""), h.Coordinates.Intern("")
	for i, bytes := range g.Bytes {
		x, y := trace.NoInt, trace.NoInt
		if g.HandleX != nil {
			x, y = g.HandleX[i], g.HandleY[i]
		}
		h.Node, h.Bytes, h.Tag = append(h.Node, 0), append(h.Bytes, bytes), append(h.Tag, -1)
		h.X, h.Y = append(h.X, x), append(h.Y, y)
		h.Home, h.Owner = append(h.Home, 0), append(h.Owner, trace.None)
		h.Name.AppendIndex(name)
		h.Description.AppendIndex(blank)
		h.Coordinates.AppendIndex(nowhere)
	}
}

func (t *tracer) accesses() {
	a, n := &t.b.Run.Access, len(t.g.Handle)
	trace.Reserve(n, &a.Task, &a.Handle, &a.Mode.Index)
	trace.Reserve(n, &a.Bytes)
	for i := range t.d.Tasks {
		for at := t.g.AccessAt[i]; at < t.g.AccessAt[i+1]; at++ {
			a.Task, a.Handle = append(a.Task, t.rows[i]), append(a.Handle, t.g.Handle[at])
			a.Mode.Append(t.g.Mode[at].String())
			a.Bytes = append(a.Bytes, t.g.Bytes[t.g.Handle[at]])
		}
	}
}

// memory adds how much is allocated over time, and by how much each task
// changes it.
func (t *tracer) memory() {
	if t.g.StartBytes == nil && t.g.EndBytes == nil {
		return
	}
	s, c := &t.b.Run.Sample, &t.b.Run.Counter
	metric := s.Metric.Intern("Used (MB)")
	levels := t.r.Memory
	if len(levels) == 0 || levels[0].At > 0 {
		levels = append([]Level{{0, t.r.o.Base}}, levels...)
	}
	for _, l := range levels {
		s.Metric.AppendIndex(metric)
		s.Resource, s.Time = append(s.Resource, t.manager), append(s.Time, l.At)
		s.Value = append(s.Value, float64(l.Bytes)/(1<<20))
	}
	add := func(i int, event string, bytes []int64) {
		if bytes != nil && bytes[i] != 0 {
			c.Task, c.Value = append(c.Task, t.rows[i]), append(c.Value, bytes[i])
			c.Event.Append(event)
		}
	}
	for i := range t.d.Tasks {
		add(i, trace.CounterStartBytes, t.g.StartBytes)
		add(i, trace.CounterEndBytes, t.g.EndBytes)
	}
}

// tree adds the elimination tree and which of its nodes tasks work on.
func (t *tracer) tree() {
	if t.more.TreeKey == nil {
		return
	}
	run := &t.b.Run
	run.TreeNode.Key, run.TreeNode.Parent = t.more.TreeKey, t.more.TreeParent
	run.Task.TreeNode = slices.Repeat([]int32{trace.None}, len(run.Task.Start))
	for i, node := range t.more.TreeNode {
		run.Task.TreeNode[t.rows[i]] = node
	}
}
