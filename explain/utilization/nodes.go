package utilization

import (
	"slices"

	"dagscope/explain/bound"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/trace"
)

// NodeNeeds names the columns that [ByNode] reads.
var NodeNeeds = slices.Concat(WorkerNeeds, bound.Needs)

// NodeOptions choose what is counted.
type NodeOptions struct {
	Generation bool            // count tasks that prepare the input
	Lanes      *schedule.Lanes // of all tasks, if they are laid out already
	// Bound says how the area bounds are made; Generation is taken from above.
	Bound bound.Options
}

// Nodes has a row per node with workers, by rank.
type Nodes struct {
	Node       []int32 // rank, trace.None where workers belong to none
	Workers    []int32
	Tasks      []int64
	Busy       []int64   // ns of all its workers together
	Idle       []float64 // mean idle share of its workers over the makespan of the run
	Start, End []int64   // of its first and last task, ns since zero; NoTime without tasks
	ABE        []float64 // area bound of its tasks on its workers, ns
}

// Len is the number of nodes.
func (s *Nodes) Len() int { return len(s.Node) }

// Gap is the part of the time up to the end of a node's last task that its area
// bound does not need, as a share; 0 without tasks.
func (s *Nodes) Gap(i int) float64 {
	if s.End[i] == trace.NoTime || s.End[i] <= 0 {
		return 0
	}
	return 1 - s.ABE[i]/float64(s.End[i])
}

// ByNode sums up every node and sets the end of its last task against the area
// bound of its own tasks on its own workers: a node that ends late with a low
// bound waited for others, one with a high bound has too much work. The error is
// that of a linear program that could not be certified.
func ByNode(run *trace.Run, o NodeOptions) (*Nodes, error) {
	s, at := newNodes(run)
	s.addWorkers(run, o, at)
	t, counts := &run.Task, kind.Options{Generation: o.Generation}
	for i, w := range t.Worker {
		if !counts.Counts(t, i) {
			continue
		}
		n := at[run.Resource.Node[w]]
		if s.End[n] == trace.NoTime {
			s.Start[n], s.End[n] = t.Start[i], t.End[i]
		}
		s.Start[n], s.End[n] = min(s.Start[n], t.Start[i]), max(s.End[n], t.End[i])
	}
	o.Bound.Generation = o.Generation
	areas, err := bound.Areas(run, o.Bound, true)
	for _, a := range areas {
		if n, ok := at[a.Node]; ok {
			s.ABE[n] = a.Time
		}
	}
	return s, err
}

// newNodes makes the rows, and finds that of a rank.
func newNodes(run *trace.Run) (*Nodes, map[int32]int) {
	s, at := &Nodes{}, map[int32]int{}
	for _, w := range kind.Workers(run) {
		s.Node = append(s.Node, run.Resource.Node[w])
	}
	slices.Sort(s.Node)
	s.Node = slices.Compact(s.Node)
	n := len(s.Node)
	s.Workers, s.Tasks, s.Busy = make([]int32, n), make([]int64, n), make([]int64, n)
	s.Idle, s.ABE, s.Start, s.End = make([]float64, n), make([]float64, n), make([]int64, n), make([]int64, n)
	for i, node := range s.Node {
		at[node] = i
		s.Start[i], s.End[i] = trace.NoTime, trace.NoTime
	}
	return s, at
}

func (s *Nodes) addWorkers(run *trace.Run, o NodeOptions, at map[int32]int) {
	workers := ByWorker(run, WorkerOptions{Generation: o.Generation, Lanes: o.Lanes})
	for i, w := range workers.Worker {
		n := at[run.Resource.Node[w]]
		s.Workers[n]++
		s.Tasks[n] += workers.Tasks[i]
		s.Busy[n] += workers.Busy[i]
		s.Idle[n] += workers.Share(i)
	}
	for n := range s.Idle {
		s.Idle[n] /= float64(max(1, s.Workers[n]))
	}
}
