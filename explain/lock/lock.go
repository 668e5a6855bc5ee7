// Package lock answers which locks threads waited for, where in the source, and how
// long each lock was held: what mutual exclusion (critical, atomic and ordered
// constructs, locks) costs a program, and what it allows at best.
//
// The approach: every request is a row of table mutex, with the instants of request,
// acquisition and release. They are summed by lock, and by the source line of the
// request. A lock that was held for so long in all cannot be held for less by any
// number of threads, so that the longest such time bounds the program from below.
//
// What it does not do: say whether a lock is needed; find deadlocks; see locks that
// OpenMP does not know (pthread mutexes, atomic instructions).
package lock

import (
	"cmp"
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = []string{
	"mutex.kind", "mutex.lock", "mutex.function", "mutex.file", "mutex.line", "mutex.resource",
	"mutex.request", "mutex.acquire", "mutex.release", "resource.parent",
}

// Use sums up requests: those for one lock, or from one source line.
type Use struct {
	Kind     string // critical, atomic, ordered, lock, …; of several the first
	Lock     string // address; "" for a line from where several were asked for
	Function string
	File     string
	Line     int32 // trace.NoInt if not known

	Requests, Contended int64 // … of which had to wait
	Threads             int   // that asked
	Waiting             int64 // ns, of all threads
	Holding             int64 // ns, in which some thread held it
	Longest             int64 // wait, ns
}

// Facts are what is known of the locks of a run.
type Facts struct {
	Locks []Use // by lock; the most waited for first, then the longest held
	Lines []Use // by line and lock, so ordered
	// Waits are, by resource, when a thread waited for a lock.
	Waits []interval.Spans
	// Holds are, by lock as in Locks, when some thread held it.
	Holds []interval.Spans
}

// held is the end of what was held to the end of the recording.
func held(run *trace.Run, i int) int64 {
	if end := run.Mutex.Release[i]; end != trace.NoTime {
		return end
	}
	return run.Meta.Horizon
}

// got is until when a request waited: of one that was never granted to the end of the
// recording; tests do not wait.
func got(run *trace.Run, i int) int64 {
	m := &run.Mutex
	switch kind := m.Kind.At(i); {
	case m.Acquire[i] != trace.NoTime:
		return m.Acquire[i]
	case kind == trace.MutexTest || kind == trace.MutexNestedTest:
		return m.Request[i]
	}
	return max(m.Request[i], run.Meta.Horizon)
}

// Waits are, by resource, when threads waited for locks, as disjoint spans; nil where no
// request was recorded.
func Waits(run *trace.Run) []interval.Spans {
	m := &run.Mutex
	if len(m.Request) == 0 {
		return nil
	}
	waits := make([]interval.Spans, len(run.Resource.Parent))
	for i, r := range m.Resource {
		waits[r].Add(m.Request[i], got(run, i))
	}
	for r := range waits {
		waits[r].Unite()
	}
	return waits
}

type tally struct {
	Use
	threads map[int32]bool
	held    interval.Spans
}

func (t *tally) add(run *trace.Run, i int) {
	m := &run.Mutex
	if t.threads == nil {
		t.Use = Use{Kind: m.Kind.At(i), Lock: m.Lock.At(i), Function: m.Function.At(i), File: m.File.At(i), Line: m.Line[i]}
		t.threads = map[int32]bool{}
	}
	wait := got(run, i) - m.Request[i]
	t.Requests++
	if wait > 0 {
		t.Contended++
	}
	t.Waiting += wait
	t.Longest = max(t.Longest, wait)
	t.threads[m.Resource[i]] = true
	if m.Acquire[i] != trace.NoTime {
		t.held.Add(m.Acquire[i], held(run, i))
	}
}

// Find sums up the requests of a window, all if it is empty; nil where none was
// recorded.
func Find(run *trace.Run, from, to int64) *Facts {
	m := &run.Mutex
	if len(m.Request) == 0 {
		return nil
	}
	type line struct{ lock, function, file, number, kind int32 }
	locks, lines := map[int32]*tally{}, map[line]*tally{}
	for i := range m.Request {
		if from < to && (m.Request[i] >= to || max(got(run, i), held(run, i)) <= from) {
			continue
		}
		at := line{m.Lock.Index[i], m.Function.Index[i], m.File.Index[i], m.Line[i], m.Kind.Index[i]}
		if locks[at.lock] == nil {
			locks[at.lock] = &tally{}
		}
		if lines[at] == nil {
			lines[at] = &tally{}
		}
		locks[at.lock].add(run, i)
		lines[at].add(run, i)
	}
	f := &Facts{Waits: Waits(run)}
	var byLock, byLine []*tally
	for _, t := range locks {
		byLock = append(byLock, t)
	}
	for _, t := range lines {
		byLine = append(byLine, t)
	}
	for _, list := range [][]*tally{byLock, byLine} {
		for _, t := range list {
			t.held.Unite()
			t.Holding, t.Threads = t.held.Length(), len(t.threads)
		}
		slices.SortFunc(list, func(a, b *tally) int {
			return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(b.Holding, a.Holding), cmp.Compare(a.Lock, b.Lock), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind))
		})
	}
	for _, t := range byLock {
		f.Locks, f.Holds = append(f.Locks, t.Use), append(f.Holds, t.held)
	}
	for _, t := range byLine {
		f.Lines = append(f.Lines, t.Use)
	}
	return f
}

// Waiting is the time that threads waited for locks.
func (f *Facts) Waiting() (ns int64) {
	if f == nil {
		return 0
	}
	for i := range f.Locks {
		ns += f.Locks[i].Waiting
	}
	return ns
}

// Serial is the longest time that one lock was held: no number of threads takes less,
// with the lock held as it was. All is the sum over locks of these times.
func (f *Facts) Serial() (longest Use, all int64) {
	if f == nil {
		return Use{}, 0
	}
	for _, u := range f.Locks {
		if all += u.Holding; u.Holding > longest.Holding {
			longest = u
		}
	}
	return longest, all
}
