// Package imbalance answers: how evenly was the work of each moment spread over
// the workers (docs/design/methods.md, Imbalance)? It measures the utilisation
// of every worker in every slice of time, and three families of metrics of it:
//
//   - plain: all workers alike,
//   - power: workers count by their speed on one kind of tasks,
//   - area: what was done in the slice set against the area bound of it, which
//     knows how long each kind takes on each architecture.
//
// Each has the percentage (0 when all are used alike, 1 when one worker does
// everything), the time lost as a share of the slice, the standard deviation of
// the utilisation and its mean.
//
// StarVZ computes the same with defects: workers that ran nothing do not exist,
// the last slice reads low, tasks that begin before zero (or at zero, for the
// area bound) are lost, ties give several values. Its convention is a switch,
// for comparison.
package imbalance

import (
	"slices"

	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = slices.Concat(kind.Needs, schedule.Needs)

// Options choose what is counted. The zero value follows
// docs/design/methods.md, Imbalance.
type Options struct {
	Generation bool            // count tasks that prepare the input
	Nodes      []int32         // ranks, nil for all
	Lanes      *schedule.Lanes // of all tasks, if they are laid out already
	StarVZ     bool            // StarVZ's convention
}

func (o Options) counts(run *trace.Run) func(task int) bool {
	counts := kind.Options{Generation: o.Generation}
	return func(i int) bool { return counts.Counts(&run.Task, i) && run.Task.Kind.Index[i] >= 0 }
}

// workers are those that are measured: all of the chosen nodes, or in StarVZ's
// convention those that ran a counted task from zero on.
func (o Options) workers(run *trace.Run) []int32 {
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
func NewBusy(run *trace.Run, o Options) *Busy {
	lanes := schedule.Select(run, o.Lanes, o.counts(run))
	b := &Busy{Worker: o.workers(run)}
	b.Cover = make([]interval.Cover, len(b.Worker))
	parallel.For(len(b.Worker), func(i int) { b.Cover[i] = interval.NewCover(lanes.Work(b.Worker[i])) })
	return b
}

// Utilization is how much of each slice each worker was used.
type Utilization struct {
	Slices interval.Slices
	Worker []int32     // resources, ascending
	Share  [][]float64 // [worker][slice], 0 to 1
}

// Utilize measures all workers. In StarVZ's convention tasks on one worker that
// overlap add up, and shares are of whole steps.
func Utilize(run *trace.Run, s interval.Slices, o Options) *Utilization {
	if o.StarVZ {
		return o.utilizeFrom(run, s, 0)
	}
	b := NewBusy(run, o)
	u := newUtilization(s, b.Worker)
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

// UtilizeForAreas is what the area metrics are of: the utilisation, in StarVZ's
// convention without the tasks that begin at zero.
func UtilizeForAreas(run *trace.Run, s interval.Slices, o Options) *Utilization {
	if o.StarVZ {
		return o.utilizeFrom(run, s, 1)
	}
	return Utilize(run, s, o)
}

func newUtilization(s interval.Slices, workers []int32) *Utilization {
	u := &Utilization{Slices: s, Worker: workers, Share: make([][]float64, len(workers))}
	all, n := make([]float64, len(workers)*s.Len()), s.Len()
	for i := range u.Share {
		u.Share[i] = all[i*n : (i+1)*n : (i+1)*n]
	}
	return u
}

// utilizeFrom is StarVZ's utilisation: of the tasks that begin at an instant or
// later.
func (o Options) utilizeFrom(run *trace.Run, s interval.Slices, first int64) *Utilization {
	u := newUtilization(s, o.workers(run))
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
