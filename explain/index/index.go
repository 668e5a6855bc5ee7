// Package index answers what every view of a run starts from: which tasks of the
// application ran on which worker in which order, and which took suspiciously
// long.
//
// Both take seconds to find in runs of millions of tasks, so that they are stored
// with the run when it is imported (code.go): about 2 bytes a task, checked against
// the run when they are read.
//
// It stores nothing that follows from these in one pass, such as sums and trees
// over windows, and it knows no files: bytes go out and come in.
package index

import (
	"slices"
	"sync"

	"dagscope/explain/outlier"
	"dagscope/explain/schedule"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = needs()

func needs() []string {
	all := slices.Concat(schedule.Needs, outlier.Needs)
	slices.Sort(all)
	return slices.Compact(all)
}

// Index is the order of the tasks on each worker, and the outliers.
type Index struct {
	Lanes   *schedule.Lanes // of the tasks that ran ([schedule.Ran])
	Outlier []bool          // by task (docs/design/methods.md, Outliers)
}

// New lays out the tasks of a run and finds its outliers. A run without tasks has
// an index without pieces.
func New(run *trace.Run) *Index {
	x := &Index{}
	var found sync.WaitGroup
	found.Go(func() { x.Outlier = Outliers(run) })
	x.Lanes = Lanes(run)
	found.Wait()
	return x
}

// Lanes lays out the tasks of the application that ran.
func Lanes(run *trace.Run) *schedule.Lanes {
	return schedule.Build(run, func(i int) bool { return schedule.Ran(&run.Task, i) })
}

// Outliers marks the tasks that took suspiciously long, by task.
func Outliers(run *trace.Run) []bool {
	long := make([]bool, len(run.Task.Start))
	for _, row := range outlier.Compute(run, outlier.Options{}).Long() {
		long[row] = true
	}
	return long
}
