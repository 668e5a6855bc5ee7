package memory

import (
	"cmp"
	"slices"
	"testing"

	"dagscope/internal/interval"
	"dagscope/trace"

	"pgregory.net/rapid"
)

// machine is a node with so many memories, whose managers are the resources 2,
// 4, 6, …
func machine(run *trace.Run, memories int) {
	var b trace.Builder
	node := b.AddResource(trace.None, trace.LevelNode, "node", "", 0, trace.None)
	for m := range int32(memories) {
		memory := b.AddResource(node, trace.LevelMemory, "mn", "", 0, m)
		b.AddResource(memory, trace.LevelMemoryManager, "mm", "", 0, m)
	}
	run.Resource = b.Run.Resource
}

// random draws a run of coherence events in order of time, some of them at the
// same instant, with registrations and ends of handles.
func random(t *rapid.T) *trace.Run {
	run := &trace.Run{}
	memories, handles := rapid.IntRange(1, 3).Draw(t, "memories"), rapid.IntRange(1, 3).Draw(t, "handles")
	machine(run, memories)
	for range handles {
		run.Handle.Key.Append("a")
		run.Handle.Node = append(run.Handle.Node, 0)
		run.Handle.Home = append(run.Handle.Home, rapid.Int32Range(-1, 3).Draw(t, "home"))
	}
	e, now := &run.Event, int64(0)
	add := func(kind string, place, handle int32) {
		e.Kind.Append(kind)
		e.Resource, e.Time = append(e.Resource, place), append(e.Time, now)
		e.Handle = append(e.Handle, handle)
	}
	for h := range handles {
		if rapid.Bool().Draw(t, "registered") {
			add(eventRegistration, 0, int32(h))
		}
	}
	for range rapid.IntRange(0, 30).Draw(t, "events") {
		now += rapid.Int64Range(0, 3).Draw(t, "pause") * rapid.SampledFrom([]int64{1, 400, 2000}).Draw(t, "unit")
		add(rapid.SampledFrom([]string{eventOwner, eventShared, eventInvalid}).Draw(t, "kind"),
			2+2*rapid.Int32Range(0, int32(memories)-1).Draw(t, "place"), rapid.Int32Range(0, int32(handles)-1).Draw(t, "handle"))
	}
	for h := range handles {
		if rapid.Bool().Draw(t, "ended") {
			now += rapid.Int64Range(0, 5).Draw(t, "last pause")
			add(eventEnd, 0, int32(h))
		}
	}
	run.Meta.Horizon = now + 10
	return run
}

// stateAt looks through all events for the state of a copy at an instant.
func stateAt(run *trace.Run, handle, place int32, t int64) State {
	e, state, seen := &run.Event, Invalid, false
	names := map[string]State{eventOwner: Owner, eventShared: Shared, eventInvalid: Invalid}
	ends := run.Meta.Horizon
	begin := trace.NoTime
	touched := false
	for i := range e.Time {
		if e.Handle[i] != handle {
			continue
		}
		switch s, coherence := names[e.Kind.At(i)]; {
		case e.Kind.At(i) == eventEnd:
			ends = min(ends, e.Time[i])
		case e.Kind.At(i) == eventRegistration:
			begin = e.Time[i]
		case coherence && e.Resource[i] == place:
			touched = true
			if e.Time[i] <= t {
				state, seen = s, true
			}
		}
	}
	home := run.Handle.Home[handle] >= 0 && run.Handle.Home[handle]*2+2 == place
	switch {
	case t >= ends:
		return Invalid
	case !seen && touched && home && begin != trace.NoTime && begin <= t:
		return Owner
	}
	return state
}

// TestStaysAreTheLastEvents compares the state at every instant.
func TestStaysAreTheLastEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := random(t)
		r := Stays(run, Exact)
		at := slices.Clone(run.Event.Time)
		for _, time := range run.Event.Time {
			at = append(at, time-1, time+1)
		}
		for h := range int32(len(run.Handle.Node)) {
			for _, place := range Places(run) {
				for _, time := range at {
					if got, want := r.StateAt(h, place, time), stateAt(run, h, place, time); got != want {
						t.Fatalf("handle %d in %d at %d: %v, want %v", h, place, time, got, want)
					}
				}
			}
		}
		for i := range r.Handle {
			if r.Start[i] >= r.End[i] {
				t.Fatalf("stay %d is empty", i)
			}
		}
	})
}

