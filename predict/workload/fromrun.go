package workload

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"dagscope/internal/dag"
	"dagscope/trace"
)

// FromRun is the task graph of a recorded or simulated run: its application
// tasks that ran, in the order of their submission, with the durations that
// they had, on the data that they used.
//
// Dependencies are those that were recorded; those that follow from the
// accesses are left to be inferred, if all of them were recorded, or none at all
// and nothing else either: such a run says by its data alone what waits. Tasks of the
// runtime's own, and tasks that did not run, are left out: who waited for one
// of them waits for what that one waited for. Those that join many tasks with
// many others stay, as tasks without work (Sync), so that the number of edges
// does not explode.
// Hints that data is not used any more are kept where the trace has them.
//
// On several nodes, where data has tags and owners, handles of the same data are
// one, and dependencies are those that follow from the accesses.
//
// It also returns the row of each task in the run's table. It is an error when
// the run has no task that ran, or dependencies in a cycle.
func FromRun(run *trace.Run) (g *Graph, rows []int32, err error) {
	r := &recorded{run: run, g: &Graph{Name: "recorded", Explicit: true}}
	if err := r.choose(); err != nil {
		return nil, nil, fmt.Errorf("read task graph of run: %w", err)
	}
	r.segments()
	r.tasks()
	r.data()
	r.hints()
	r.memory()
	r.deps()
	if r.stands != nil {
		r.g.settle()
		return r.g, r.rows, nil
	}
	if len(run.Dep.From) == 0 {
		r.g.Explicit = false
		return r.g, r.rows, nil
	}
	if err := r.g.imply(); err != nil {
		return nil, nil, fmt.Errorf("read task graph of run: %w", err)
	}
	return r.g, r.rows, nil
}

// recorded is a run that is being turned into a graph.
type recorded struct {
	run     *trace.Run
	g       *Graph
	through through
	rows    []int32 // task row of each task of the graph
	task    []int32 // task of the graph by row, None
	handles []int32 // handle of the graph by row, None
	counted bool    // submissions are numbered over all nodes
	stands  []int32 // handle that a handle is a copy of, on several nodes
	ofNode  map[int32][]int32
	pieces  map[int32]int64 // work of tasks that ran in several pieces, by row
}

// choose finds the tasks to keep, in order of submission. Rows are in this order
// node by node; times merge the nodes.
func (r *recorded) choose() error {
	t := &r.run.Task
	ran := make([]bool, len(t.Worker))
	for i, w := range t.Worker {
		ran[i] = w != None && !t.Internal[i] && t.Start[i] != trace.NoTime && t.End[i] != trace.NoTime
	}
	if !slices.Contains(ran, true) {
		return errors.New("found no task that ran")
	}
	var err error
	if r.through, err = newThrough(ran, r.run.Dep.From, r.run.Dep.To); err != nil {
		return r.named(err)
	}
	r.order()
	return nil
}

// named says of tasks that depend on each other which they are.
func (r *recorded) named(err error) error {
	var cycle *dag.CycleError
	if !errors.As(err, &cycle) {
		return err
	}
	const shown = 8
	var names []string
	for _, row := range cycle.Nodes[:min(len(cycle.Nodes), shown)] {
		names = append(names, fmt.Sprintf("%s (%s)", r.run.Task.Key.At(int(row)), r.run.Task.Kind.At(int(row))))
	}
	if more := len(cycle.Nodes) - shown; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Errorf("found tasks that wait for each other: %s", strings.Join(names, ", "))
}

// order numbers the tasks to keep.
func (r *recorded) order() {
	t := &r.run.Task
	nodes := false
	for i, keep := range r.through.keep {
		if keep {
			r.rows = append(r.rows, int32(i))
			nodes = nodes || r.node(int32(i)) != r.node(r.rows[0])
		}
	}
	if nodes {
		r.merge()
	}
	if nodes && !r.whole() && (r.stands == nil || !r.interleave()) {
		r.stands = nil
		slices.SortStableFunc(r.rows, func(a, b int32) int { return cmp.Compare(t.Submit[a], t.Submit[b]) })
	}
	r.task = slices.Repeat([]int32{None}, len(t.Worker))
	for i, row := range r.rows {
		r.task[row] = int32(i)
	}
}

