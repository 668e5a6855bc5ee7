// Package decision answers what a scheduler had in mind when it placed a task,
// what came of it, and why the task did not begin earlier (Garcia Pinto 2018,
// chapters 7 and 8): of each worker what it was expected to do and to need for
// the task, what its queue held, the choice, and beside it what really
// happened.
//
// The problem: contents of queues at every decision would be many times the
// size of a run. The approach: the run has every change of every queue, so that
// those before a decision, done again, give what the queues held. Runs whose
// scheduler was not watched have no estimates; there, when tasks were pushed and
// popped tells which of them waited and which a worker had taken.
//
// What it does not do: schedule anew. Whether another choice would have been
// better is what the simulator is asked.
package decision

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"dagscope/explain/chain"
	"dagscope/explain/depend"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Needs names the columns that questions about tasks read.
var Needs = slices.Concat(chain.Needs, chain.More, chain.NameNeeds, depend.Needs, schedule.Needs, []string{
	"resource.name", "resource.index", "task.key", "task.kind", "task.priority", "task.submit", "task.ready",
	"transfer.to", "transfer.handle", "transfer.bytes", "transfer.kind", "access.task", "access.handle", "access.mode",
	"event.kind", "event.time", "event.task", "decision", "estimate",
})

// AccuracyNeeds names the columns that [Index.Accuracy] reads.
var AccuracyNeeds = slices.Concat(depend.Needs, schedule.Needs, []string{
	"task.key", "task.kind", "task.priority", "task.submit", "task.ready", "transfer.to", "transfer.handle", "transfer.bytes", "transfer.kind",
	"access.task", "access.handle", "access.mode", "decision", "estimate",
})

// Options hand in what a caller has computed already; nil fields are computed.
type Options struct {
	Lanes *schedule.Lanes // schedule.Build(run, nil)
	Last  *depend.Last    // depend.Find(run)
	Chain *chain.Index    // chain.New(run), at the first question why a task waited
}

// Index is a run prepared for questions. It is safe for concurrent use.
type Index struct {
	run    *trace.Run
	lanes  *schedule.Lanes
	last   *depend.Last
	memory []int32 // by resource: the memory that it is, lies in or uses
	// By task: when it was first put into a queue, and when the worker that ran
	// it took it; trace.NoTime where that is not known.
	pushed, popped []int64
	// The decisions that did so, by task; nil without decisions.
	pushedBy, poppedBy []int32
	// Rows of decisions by task: byTask[at[v]:at[v+1]].
	at, byTask []int32
	// Rows of transfers by handle: byHandle[handleAt[h]:handleAt[h+1]].
	handleAt, byHandle []int32

	once  sync.Once
	chain *chain.Index
}

// New prepares a run: some hundred ns a task.
func New(run *trace.Run, o Options) *Index {
	x := &Index{run: run, lanes: o.Lanes, last: o.Last, chain: o.Chain}
	if x.lanes == nil {
		x.lanes = schedule.Build(run, nil)
	}
	if x.last == nil {
		x.last = depend.Find(run)
	}
	x.memory = memories(run)
	n := len(run.Task.Start)
	x.at, x.byTask = interval.Group(run.Decision.Task, n, nil)
	x.handleAt, x.byHandle = interval.Group(handles(run), pieces(run), nil)
	x.pushed, x.popped = slices.Repeat([]int64{trace.NoTime}, n), slices.Repeat([]int64{trace.NoTime}, n)
	if x.Watched() {
		x.fromDecisions()
	} else {
		x.fromEvents()
	}
	return x
}

// Watched says that the run has decisions.
func (x *Index) Watched() bool { return len(x.run.Decision.Task) > 0 }

// Estimated says that the run has estimates.
func (x *Index) Estimated() bool { return len(x.run.Estimate.Decision) > 0 }

