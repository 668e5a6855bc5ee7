// Package utilization answers: how much of the time did workers and nodes work,
// how evenly was that spread, and how near did it come to what was possible?
//
// It has three views of the same pieces of tasks:
//
//   - [ByWorker]: how much of the makespan each worker did not work
//     (docs/design/methods.md, Idleness; Garcia Pinto 2018, section 5.1.1),
//   - [ByNode]: what each node did, against the area bound of its own tasks on its
//     own workers,
//   - [BySlice]: the utilisation of every worker in every slice of time, and
//     metrics of its imbalance (docs/design/methods.md, Imbalance): plain, where
//     all workers count the same; by power, where they count by their speed on
//     one kind of tasks; by area, where what was done in a slice is set against
//     the area bound of it, which knows how long each kind takes on each
//     architecture.
//
// Each metric has the percentage (0 when all are used equally, 1 when one worker
// does everything), the time lost as a share of the slice, the standard deviation
// of the utilisation and its mean. StarVZ computes them with defects: workers that
// ran nothing do not exist, the last slice reads low, tasks that begin before zero
// (or at zero, for the area bound) are lost, ties give several values. Its
// convention is a switch, for comparison.
//
// It does not say why workers were idle: that is package breakdown's question.
package utilization

import (
	"slices"

	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// SliceNeeds names the columns that [BySlice] and the metrics read.
var SliceNeeds = slices.Concat(kind.Needs, schedule.Needs)

// SliceOptions choose what is counted. The zero value follows
// docs/design/methods.md, Imbalance.
type SliceOptions struct {
	Generation bool            // count tasks that prepare the input
	Nodes      []int32         // ranks, nil for all
	Lanes      *schedule.Lanes // of all tasks, if they are laid out already
	StarVZ     bool            // StarVZ's convention
}

func (o SliceOptions) counts(run *trace.Run) func(task int) bool {
	counts := kind.Options{Generation: o.Generation}
	return func(i int) bool { return counts.Counts(&run.Task, i) && run.Task.Kind.Index[i] >= 0 }
}

// workers are those that are measured: all of the chosen nodes, or in StarVZ's
// convention those that ran a counted task from zero on.
func (o SliceOptions) workers(run *trace.Run) []int32 {
	ran := make([]bool, len(run.Resource.Parent))
	counts := o.counts(run)
	for i, w := range run.Task.Worker {
		if counts(i) && run.Task.Start[i] >= 0 {
			ran[w] = true
		}
	}
	return slices.DeleteFunc(kind.Workers(run), func(w int32) bool {
		return o.Nodes != nil && !slices.Contains(o.Nodes, run.Resource.Node[w]) || o.StarVZ && !ran[w]
	})
}

// Busy answers how much of any time a worker ran counted tasks.
type Busy struct {
	Worker []int32 // resources, ascending
	Cover  []interval.Cover
}

// NewBusy finds when each worker ran counted tasks.
func NewBusy(run *trace.Run, o SliceOptions) *Busy {
	lanes := schedule.Select(run, o.Lanes, o.counts(run))
	b := &Busy{Worker: o.workers(run)}
	b.Cover = make([]interval.Cover, len(b.Worker))
	parallel.For(len(b.Worker), func(i int) { b.Cover[i] = interval.NewCover(lanes.Work(b.Worker[i])) })
	return b
}

// Shares are how much of each slice each worker was used.
type Shares struct {
	Slices interval.Slices
	Worker []int32     // resources, ascending
	Share  [][]float64 // [worker][slice], 0 to 1
}

// BySlice measures all workers. In StarVZ's convention tasks on one worker that
// overlap add up, and shares are of whole steps.
func BySlice(run *trace.Run, s interval.Slices, o SliceOptions) *Shares {
	if o.StarVZ {
		return o.utilizeFrom(run, s, 0)
	}
	b := NewBusy(run, o)
	u := newShares(s, b.Worker)
	parallel.For(len(u.Worker), func(i int) {
		cursor := b.Cover[i].Cursor()
		before := cursor.Until(s.From)
		for k := range u.Share[i] {
			_, to := s.Bounds(k)
			until := cursor.Until(to)
			u.Share[i][k] = float64(until-before) / s.Over(k, interval.ExistingPart)
			before = until
		}
	})
	return u
}

// BySliceForAreas is what the area metrics are of: the utilisation, in StarVZ's
// convention without the tasks that begin at zero.
func BySliceForAreas(run *trace.Run, s interval.Slices, o SliceOptions) *Shares {
	if o.StarVZ {
		return o.utilizeFrom(run, s, 1)
	}
	return BySlice(run, s, o)
}

func newShares(s interval.Slices, workers []int32) *Shares {
	u := &Shares{Slices: s, Worker: workers, Share: make([][]float64, len(workers))}
	all, n := make([]float64, len(workers)*s.Len()), s.Len()
	for i := range u.Share {
		u.Share[i] = all[i*n : (i+1)*n : (i+1)*n]
	}
	return u
}

// utilizeFrom is StarVZ's utilisation: of the tasks that begin at an instant or
// later.
func (o SliceOptions) utilizeFrom(run *trace.Run, s interval.Slices, first int64) *Shares {
	u := newShares(s, o.workers(run))
	busy := make([]int64, len(u.Worker)*s.Len())
	t, counts := &run.Task, o.counts(run)
	for i, start := range t.Start {
		if counts(i) && start >= first {
			if at, ok := slices.BinarySearch(u.Worker, t.Worker[i]); ok {
				s.AddBusy(busy[at*s.Len():(at+1)*s.Len()], start, t.End[i])
			}
		}
	}
	for i := range u.Share {
		for k := range u.Share[i] {
			u.Share[i][k] = float64(busy[i*s.Len()+k]) / s.Over(k, interval.FullStep)
		}
	}
	return u
}
