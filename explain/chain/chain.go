// Package chain answers: what did the makespan, and each worker's idle time,
// consist of? It walks back from the end of the last task, at every step to what
// let the task, transfer or message begin, and so divides [0, makespan] into
// intervals of one class each (docs/design/methods.md, Critical chain).
//
// The problem: a task begins when the last of many things has happened, its
// predecessors' ends, the arrival of its data, the release of a handle that is
// held commutatively, the end of what its worker ran, its own submission; and a
// transfer in turn waits for the writer of its data, for the copy that it reads,
// for its link, for room at either end, a message for both sides to have posted
// it. A chain of predecessors alone ends at a gap wherever one of these was the
// cause. The approach: one function, step, returns the latest cause no later
// than the instant in question (the enabler), from indexes by handle, memory and
// link sorted by time, so that a step takes O(log n). What lies between the
// enabler and the instant is divided by what the runtime's threads and managers
// of memory did then. The chain from the last task is the critical chain; the
// same walk from the task after a gap of a worker, until the gap begins, says
// what the worker was idle for: what is called delay cost (Boehme 2010) or
// idleness blame (Tallent 2009).
//
// What it does not do: say what can be saved. A perfectly packed run has a
// critical chain too.
package chain

import (
	"slices"

	"dagscope/explain/breakdown"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/memory"
	"dagscope/explain/processor"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Needs names the columns that this package reads. Those of [More] make the
// answers richer.
var Needs = slices.Concat(depend.Needs, kind.Needs, schedule.Needs, []string{
	"task.ready", "task.submit", "dep.to",
})

// More names columns by which transfers, messages, memory and the runtime become
// known as causes: without them their time is unexplained.
var More = slices.Concat(schedule.StateNeeds, memory.Needs, processor.Needs, []string{
	"task.footprint", "task.node", "task.parent", "transfer.kind", "transfer.from", "transfer.to", "transfer.bytes",
	"access.task", "access.handle", "access.mode", "state.type",
})

// Chain is the critical chain of a run: intervals that tile [0, makespan], in
// order of time.
type Chain struct {
	Parts []Part
	// Late counts causes that seem to come after what they caused, because
	// clocks disagree: they are left out.
	Late int
}

// Critical walks back from the counted task that ended last. A run without
// counted tasks has an empty chain.
func (x *Index) Critical() *Chain {
	c := &Chain{}
	if last := x.Last(); last != trace.None {
		c.Late = x.Walk(last, 0, func(p Part) { c.Parts = append(c.Parts, p) })
		slices.Reverse(c.Parts)
		c.Parts = joined(c.Parts)
	}
	return c
}

// joined are the parts with those that differ in their times only made one.
func joined(parts []Part) []Part {
	out := parts[:0]
	for _, p := range parts {
		if n := len(out); n > 0 {
			next := p
			next.From, next.To = out[n-1].From, out[n-1].To
			if next == out[n-1] {
				out[n-1].To = p.To
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// Last is the piece of a counted task that ended last, of several that of the
// task submitted first; [trace.None] in a run without any.
func (x *Index) Last() int32 {
	best := trace.None
	for i, v := range x.lanes.Task {
		if !x.run.Task.Counted(int(v)) {
			continue
		}
		if best == trace.None || x.lanes.End[i] > x.lanes.End[best] ||
			x.lanes.End[i] == x.lanes.End[best] && v < x.lanes.Task[best] {
			best = int32(i)
		}
	}
	return best
}

// Amounts divide the time that a segment took, ns; they add up to it. The last
// can be negative: the task was faster than those of its group.
type Amounts struct {
	Compute            int64 // its group's mean on the fastest architecture
	SlowerArchitecture int64 // its group's mean where it ran, less that
	SlowerExecution    int64 // what it took itself, less its group's mean where it ran
}

// Amounts divides a part of class [Execute]; of a task that was suspended, or of
// which the chain holds the beginning only, in proportion.
func (x *Index) Amounts(p Part) Amounts {
	took := p.To - p.From
	if p.Class != Execute || p.Piece < 0 {
		return Amounts{}
	}
	v := x.lanes.Task[p.Piece]
	here, fastest, ok := x.means.of(v, x.worker[p.Piece])
	whole := x.duration[v]
	if !ok || whole <= 0 {
		return Amounts{Compute: took}
	}
	share := float64(took) / float64(whole)
	a := Amounts{Compute: int64(fastest*share + 0.5)}
	a.SlowerArchitecture = int64(here*share+0.5) - a.Compute
	a.SlowerExecution = took - a.Compute - a.SlowerArchitecture
	return a
}

// LatePush is a counted task that became ready later than every cause that is
// known of it.
type LatePush struct {
	Task  int32
	Delay int64 // ns, from the last cause to ready
}

// LatePushes lists the tasks whose recorded ready time is more than least ns
// after their last known cause: what the reader, or this package, does not know.
func (x *Index) LatePushes(least int64) (list []LatePush) {
	t := &x.run.Task
	if x.run.Meta.Derived["task.ready"] != "" {
		return nil // it is the last cause
	}
	for v, ready := range t.Ready {
		if ready == trace.NoTime || !t.Counted(v) {
			continue
		}
		e := x.step(position{kind: pushed, row: int32(v), at: ready}, ready)
		if e.best.kind != nowhere && ready-e.best.at > least {
			list = append(list, LatePush{int32(v), ready - e.best.at})
		}
	}
	return list
}

// Idle divides the time of a worker in [0, makespan] without work of any task,
// and calls emit for each part, in no order that is promised. A part says what
// the next task of the worker waited for then; Execute and NoReadyTask that it
// waited for a task elsewhere, or that there was no next task, while another that
// the worker can run was ready or none was.
func (x *Index) Idle(w int32, emit func(Part)) {
	free := x.Gaps(w, func(_ int32, p Part) { emit(p) })
	if free < x.makespan {
		x.whileReady(w, Part{From: free, To: x.makespan, Class: Execute, Piece: trace.None, Transfer: trace.None, Memory: trace.None, Resource: w}, emit)
	}
}

// gap divides the time before piece i in which its worker was idle.
func (x *Index) gap(i int32, from, to int64, w int32, emit func(Part)) {
	x.walk(position{kind: pieceStart, row: i, at: to}, from, func(p Part) {
		p.Mark = NoMark
		if p.Class == Execute {
			x.whileReady(w, p, emit)
			return
		}
		emit(p)
	})
}

// whileReady divides a part by whether a task that worker w can run was ready,
// the latest first; in runs that do not say when tasks were ready nobody knows.
func (x *Index) whileReady(w int32, p Part, emit func(Part)) {
	if !x.timed {
		p.Class = Unexplained
		emit(p)
		return
	}
	s := overlapping(x.ready(w), p.From, p.To)
	to := p.To
	put := func(from int64, c Class) {
		if from = max(from, p.From); from < to {
			q := p
			q.From, q.To, q.Class = from, to, c
			emit(q)
			to = from
		}
	}
	for k := s.Len() - 1; k >= 0; k-- {
		put(s.End[k], NoReadyTask)
		put(s.Start[k], Execute)
	}
	put(p.From, NoReadyTask)
}

// ready is when a task was ready that a worker can run.
func (x *Index) ready(w int32) (s interval.Spans) {
	x.readyOnce.Do(func() { x.readyTypes, x.readyOf = breakdown.ReadyByType(x.run, breakdown.Options{}) })
	if k := x.readyOf[w]; k >= 0 {
		return x.readyTypes[k]
	}
	return s
}
