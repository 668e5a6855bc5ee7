package workload

import (
	"fmt"
	"slices"

	"dagscope/internal/dag"
)

// None stands for "no node".
const None int32 = -1

// Deps says what must wait for what. Its nodes are the tasks of a graph, and
// after them the runtime's own tasks, which take no time: one for each hint,
// which reads the data it is about, and synchronisation tasks, where a group of
// tasks that may run in any order follows another such group: all of the second
// wait for one that waits for all of the first, so that the number of edges is
// linear in that of accesses.
type Deps struct {
	Tasks int
	// Node Tasks+i is submitted just before task Before[i], which is Tasks for
	// what is submitted last; it stands for Hint[i] of the graph, or
	// synchronises (None). Before does not decrease.
	Before, Hint []int32
	// Predecessors and successors of node i are Pred[PredAt[i]:PredAt[i+1]] and
	// Succ[SuccAt[i]:SuccAt[i+1]], each at most once, in the order in which the
	// runtime registers them: successors in that of their submission.
	PredAt, Pred []int32
	SuccAt, Succ []int32
}

// Nodes is the number of nodes.
func (d *Deps) Nodes() int { return d.Tasks + len(d.Before) }

// Preds returns the predecessors of a node, not to be changed.
func (d *Deps) Preds(node int32) []int32 { return d.Pred[d.PredAt[node]:d.PredAt[node+1]] }

// Succs returns the successors of a node, not to be changed.
func (d *Deps) Succs(node int32) []int32 { return d.Succ[d.SuccAt[node]:d.SuccAt[node+1]] }

// Infer finds the dependencies of a graph by sequential task flow: as if tasks
// ran one after another in the order of submission, each sees the data that its
// predecessors left. Tasks that only read the same data, and commuting updates
// of it, do not wait for each other. It takes time and memory linear in the
// numbers of accesses and explicit dependencies.
func Infer(g *Graph) (*Deps, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	f := newFlow(g)
	explicit := 0
	for t := range int32(g.Tasks()) {
		f.hints(t)
		for ; explicit < len(g.To) && g.To[explicit] == t; explicit++ {
			f.depend(g.From[explicit], t)
		}
		f.task(t)
		f.predAt = append(f.predAt, int32(len(f.pred)))
	}
	f.hints(int32(g.Tasks()))
	return f.deps(), nil
}

// flow is the state of the inference.
type flow struct {
	g      *Graph
	tasks  int32
	data   []dataState
	access []accessor // by access, and by hint after them
	last   []int32    // by node: the last task that was made to depend on it
	hint   int        // next hint

	predAt, pred       []int32 // of tasks
	ownAt, own         []int32 // of the runtime's tasks
	before, hintOf     []int32
	ownAccess, current int32 // slot of the next hint; task that is being submitted
}

// dataState is what the runtime knows of a piece of data: who used it since
// the last node that all must wait for, and how.
type dataState struct {
	sync int32 // what accessors wait for, None
	head int32 // newest accessor, None
	mode Mode  // of the accessors
}

// accessor is an element of the list of a piece of data's accessors.
type accessor struct{ node, next int32 }

func newFlow(g *Graph) *flow {
	f := &flow{
		g:         g,
		tasks:     int32(g.Tasks()),
		data:      make([]dataState, len(g.Bytes)),
		access:    make([]accessor, len(g.Handle)+len(g.Hints)),
		last:      make([]int32, g.Tasks(), g.Tasks()+len(g.Hints)),
		predAt:    make([]int32, 1, g.Tasks()+len(g.Hints)+1),
		pred:      make([]int32, 0, len(g.Handle)+len(g.From)+len(g.Hints)),
		ownAt:     []int32{0},
		ownAccess: int32(len(g.Handle)),
	}
	for i := range f.data {
		f.data[i] = dataState{sync: None, head: None}
	}
	for i := range f.last {
		f.last[i] = None
	}
	return f
}

