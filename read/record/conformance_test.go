package record_test

import (
	"fmt"
	"slices"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/ompt/event"
)

const (
	complete   = event.StatusComplete
	cancelled  = event.StatusCancel
	detached   = event.StatusDetach
	early      = event.StatusEarlyFulfill
	lateFull   = event.StatusLateFulfill
	waitedFor  = event.StatusTaskwaitComplete
	in         = event.DepIn
	inout      = event.DepInout
	mutexinout = event.DepMutexinoutset
	inoutset   = event.DepInoutset
)

// construct is a program of testdata/conformance and what of it must be recorded,
// however it was scheduled.
type construct struct {
	name        string
	env         []string
	since       int // version of libomp that can run it
	created     int // explicit tasks
	undeferred  int // of any sort; -1: as it comes
	pseudo      int // of taskwait depend
	target      int
	ended       map[uint8]int
	dependences [][]uint8
	edges       int // of the true graph
	more        func(t *testing.T, version int, events []event.Event)
}

var constructs = []construct{
	{name: "chain", created: 6, ended: map[uint8]int{complete: 6}, edges: 7,
		dependences: [][]uint8{{inout}, {in}, {in}, {in}, {inout, inout}, {in}}},
	{name: "mutexinoutset", created: 5, ended: map[uint8]int{complete: 5}, edges: 6,
		dependences: [][]uint8{{inout}, {mutexinout}, {mutexinout}, {mutexinout}, {in}}},
	{name: "inoutset", created: 5, ended: map[uint8]int{complete: 5}, edges: 6,
		dependences: [][]uint8{{inout}, {inoutset}, {inoutset}, {inoutset}, {in}}},
	{name: "late", created: 2, ended: map[uint8]int{complete: 2}, edges: 1, dependences: [][]uint8{{inout}, {in}},
		more: waits(event.SyncTaskwait, 1)},
	{name: "taskwait", created: 7, ended: map[uint8]int{complete: 7}, more: waits(event.SyncTaskwait, 3)},
	{name: "taskgroup", created: 7, ended: map[uint8]int{complete: 7}, more: group},
	{name: "undeferred", created: 4, undeferred: 3, ended: map[uint8]int{complete: 4}, more: final},
	{name: "ifdepend", since: 16, created: 2, undeferred: 2, pseudo: 1, edges: 1,
		ended: map[uint8]int{complete: 2, waitedFor: 1}, dependences: [][]uint8{{inout}, {in}}},
	{name: "untied", created: 4, ended: map[uint8]int{complete: 4}, more: untied},
	{name: "detach", created: 3, edges: 1, ended: map[uint8]int{complete: 2, detached: 1, early: 1, lateFull: 1},
		dependences: [][]uint8{{inout}, {in}}, more: foreign},
	{name: "cancel", env: []string{"OMP_CANCELLATION=true"}, created: 8, more: discarded},
	{name: "priority", created: 8, ended: map[uint8]int{complete: 8}},
	{name: "taskloop", created: 4, ended: map[uint8]int{complete: 4}, more: loop},
	{name: "nested", created: 8, ended: map[uint8]int{complete: 8}, more: regions(3)},
	{name: "taskwait_depend", since: 16, created: 3, undeferred: 1, pseudo: 1, edges: 2,
		ended: map[uint8]int{complete: 3, waitedFor: 1}, dependences: [][]uint8{{inout}, {inout}, {in}, {in}}},
	{name: "outside", created: 4, undeferred: 4, ended: map[uint8]int{complete: 4}, edges: 1,
		dependences: [][]uint8{{inout}, {in}}, more: regions(2)},
	{name: "target", since: 19, created: 1, target: 1, undeferred: -1, edges: 1, ended: map[uint8]int{complete: 2},
		dependences: [][]uint8{{inout}, {in}}},
	{name: "depobj", created: 12, ended: map[uint8]int{complete: 12}, edges: 11, more: eleven},
	{name: "manydeps", created: 51, ended: map[uint8]int{complete: 51}, edges: 50, more: fiveThousand},
	{name: "allmemory", since: 15, created: 4, ended: map[uint8]int{complete: 4}, edges: 3},
	{name: "throttle", created: 2000, undeferred: -1, ended: map[uint8]int{complete: 2000}},
	{name: "reduction", created: 5, ended: map[uint8]int{complete: 5}},
	{name: "critical", created: 2, ended: map[uint8]int{complete: 2}, more: waits(event.SyncBarrierExplicit, 2)},
}

