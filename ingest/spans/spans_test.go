package spans

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"dagscope/ingest/assemble"
	"dagscope/trace"
)

// made is a change as the test makes it.
type made struct {
	stream         int32
	op             Op
	time           int64
	kind, extended int32
}

// plain is the oracle: for each stream in turn, a stack of open rows, each
// appended when it begins.
func plain(p *assemble.Parts, streams int32, changes []made) {
	s := &p.State
	for stream := range streams {
		var mine []made
		for _, c := range changes {
			if c.stream == stream {
				mine = append(mine, c)
			}
		}
		slices.SortStableFunc(mine, func(x, y made) int { return cmp.Compare(x.time, y.time) })
		var open []int // rows
		end := func(t int64) {
			row := open[len(open)-1]
			open = open[:len(open)-1]
			s.End[row] = max(t, s.Start[row])
		}
		begin := func(c made) {
			s.Depth = append(s.Depth, int32(len(open)))
			open = append(open, len(s.Start))
			s.Container = append(s.Container, stream)
			s.Type.AppendIndex(0)
			s.Kind.AppendIndex(c.kind)
			s.Start, s.End = append(s.Start, c.time), append(s.End, trace.NoTime)
			s.Extended = append(s.Extended, c.extended)
		}
		for _, c := range mine {
			if c.op == Set && len(open) > 0 {
				top := open[len(open)-1]
				if s.Start[top] == c.time && s.Kind.Index[top] == c.kind && s.Extended[top] == trace.None && c.extended != trace.None {
					s.Extended[top] = c.extended
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
				begin(c)
			}
		}
		for _, row := range open {
			if s.Extended[row] != trace.None {
				p.Unfinished = append(p.Unfinished, int32(row))
			}
		}
		for len(open) > 0 {
			end(p.Horizon)
		}
	}
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
