// Package nodes answers: what did each node of a run do, and how near did it
// come to what it could have done alone? It sets the end of each node's last
// task against the area bound of its own tasks on its own workers: a node that
// ends late with a low bound waited for others, one with a high bound has too
// much work.
package nodes

import (
	"slices"

	"dagscope/explain/bound"
	"dagscope/explain/idle"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = slices.Concat(idle.Needs, bound.Needs)

// Options choose what is counted.
type Options struct {
	Generation bool            // count tasks that prepare the input
	Lanes      *schedule.Lanes // of all tasks, if they are laid out already
	// Bound says how the area bounds are made; Generation is taken from above.
	Bound bound.Options
}

// Summary has a row per node with workers, by rank.
type Summary struct {
	Node       []int32 // rank, trace.None where workers belong to none
	Workers    []int32
	Tasks      []int64
	Busy       []int64   // ns of all its workers together
	Idle       []float64 // mean idle share of its workers over the makespan of the run
	Start, End []int64   // of its first and last task, ns since zero; NoTime without tasks
	ABE        []float64 // area bound of its tasks on its workers, ns
}

// Len is the number of nodes.
func (s *Summary) Len() int { return len(s.Node) }

// Gap is the part of the time up to the end of a node's last task that its area
// bound does not need, as a share; 0 without tasks.
func (s *Summary) Gap(i int) float64 {
	if s.End[i] == trace.NoTime || s.End[i] <= 0 {
		return 0
	}
	return 1 - s.ABE[i]/float64(s.End[i])
}

// Compute sums up every node. The error is that of a linear program that could
// not be certified.
func Compute(run *trace.Run, o Options) (*Summary, error) {
	s, at := newSummary(run)
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

// newSummary makes the rows, and finds that of a rank.
func newSummary(run *trace.Run) (*Summary, map[int32]int) {
	s, at := &Summary{}, map[int32]int{}
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

func (s *Summary) addWorkers(run *trace.Run, o Options, at map[int32]int) {
	workers := idle.Compute(run, idle.Options{Generation: o.Generation, Lanes: o.Lanes})
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
