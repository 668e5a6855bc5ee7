// Package breakdown answers where the time of the workers went: to work, to
// idleness (nothing was ready) or to overhead (something was ready, yet the
// worker did not run it). It is POT's parallel time breakdown (Pereira 2024,
// equations 3 and 4 and Algorithms 1 to 3; docs/design/methods.md, Time
// breakdown) for runs whose tasks have times and dependencies, whatever runtime
// they come from.
//
// The paper replays all events in order and adds to every worker at each. That
// costs events times workers. Here the instants at which some task is ready are
// first merged into disjoint intervals with prefix sums of their lengths; each
// worker then looks up only its own gaps. All sums are integers, so that work,
// idleness and overhead of a worker add up to its time exactly.
//
// Work is what the runtime's own tasks do on a worker too (the implicit tasks of
// OpenMP, which run what stands outside of tasks); it is told apart. A task that
// the runtime suspended is ready when only a thread is missing ([trace.Phases]);
// whether that holds for one that waits for others which are done is a choice
// (Fig. 2 of the paper has the arrow, Algorithm 2 leaves it open).
//
// Two readings go beyond the paper: on machines of several architectures a
// task makes a worker's pause overhead only if the worker could run it
// ([ByArch]), and on several nodes only if it belongs there ([Local]).
package breakdown

