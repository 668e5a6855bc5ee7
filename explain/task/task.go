// Package task answers: what happened to this task? Why did it start when it
// did, what held it up, what did it hold up, and is it as fast as its like?
// (docs/design/methods.md, Outliers and Dependencies; Garcia Pinto 2018,
// sections 5.1.2 and 5.1.5.)
//
// The problem: whoever clicks a task among 1e7 wants the answer at once, and
// indexes that would make every question O(log n) take more memory than the
// run. The approach: tables that are sorted already (edges by their end,
// accesses, segments, states by resource) are searched as they are; what
// overlaps a window is found by the first start and last end of every block of
// rows; only last dependencies, where the edges of a task begin, blocks of edges
// by their origin and a summary of the durations of each kind are kept, about 12
// bytes a task.
//
// What it does not do: statistics over many tasks (packages depend, kind and
// outlier do), nor drawing.
package task

import (
	"fmt"
	"slices"
	"sync"

	"dagscope/explain/chain"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/outlier"
	"dagscope/explain/schedule"
	"dagscope/trace"
)

// Needs names the columns without which [New] cannot say what happened. Of
// other columns it says what the run has loaded: see [More].
var Needs = slices.Concat(chain.Needs, chain.More, depend.Needs, kind.Needs, schedule.Needs, []string{
	"resource.name", "task.key", "task.ready", "task.submit", "transfer.key", "transfer.kind", "transfer.from", "transfer.to",
})

// More names columns that make the answers richer: causes of delays, what data
// an edge is about, sizes, counters. The columns of task not among Needs are
// attributes.
var More = slices.Concat(chain.NameNeeds, []string{
	"transfer.handle", "transfer.bytes", "access.task", "access.handle", "access.mode", "access.bytes",
	"handle.key", "handle.node", "handle.name", "handle.bytes", "handle.coordinates",
	"counter.task", "counter.event", "counter.value",
})

// Options hand in what a caller has computed already; nil fields are computed.
type Options struct {
	Lanes   *schedule.Lanes // schedule.Build(run, nil)
	Outlier []bool          // by task: long outliers of docs/design/methods.md, Outliers
	Last    *depend.Last    // depend.Find(run)
	Chain   *chain.Index    // chain.New(run), at the first question about a task that waited
}

// Index is a run prepared for questions about single tasks. It is safe for
// concurrent use.
type Index struct {
	names   chain.Names
	run     *trace.Run
	lanes   *schedule.Lanes
	outlier []bool
	last    *depend.Last
	workers []int32 // resources that can run tasks
	pieces  blocks
	groups  groups

	once  sync.Once
	after origins

	causes  sync.Once
	chained *chain.Index
	whole   *trace.Run // until then
}

// New prepares a run: some hundred ns a task. The index does not keep hold of
// the column dep.to, of which it needs no more than the last dependencies know.
func New(run *trace.Run, o Options) (*Index, error) {
	n := len(run.Task.Start)
	if o.Outlier != nil && len(o.Outlier) != n {
		return nil, fmt.Errorf("explain tasks: outliers of %d tasks, want %d", len(o.Outlier), n)
	}
	x := &Index{run: run, lanes: o.Lanes, outlier: o.Outlier, last: o.Last, chained: o.Chain, whole: run}
	if x.lanes == nil {
		x.lanes = schedule.Build(run, nil)
	}
	if x.last == nil {
		x.last = depend.Find(run)
	}
	if x.outlier == nil {
		x.outlier = make([]bool, n)
		for _, v := range outlier.Compute(run, outlier.Options{}).Long() {
			x.outlier[v] = true
		}
	}
	own := *run
	own.Dep.To = nil
	x.run, x.names = &own, chain.Names{Run: &own}
	x.workers = kind.Workers(run)
	x.pieces = newBlocks(x.lanes.Start, x.lanes.End)
	x.groups = newGroups(run, x.outlier)
	return x, nil
}

// Prepare does what else the first question would wait for: a few hundred
// milliseconds for 3·10^7 edges, and some µs a task to know what tasks waited
// for.
func (x *Index) Prepare() {
	x.once.Do(x.indexOrigins)
	x.why()
}

// Task tells what happened to a task. levels is how far to follow its last
// dependencies back, [depend.ToSource] without end; budget limits the links
// that are listed, negative for no limit. The error names a row that is none.
func (x *Index) Task(row int32, levels, budget int) (Task, error) {
	if row < 0 || int(row) >= len(x.run.Task.Start) {
		return Task{}, fmt.Errorf("explain task: row %d of a run of %d tasks", row, len(x.run.Task.Start))
	}
	t := Task{Ref: x.Ref(row), Node: x.node(row), Outlier: x.outlier[row], Attributes: x.attributes(row)}
	if w := x.run.Task.Worker[row]; w >= 0 {
		t.Arch = x.run.Resource.Arch.At(int(w))
	}
	if x.ran(row) {
		t.Duration = x.duration(row)
	}
	released := x.addEdges(row, &t)
	t.Before, t.After = x.neighbours(row)
	t.Chain = x.chain(row, levels, budget)
	t.Distribution = x.groups.of(x.run, row, t.Duration)
	wait := x.wait(row)
	t.Delay = wait.delay
	t.Words = x.words(row, released, &t, wait)
	return t, nil
}

// node is the rank that a task belongs to.
func (x *Index) node(v int32) int32 {
	if w := x.run.Task.Worker[v]; w >= 0 {
		return x.run.Resource.Node[w]
	}
	if x.run.Task.Node != nil {
		return x.run.Task.Node[v]
	}
	return trace.None
}

// ran tells whether a task has times and is the application's: others are
// walked through by last dependencies.
func (x *Index) ran(v int32) bool { return x.executed(v) && !x.run.Task.Internal[v] }

func (x *Index) executed(v int32) bool {
	return x.run.Task.Start[v] != trace.NoTime && x.run.Task.End[v] != trace.NoTime
}

// duration is how long a task worked, as kind.Durations has it.
func (x *Index) duration(v int32) (d int64) {
	first, end := x.segments(v)
	if first == end {
		return max(0, x.run.Task.End[v]-x.run.Task.Start[v])
	}
	covered := trace.NoTime
	for k := first; k < end; k++ {
		s := &x.run.Segment
		d += max(0, s.End[k]-max(s.Start[k], covered))
		covered = max(covered, s.End[k])
	}
	return d
}

func (x *Index) segments(v int32) (first, end int) { return rowsOf(x.run.Segment.Task, v) }
