// Package tasking answers what users of a task-parallel program ask beyond
// where the time went: what it costs to create tasks, how long they wait for a
// worker, how many run elsewhere than they were created, how much parallelism
// the program has, and how many workers it could keep busy.
//
// It is written for OpenMP, where tasks create tasks and wait for them, and
// works on every run as far as its columns go: without task.parent there are
// no creators, and the task graph alone bounds the parallelism.
//
// Work and span are those of Cilkview (He 2010): the work T₁ is the time of all
// pieces of tasks, the span T∞ the longest chain of pieces of which each has to
// wait for the one before, so that no number of workers can be faster. What
// comes before what: a task after the piece of its creator up to the creation
// and after its predecessors; what follows a taskwait, the end of a taskgroup,
// a barrier, a parallel region or an undeferred task after the tasks waited
// for. See docs/design/methods.md, Time breakdown and docs/openmp.md.
package tasking

import (
	"slices"

	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/lock"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = slices.Concat(kind.Needs, depend.Needs, lock.Needs, []string{
	"task.submit", "task.ready", "task.parent", "task.node", "segment.worker", "phase.task", "phase.kind", "phase.start", "phase.end",
	"state.resource", "state.type", "state.kind", "state.start", "state.end", "state.task",
	"event.kind", "event.time", "event.task", "transfer.kind", "transfer.from", "transfer.to", "resource.name",
})

// Options of the analyses.
type Options struct {
	From, To   int64 // only work in [From, To) counts, ns; equal for all
	Generation bool  // count tasks that prepare the input too (docs/design/methods.md, Time)
}

// clip is the part of [start, end) that counts.
func (o Options) clip(start, end int64) (from, to int64) {
	if o.From == o.To {
		return start, end
	}
	return max(start, o.From), min(end, o.To)
}

// working tells whether the time of a task is work: it ran on a worker. Tasks
// of the runtime that run on workers (implicit and initial tasks of OpenMP)
// work too, others only stand in the graph.
func (o Options) working(t *trace.Tasks, i int) bool {
	return t.Start[i] != trace.NoTime && t.End[i] != trace.NoTime && t.Worker[i] >= 0 && (o.Generation || !t.Generation[i])
}

// created is when a task was created: its submission or, of those that the
// runtime does not submit, its start.
func created(t *trace.Tasks, i int32) int64 {
	if at := t.Submit[i]; at != trace.NoTime {
		return at
	}
	return t.Start[i]
}
