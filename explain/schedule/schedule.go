// Package schedule lays out what each worker did, in order: the pieces of tasks
// that ran on it, one after the other, and what its runtime states were. The
// analyses that sweep over time start from it.
package schedule

import (
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Needs names the columns that [Build] reads.
var Needs = []string{
	"resource.parent", "resource.level", "resource.arch", "resource.node",
	"task.worker", "task.start", "task.end", "task.generation", "task.internal",
	"segment.task", "segment.worker", "segment.start", "segment.end",
}

// Lanes are the pieces of tasks by resource: those of resource r are
// [At[r], At[r+1]), sorted by start, ties in submission order. A task that was
// never suspended and ran on one worker is one piece.
type Lanes struct {
	At         []int32 // by resource row, one more than there are resources
	Task       []int32
	Start, End []int64 // ns
	First      []bool  // the piece is the task's first, on whatever worker; nil when all are
}

// Of returns the range of pieces of a resource.
func (l *Lanes) Of(resource int32) (from, to int32) { return l.At[resource], l.At[resource+1] }

// IsFirst tells whether a piece is the first of its task.
func (l *Lanes) IsFirst(piece int32) bool { return l.First == nil || l.First[piece] }

// Build lays out all tasks for which keep is true (nil: all that ran) on their
// workers. Tasks that never ran, or on no worker, have no piece.
//
// Pieces are dealt out to their workers first and sorted there, workers side by
// side: what is sorted is then short enough for the processor's caches.
func Build(run *trace.Run, keep func(task int) bool) *Lanes {
	pieces, worker := collect(run, keep)
	at, rows := interval.Group(worker, len(run.Resource.Parent), nil)
	l := &Lanes{At: at, Task: make([]int32, len(rows)), Start: make([]int64, len(rows)), End: make([]int64, len(rows))}
	if pieces.First != nil {
		l.First = make([]bool, len(rows))
	}
	parallel.For(len(at)-1, func(r int) {
		own := rows[at[r]:at[r+1]]
		for i, from := range pieces.order(own) {
			row, to := own[from], at[r]+int32(i)
			l.Task[to], l.Start[to], l.End[to] = pieces.Task[row], pieces.Start[row], pieces.End[row]
			if l.First != nil {
				l.First[to] = pieces.First[row]
			}
		}
	})
	return l
}

// order returns the positions of rows in the order of their starts.
func (l *Lanes) order(rows []int32) []int32 {
	start := make([]int64, len(rows))
	for i, row := range rows {
		start[i] = l.Start[row]
	}
	return interval.Order(start)
}

// Select is Build for a run that may be laid out already: all is Build(run, nil),
// nil to lay it out.
// The lanes of all tasks are sorted; leaving some out takes one pass, so that
// analyses of one run need not sort it again each.
func Select(run *trace.Run, all *Lanes, keep func(task int) bool) *Lanes {
	if all == nil {
		return Build(run, keep)
	}
	kept, every := make([]bool, len(run.Task.Start)), true
	for i, start := range run.Task.Start {
		kept[i] = start != trace.NoTime && keep(i)
		every = every && (kept[i] || start == trace.NoTime)
	}
	if every {
		return all
	}
	return all.filter(kept)
}

// filter leaves out the pieces of tasks that are not kept. Tasks were asked in
// their own order: pieces jump about among them.
func (l *Lanes) filter(kept []bool) *Lanes {
	n := 0
	for _, task := range l.Task {
		if kept[task] {
			n++
		}
	}
	if n == len(l.Task) {
		return l
	}
	f := &Lanes{At: make([]int32, 1, len(l.At)), Task: make([]int32, 0, n), Start: make([]int64, 0, n), End: make([]int64, 0, n)}
	for r := range len(l.At) - 1 {
		for i := l.At[r]; i < l.At[r+1]; i++ {
			if kept[l.Task[i]] {
				f.add(l.Task[i], l.Start[i], l.End[i], l.IsFirst(i))
			}
		}
		f.At = append(f.At, int32(len(f.Task)))
	}
	return f
}

// collect lists the pieces in submission order with the worker of each.
func collect(run *trace.Run, keep func(int) bool) (p Lanes, worker []int32) {
	t, s := &run.Task, &run.Segment
	n := len(t.Start) + len(s.Start)
	p.Task, worker = make([]int32, 0, n), make([]int32, 0, n)
	p.Start, p.End = make([]int64, 0, n), make([]int64, 0, n)
	next := 0 // first segment row of this task or a later one
	for i, start := range t.Start {
		from := next
		for next < len(s.Task) && int(s.Task[next]) == i {
			next++
		}
		if start == trace.NoTime || keep != nil && !keep(i) {
			continue
		}
		if from == next {
			p.add(int32(i), start, t.End[i], true)
			worker = append(worker, t.Worker[i])
		}
		for k := from; k < next; k++ {
			p.add(int32(i), s.Start[k], s.End[k], k == from)
			worker = append(worker, s.Worker[k])
		}
	}
	return p, worker
}

func (l *Lanes) add(task int32, start, end int64, first bool) {
	if !first && l.First == nil {
		l.First = make([]bool, len(l.Task), cap(l.Task))
		for i := range l.First {
			l.First[i] = true
		}
	}
	if l.First != nil {
		l.First = append(l.First, first)
	}
	l.Task, l.Start, l.End = append(l.Task, task), append(l.Start, start), append(l.End, end)
}

// Work returns the union of the pieces of a resource: when it was working.
func (l *Lanes) Work(resource int32) interval.Spans {
	var work interval.Spans
	for i, to := l.Of(resource); i < to; i++ {
		work.Extend(l.Start[i], l.End[i])
	}
	return work
}

// Makespan is the latest end of a counted task, ns since the run's zero
// (docs/design/methods.md, Time); 0 in a run without counted tasks.
func Makespan(run *trace.Run) int64 {
	latest := trace.NoTime
	for i, end := range run.Task.End {
		if end > latest && run.Task.Counted(i) {
			latest = end
		}
	}
	if latest == trace.NoTime {
		return 0
	}
	return latest
}

// Ran reports whether a task of the application ran on a worker. Tasks that
// prepare the input count; the runtime's own do not.
func Ran(t *trace.Tasks, i int) bool {
	return t.Worker[i] >= 0 && t.Start[i] != trace.NoTime && t.End[i] != trace.NoTime &&
		!(len(t.Internal) > 0 && t.Internal[i])
}

// Keep selects the tasks that count (docs/design/methods.md, Time), with those
// that generate the input if asked for; for [Build].
func Keep(run *trace.Run, generation bool) func(task int) bool {
	t := &run.Task
	return func(i int) bool {
		return t.Start[i] != trace.NoTime && !t.Internal[i] && (generation || !t.Generation[i])
	}
}
