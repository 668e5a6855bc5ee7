package core

import (
	"slices"

	"dagscope/trace"
)

// ShownTasks is the run without the tasks of nodes that are not selected.
func ShownTasks(run *trace.Run, o *Options) *trace.Run {
	if o.Nodes == nil {
		return run
	}
	part := *run
	part.Task.Start = slices.Clone(run.Task.Start)
	for i, w := range run.Task.Worker {
		if w < 0 || !o.ShowsNode(run.Resource.Node[w]) {
			part.Task.Start[i] = trace.NoTime
		}
	}
	return &part
}