// Every construct on every libomp there is.
func TestConformance(t *testing.T) {
	for _, runtime := range needRuntimes(t) {
		t.Run(fmt.Sprintf("libomp%d", runtime.version), func(t *testing.T) {
			for _, c := range constructs {
				t.Run(c.name, func(t *testing.T) { c.check(t, runtime) })
			}
		})
	}
}

func (c construct) check(t *testing.T, runtime libomp) {
	if runtime.version < c.since {
		testenv.Missing(t, fmt.Sprintf("libomp %d", c.since), "", "put its package into /opt/libomp")
	}
	r := recordProgram(t, session{program: c.name, env: c.env, runtime: runtime})
	events := r.events()
	f := follow(t, events)
	if f.created != c.created || f.pseudo != c.pseudo || f.target != c.target {
		t.Errorf("found %d tasks, %d pseudo tasks, %d target tasks, want %d, %d, %d", f.created, f.pseudo, f.target, c.created, c.pseudo, c.target)
	}
	if c.undeferred >= 0 && f.undeferred != c.undeferred {
		t.Errorf("found %d undeferred tasks, want %d", f.undeferred, c.undeferred)
	}
	if c.ended != nil && !equal(f.ended, c.ended) {
		t.Errorf("tasks ended by status: %v, want %v", f.ended, c.ended)
	}
	if c.dependences != nil && !slices.EqualFunc(f.dependences, c.dependences, slices.Equal) {
		t.Errorf("types of dependences %v, want %v", f.dependences, c.dependences)
	}
	if run := r.run(); len(run.Dep.From) != c.edges {
		t.Errorf("found %d edges, want %d", len(run.Dep.From), c.edges)
	}
	if c.more != nil {
		c.more(t, runtime.version, events)
	}
}

func count(events []event.Event, is func(e event.Event) bool) (n int) {
	for _, e := range events {
		if is(e) {
			n++
		}
	}
	return n
}

// waits: so many waits of a kind, each with its end.
func waits(kind uint8, want int) func(*testing.T, int, []event.Event) {
	return func(t *testing.T, _ int, events []event.Event) {
		for _, typ := range []event.Type{event.WaitBegin, event.WaitEnd} {
			if n := count(events, func(e event.Event) bool { return e.Type == typ && e.Kind == kind }); n != want {
				t.Errorf("found %d events of type %d and kind %d, want %d", n, typ, kind, want)
			}
		}
	}
}

// group: begins before its tasks, waits, ends.
func group(t *testing.T, _ int, events []event.Event) {
	var order []event.Type
	for _, e := range events {
		if e.Kind == event.SyncTaskgroup && e.Type >= event.SyncBegin && e.Type <= event.WaitEnd {
			order = append(order, e.Type)
		}
	}
	want := []event.Type{event.SyncBegin, event.WaitBegin, event.WaitEnd, event.SyncEnd}
	if !slices.Equal(order, want) {
		t.Errorf("found the group's events %v, want %v", order, want)
	}
}

func flagged(events []event.Event, flag uint32) int {
	return count(events, func(e event.Event) bool { return e.Type == event.TaskCreate && e.Flags&flag != 0 })
}

func final(t *testing.T, _ int, events []event.Event) {
	if n := flagged(events, event.FlagFinal); n != 3 {
		t.Errorf("found %d final tasks, want 3", n)
	}
}

func untied(t *testing.T, _ int, events []event.Event) {
	if n := flagged(events, event.FlagUntied); n != 2 {
		t.Errorf("found %d untied tasks, want 2", n)
	}
}