// node is the node of the cluster that a task ran on, or was submitted on.
func (r *recorded) node(row int32) int32 {
	if w := r.run.Task.Worker[row]; w != None {
		return max(r.run.Resource.Node[w], 0)
	}
	if n := r.run.Task.Node; n != nil {
		return max(n[row], 0)
	}
	return 0
}

func (r *recorded) tasks() {
	g, t, n := r.g, &r.run.Task, len(r.rows)
	r.classes()
	g.Priority, g.Iteration, g.Node = make([]int32, n), make([]int32, n), make([]int32, n)
	g.Duration, g.Key = make([]int64, n), make([]string, n)
	for i, row := range r.rows {
		g.Priority[i] = t.Priority[row]
		g.Iteration[i] = t.Iteration[row]
		g.Node[i] = r.node(row)
		g.Duration[i] = r.duration(row)
		g.Key[i] = t.Key.At(int(row))
	}
	g.X, g.Y = pick(t.X, r.rows), pick(t.Y, r.rows)
	if !slices.ContainsFunc(g.Node, func(n int32) bool { return n != 0 }) {
		g.Node = nil
	}
	r.sync()
	r.blocking()
}

// classes finds the classes of the tasks, in the order in which they first come:
// where each task has parameters of its own, they are as many as tasks.
func (r *recorded) classes() {
	g := r.g
	g.Class = make([]int32, len(r.rows))
	numbers := make(map[recordedClass]int32)
	var first []int32 // rows
	for i, row := range r.rows {
		c := r.class(row)
		class, known := numbers[c]
		if !known {
			class = int32(len(first))
			numbers[c] = class
			first = append(first, row)
		}
		g.Class[i] = class
	}
	g.Classes = make([]Class, len(first))
	for k, row := range first {
		g.Classes[k] = r.classOf(row)
	}
}

// duration is how long a task ran; tasks without work take no time. Pauses of a
// task that was suspended are not its work.
func (r *recorded) duration(row int32) int64 {
	if !r.through.ran[row] {
		return 0
	}
	if d, ok := r.pieces[row]; ok {
		return d
	}
	return r.run.Task.End[row] - r.run.Task.Start[row]
}

// segments sums the pieces of tasks that did not run in one.
func (r *recorded) segments() {
	s := &r.run.Segment
	r.pieces = make(map[int32]int64)
	for i, row := range s.Task {
		r.pieces[row] += s.End[i] - s.Start[i]
	}
}

// sync marks the tasks without work, if there are any.
func (r *recorded) sync() {
	sync, some := make([]bool, len(r.rows)), false
	for i, row := range r.rows {
		sync[i] = !r.through.ran[row]
		some = some || sync[i]
	}
	if some {
		r.g.Sync = sync
	}
}

// pick takes rows of a column, nil if the run does not have it. What is not
// known is 0 in a graph.
func pick(column []int32, rows []int32) []int32 {
	if column == nil {
		return nil
	}
	out := make([]int32, len(rows))
	for i, row := range rows {
		if column[row] != trace.NoInt {
			out[i] = column[row]
		}
	}
	return out
}

// recordedClass tells classes of tasks apart: kind and layout by their place
// among the run's texts.
type recordedClass struct {
	kind, layout int32
	footprint    uint32
	generation   bool
	bytes        int64
	gflop        float64
}