// TestSharesIntegrateTheState sums the state of every nanosecond.
func TestSharesIntegrateTheState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := random(t)
		for i := range run.Event.Time {
			run.Event.Time[i] /= 50
		}
		run.Meta.Horizon = run.Meta.Horizon/50 + 10
		r := Stays(run, Exact)
		cut := interval.Slices{From: rapid.Int64Range(-5, 20).Draw(t, "from")}
		cut.To = cut.From + rapid.Int64Range(1, 80).Draw(t, "length")
		cut.Step = rapid.Int64Range(1, 30).Draw(t, "step")
		got := r.Cut(cut)
		type key struct{ handle, place, slice int32 }
		want := map[key][2]int64{}
		for h := range int32(len(run.Handle.Node)) {
			for _, place := range Places(run) {
				for at := cut.From; at < cut.To; at++ {
					k := key{h, place, int32(cut.At(at))}
					v := want[k]
					switch stateAt(run, h, place, at) {
					case Owner:
						v[0]++
					case Shared:
						v[1]++
					default:
						continue
					}
					want[k] = v
				}
			}
		}
		if len(want) != len(got.Handle) {
			t.Fatalf("%d rows, want %d", len(got.Handle), len(want))
		}
		for i := range got.Handle {
			if v := want[key{got.Handle[i], got.Place[i], got.Slice[i]}]; v != [2]int64{got.Owner[i], got.Shared[i]} {
				t.Fatalf("row %d: owner %d shared %d, want %v", i, got.Owner[i], got.Shared[i], v)
			}
		}
	})
}

// TestCopiesCount compares the number of copies with the stays that hold an
// instant.
func TestCopiesCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := random(t)
		r, places := Stays(run, Exact), Places(run)
		for p, f := range r.Copies(places) {
			for _, time := range run.Event.Time {
				want := 0.0
				for i := range r.Handle {
					if r.Place[i] == places[p] && r.Start[i] <= time && time < r.End[i] {
						want++
					}
				}
				got := 0.0
				if n := interval.FirstAfter(f.Time, time); n > 0 {
					got = f.Value[n-1]
				}
				if got != want {
					t.Fatalf("copies in place %d at %d: %g, want %g", p, time, got, want)
				}
			}
		}
	})
}