// memories finds the memory of each resource, none where there is none.
func memories(run *trace.Run) []int32 {
	re := &run.Resource
	memory := make([]int32, len(re.Parent))
	for r := range memory {
		memory[r] = trace.None
		up := re.Parent[r]
		switch {
		case re.Level.At(r) == trace.LevelMemory:
			memory[r] = int32(r)
		case up >= 0 && int(up) < r:
			memory[r] = memory[up]
		}
	}
	return memory
}

// pieces is how many pieces of data transfers and accesses name.
func pieces(run *trace.Run) int {
	most := trace.None
	for _, column := range [][]int32{run.Transfer.Handle, run.Access.Handle} {
		for _, h := range column {
			most = max(most, h)
		}
	}
	return int(most) + 1
}

// handles are those of transfers, none for those between nodes: they are waited
// for as dependencies.
func handles(run *trace.Run) []int32 {
	t := &run.Transfer
	if len(t.Handle) != len(t.Start) || len(t.To) != len(t.Start) {
		return nil
	}
	mpi := t.Kind.Find(trace.TransferMPI)
	h := slices.Clone(t.Handle)
	for i := range h {
		if len(t.Kind.Index) > 0 && t.Kind.Index[i] == mpi {
			h[i] = trace.None
		}
	}
	return h
}

// fromDecisions finds when tasks went into queues and when workers took them.
func (x *Index) fromDecisions() {
	d := &x.run.Decision
	kinds := d.Kind.Dict
	x.poppedBy, x.pushedBy = slices.Repeat([]int32{math.MaxInt32}, len(x.popped)), make([]int32, len(x.pushed))
	for i, v := range d.Task {
		switch kinds[d.Kind.Index[i]] {
		case trace.DecisionPush:
			if x.pushed[v] == trace.NoTime {
				x.pushed[v], x.pushedBy[v] = d.Time[i], int32(i)
			}
		case trace.DecisionPop, trace.DecisionSteal:
			x.popped[v], x.poppedBy[v] = d.Time[i], int32(i)
		}
	}
}

// fromEvents does so where the runtime said when it pushed and popped tasks;
// else a task was pushed when it was ready.
func (x *Index) fromEvents() {
	e := &x.run.Event
	push, pop := e.Kind.Find("Task Push"), e.Kind.Find("Task Pop")
	for i, v := range e.Task {
		if v < 0 || len(e.Kind.Index) != len(e.Task) {
			continue
		}
		switch k := e.Kind.Index[i]; {
		case k == push && x.pushed[v] == trace.NoTime:
			x.pushed[v] = e.Time[i]
		case k == pop:
			x.popped[v] = e.Time[i]
		}
	}
	for v, ready := range x.run.Task.Ready {
		if x.pushed[v] == trace.NoTime {
			x.pushed[v] = ready
		}
	}
}

// row is the decision that placed a task: the last that was estimated, else the
// first; none without any.
func (x *Index) row(v int32) int32 {
	rows := x.byTask[x.at[v]:x.at[v+1]]
	for _, r := range slices.Backward(rows) {
		if from, to := x.estimates(r); from < to {
			return r
		}
	}
	if len(rows) == 0 {
		return trace.None
	}
	return rows[0]
}

// estimates are the rows of those of a decision.
func (x *Index) estimates(decision int32) (from, to int) {
	e := x.run.Estimate.Decision
	from, _ = slices.BinarySearch(e, decision)
	to, _ = slices.BinarySearch(e, decision+1)
	return from, to
}

// ran says that a task has times, and a worker.
func (x *Index) ran(v int32) bool {
	t := &x.run.Task
	return t.Start[v] != trace.NoTime && t.End[v] != trace.NoTime && t.Worker[v] >= 0
}

func (x *Index) check(v int32) error {
	if v < 0 || int(v) >= len(x.run.Task.Start) {
		return fmt.Errorf("look up decision: row %d of a run of %d tasks", v, len(x.run.Task.Start))
	}
	return nil
}
