package panel

import (
	"slices"
	"sync"

	workers "dagscope/analysis/lane"
	"dagscope/analysis/outlier"
	"dagscope/trace"
)

// Base is what the views of a run start from, computed once ([NewBase]) or
// loaded ([DecodeBase]): which tasks ran on which worker in which order, and
// which took suspiciously long. It belongs to one run, is never changed and may
// be shared by views in several goroutines.
type Base struct {
	Lanes   *workers.Lanes // of the tasks that are drawn: those that ran on a worker, the runtime's own left out
	Outlier []bool         // by task (METHODS 2)

	wholeTasks bool // no task was suspended: pieces are tasks
}

// BaseNeeds names the columns that [NewBase] and [DecodeBase] read.
var BaseNeeds = baseNeeds()

func baseNeeds() []string {
	all := slices.Concat(workers.Needs, outlier.Needs, []string{"task.kind"})
	slices.Sort(all)
	return slices.Compact(all)
}

// NewBase lays out the tasks of a run and finds its outliers. A run without
// tasks has a base without pieces.
func NewBase(run *trace.Run) (*Base, error) {
	b := &Base{wholeTasks: len(run.Segment.Task) == 0}
	var found sync.WaitGroup
	found.Go(func() { b.Outlier = longTasks(run) })
	t := &run.Task
	b.Lanes = workers.Build(run, func(i int) bool { return ran(t, i) })
	found.Wait()
	b.finish(run)
	return b, nil
}

// finish computes what follows from the layout and the outliers.
func (b *Base) finish(run *trace.Run) {}