func (r *recorded) class(row int32) recordedClass {
	t, i := &r.run.Task, int(row)
	c := recordedClass{kind: t.Kind.Index[i], layout: None, generation: t.Generation[i]}
	if t.Footprint != nil {
		c.footprint = t.Footprint[i]
	}
	if t.Bytes != nil && t.Bytes[i] > 0 {
		c.bytes = t.Bytes[i]
	}
	if t.GFlop != nil && t.GFlop[i] > 0 {
		c.gflop = t.GFlop[i]
	}
	if t.Parameters.Len() > 0 {
		c.layout = t.Parameters.Index[i]
	}
	return c
}

// classOf is the class of a task as graphs have it.
func (r *recorded) classOf(row int32) Class {
	c, t := r.class(row), &r.run.Task
	out := Class{Kind: t.Kind.At(int(row)), Footprint: c.footprint, Bytes: c.bytes, GFlop: c.gflop, Generation: c.generation}
	if c.layout != None {
		out.Layout = strings.ReplaceAll(t.Parameters.At(int(row)), " ", "_")
	}
	return out
}

// blocking marks the kinds whose tasks drained the pipeline of a device: the
// runtime recorded instants at which such tasks began. Tasks of other kinds may
// begin at one of these by chance, on another device: kinds are taken that most
// instants are of, until there is one for each.
func (r *recorded) blocking() {
	begun := r.blockingInstants()
	for len(begun) > 0 {
		count := make(map[string]int)
		most := ""
		for _, kinds := range begun {
			for _, kind := range kinds {
				count[kind]++
			}
		}
		for kind, n := range count {
			if n > count[most] || n == count[most] && kind < most {
				most = kind
			}
		}
		r.block(most)
		maps.DeleteFunc(begun, func(_ int64, kinds []string) bool { return slices.Contains(kinds, most) })
	}
}

// blockingInstants are the kinds of tasks on devices that began at each instant
// at which the pipeline of a device had been drained.
func (r *recorded) blockingInstants() map[int64][]string {
	e, t := &r.run.Event, &r.run.Task
	instants := make(map[int64]bool)
	for i, at := range e.Time {
		if e.Value.Len() > 0 && e.Value.At(i) == "sync_task" {
			instants[at] = true
		}
	}
	begun := make(map[int64][]string)
	for i, row := range r.rows {
		at := t.Start[row]
		if kind := r.g.Classes[r.g.Class[i]].Kind; instants[at] && r.through.ran[row] && r.run.Resource.Arch.At(int(t.Worker[row])) != "cpu" && !slices.Contains(begun[at], kind) {
			begun[at] = append(begun[at], kind)
		}
	}
	return begun
}

func (r *recorded) block(kind string) {
	for i := range r.g.Classes {
		if c := &r.g.Classes[i]; c.Kind == kind {
			c.Blocking = true
		}
	}
}

// data fills the handles that tasks use, in the order of the run, and the
// accesses.
func (r *recorded) data() {
	g, a := r.g, &r.run.Access
	at := make([]int32, len(r.task)+1) // accesses of a row
	used := make([]bool, len(r.run.Handle.Bytes))
	for i, row := range a.Task {
		at[row+1]++
		if h := a.Handle[i]; h != None && r.task[row] != None {
			used[h] = true
		}
	}
	for i := 1; i < len(at); i++ {
		at[i] += at[i-1]
	}
	r.handlesUsed(used)
	g.AccessAt = append(g.AccessAt, 0)
	for _, row := range r.rows {
		for i := at[row]; i < at[row+1]; i++ {
			if h := a.Handle[i]; h != None {
				g.Handle = append(g.Handle, r.handles[h])
				g.Mode = append(g.Mode, modeOf(a.Mode.At(int(i))))
			}
		}
		g.AccessAt = append(g.AccessAt, int32(len(g.Handle)))
	}
}

