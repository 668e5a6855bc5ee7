// Package progress answers how the run advanced (docs/design/methods.md,
// Progress; Garcia Pinto 2018, sections 5.2.1 and 5.2.2): which iterations were
// open when, how many tasks were ready and submitted, when too few were ready
// to feed the workers, and what the machine delivered meanwhile: GFlop/s,
// memory in use, bandwidth.
package progress

import (
	"cmp"
	"slices"

	"dagscope/explain/schedule"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = []string{
	"resource.parent", "resource.level", "resource.node", "task.worker", "task.node", "task.start", "task.end", "task.submit", "task.ready",
	"task.iteration", "task.generation", "task.internal", "task.gflop",
	"sample.metric", "sample.resource", "sample.time", "sample.value",
	"transfer.kind", "transfer.to", "transfer.start", "transfer.end", "transfer.bytes",
}

// Iterations are the borders of the outer iterations, as columns, by node and
// iteration. Tasks of no iteration are in a row of iteration -1.
type Iterations struct {
	Node       []int32 // rank, or trace.None over all nodes
	Iteration  []int32
	Start, End []int64 // ns, first start and last end
	Tasks      []int64
}

// Options of [Borders].
type Options struct {
	ByNode     bool // separate rows for each node
	Generation bool // also tasks that generate the input
}

// Borders finds when each iteration began and ended (Garcia Pinto 2018, section
// 5.2.1).
func Borders(run *trace.Run, o Options) *Iterations {
	t := &run.Task
	rows := map[[2]int32]int{} // by node and iteration: few, and the last is tried first
	var b Iterations
	last := -1
	keep := schedule.Keep(run, o.Generation)
	for i := range t.Start {
		if !keep(i) {
			continue
		}
		node := trace.None
		if o.ByNode {
			node = NodeOf(run, i)
		}
		if last < 0 || b.Node[last] != node || b.Iteration[last] != t.Iteration[i] {
			last = b.row(rows, node, t.Iteration[i], t.Start[i])
		}
		b.Start[last], b.End[last] = min(b.Start[last], t.Start[i]), max(b.End[last], t.End[i])
		b.Tasks[last]++
	}
	return b.sorted()
}

// row finds or adds the row of an iteration.
func (b *Iterations) row(rows map[[2]int32]int, node, iteration int32, start int64) int {
	key := [2]int32{node, iteration}
	if r, ok := rows[key]; ok {
		return r
	}
	rows[key] = len(b.Node)
	b.Node, b.Iteration = append(b.Node, node), append(b.Iteration, iteration)
	b.Start, b.End, b.Tasks = append(b.Start, start), append(b.End, start), append(b.Tasks, 0)
	return len(b.Node) - 1
}

func (b *Iterations) sorted() *Iterations {
	order := make([]int, len(b.Node))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(b.Node[i], b.Node[j]), cmp.Compare(b.Iteration[i], b.Iteration[j]))
	})
	var s Iterations
	for _, i := range order {
		s.Node, s.Iteration = append(s.Node, b.Node[i]), append(s.Iteration, b.Iteration[i])
		s.Start, s.End, s.Tasks = append(s.Start, b.Start[i]), append(s.End, b.End[i]), append(s.Tasks, b.Tasks[i])
	}
	return &s
}

// NodeOf is the node of a task: as recorded, else that of its worker, else 0.
func NodeOf(run *trace.Run, task int) int32 {
	switch w := run.Task.Worker[task]; {
	case run.Task.Node != nil:
		return run.Task.Node[task]
	case w >= 0:
		return run.Resource.Node[w]
	}
	return 0
}
