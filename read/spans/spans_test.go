package spans

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"dagscope/read/assemble"
	"dagscope/trace"
)

// made is a change as the test makes it.
type made struct {
	stream         int32
	op             Op
	time           int64
	kind, extended int32
}

// span is a row of the oracle.
type span struct {
	start, end            int64
	kind, depth, extended int32
	unfinished            bool
}

// plain is the oracle: for each stream in turn, a stack of open spans, which
// are sorted by start and depth in the end.
func plain(p *assemble.Parts, streams int32, changes []made) {
	for stream := range streams {
		var mine []made
		for _, c := range changes {
			if c.stream == stream {
				mine = append(mine, c)
			}
		}
		slices.SortStableFunc(mine, func(x, y made) int { return cmp.Compare(x.time, y.time) })
		all := plainSpans(mine, p.Horizon)
		slices.SortStableFunc(all, func(x, y *span) int {
			return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.depth, y.depth))
		})
		s := &p.State
		for _, x := range all {
			if x.unfinished && x.extended != trace.None {
				p.Unfinished = append(p.Unfinished, int32(len(s.Start)))
			}
			s.Container = append(s.Container, stream)
			s.Type.AppendIndex(0)
			s.Kind.AppendIndex(x.kind)
			s.Start, s.End = append(s.Start, x.start), append(s.End, x.end)
			s.Depth, s.Extended = append(s.Depth, x.depth), append(s.Extended, x.extended)
		}
	}
}

// plainSpans are the spans of a stream, as they begin.
func plainSpans(changes []made, horizon int64) (all []*span) {
	var open []*span
	end := func(t int64) {
		x := open[len(open)-1]
		open = open[:len(open)-1]
		x.end = max(t, x.start)
	}
	for _, c := range changes {
		if c.op == Set && len(open) > 0 {
			top := open[len(open)-1]
			if top.start == c.time && top.kind == c.kind && top.extended == trace.None && c.extended != trace.None {
				top.extended = c.extended
				continue
			}
		}
		switch {
		case c.op == Reset:
			for len(open) > 0 {
				end(c.time)
			}
		case c.op != Push && len(open) > 0:
			end(c.time)
		}
		if c.op == Set || c.op == Push {
			x := &span{start: c.time, kind: c.kind, depth: int32(len(open)), extended: c.extended}
			all, open = append(all, x), append(open, x)
		}
	}
	for len(open) > 0 {
		open[len(open)-1].unfinished = true
		end(horizon)
	}
	return all
}

func parts(streams int32) *assemble.Parts {
	p := &assemble.Parts{Horizon: 5000}
	for range streams {
		p.Container.Parent = append(p.Container.Parent, trace.None)
		p.Container.Name.Append("c")
		p.Container.Start, p.Container.End = append(p.Container.Start, 0), append(p.Container.End, trace.NoTime)
	}
	p.State.Type.Intern(assemble.WorkerState)
	for _, kind := range []string{"Idle", "GEMM", "Overhead"} {
		p.State.Kind.Intern(kind)
	}
	return p
}

// Random changes, more than two chunks of them in the longest stream, in time
// order or nearly, make the spans that the oracle makes.
func TestBuildAsPlain(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		const streams = 3
		var s Streams
		for c := range int32(streams) {
			s.Stream(c, 0, 0)
		}
		var changes []made
		now := int64(0)
		for range rng.IntN(3 * chunk) {
			now += int64(rng.IntN(2))
			c := made{int32(rng.IntN(4)) / 2, Op(rng.IntN(int(seed%4) + 1)), now, int32(rng.IntN(3)), trace.None}
			if rng.IntN(3) == 0 {
				c.extended = int32(rng.IntN(9))
			}
			if seed%2 == 1 && rng.IntN(50) == 0 {
				c.time -= int64(rng.IntN(9))
			}
			changes = append(changes, c)
			i := s.Add(c.stream, c.op, c.time, c.kind, trace.None, uint16(seed%3))
			s.Extend(c.stream, i, c.extended)
		}
		want, got := parts(streams), parts(streams)
		plain(want, streams, changes)
		s.Build(got, Options{})
		if !equal(got, want) {
			t.Fatalf("seed %d: %d spans differ from the oracle's %d", seed, len(got.State.Start), len(want.State.Start))
		}
	}
}

func equal(got, want *assemble.Parts) bool {
	g, w := &got.State, &want.State
	return slices.Equal(g.Container, w.Container) && slices.Equal(g.Kind.Index, w.Kind.Index) &&
		slices.Equal(g.Start, w.Start) && slices.Equal(g.End, w.End) && slices.Equal(g.Depth, w.Depth) &&
		slices.Equal(g.Extended, w.Extended) && slices.Equal(got.Unfinished, want.Unfinished)
}

// The tally tells by origin what became of changes: a task's bare change is
// merged, the extended one a task; a pop too many is bad. Sorting keeps origins.
func TestTally(t *testing.T) {
	for _, late := range []bool{false, true} {
		p := parts(1)
		var s Streams
		st := s.Stream(0, 0, 0)
		s.Add(st, Pop, 1, trace.None, trace.None, 7)
		s.Add(st, Set, 10, 1, trace.None, 3)
		s.Add(st, Set, 10, 1, 0, 4)
		if late {
			s.Add(st, Set, 20, 0, trace.None, 3)
			s.Add(st, Set, 15, 2, trace.None, 3)
		}
		tally := s.Build(p, Options{})
		want := &Tally{Tasks: []int64{0, 0, 0, 0, 1}, Merged: []int64{0, 0, 0, 1}, Bad: []int64{0, 0, 0, 0, 0, 0, 0, 1}}
		if !reflect.DeepEqual(tally, want) {
			t.Errorf("late %v: found %v, want %v", late, tally, want)
		}
	}
}

// States of a container end with one that holds it.
func TestEndsWithParent(t *testing.T) {
	p := parts(2)
	p.Container.Parent[1], p.Container.End[0] = 0, 100
	var s Streams
	s.Add(s.Stream(1, 0, 0), Set, 10, 0, trace.None, 0)
	s.Build(p, Options{})
	if !slices.Equal(p.State.End, []int64{100}) {
		t.Errorf("found ends %v, want 100", p.State.End)
	}
}

// Where time stands still, rows that come too late for their place are appended:
// no instant takes time that grows with the square of its rows.
func TestManyInOneInstant(t *testing.T) {
	p := parts(1)
	var s Streams
	st := s.Stream(0, 0, 0)
	const n = 50_000
	for range n {
		s.Add(st, Push, 5, 1, trace.None, 0)
		s.Add(st, Push, 5, 2, trace.None, 0)
		s.Add(st, Pop, 5, trace.None, trace.None, 0)
		s.Add(st, Pop, 5, trace.None, trace.None, 0)
	}
	s.Build(p, Options{})
	late := 0
	depth := [2]int{}
	for i, d := range p.State.Depth {
		depth[d]++
		if i > 0 && d < p.State.Depth[i-1] {
			late++
		}
		if p.State.Kind.Index[i] != d+1 {
			t.Fatalf("row %d of depth %d has kind %d", i, d, p.State.Kind.Index[i])
		}
	}
	if depth != [2]int{n, n} || late == 0 {
		t.Errorf("found %v rows by depth, %d of them late, want %d each, some late", depth, late, n)
	}
}