import (
	"math"
	"slices"
	"sync"

	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = slices.Concat(schedule.Needs, schedule.StateNeeds, depend.Needs, []string{
	"state.depth", "task.kind", "task.submit", "task.ready", "task.node", "task.model",
	"resource.parent", "resource.start", "resource.end", "model.symbol", "model.arch", "model.count",
	"event.kind", "event.time", "event.value", "sample.time", "phase.task", "phase.kind", "phase.start", "phase.end",
})

// Options of [Compute].
type Options struct {
	// From and To are the interval I, ns. When they are equal it is the whole
	// recording, as [Recording] tells.
	From, To int64
	// Step cuts I into windows; 0 means one.
	Step int64
	// Generation counts tasks that generate the input too (docs/design/methods.md,
	// Time).
	Generation bool
	// Lifetimes counts a worker only from its creation to its destruction, as
	// for the threads of an OpenMP program; else it counts for the whole of I.
	// It goes without saying for runs whose Meta has it.
	Lifetimes bool
	// WaitingNotReady takes a task that waits for others which are done for
	// waiting, not for ready, until it goes on.
	WaitingNotReady bool
	// CanRun adds pairs of kind and architecture that the run does not show.
	CanRun []CanRun
	// Lanes are those of all tasks, if they are laid out already.
	Lanes *schedule.Lanes
}

// Parts divide time, ns. With several workers it is their summed time.
type Parts struct {
	Work, Idleness, Overhead int64
	Implicit                 int64 // of Work: by tasks of the runtime's own only
}

// Sum is the whole time.
func (p Parts) Sum() int64 { return p.Work + p.Idleness + p.Overhead }

func (p *Parts) add(q Parts) {
	p.Work += q.Work
	p.Idleness += q.Idleness
	p.Overhead += q.Overhead
	p.Implicit += q.Implicit
}

// Result is a breakdown in each of the scopes, which differ only in how they
// divide the time without work.
type Result struct {
	Windows interval.Slices
	Workers []int32         // resource rows
	Cell    [scopes][]Parts // [scope][worker index * windows + window]
	State   []State         // the time without work by what preceded it
	Unknown int64           // counted tasks that never show as ready: no ready time is known
}

// State is the time without work that followed one kind of task or state, or
// was spent in that state, over all workers.
type State struct {
	Name string        // kind of task or state, "" for before the first
	Task bool          // a kind of task
	Rest [scopes]Parts // Work is 0
}

// Recording is the interval from the first to the last event of a run; where a
// ring kept the last events, from where all threads have theirs ([Complete]).
func Recording(run *trace.Run) (from, to int64) {
	first := trace.NoTime
	for _, times := range [][]int64{
		run.Resource.Start, run.Task.Submit, run.Task.Ready, run.Task.Start,
		run.State.Start, run.Event.Time, run.Sample.Time,
	} {
		for _, t := range times {
			if t != trace.NoTime && (first == trace.NoTime || t < first) {
				first = t
			}
		}
	}
	if first == trace.NoTime {
		return 0, 0
	}
	if complete := Complete(run); complete != trace.NoTime {
		first = max(first, complete)
	}
	return first, max(first, run.Meta.Horizon, schedule.Makespan(run))
}

// Compute breaks the time of all workers down.
func Compute(run *trace.Run, o Options) *Result {
	if o.From == o.To {
		o.From, o.To = Recording(run)
	}
	if o.Step <= 0 {
		o.Step = max(1, o.To-o.From)
		if o.From < o.To && o.To-o.From < 0 { // longer than can be said: a damaged time
			o.Step = math.MaxInt64
		}
	}
	o.Lifetimes = o.Lifetimes || run.Meta.Lifetimes
	c := newComputation(run, o, findWaits(run, o), schedule.Select(run, o.Lanes, works(run, o.Generation)))
	c.workers()
	c.result.State = c.states()
	return c.result
}

// works selects the tasks whose pieces are work: also the runtime's own.
func works(run *trace.Run, generation bool) func(task int) bool {
	t := &run.Task
	return func(i int) bool { return t.Start[i] != trace.NoTime && (generation || !t.Generation[i]) }
}

// workOf is when a worker worked, and when only tasks of the runtime's own did.
func workOf(run *trace.Run, lanes *schedule.Lanes, worker int32) (work, implicit interval.Spans) {
	var counted interval.Spans
	internal, own := run.Task.Internal, false
	for i, to := lanes.Of(worker); i < to; i++ {
		work.Extend(lanes.Start[i], lanes.End[i])
		if internal[lanes.Task[i]] {
			own = true
		} else {
			counted.Extend(lanes.Start[i], lanes.End[i])
		}
	}
	if own {
		implicit = interval.Subtract(work, counted)
	}
	return work, implicit
}

// computation is what one goroutine needs: what belongs to the run is shared,
// as are the cells, of which each worker has its own.
type computation struct {
	run    *trace.Run
	o      Options
	lanes  *schedule.Lanes
	covers [scopes]covers
	result *Result

	cursor   [scopes]interval.Cursor // of the worker at hand
	labeller labeller
	labels   labels
	rest     [][scopes]Parts // by label plus one
}

// workers goes through all workers, several at once, and sums their rests.
func (c *computation) workers() {
	var sum sync.Mutex
	parallel.With(len(c.result.Workers), func() func(int) {
		mine := *c
		mine.rest = make([][scopes]Parts, len(c.rest))
		return func(i int) {
			clear(mine.rest)
			mine.worker(i, c.result.Workers[i])
			sum.Lock()
			defer sum.Unlock()
			for label := range mine.rest {
				for s := range scopes {
					c.rest[label][s].add(mine.rest[label][s])
				}
			}
		}
	})
}

func newComputation(run *trace.Run, o Options, w waits, lanes *schedule.Lanes) *computation {
	workers := kind.Workers(run)
	types := schedule.GroupTypes(run, workers)
	var archs []string
	for _, t := range types.Type {
		archs = append(archs, t.Arch)
	}
	can := findCanRun(run, archs, o.CanRun)
	c := &computation{run: run, o: o, lanes: lanes, labeller: newLabeller(run, lanes)}
	c.covers[Global] = coverGlobal(run, w)
	c.covers[ByArch] = coverArchs(run, w, types, can)
	if c.covers[Local] = c.covers[ByArch]; severalNodes(types) {
		c.covers[Local] = coverTypes(run, w, types, can, true)
	}
	c.rest = make([][scopes]Parts, 1+len(run.Task.Kind.Dict)+len(run.State.Kind.Dict))
	c.result = &Result{
		Windows: interval.Slices{From: o.From, To: o.To, Step: o.Step},
		Workers: workers, Unknown: w.unknown,
	}
	for s := range c.result.Cell {
		c.result.Cell[s] = make([]Parts, len(workers)*c.result.Windows.Len())
	}
	return c
}

// worker goes through the time of a worker: its work, and between it the gaps.
func (c *computation) worker(index int, w int32) {
	from, to := c.presence(w)
	if from >= to {
		return
	}
	work, implicit := workOf(c.run, c.lanes, w)
	work = interval.Clip(work, from, to)
	for s := range c.cursor {
		cover := c.covers[s]
		c.cursor[s] = cover.ready[cover.of[w]].Cursor()
	}
	c.labeller.of(w, &c.labels)
	next := 0 // label after the instant reached
	at := from
	for i := range work.Start {
		next = c.gap(index, at, work.Start[i], next)
		c.work(index, work.Start[i], work.End[i], func(p *Parts, ns int64) { p.Work += ns })
		at = work.End[i]
	}
	c.gap(index, at, to, next)
	implicit = interval.Clip(implicit, from, to)
	for i := range implicit.Start {
		c.work(index, implicit.Start[i], implicit.End[i], func(p *Parts, ns int64) { p.Implicit += ns })
	}
}

// presence is the part of I in which a worker counts.
func (c *computation) presence(w int32) (from, to int64) {
	from, to = c.o.From, c.o.To
	if c.o.Lifetimes {
		born, dead := Lifetime(c.run, w)
		from, to = max(from, born), min(to, dead)
	}
	return from, to
}

// Lifetime is when a worker is there: for the farthest times where that is not
// known, or where the run's workers count throughout.
func Lifetime(run *trace.Run, worker int32) (from, to int64) {
	from, to = trace.NoTime, math.MaxInt64 // NoTime is the least time
	if len(run.Resource.Start) > 0 {
		from = run.Resource.Start[worker]
	}
	if len(run.Resource.End) > 0 && run.Resource.End[worker] != trace.NoTime {
		to = run.Resource.End[worker]
	}
	return from, to
}

// work adds [from, to) to the windows it lies in.
func (c *computation) work(index int, from, to int64, add func(*Parts, int64)) {
	for windows := c.result.Windows; from < to; {
		cell := windows.At(from)
		_, end := windows.Bounds(cell)
		end = min(end, to)
		for s := range c.result.Cell {
			add(&c.result.Cell[s][index*windows.Len()+cell], end-from)
		}
		from = end
	}
}

// gap divides [from, to) among idleness and overhead, cut where the label or
// the window changes. next is the first label after from or before; it returns
// that of to.
func (c *computation) gap(index int, from, to int64, next int) int {
	for windows := c.result.Windows; from < to; {
		for next < len(c.labels.time) && c.labels.time[next] <= from {
			next++
		}
		cell := windows.At(from)
		_, end := windows.Bounds(cell)
		end = min(end, to)
		label := trace.None
		if next > 0 {
			label = c.labels.label[next-1]
		}
		if next < len(c.labels.time) {
			end = min(end, c.labels.time[next])
		}
		for s := range c.cursor {
			overhead := -c.cursor[s].Until(from) + c.cursor[s].Until(end)
			part := Parts{Idleness: end - from - overhead, Overhead: overhead}
			c.result.Cell[s][index*windows.Len()+cell].add(part)
			c.rest[label+1][s].add(part)
		}
		from = end
	}
	return next
}

// states names the labels that have time.
func (c *computation) states() (states []State) {
	kinds := c.run.Task.Kind.Dict
	for i, rest := range c.rest {
		if rest[Global].Sum() == 0 {
			continue
		}
		state := State{Rest: rest}
		switch k := i - 1; {
		case k >= len(kinds):
			state.Name = c.run.State.Kind.Dict[k-len(kinds)]
		case k >= 0:
			state.Name, state.Task = kinds[k], true
		}
		states = append(states, state)
	}
	return states
}