// task submits a task: its accesses in their order.
func (f *flow) task(t int32) {
	f.current = t
	if f.g.Explicit {
		f.wrote(t)
		return
	}
	for a := f.g.AccessAt[t]; a < f.g.AccessAt[t+1]; a++ {
		if mode := f.g.Mode[a]; mode&Scratch == 0 {
			f.use(t, a, f.g.Handle[a], mode)
		}
	}
}

// wrote remembers what a task writes, for the hints that come after it: with
// explicit dependencies they alone follow from the accesses.
func (f *flow) wrote(t int32) {
	for a := f.g.AccessAt[t]; a < f.g.AccessAt[t+1]; a++ {
		if f.g.Mode[a]&Write != 0 {
			f.data[f.g.Handle[a]].sync = t
		}
	}
}

// hints submits the hints that come before a task.
func (f *flow) hints(t int32) {
	for ; f.hint < len(f.g.Hints) && f.g.Hints[f.hint].After <= t; f.hint++ {
		f.current = t
		handle := f.g.Hints[f.hint].Handle
		f.separate(&f.data[handle], Read)
		node := f.runtimeTask(int32(f.hint))
		f.use(node, f.ownAccess, handle, Read)
		f.ownAt[len(f.ownAt)-1] = int32(len(f.own))
		f.ownAccess++
	}
}

// runtimeTask adds a task of the runtime's own.
func (f *flow) runtimeTask(hint int32) int32 {
	f.before = append(f.before, f.current)
	f.hintOf = append(f.hintOf, hint)
	f.ownAt = append(f.ownAt, int32(len(f.own)))
	f.last = append(f.last, None)
	return f.tasks + int32(len(f.before)) - 1
}

// use makes a node wait for what it must not overtake on a piece of data, and
// remembers it there. Slot is its place in the list of accessors.
func (f *flow) use(node, slot, handle int32, mode Mode) {
	d := &f.data[handle]
	again := d.head != None && f.access[d.head].node == node
	switch {
	case again && d.mode == mode:
		return
	case again && !concurrent(d.mode, mode), mode == Write && f.several(d):
		// It waits for all others itself: nothing can be concurrent with it.
		f.join(d, node)
		d.mode = mode
		return
	}
	f.separate(d, mode)
	f.access[slot] = accessor{node, d.head}
	d.head, d.mode = slot, mode
	if d.sync != None {
		f.depend(d.sync, node)
	}
}

// several tells whether a piece of data has more than one accessor.
func (f *flow) several(d *dataState) bool { return d.head != None && f.access[d.head].next != None }

// separate ends the group of accessors unless an access of the mode belongs to
// it: one node is what others wait for from now on.
func (f *flow) separate(d *dataState, mode Mode) {
	switch {
	case d.head == None || concurrent(d.mode, mode):
	case !f.several(d):
		d.sync, d.head = f.access[d.head].node, None
	default:
		f.join(d, f.runtimeTask(None))
		f.ownAt[len(f.ownAt)-1] = int32(len(f.own))
	}
}

// concurrent tells whether an access may overtake others of a mode.
func concurrent(a, b Mode) bool {
	const commuting = Write | Commute
	return a&commuting == commuting && b&commuting == commuting || a == Read && b == Read
}

// join makes a node wait for all accessors, and all that come after wait for
// the node.
func (f *flow) join(d *dataState, node int32) {
	for a := d.head; a != None; a = f.access[a].next {
		f.depend(f.access[a].node, node)
	}
	d.head, d.sync = None, node
}

// depend adds an edge, once.
func (f *flow) depend(from, to int32) {
	switch {
	case from == to:
	case to >= f.tasks:
		// Accesses of one task follow each other in a list of accessors.
		if n := int32(len(f.own)); n == f.ownAt[len(f.ownAt)-1] || f.own[n-1] != from {
			f.own = append(f.own, from)
		}
	case f.last[from] != to:
		f.last[from] = to
		f.pred = append(f.pred, from)
	}
}