func (r *recorded) handlesUsed(used []bool) {
	g, h := r.g, &r.run.Handle
	r.handles = slices.Repeat([]int32{None}, len(used))
	for i, u := range used {
		used[r.standsFor(int32(i))] = used[r.standsFor(int32(i))] || u
	}
	for _, i := range r.registered() {
		if !used[i] || r.standsFor(i) != i {
			continue
		}
		r.handles[i] = int32(len(g.Bytes))
		g.Bytes = append(g.Bytes, max(h.Bytes[i], 0))
		g.HandleX = append(g.HandleX, coordinate(h.X, int(i)))
		g.HandleY = append(g.HandleY, coordinate(h.Y, int(i)))
		g.Home = append(g.Home, h.Home[i])
		g.Owner = append(g.Owner, r.owner(int(i)))
		g.Names = append(g.Names, h.Key.At(int(i)))
	}
	if !slices.ContainsFunc(g.Owner, func(n int32) bool { return n != 0 }) {
		g.Owner = nil
	}
	for i := range used {
		r.handles[i] = r.handles[r.standsFor(int32(i))]
	}
}

// owner is the node of a handle; of one that stands for several its owner.
func (r *recorded) owner(handle int) int32 {
	if r.stands != nil && r.run.Handle.Tag[handle] >= 0 && r.run.Handle.Owner[handle] != None {
		return r.run.Handle.Owner[handle]
	}
	return max(r.run.Handle.Node[handle], 0)
}

func coordinate(column []int32, i int) int32 {
	if column == nil || column[i] == trace.NoInt {
		return 0
	}
	return column[i]
}

// modeOf reads a mode as the runtime prints it. Reductions are taken as updates
// that commute.
func modeOf(s string) Mode {
	m := Mode(0)
	for _, c := range s {
		switch c {
		case 'R':
			m |= Read
		case 'W':
			m |= Write
		case 'S':
			m |= Scratch
		case 'C', 'X':
			m |= ReadWrite | Commute
		}
	}
	if m == 0 {
		return ReadWrite
	}
	return m
}

// WontUseSubmitted is the kind of event of a hint when the program gives it; its
// info may be the number that it has among the submissions.
const WontUseSubmitted = "WontUse submitted"

// hints takes the hints from the events, where the trace has them.
func (r *recorded) hints() {
	e := &r.run.Event
	for i := range e.Time {
		if e.Kind.At(i) != WontUseSubmitted || e.Handle[i] == None || r.handles[e.Handle[i]] == None {
			continue
		}
		r.g.Hints = append(r.g.Hints, Hint{After: r.submittedBefore(i), Handle: r.handles[e.Handle[i]], Kind: WontUse})
	}
	if r.stands != nil && !r.counted {
		r.hintsAfterReaders()
	}
	slices.SortStableFunc(r.g.Hints, func(a, b Hint) int { return cmp.Compare(a.After, b.After) })
}

// submittedBefore counts the tasks before a hint: by its number among the
// submissions, else by its date.
func (r *recorded) submittedBefore(event int) int32 {
	e, t := &r.run.Event, &r.run.Task
	at := e.Time[event]
	before := func(row int32) bool { return t.Submit[row] <= at }
	if e.Info.Len() > 0 && (r.g.Node == nil || r.stands != nil) {
		if number, err := strconv.Atoi(e.Info.At(event)); err == nil {
			before = func(row int32) bool { return int(t.Order[row]) < number }
		}
	}
	rows := r.rows
	if r.stands != nil && !r.counted {
		rows = r.rowsOf(r.run.Handle.Node[e.Handle[event]])
	}
	n := sort.Search(len(rows), func(i int) bool { return !before(rows[i]) })
	if r.stands != nil && n > 0 {
		return r.task[rows[n-1]] + 1
	}
	return int32(n)
}

// deps fills the dependencies, through rows that are no tasks of the graph.
func (r *recorded) deps() {
	for i, row := range r.rows {
		from := len(r.g.From)
		for _, p := range r.through.preds(row) {
			r.g.From = append(r.g.From, r.task[p])
			r.g.To = append(r.g.To, int32(i))
		}
		slices.Sort(r.g.From[from:])
	}
}
