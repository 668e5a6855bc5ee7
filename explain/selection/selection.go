// Package selection answers: what happened in this part of the run? An [Area]
// is a window of time on some of the workers, perhaps of some kinds of tasks
// only. [Index.Compute] says how its time was spent and why workers were idle;
// [Index.Tasks] and [Index.WriteCSV] list its tasks.
//
// The problem: whoever drags a rectangle over ten million tasks wants the
// numbers of a million of them before the finger leaves the button, and they
// must be those of the report to the nanosecond. Why a worker was idle is the
// dearest of the questions: it takes the graph, the transfers and the states.
//
// The approach: the time of each worker is cut, once per run, into parts that
// have one cause each; they are kept as a string of bytes with running sums at
// every few dozen parts (timeline.go). The causes inside any window are the
// difference of two instants, each found in a block. Everything else is counted
// from the pieces of tasks that touch the window, workers side by side.
//
// What it does not do: count tasks that generate the input, or the runtime's
// own (docs/design/methods.md, Time). While a worker runs one that generates
// the input, though, it is not idle: that time is kept apart.
package selection

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/chain"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = slices.Concat(schedule.Needs, schedule.StateNeeds, kind.Needs, bound.Needs, breakdown.Needs, chain.Needs, chain.More, []string{
	"resource.name", "segment.worker", "task.key", "task.priority", "task.tag", "task.x", "task.y", "task.iteration",
})

// Options say what is known of the run already. The zero value computes it.
type Options struct {
	Lanes   *schedule.Lanes // of all tasks
	Outlier []bool          // by task, for the rows of tables; nil: none is marked
	Last    *depend.Last    // depend.Find(run); not kept
	Chain   *chain.Index    // chain.New(run); not kept
}

// Index answers questions about one run. It is safe for concurrent use.
type Index struct {
	run *trace.Run // without edges
	o   Options

	layOut   sync.Once       // for lists of tasks
	lanes    *schedule.Lanes // of counted tasks
	workers  []int32         // resource rows, ascending
	pieces   skips           // of lanes
	segment  []int32         // by task, one more: its segments; nil in a run without
	bins     bins
	total    int64 // counted tasks that ran
	inputs   inputs
	implicit inputs
	from, to int64 // extent of the run, ns

	explain sync.Once  // for statistics
	whole   *trace.Run // until then
	edges   bool       // the run has some
	err     error
	why     reasons
	states  stateRows
	costs   *bound.Costs
}

// New starts an index. What takes long is done at the first question, or by
// [Index.Prepare].
func New(run *trace.Run, o Options) (*Index, error) {
	if n := len(run.Task.Start); o.Outlier != nil && len(o.Outlier) != n {
		return nil, fmt.Errorf("prepare selections: outliers are told of %d tasks, the run has %d", len(o.Outlier), n)
	}
	own := *run
	own.Dep = trace.Deps{}
	return &Index{run: &own, whole: run, edges: len(run.Dep.To) > 0, o: o}, nil
}

// Prepare does everything that does not depend on the area: some seconds for ten
// million tasks with states and transfers, and for that while some 100 bytes a
// task, of which 9 stay. Lists of tasks do without most of it.
func (x *Index) Prepare() error {
	x.prepareTasks()
	x.explain.Do(func() {
		x.findReasons()
		x.states = newStateRows(x.run)
		x.whole, x.o.Last, x.o.Chain = nil, nil, nil
		if x.costs, x.err = bound.NewCosts(x.run, bound.Options{}); x.err != nil {
			x.err = fmt.Errorf("prepare selections: %w", x.err)
		}
	})
	return x.err
}

// prepareTasks does what lists of tasks need.
func (x *Index) prepareTasks() {
	x.layOut.Do(func() {
		run := x.run
		x.lanes = schedule.Select(run, x.o.Lanes, x.counts)
		x.workers = kind.Workers(run)
		x.pieces = newSkips(x.lanes.Start, x.lanes.End)
		x.segment = segmentRows(len(run.Task.Start), run.Segment.Task)
		x.bins = newBins(x.extremes())
		x.inputs, x.implicit = newInputs(run, x.o.Lanes), newImplicit(run, x.o.Lanes)
		x.findExtent()
		for i := range run.Task.Start {
			if x.counts(i) {
				x.total++
			}
		}
	})
}

// counts reports whether a task enters the statistics (docs/design/methods.md,
// Time).
func (x *Index) counts(task int) bool { return kind.Options{}.Counts(&x.run.Task, task) }

// Compute says what happened in an area. The error names what is wrong with the
// area.
func (x *Index) Compute(a Area) (*Stats, error) {
	x.prepareTasks()
	c, err := x.choose(a) // before what takes seconds
	if err == nil {
		err = x.Prepare()
	}
	if err != nil {
		return nil, err
	}
	s := &Stats{T0: c.from, T1: c.to, Workers: x.names(c.workers), Wall: c.wall(), Notes: []string{}}
	if note := c.cutNote(); note != "" {
		s.Notes = append(s.Notes, note)
	}
	t := x.tally(c)
	x.putKinds(s, t)
	x.putHistogram(s, t)
	x.putBound(s, c, t)
	x.putReasons(s, c)
	x.putStates(s, c)
	if c.choosesTasks() {
		s.Notes = append(s.Notes, "Idle time, its causes, the breakdown and the states are those of the workers, whichever tasks are chosen.")
	}
	return s, nil
}

// kindOrder are the kinds by name, none before them.
func (x *Index) kindOrder() []int32 {
	order := []int32{trace.None}
	for k := range x.run.Task.Kind.Dict {
		order = append(order, int32(k))
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(x.kindName(a), x.kindName(b)) })
	return order
}

func (x *Index) names(workers []int32) []string {
	names := make([]string, len(workers))
	for i, w := range workers {
		names[i] = x.run.Resource.Name.At(int(w))
	}
	return names
}

// share is a part of a whole, 0 of nothing.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