// foreign: the late event comes from a thread that is none of OpenMP's.
func foreign(t *testing.T, _ int, events []event.Event) {
	begun := map[int32]bool{}
	for _, e := range events {
		if e.Type == event.ThreadBegin {
			begun[e.Thread] = true
		}
		if e.Type == event.TaskSchedule && e.Kind == lateFull && begun[e.Thread] {
			t.Errorf("thread %d fulfilled the event, want one without thread_begin", e.Thread)
		}
	}
}

// discarded: one task cancels the group; each of the others is complete, cancelled
// while it ran, or discarded, which the cancel event before it says.
func discarded(t *testing.T, _ int, events []event.Event) {
	f := follow(t, events)
	if f.ended[complete]+f.ended[cancelled] != 8 || f.ended[cancelled] == 0 {
		t.Errorf("tasks ended by status: %v, want 8 complete or cancelled", f.ended)
	}
	activated := count(events, func(e event.Event) bool {
		return e.Type == event.Cancel && e.Flags == event.CancelTaskgroup|event.CancelActivated
	})
	dropped := count(events, func(e event.Event) bool {
		return e.Type == event.Cancel && e.Flags == event.CancelTaskgroup|event.CancelDiscardedTask
	})
	if activated != 1 || dropped >= f.ended[cancelled] {
		t.Errorf("found %d activations and %d discarded of %d cancelled, want 1 and fewer", activated, dropped, f.ended[cancelled])
	}
}

// loop: the work event of the taskloop, which names it.
func loop(t *testing.T, _ int, events []event.Event) {
	const taskloop = 7
	begins := count(events, func(e event.Event) bool {
		return e.Type == event.Work && e.Kind == taskloop && e.Value == 1 && e.Code != 0
	})
	if begins != 1 {
		t.Errorf("found %d taskloops with a code pointer, want 1", begins)
	}
}

// regions: so many begin and end, and as many implicit tasks as their teams say.
func regions(want int) func(*testing.T, int, []event.Event) {
	return func(t *testing.T, _ int, events []event.Event) {
		teams := map[uint64]int64{}
		members := map[uint64]int64{}
		ends := 0
		for _, e := range events {
			switch {
			case e.Type == event.ImplicitBegin && e.Kind == event.TaskImplicit:
				teams[e.Parallel] = e.Value
				members[e.Parallel]++
			case e.Type == event.ParallelEnd:
				ends++
			}
		}
		if len(teams) != want || ends != want {
			t.Errorf("found %d regions and %d ends, want %d", len(teams), ends, want)
		}
		for p, size := range teams {
			if members[p] != size {
				t.Errorf("region %x: found %d implicit tasks of a team of %d", p, members[p], size)
			}
		}
	}
}

func widest(events []event.Event) (most []event.Dep) {
	for _, e := range events {
		if e.Type == event.Dependences && len(e.Deps) > len(most) {
			most = e.Deps
		}
	}
	return most
}

// eleven: ten neighbours from the iterator, in order, and the object's.
func eleven(t *testing.T, _ int, events []event.Event) {
	deps := widest(events)
	ints := 0
	for i := 1; i < len(deps); i++ {
		if deps[i].Address == deps[i-1].Address+4 {
			ints++
		}
	}
	if len(deps) != 11 || ints < 9 {
		t.Errorf("found %d dependences, %d of neighbours, want 11 and 9", len(deps), ints)
	}
}

// fiveThousand: what does not fit one record is one event all the same.
func fiveThousand(t *testing.T, _ int, events []event.Event) {
	deps := widest(events)
	if len(deps) != 5000 {
		t.Fatalf("found %d dependences, want 5000", len(deps))
	}
	for i := 1; i < len(deps); i++ {
		if deps[i].Type != in || deps[i].Address != deps[i-1].Address+1 {
			t.Fatalf("dependence %d is %+v after %+v, want the next address, in", i, deps[i], deps[i-1])
		}
	}
}
