package replay

import (
	"testing"

	"dagscope/explain/breakdown"
	"dagscope/read/ompt/event"
	"dagscope/trace"

	"pgregory.net/rapid"
)

// formal says what definitions (1) to (4) of Pereira 2024 say of a list of
// events, instant by instant and without states of tasks: a task is ready from
// its creation, or the end of the last of the siblings that it conflicts with,
// to its start.
type formal struct {
	events  []event.Event
	created map[event.ID]int64
	start   map[event.ID]int64
	end     map[event.ID]int64
	parent  map[event.ID]event.ID
	deps    map[event.ID][]event.Dep
	order   []event.ID
	first   int64
	last    int64
}

func newFormal(events []event.Event) *formal {
	f := &formal{
		events: events, created: map[event.ID]int64{}, start: map[event.ID]int64{}, end: map[event.ID]int64{},
		parent: map[event.ID]event.ID{}, deps: map[event.ID][]event.Dep{}, first: events[0].Time, last: events[len(events)-1].Time,
	}
	for _, e := range events {
		switch {
		case e.Type == event.TaskCreate:
			f.created[e.Task], f.parent[e.Task] = e.Time, e.Task2
			f.order = append(f.order, e.Task)
		case e.Type == event.Dependences:
			f.created[e.Task], f.deps[e.Task] = e.Time, e.Deps
		case e.Type == event.TaskSchedule:
			if e.Kind == event.StatusComplete {
				f.end[e.Task] = e.Time
			}
			if _, began := f.start[e.Task2]; !began {
				f.start[e.Task2] = e.Time
			}
		}
	}
	return f
}

// conflicts are the earlier siblings that a task depends on.
func (f *formal) conflicts(v event.ID) (before []event.ID) {
	for _, u := range f.order {
		if u == v {
			break
		}
		if f.parent[u] == f.parent[v] && conflict(f.deps[u], f.deps[v]) {
			before = append(before, u)
		}
	}
	return before
}

func (f *formal) endOf(v event.ID) int64 {
	if end, ok := f.end[v]; ok {
		return end
	}
	return f.last
}

// ready marks the instants at which a task is ready; with waiting also those at
// which one waits that could go on.
func (f *formal) ready(waiting bool) []bool {
	at := make([]bool, f.last-f.first)
	mark := func(from, to int64) {
		for t := from; t < to; t++ {
			at[t-f.first] = true
		}
	}
	for _, v := range f.order {
		from, to := f.created[v], f.last
		for _, u := range f.conflicts(v) {
			from = max(from, f.endOf(u))
		}
		if start, ok := f.start[v]; ok {
			to = start
		}
		mark(from, to)
	}
	if waiting {
		f.waits(mark)
	}
	return at
}

// waits marks from the end of the last task that is waited for to the end of
// the wait.
func (f *formal) waits(mark func(from, to int64)) {
	began := map[event.ID]int64{}
	groups := map[event.ID][]int{} // index of the event that opened each
	for i, e := range f.events {
		switch {
		case e.Type == event.SyncBegin && e.Kind == event.SyncTaskgroup:
			groups[e.Task] = append(groups[e.Task], i)
		case e.Type == event.WaitBegin:
			began[e.Task] = e.Time
		case e.Type == event.WaitEnd && e.Kind == event.SyncTaskwait:
			mark(f.latest(began[e.Task], f.family(e.Task, 0, i, false)), e.Time)
		case e.Type == event.WaitEnd && e.Kind == event.SyncTaskgroup:
			open := groups[e.Task]
			mark(f.latest(began[e.Task], f.family(e.Task, open[len(open)-1], i, true)), e.Time)
			groups[e.Task] = open[:len(open)-1]
		}
	}
}

// family are the children of a task made by events [from, to), and, if deep,
// theirs and so on.
func (f *formal) family(of event.ID, from, to int, deep bool) (all []event.ID) {
	for _, e := range f.events[from:to] {
		if e.Type == event.TaskCreate && e.Task2 == of {
			if all = append(all, e.Task); deep {
				all = append(all, f.family(e.Task, 0, len(f.events), true)...)
			}
		}
	}
	return all
}