// TestActionsOfHand checks the pairing of events that overlap, what failed and
// what was repeated.
func TestActionsOfHand(t *testing.T) {
	run := &trace.Run{}
	machine(run, 2)
	run.Meta.Horizon = 100
	for h, home := range []int32{0, -1} {
		run.Handle.Key.Append("a")
		run.Handle.X, run.Handle.Y = append(run.Handle.X, int32(h)), append(run.Handle.Y, 0)
		run.Handle.Node, run.Handle.Home = append(run.Handle.Node, 0), append(run.Handle.Home, home)
	}
	e := &run.Event
	for _, x := range []struct {
		time          int64
		kind          string
		place, handle int32
		info          string
	}{
		{0, eventRegistration, 0, 0, ""},
		{10, "Allocating Start", 4, 0, "1"}, {12, "Allocating End", 4, 0, "4294967284"},
		{13, "Allocating Start", 4, 0, "0"}, {15, "Allocating End", 4, 0, "64"},
		{15, "DriverCopy Start", 4, 0, "7"}, {16, "DriverCopy Start", 4, 0, "8"},
		{20, "DriverCopy End", 4, 0, "7"}, {25, "DriverCopy End", 4, 0, "8"},
		{25, eventShared, 2, 0, ""}, {25, eventShared, 4, 0, ""},
		{40, "WritingBack Start", 4, 0, "0"}, {42, eventInvalid, 4, 0, ""}, {42, eventOwner, 2, 0, ""}, {43, "WritingBack End", 4, 0, "0"},
		{50, "Allocating Start", 4, 0, "0"}, {51, "Allocating End", 4, 0, "64"}, {60, eventShared, 4, 0, ""},
		{70, "Free Start", 4, 1, ""},
		// A task writes to the copy while the manager writes it back: it changes
		// its state at one instant and is not dropped.
		{80, "WritingBack Start", 4, 0, "0"}, {82, eventInvalid, 2, 0, ""}, {82, eventInvalid, 4, 0, ""}, {82, eventOwner, 4, 0, ""},
		{84, eventShared, 2, 0, ""}, {84, eventShared, 4, 0, ""}, {85, "WritingBack End", 4, 0, "0"},
	} {
		e.Kind.Append(x.kind)
		e.Resource, e.Time, e.Handle = append(e.Resource, x.place), append(e.Time, x.time), append(e.Handle, x.handle)
		e.Info.Append(x.info)
	}
	a := FindActions(run)
	type action struct {
		kind       string
		start, end int64
		outcome    Outcome
	}
	want := []action{{Allocating, 10, 12, Failed}, {Allocating, 13, 15, Done}, {Copying, 15, 20, Unknown}, {Copying, 16, 25, Unknown},
		{WritingBack, 40, 43, Unknown}, {Allocating, 50, 51, Done}, {Freeing, 70, 100, Unknown}, {WritingBack, 80, 85, Unknown}}
	var got []action
	for i := range a.Place {
		got = append(got, action{a.Kind.At(i), a.Start[i], a.End[i], a.Outcome[i]})
	}
	if !slices.Equal(got, want) {
		t.Errorf("actions %v, want %v", got, want)
	}
	r := Stays(run, Exact)
	c := Count(run, r, a, FindUses(run), Always, Forever)
	var ram, gpu int
	for i := range c.Handle {
		switch {
		case c.Handle[i] == 0 && c.Place[i] == 2:
			ram = i
		case c.Handle[i] == 0 && c.Place[i] == 4:
			gpu = i
		}
	}
	if c.Present[ram] != 82+16 || c.Owned[ram] != 25+40 || c.Stays[ram] != 2 {
		t.Errorf("in RAM %d ns, %d as owner, %d stays", c.Present[ram], c.Owned[ram], c.Stays[ram])
	}
	for name, v := range map[string][2]int64{"present": {c.Present[gpu], 17 + 40}, "allocations": {c.Allocations[gpu], 3}, "failed": {c.Failed[gpu], 1},
		"repeated": {c.Repeated[gpu], 1}, "evictions": {c.Evictions[gpu], 1}, "refetches": {c.Refetches[gpu], 1}, "stays": {c.Stays[gpu], 2}} {
		if v[0] != v[1] {
			t.Errorf("%s: %d, want %d", name, v[0], v[1])
		}
	}
	// The copy is evicted at 42 and comes again at 60.
	for _, w := range []struct{ from, to, evictions, refetches int64 }{{0, 42, 0, 0}, {42, 60, 1, 0}, {43, 60, 0, 0}, {43, 61, 0, 1}, {61, 100, 0, 0}} {
		c := Count(run, r, a, FindUses(run), w.from, w.to)
		var evictions, refetches int64
		for i := range c.Handle {
			evictions, refetches = evictions+c.Evictions[i], refetches+c.Refetches[i]
		}
		if evictions != w.evictions || refetches != w.refetches {
			t.Errorf("%+v: %d evictions, %d refetches", w, evictions, refetches)
		}
	}
}

// A window counts the accesses and transfers that start in it; the last use of
// a copy is the end of a task there or of a transfer from there, whichever is
// later, inside the window or not.
func TestCountsOfAWindow(t *testing.T) {
	for _, c := range []struct {
		from, to                    int64
		uses, out, after, afterTask int64 // after: with the transfer that ends at 60, and without
		dead                        int64 // after the task elsewhere that ends at 80
	}{
		{Always, Forever, 2, 1, 40, 70, 20}, {0, 100, 2, 1, 40, 70, 20}, {0, 15, 1, 0, 0, 0, 0}, {20, 50, 1, 1, 0, 20, 0}, {22, 50, 0, 1, 0, 20, 0},
		{41, 100, 0, 0, 40, 59, 20},
	} {
		for _, moves := range []bool{true, false} {
			run := &trace.Run{}
			machine(run, 2)
			run.Meta.Horizon = 100
			run.Handle.Key.Append("a")
			run.Handle.Node, run.Handle.Home = []int32{0}, []int32{0}
			run.Event.Kind.Append(eventOwner)
			run.Event.Resource, run.Event.Time, run.Event.Handle = []int32{2}, []int64{0}, []int32{0}
			run.Task.Start, run.Task.End = []int64{10, 20, 70}, []int64{20, 30, 80}
			if moves {
				x := &run.Transfer
				x.Kind.Append(trace.TransferFetch)
				x.From, x.To, x.Start, x.End, x.Bytes, x.Handle = []int32{2}, []int32{4}, []int64{40}, []int64{60}, []int64{7}, []int32{0}
			}
			u := &Uses{At: []int32{0, 3}, Task: []int32{0, 1, 2}, Place: []int32{2, 2, 4}}
			got := Count(run, Stays(run, Exact), FindActions(run), u, c.from, c.to)
			at := slices.Index(got.Place, 2)
			out, after := c.out, c.after
			if !moves {
				out, after = 0, c.afterTask
			}
			if got.Uses[at] != c.uses || got.Out[at] != out || got.OutBytes[at] != 7*out || got.After[at] != after || got.Dead[at] != c.dead {
				t.Errorf("[%d, %d), moves %v: %d uses, %d out, %d bytes, %d ns after, %d dead; want %+v", c.from, c.to, moves, got.Uses[at],
					got.Out[at], got.OutBytes[at], got.After[at], got.Dead[at], c)
			}
		}
	}
}

