package plain

import (
	"fmt"
	"math"

	"dagscope/predict/workload"
)

// Deps says what waits for what, and what must not run at the same time. Nodes
// are the tasks of a graph, then joins, which take no time: they stand between
// two groups of tasks that may run in any order, so that the number of edges is
// linear in that of accesses.
type Deps struct {
	Tasks int
	// Successors of node i are Succ[SuccAt[i]:SuccAt[i+1]]; one may come twice.
	// Need counts the predecessors of a node as often as they come.
	SuccAt, Succ []int32
	Need         []int32
	// Data that task i must have for itself, though others may update it before
	// or after: Lock[LockAt[i]:LockAt[i+1]], numbered from 0. LockAt is nil
	// without any.
	LockAt, Lock []int32
	Locks        int
	// Join k is node Tasks+k, submitted before task Before[k].
	Before []int32
}

// Nodes is the number of nodes.
func (d *Deps) Nodes() int { return len(d.Need) }

// Succs returns the successors of a node, not to be changed.
func (d *Deps) Succs(node int32) []int32 { return d.Succ[d.SuccAt[node]:d.SuccAt[node+1]] }

// locks of a task.
func (d *Deps) locks(task int32) []int32 {
	if d.LockAt == nil {
		return nil
	}
	return d.Lock[d.LockAt[task]:d.LockAt[task+1]]
}

// none is no node and no task.
const none int32 = -1

// Infer finds the dependencies of a graph by sequential task flow: reachability
// is that of workload.Infer, whose hints it leaves out. It goes through the
// graph twice, to count edges and to fill them in, which takes half the memory
// of keeping them.
func Infer(g *workload.Graph) (*Deps, error) {
	if err := check(g); err != nil {
		return nil, err
	}
	f := newFlow(g)
	f.pass()
	total := int64(0)
	for _, n := range f.d.SuccAt {
		total += int64(n)
	}
	if total > math.MaxInt32 {
		return nil, fmt.Errorf("infer dependencies: found %d, want fewer than 2^31", total)
	}
	f.setOffsets()
	f.pass()
	f.d.SuccAt = shifted(f.d.SuccAt)
	f.d.lockAll(g)
	return f.d, nil
}

// check makes sure of what the passes index by.
func check(g *workload.Graph) error {
	n := g.Tasks()
	if len(g.AccessAt) != n+1 || len(g.Mode) != len(g.Handle) || int(g.AccessAt[n]) != len(g.Handle) {
		return fmt.Errorf("infer dependencies: found %d tasks with %d begins of accesses and %d accesses, want one more begin than tasks", n, len(g.AccessAt), len(g.Handle))
	}
	for _, h := range g.Handle {
		if h < 0 || int(h) >= len(g.Bytes) {
			return fmt.Errorf("infer dependencies: found an access of data %d of %d", h, len(g.Bytes))
		}
	}
	for i, from := range g.From {
		if to := g.To[i]; from < 0 || int(from) >= n || to < 0 || int(to) >= n || from == to || i > 0 && to < g.To[i-1] {
			return fmt.Errorf("infer dependencies: found %d before %d of %d tasks, want different tasks, sorted by the later one", from, to, n)
		}
	}
	return nil
}

// flow is the state of a pass.
type flow struct {
	g     *workload.Graph
	d     *Deps
	fill  bool       // the second pass
	data  []state    // by handle
	until []int32    // by handle: one more than the last task that does not only read it
	pool  []accessor // of groups
	free  int32      // first unused of them
	joins int32
}

// state is what is known of data during a pass.
type state struct {
	last int32 // node that all must wait for
	head int32 // newest of the tasks since that may run in any order
	kind access
}

// access is how tasks of a group use data: all read it, or all update it in any
// order.
type access uint8

const (
	reads access = iota
	commutes
	writes
)

// accessor is an element of a group.
type accessor struct{ task, next int32 }

func kindOf(m workload.Mode) access {
	switch {
	case m&workload.Write == 0:
		return reads
	case m&workload.Commute != 0:
		return commutes
	}
	return writes
}

func newFlow(g *workload.Graph) *flow {
	n := g.Tasks()
	f := &flow{g: g, d: &Deps{Tasks: n, SuccAt: make([]int32, n+1), Need: make([]int32, n)}, data: make([]state, len(g.Bytes)), until: make([]int32, len(g.Bytes))}
	for t := range int32(n) {
		for a := g.AccessAt[t]; a < g.AccessAt[t+1]; a++ {
			if kindOf(g.Mode[a]) != reads {
				f.until[g.Handle[a]] = t + 1
			}
		}
	}
	return f
}

