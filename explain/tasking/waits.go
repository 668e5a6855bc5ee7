package tasking

import (
	"cmp"
	"slices"
	"strings"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// reason is what a task waited for.
type reason uint8

const (
	forChildren reason = iota // taskwait: the tasks it created so far
	forGroup                  // end of a taskgroup: those created in it, and what these created
	forBarrier                // all tasks of the team
	forCreated                // an undeferred task, the team of a parallel region, the tasks that a taskwait depends on
)

// wait is a time in which a task waited for others.
type wait struct {
	task       int32
	start, end int64
	since      int64 // start of the taskgroup, NoTime if it is not known
	why        reason
	barrier    int32 // number of the barrier, trace.None for other reasons
}

// after tells whether a wait is for what was created at a time: what is created
// at the instant of its end is not.
func (w *wait) after(t int64) bool { return t < w.end || t <= w.start }

// barrier is a barrier that a team waited at.
type barrier struct {
	members []int32 // waits, as numbers among all
	release int64   // when the first could go on
}

// waits are those of all tasks, by task and in the order in which they ended.
type waits struct {
	at      []int32 // by task, one more: those of task v are all[at[v]:at[v+1]]
	all     []wait
	barrier []barrier
}

// stateType is the type of the states that say where an OpenMP thread waits.
const stateType = "OpenMP"

// findWaits reads the waits from the states of workers and, for tasks that
// created others and were suspended meanwhile, from the gaps between pieces.
func findWaits(run *trace.Run, p *pieces, children *family) waits {
	all := append(stateWaits(run), gapWaits(run, p, children)...)
	task := make([]int32, len(all))
	for i := range all {
		task[i] = all[i].task
	}
	w := waits{all: make([]wait, len(all))}
	at, rows := interval.Group(task, len(run.Task.Start), nil)
	for i, row := range rows {
		w.all[i] = all[row]
	}
	w.at = at
	for v := range run.Task.Start {
		if own := w.all[at[v]:at[v+1]]; len(own) > 1 {
			slices.SortFunc(own, func(a, b wait) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.start, b.start)) })
		}
	}
	w.findGroups(run)
	w.findBarriers(run)
	return w
}

// reasons reads the kinds of states.
func reasons(dict []string) map[int32]reason {
	of := map[int32]reason{}
	for k, name := range dict {
		switch {
		case name == "taskwait":
			of[int32(k)] = forChildren
		case name == "taskgroup":
			of[int32(k)] = forGroup
		case strings.Contains(name, "barrier"):
			of[int32(k)] = forBarrier
		}
	}
	return of
}

func stateWaits(run *trace.Run) (all []wait) {
	s := &run.State
	of, openmp := reasons(s.Kind.Dict), s.Type.Find(stateType)
	if openmp < 0 || s.Task == nil || len(of) == 0 {
		return nil
	}
	for i, ty := range s.Type.Index {
		if why, ok := of[s.Kind.Index[i]]; ok && ty == openmp && s.Task[i] >= 0 {
			all = append(all, wait{s.Task[i], s.Start[i], s.End[i], trace.NoTime, why, trace.None})
		}
	}
	return all
}

// gapWaits are the gaps between pieces of a task in which tasks were created
// that it counts as its own: it cannot have created them while it did not run,
// so that they are what it waited for. A task that was merely preempted says so
// by a phase.
func gapWaits(run *trace.Run, p *pieces, children *family) (all []wait) {
	next := 0 // phase
	ready := run.Phase.Kind.Find(trace.PhaseReady)
	for v := range run.Task.Start {
		for next < len(run.Phase.Task) && int(run.Phase.Task[next]) < v {
			next++
		}
		for i := 1; i < p.of(int32(v)) && len(children.of(int32(v))) > 0; i++ {
			_, _, from := p.piece(int32(v), i-1)
			_, to, _ := p.piece(int32(v), i)
			for next < len(run.Phase.Task) && int(run.Phase.Task[next]) == v && run.Phase.Start[next] < from {
				next++
			}
			preempted := next < len(run.Phase.Task) && int(run.Phase.Task[next]) == v && run.Phase.Start[next] == from && run.Phase.Kind.Index[next] == ready
			if !preempted && children.anyIn(int32(v), from, to) {
				all = append(all, wait{int32(v), from, to, trace.NoTime, forCreated, trace.None})
			}
		}
	}
	return all
}

// groupEvent is the kind of the events that say where taskgroups start.
const groupEvent = "taskgroup begin"

// findGroups finds where the taskgroups start whose ends are waited at: each is
// the last before that is still open.
func (w *waits) findGroups(run *trace.Run) {
	e := &run.Event
	open := map[int32][]int64{} // by task, the starts
	if kind := e.Kind.Find(groupEvent); kind >= 0 && e.Task != nil {
		for i, k := range e.Kind.Index {
			if v := e.Task[i]; k == kind && v >= 0 {
				open[v] = append(open[v], e.Time[i])
			}
		}
	}
	for i := range w.all {
		x := &w.all[i]
		if x.why != forGroup {
			continue
		}
		// Waits come in the order of their ends, so that groups inside are gone.
		starts := open[x.task]
		if k := interval.FirstAfter(starts, x.start) - 1; k >= 0 {
			x.since = starts[k]
			open[x.task] = slices.Delete(starts, k, k+1)
		}
	}
}

// findBarriers joins the waits at the same barrier: those of tasks of one team
// that were there at one time. All of a team arrive before the first goes on.
func (w *waits) findBarriers(run *trace.Run) {
	var rows []int32
	for i := range w.all {
		if w.all[i].why == forBarrier {
			rows = append(rows, int32(i))
		}
	}
	team := func(row int32) int32 { return parentOf(run, w.all[row].task) }
	slices.SortFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(team(a), team(b)), cmp.Compare(w.all[a].start, w.all[b].start), cmp.Compare(a, b))
	})
	last := map[int32]int{} // barrier that a task was at
	for i, row := range rows {
		at, n := &w.all[row], len(w.barrier)
		if before, ok := last[at.task]; i == 0 || team(rows[i-1]) != team(row) || at.start > w.barrier[n-1].release || ok && before == n-1 {
			w.barrier = append(w.barrier, barrier{release: forever})
			n++
		}
		b := &w.barrier[n-1]
		b.members, b.release = append(b.members, row), min(b.release, at.end)
		at.barrier, last[at.task] = int32(n-1), n-1
	}
}

func parentOf(run *trace.Run, v int32) int32 {
	if run.Task.Parent == nil {
		return trace.None
	}
	return run.Task.Parent[v]
}

// family are the tasks that each task created, in submission order.
type family struct {
	run *trace.Run
	at  []int32
	row []int32
}

func newFamily(run *trace.Run) *family {
	f := &family{run: run}
	if run.Task.Parent != nil {
		f.at, f.row = interval.Group(run.Task.Parent, len(run.Task.Start), nil)
	}
	return f
}

func (f *family) of(v int32) []int32 {
	if f.at == nil {
		return nil
	}
	return f.row[f.at[v]:f.at[v+1]]
}

// first is the position of the first child created at a time or later.
func (f *family) first(v int32, t int64) int {
	i, _ := slices.BinarySearchFunc(f.of(v), t, func(u int32, t int64) int { return cmp.Compare(created(&f.run.Task, u), t) })
	return i
}

// anyIn tells whether a child was created in [from, to).
func (f *family) anyIn(v int32, from, to int64) bool {
	i, all := f.first(v, from), f.of(v)
	return i < len(all) && created(&f.run.Task, all[i]) < to
}