// TestLabels checks what labels tell apart and what finds them again.
func TestLabels(t *testing.T) {
	run := &trace.Run{}
	for _, h := range []struct {
		name string
		x, y int32
		node int32
	}{{"A", 0, 0, 0}, {"A", 1, 0, 0}, {"B", 1, 0, 0}, {"v", trace.NoInt, trace.NoInt, 0}, {"", trace.NoInt, trace.NoInt, 0}, {"A", 0, 0, 1}} {
		run.Handle.Key.Append("k" + h.name)
		run.Handle.Name.Append(h.name)
		run.Handle.X, run.Handle.Y = append(run.Handle.X, h.x), append(run.Handle.Y, h.y)
		run.Handle.Node = append(run.Handle.Node, h.node)
	}
	l := NewLabels(run)
	if want := []string{"0,0", "A 1,0", "B 1,0", "v", "#4", "0,0"}; !slices.Equal(l.text, want) {
		t.Errorf("labels %q, want %q", l.text, want)
	}
	for text, want := range map[string][]int32{"0,0": {0, 5}, "0 0": {0, 5}, "1,0": {1}, "B 1,0": {2}, "v": {3}, "4": {4}, "#4": {4}, "kB": {2}, "9,9": nil} {
		if got := l.Find(text); !slices.Equal(got, want) {
			t.Errorf("find %q: %v, want %v", text, got, want)
		}
	}
}

// TestUsesAreInOrder checks the order of uses and the modes that write.
func TestUsesAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := &trace.Run{}
		machine(run, 1)
		run.Handle.Node = []int32{0, 0}
		n := rapid.IntRange(0, 10).Draw(t, "accesses")
		for i := range n {
			ta := &run.Task
			ta.Worker = append(ta.Worker, rapid.SampledFrom([]int32{trace.None, 1}).Draw(t, "worker"))
			ta.Start = append(ta.Start, rapid.Int64Range(0, 5).Draw(t, "start"))
			ta.End = append(ta.End, ta.Start[i]+1)
			ta.Internal = append(ta.Internal, rapid.Bool().Draw(t, "internal"))
			run.Access.Task, run.Access.Handle = append(run.Access.Task, int32(i)), append(run.Access.Handle, rapid.Int32Range(0, 1).Draw(t, "handle"))
			run.Access.Mode.Append(rapid.SampledFrom([]string{"R", "RW"}).Draw(t, "mode"))
		}
		u := FindUses(run)
		for h := range int32(2) {
			var want []int32
			for i := range n {
				if run.Access.Handle[i] == h && run.Task.Worker[i] >= 0 && !run.Task.Internal[i] {
					want = append(want, int32(i))
				}
			}
			slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(run.Task.Start[a], run.Task.Start[b]) })
			from, to := u.Of(h)
			if !slices.Equal(u.Task[from:to], want) {
				t.Fatalf("uses of %d: %v, want %v", h, u.Task[from:to], want)
			}
			for i := from; i < to; i++ {
				if u.Place[i] != 2 || u.Mode.At(i) != run.Access.Mode.At(int(u.Task[i])) {
					t.Fatalf("use %d: place %d mode %s", i, u.Place[i], u.Mode.At(i))
				}
			}
		}
	})
}