// pass submits all tasks.
func (f *flow) pass() {
	for h := range f.data {
		f.data[h] = state{last: none, head: none}
	}
	f.pool, f.free, f.joins = f.pool[:0], none, 0
	explicit := 0
	for t := range int32(f.g.Tasks()) {
		for ; explicit < len(f.g.To) && f.g.To[explicit] == t; explicit++ {
			f.edge(f.g.From[explicit], t)
		}
		if f.g.Explicit {
			continue
		}
		for a := f.g.AccessAt[t]; a < f.g.AccessAt[t+1]; a++ {
			if m := f.g.Mode[a]; m&workload.Scratch == 0 {
				f.use(t, f.g.Handle[a], kindOf(m))
			}
		}
	}
}

// edge counts or fills in an edge.
func (f *flow) edge(from, to int32) {
	if from == none || from == to {
		return
	}
	at := &f.d.SuccAt[from]
	if f.fill {
		f.d.Succ[*at] = to
	} else {
		f.d.Need[to]++
	}
	*at++
}

// setOffsets turns counts of successors into where they begin.
func (f *flow) setOffsets() {
	sum := int32(0)
	for i, n := range f.d.SuccAt {
		f.d.SuccAt[i] = sum
		sum += n
	}
	f.d.Succ, f.fill = make([]int32, sum), true
}

// shifted turns ends of lists into begins.
func shifted(at []int32) []int32 {
	copy(at[1:], at)
	at[0] = 0
	return at
}

// use makes a task wait for earlier accesses to data that exclude its own.
func (f *flow) use(t, handle int32, kind access) {
	d := &f.data[handle]
	again := d.head != none && f.pool[d.head].task == t
	switch {
	case again && d.kind == kind:
	case again, kind == writes:
		f.write(d, t)
	default:
		if d.head != none && d.kind != kind {
			f.close(d, t)
		}
		f.edge(d.last, t)
		d.kind = kind
		if kind == commutes || t < f.until[handle] { // else nobody waits for readers
			f.add(d, t)
		}
	}
}

// write makes a task wait for all of a group.
func (f *flow) write(d *state, t int32) {
	if d.head == none {
		f.edge(d.last, t)
	}
	f.drain(d, t)
	d.last = t
}

// drain makes a node wait for all of a group, which ends.
func (f *flow) drain(d *state, to int32) {
	for d.head != none {
		a := &f.pool[d.head]
		f.edge(a.task, to)
		d.head, a.next, f.free = a.next, f.free, d.head
	}
}

// close ends a group before one of another kind: by its only task, or a join.
func (f *flow) close(d *state, t int32) {
	if f.pool[d.head].next == none {
		d.last = f.pool[d.head].task
		f.pool[d.head].next, f.free, d.head = f.free, d.head, none
		return
	}
	join := int32(f.d.Tasks) + f.joins
	if f.joins++; !f.fill {
		f.d.Need = append(f.d.Need, 0)
		f.d.SuccAt = append(f.d.SuccAt, 0)
		f.d.Before = append(f.d.Before, t)
	}
	f.drain(d, join)
	d.last = join
}

// add puts a task into a group.
func (f *flow) add(d *state, t int32) {
	slot := f.free
	if slot == none {
		slot = int32(len(f.pool))
		f.pool = append(f.pool, accessor{})
	} else {
		f.free = f.pool[slot].next
	}
	f.pool[slot] = accessor{t, d.head}
	d.head = slot
}

// lockAll numbers the data that tasks update in any order.
func (d *Deps) lockAll(g *workload.Graph) {
	number := make([]int32, len(g.Bytes)) // one more
	for a, h := range g.Handle {
		if kindOf(g.Mode[a]) == commutes && number[h] == 0 {
			d.Locks++
			number[h] = int32(d.Locks)
		}
	}
	if d.Locks == 0 {
		return
	}
	d.LockAt = make([]int32, g.Tasks()+1)
	for t := range g.Tasks() {
		from := len(d.Lock)
	accesses:
		for a := g.AccessAt[t]; a < g.AccessAt[t+1]; a++ {
			if kindOf(g.Mode[a]) != commutes {
				continue
			}
			for _, l := range d.Lock[from:] {
				if l == number[g.Handle[a]]-1 {
					continue accesses
				}
			}
			d.Lock = append(d.Lock, number[g.Handle[a]]-1)
		}
		d.LockAt[t+1] = int32(len(d.Lock))
	}
}