func (f *formal) latest(t int64, tasks []event.ID) int64 {
	for _, v := range tasks {
		t = max(t, f.endOf(v))
	}
	return t
}

// work marks the instants at which each thread runs a task, and those at which
// it is there: a thread runs the task that came last to it, unless that waits.
func (f *formal) work(threads int) (work, there [][]bool) {
	top, waits, alive := make([]event.ID, threads), map[event.ID]bool{}, make([]bool, threads)
	for range threads {
		work, there = append(work, make([]bool, f.last-f.first)), append(there, make([]bool, f.last-f.first))
	}
	at := f.first
	for _, e := range f.events {
		for ; at < e.Time; at++ {
			for th := range threads {
				there[th][at-f.first] = alive[th]
				work[th][at-f.first] = top[th] != 0 && !waits[top[th]]
			}
		}
		switch e.Type {
		case event.ThreadBegin, event.ThreadEnd:
			alive[e.Thread] = e.Type == event.ThreadBegin
		case event.ImplicitBegin, event.ParallelEnd:
			top[e.Thread] = e.Task
		case event.ImplicitEnd, event.ParallelBegin:
			top[e.Thread] = 0
		case event.WaitBegin, event.WaitEnd:
			waits[e.Task], top[e.Thread] = e.Type == event.WaitBegin, e.Task
		case event.TaskCreate:
			if e.Flags&event.FlagUndeferred != 0 {
				top[e.Thread] = 0
			}
		case event.TaskSchedule:
			top[e.Thread] = e.Task2
		}
	}
	return work, there
}

func TestReplayAgainstDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawProgram(t)
		f := newFormal(events)
		run := replayed(events)
		for i, code := range run.Log.Code.Index {
			t.Fatalf("log: %s: %s", run.Log.Code.Dict[code], run.Log.Message.At(i))
		}
		if f.last > f.first {
			checkTimes(t, run, f)
		}
		checkEdges(t, run, f)
	})
}

func checkTimes(t *rapid.T, run *trace.Run, f *formal) {
	for _, waiting := range []bool{false, true} {
		res := breakdown.Compute(run, breakdown.Options{WaitingNotReady: !waiting, From: f.first, To: f.last})
		ready := f.ready(waiting)
		work, there := f.work(len(res.Workers))
		for th := range res.Workers {
			var want breakdown.Parts
			for i := range ready {
				switch {
				case !there[th][i]:
				case work[th][i]:
					want.Work++
				case ready[i]:
					want.Overhead++
				default:
					want.Idleness++
				}
			}
			got := res.Worker(breakdown.Global, th)
			got.Implicit = 0
			if got != want {
				t.Fatalf("thread %d, waiting %v: found %+v, wanted %+v", th, waiting, got, want)
			}
		}
	}
}

// checkEdges: every edge is a conflict, and every conflict is a path.
func checkEdges(t *rapid.T, run *trace.Run, f *formal) {
	row := map[event.ID]int32{}
	for i := range run.Task.Start {
		for _, id := range f.order {
			if run.Task.Key.At(i) == keyText(id) {
				row[id] = int32(i)
			}
		}
	}
	reaches := map[[2]int32]bool{}
	for e, to := range run.Dep.To { // sorted by to: predecessors' paths are there
		reaches[[2]int32{run.Dep.From[e], to}] = true
		for u := range run.Task.Start {
			if reaches[[2]int32{int32(u), run.Dep.From[e]}] {
				reaches[[2]int32{int32(u), to}] = true
			}
		}
	}
	conflicts := map[[2]int32]bool{}
	for _, v := range f.order {
		for _, u := range f.conflicts(v) {
			pair := [2]int32{row[u], row[v]}
			conflicts[pair] = true
			if !reaches[pair] {
				t.Fatalf("no path from %s to %s, wanted one", keyText(u), keyText(v))
			}
		}
	}
	for e, to := range run.Dep.To {
		if !conflicts[[2]int32{run.Dep.From[e], to}] {
			t.Fatalf("found an edge from row %d to row %d, wanted none", run.Dep.From[e], to)
		}
	}
}

func keyText(id event.ID) string {
	var k trace.Keys
	k.Append(append([]byte{byte('0' + id.Thread()), '.'}, []byte(count(int64(id.Counter())))...))
	return k.At(0)
}