// deps puts the runtime's tasks behind the others and turns the edges round.
func (f *flow) deps() *Deps {
	d := &Deps{Tasks: int(f.tasks), Before: f.before, Hint: f.hintOf, PredAt: f.predAt}
	for _, at := range f.ownAt[1:] {
		d.PredAt = append(d.PredAt, int32(len(f.pred))+at)
	}
	d.Pred = append(f.pred, f.own...)
	d.turn()
	return d
}

// turn fills the successors from the predecessors.
func (d *Deps) turn() {
	n := d.Nodes()
	d.SuccAt = make([]int32, n+1)
	d.Succ = make([]int32, len(d.Pred))
	for _, p := range d.Pred {
		d.SuccAt[p]++
	}
	sum := int32(0)
	for i, c := range d.SuccAt {
		d.SuccAt[i] = sum
		sum += c
	}
	own := 0
	for t := range int32(d.Tasks + 1) {
		for ; own < len(d.Before) && d.Before[own] <= t; own++ {
			d.succeed(int32(d.Tasks + own))
		}
		if int(t) < d.Tasks {
			d.succeed(t)
		}
	}
	copy(d.SuccAt[1:], d.SuccAt[:n])
	d.SuccAt[0] = 0
}

// succeed enters a node with its predecessors; SuccAt is where the next goes.
func (d *Deps) succeed(node int32) {
	for _, p := range d.Preds(node) {
		d.Succ[d.SuccAt[p]] = node
		d.SuccAt[p]++
	}
}

// check reports columns that do not fit together.
func (g *Graph) check() error {
	n := len(g.Class)
	switch {
	case n > maxRows || len(g.Handle) > maxRows || len(g.From) > maxRows:
		return fmt.Errorf("infer dependencies: found %d tasks, %d accesses and %d explicit dependencies, want at most %d of each", n, len(g.Handle), len(g.From), maxRows)
	case len(g.AccessAt) != n+1 || len(g.Mode) != len(g.Handle) || int(g.AccessAt[n]) != len(g.Handle) || g.AccessAt[0] != 0:
		return fmt.Errorf("infer dependencies: accesses of %d tasks do not add up", n)
	case len(g.From) != len(g.To):
		return fmt.Errorf("infer dependencies: found %d origins of explicit dependencies but %d destinations", len(g.From), len(g.To))
	}
	for i := range n {
		if g.AccessAt[i] > g.AccessAt[i+1] {
			return fmt.Errorf("infer dependencies: accesses of task %d begin after those of the next", i)
		}
	}
	for i, h := range g.Handle {
		if h < 0 || int(h) >= len(g.Bytes) {
			return fmt.Errorf("infer dependencies: access %d is to handle %d of %d", i, h, len(g.Bytes))
		}
	}
	return g.checkOrders()
}

// checkOrders checks what must be sorted.
func (g *Graph) checkOrders() error {
	n, before := int32(len(g.Class)), int32(0)
	for i, to := range g.To {
		if from := g.From[i]; from < 0 || from >= n || from == to || to < before || to >= n {
			return fmt.Errorf("infer dependencies: found explicit dependency %d from task %d to %d of %d, want two tasks, sorted by the second", i, from, to, n)
		}
		before = to
	}
	before = 0
	for i, h := range g.Hints {
		if h.After < before || h.After > n || h.Handle < 0 || int(h.Handle) >= len(g.Bytes) {
			return fmt.Errorf("infer dependencies: found hint %d after %d of %d tasks on handle %d of %d, want them in order", i, h.After, n, h.Handle, len(g.Bytes))
		}
		before = h.After
	}
	return nil
}

// Topological returns the nodes so that each comes after its predecessors. It
// is an error (*dag.CycleError) when there is no such order, which only explicit
// dependencies can bring about.
func (d *Deps) Topological() ([]int32, error) {
	to := make([]int32, len(d.Pred))
	for v := range int32(d.Nodes()) {
		for e := d.PredAt[v]; e < d.PredAt[v+1]; e++ {
			to[e] = v
		}
	}
	return dag.Build(d.Nodes(), slices.Clone(d.Pred), to).Topological()
}
