package depend

import (
	"slices"

	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// DelayNeeds names the columns that [NewDelays] reads beyond [Needs].
var DelayNeeds = slices.Concat(schedule.Needs, schedule.StateNeeds, []string{
	"task.kind", "task.ready", "resource.parent", "transfer.to", "transfer.handle",
	"access.task", "access.handle", "handle.node",
})

// RuntimeStates are the states of a worker or its thread in which the runtime
// works, so that the worker cannot run a task (StarPU's names).
var RuntimeStates = []string{
	"Callback", "Overhead", "Scheduling", "FetchingInput", "PushingOutput", "Initializing", "Deinitializing",
	"Building task", "Submitting task", "Submiting task", "Throttling task submission", "Parallel sync",
	"Unpartitioning", "Hypervisor", "Decoding task for MPI", "Preparing task for MPI", "Post-processing task for MPI",
}

// TaskDelay divides the time from when a task was ready to its start, ns.
// Earlier causes win where several hold.
type TaskDelay struct {
	Transfer    int64 // its data was on its way
	Queue       int64 // its worker ran other tasks
	Runtime     int64 // its worker was in a state of RuntimeStates
	Unexplained int64
}

// Sum is the whole delay.
func (d TaskDelay) Sum() int64 { return d.Transfer + d.Queue + d.Runtime + d.Unexplained }

func (d *TaskDelay) add(e TaskDelay) {
	d.Transfer += e.Transfer
	d.Queue += e.Queue
	d.Runtime += e.Runtime
	d.Unexplained += e.Unexplained
}

// Gap divides the time a worker did nothing before a task, ns. Earlier causes
// win where several hold.
type Gap struct {
	Dependency  int64 // what the task depends on had not ended
	Transfer    int64 // its data was on its way
	Runtime     int64 // the worker was in a state of RuntimeStates
	Unexplained int64
}

// Sum is the whole gap.
func (g Gap) Sum() int64 { return g.Dependency + g.Transfer + g.Runtime + g.Unexplained }

func (g *Gap) add(h Gap) {
	g.Dependency += h.Dependency
	g.Transfer += h.Transfer
	g.Runtime += h.Runtime
	g.Unexplained += h.Unexplained
}

// Delays attributes delays to causes (docs/design/methods.md, Dependencies).
// Each answer takes O(log n) and the transfers of the task's own data, however
// long the delay is and however many tasks ran in it: busy and runtime time
// come from prefix sums. It is not safe for concurrent use; [Delays.Totals] is
// parallel inside.
type Delays struct {
	run     *trace.Run
	last    *Last
	lanes   *schedule.Lanes
	before  []int64 // by piece: latest end on its worker before it, or trace.NoTime
	busy    []interval.Cover
	runtime []interval.Cover // runtime states outside busy time
	data    *arrivals
	near    near
}

// near is where the last answers were found.
type near struct {
	worker        int32
	busy, runtime interval.Probe
	buffer        interval.Spans
}

// at moves to a worker.
func (d *Delays) at(worker int32) *near {
	if d.near.worker != worker || d.near.buffer.Start == nil {
		d.near = near{worker, d.busy[worker].Probe(), d.runtime[worker].Probe(), interval.Spans{Start: make([]int64, 0, 16), End: make([]int64, 0, 16)}}
	}
	return &d.near
}

// NewDelays prepares a run. states names the runtime states, nil for
// [RuntimeStates]; lanes are those of all tasks, nil to lay them out here.
func NewDelays(run *trace.Run, last *Last, states []string, lanes *schedule.Lanes) *Delays {
	if states == nil {
		states = RuntimeStates
	}
	if lanes == nil {
		lanes = schedule.Build(run, nil)
	}
	d := &Delays{run: run, last: last, lanes: lanes, data: newArrivals(run, last)}
	inStates := schedule.States(run, schedule.Choose(run.State.Kind.Dict, states))
	resources := len(run.Resource.Parent)
	d.busy, d.runtime = make([]interval.Cover, resources), make([]interval.Cover, resources)
	parallel.For(resources, func(r int) {
		work := d.lanes.Work(int32(r))
		d.busy[r] = interval.NewCover(work)
		d.runtime[r] = interval.NewCover(interval.Subtract(d.withThread(inStates, int32(r)), work))
	})
	d.findBefore()
	return d
}

// withThread joins the states of a worker with those of the thread that drives
// it.
func (d *Delays) withThread(states []interval.Spans, r int32) interval.Spans {
	re := &d.run.Resource
	own, up := states[r], re.Parent[r]
	if re.Level.At(int(r)) != trace.LevelWorker || up < 0 || re.Level.At(int(up)) != trace.LevelThread {
		return own
	}
	thread := states[up]
	if own.Len() == 0 {
		return thread
	}
	return interval.Union(interval.Spans{
		Start: slices.Concat(own.Start, thread.Start),
		End:   slices.Concat(own.End, thread.End),
	})
}

// findBefore determines when each piece's worker had last ended something.
func (d *Delays) findBefore() {
	d.before = make([]int64, len(d.lanes.Task))
	for r := range len(d.lanes.At) - 1 {
		latest := trace.NoTime
		for i := d.lanes.At[r]; i < d.lanes.At[r+1]; i++ {
			d.before[i] = latest
			latest = max(latest, d.lanes.End[i])
		}
	}
}

// Task divides [ready, start) of a task. ok is false when it did not run, its
// ready time is not known or its worker is not.
func (d *Delays) Task(v int32) (delay TaskDelay, ok bool) {
	t := &d.run.Task
	ready, start, w := t.Ready[v], t.Start[v], t.Worker[v]
	if ready == trace.NoTime || start == trace.NoTime || w < 0 {
		return TaskDelay{}, false
	}
	if ready >= start {
		return TaskDelay{}, true
	}
	near := d.at(w)
	moving := d.data.during(v, ready, start, &near.buffer)
	delay.Transfer = moving.Length()
	delay.Queue = near.busy.Outside(ready, start, moving)
	delay.Runtime = near.runtime.Outside(ready, start, moving)
	delay.Unexplained = start - ready - delay.Sum()
	return delay, true
}

// Before divides the time between piece i of the lanes and what its worker
// last ended before it. Of the first piece on a worker this is the time since
// the run's zero. A later piece of a suspended task waits for no dependency;
// those of a parallel task that begin with it do.
func (d *Delays) Before(i int32, worker int32) (gap Gap) {
	from, to := d.gap(i)
	if from >= to {
		return Gap{}
	}
	released := d.released(i, from, to)
	near := d.at(worker)
	moving := d.data.during(d.lanes.Task[i], released, to, &near.buffer)
	gap.Dependency = released - from
	gap.Transfer = moving.Length()
	gap.Runtime = near.runtime.Outside(released, to, moving)
	gap.Unexplained = to - from - gap.Sum()
	return gap
}

// gap is when the worker of piece i had done nothing before it.
func (d *Delays) gap(i int32) (from, to int64) {
	if from = d.before[i]; from == trace.NoTime {
		from = 0
	}
	return from, d.lanes.Start[i]
}

// released is when in the gap before piece i the last dependency had ended.
func (d *Delays) released(i int32, from, to int64) int64 {
	v := d.lanes.Task[i]
	last := d.last.Of[v]
	if last == trace.None || !d.lanes.IsFirst(i) && to != d.run.Task.Start[v] {
		return from
	}
	return min(to, max(from, d.last.End(last)))
}
