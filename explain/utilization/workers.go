package utilization

import (
	"slices"

	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// WorkerNeeds names the columns that [ByWorker] reads.
var WorkerNeeds = slices.Concat(kind.Needs, schedule.Needs, schedule.StateNeeds)

// RuntimeStates are the runtime's own idle states of definition (b).
var RuntimeStates = []string{"Idle", "Sleeping"}

// WorkerOptions choose tasks and states. The zero value follows
// docs/design/methods.md, Idleness.
type WorkerOptions struct {
	Generation bool            // count tasks that prepare the input
	States     []string        // of definition (b), default RuntimeStates
	Lanes      *schedule.Lanes // of all tasks, if they are laid out already
}

// Workers has a row per worker, by resource row, over [From, To): the makespan.
type Workers struct {
	From, To int64   // earliest start and latest end of counted tasks, ns
	Worker   []int32 // resource
	Tasks    []int64 // counted tasks that ran there, or began there
	Busy     []int64 // ns covered by counted tasks
	Runtime  []int64 // ns in the runtime's idle states, trace.NoTime where no state of the worker was traced
}

// Share is the part of the makespan that a worker was idle by definition (a):
// not covered by tasks, from 0 to 1. Without any makespan who ran a task was not
// idle.
func (w *Workers) Share(i int) float64 {
	if w.To <= w.From {
		if w.Tasks[i] == 0 {
			return 1
		}
		return 0
	}
	return float64(w.To-w.From-w.Busy[i]) / float64(w.To-w.From)
}

// RuntimeShare is the part by definition (b): in the runtime's own idle
// states. ok is false where the worker's states were not traced.
func (w *Workers) RuntimeShare(i int) (share float64, ok bool) {
	if w.Runtime[i] == trace.NoTime || w.To <= w.From {
		return 0, false
	}
	return float64(w.Runtime[i]) / float64(w.To-w.From), true
}

// Total is the idle part of all workers together by definition (a).
func (w *Workers) Total() float64 {
	sum := 0.0
	for i := range w.Worker {
		sum += w.Share(i)
	}
	return sum / float64(max(1, len(w.Worker)))
}

// ByWorker measures every worker of a run. Workers that ran nothing are idle all
// the time, not absent.
func ByWorker(run *trace.Run, o WorkerOptions) *Workers {
	t := &run.Task
	counts := kind.Options{Generation: o.Generation}.Counts
	keep := func(i int) bool { return counts(t, i) }
	lanes := schedule.Select(run, o.Lanes, keep)
	w := &Workers{Worker: kind.Workers(run)}
	if len(lanes.Task) > 0 {
		w.From, w.To = slices.Min(lanes.Start), slices.Max(lanes.End)
	}
	states := runtimeIdle(run, o)
	for _, r := range w.Worker {
		w.Tasks = append(w.Tasks, tasks(lanes, r))
		w.Busy = append(w.Busy, busy(lanes, r))
		idle := trace.NoTime
		if states[r] != nil {
			idle = interval.Clip(*states[r], w.From, w.To).Length()
		}
		w.Runtime = append(w.Runtime, idle)
	}
	return w
}

// tasks counts the first pieces on a worker.
func tasks(l *schedule.Lanes, worker int32) (n int64) {
	for p, to := l.Of(worker); p < to; p++ {
		if l.IsFirst(p) {
			n++
		}
	}
	return n
}

// busy is the time that the pieces on a worker cover, which come by start.
func busy(l *schedule.Lanes, worker int32) (sum int64) {
	from, to := l.Of(worker)
	covered := trace.NoTime // until when
	for p := from; p < to; p++ {
		sum += max(0, l.End[p]-max(l.Start[p], covered))
		covered = max(covered, l.End[p])
	}
	return sum
}

// runtimeIdle returns the union of the idle states of each resource, nil for
// resources without any state, and for all where the runtime has no idle states.
func runtimeIdle(run *trace.Run, o WorkerOptions) []*interval.Spans {
	if o.States == nil {
		o.States = RuntimeStates
	}
	spans := schedule.States(run, schedule.Choose(run.State.Kind.Dict, o.States))
	traced := make([]*interval.Spans, len(spans))
	if !slices.ContainsFunc(run.State.Kind.Dict, func(kind string) bool { return slices.Contains(o.States, kind) }) {
		return traced
	}
	for _, r := range run.State.Resource {
		if r >= 0 {
			traced[r] = &spans[r]
		}
	}
	return traced
}
