package panel

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dagscope/trace"
)

// within leaves out no piece that touches the window, and without overlap
// keeps none that does not.
func TestWithinOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b spanBuilder
		var next [3]int64
		apart := rapid.Bool().Draw(t, "apart")
		for i := range rapid.IntRange(0, 40).Draw(t, "n") {
			l := rapid.Int32Range(0, 2).Draw(t, "lane")
			start := rapid.Int64Range(-50, 50).Draw(t, "start")
			if apart {
				start = next[l] + rapid.Int64Range(0, 3).Draw(t, "gap")
			}
			end := start + rapid.Int64Range(0, 8).Draw(t, "length")
			next[l] = end
			b.add(l, start, end, 0, int32(i))
		}
		s := b.build(3)
		t0 := rapid.Int64Range(-60, 60).Draw(t, "t0")
		t1 := t0 + rapid.Int64Range(1, 60).Draw(t, "span")
		for l := range 3 {
			lo, hi := s.within(l, t0, t1)
			for i := int(s.from[l]); i < int(s.to[l]); i++ {
				touches := s.start[i] < t1 && s.end[i] > t0
				if inside := i >= lo && i < hi; touches && !inside || inside && !touches && !s.overlap[l] {
					t.Fatalf("[%d, %d) touches [%d, %d): %t, but returned: %t", s.start[i], s.end[i], t0, t1, touches, inside)
				}
			}
		}
	})
}

func TestSpansAreSortedByLaneAndStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b spanBuilder
		n := rapid.IntRange(0, 50).Draw(t, "n")
		for i := range n {
			b.add(rapid.Int32Range(0, 4).Draw(t, "lane"), rapid.Int64Range(0, 9).Draw(t, "start"), 10, 0, int32(i))
		}
		s := b.build(5)
		seen := slices.Clone(s.row)
		slices.Sort(seen)
		if len(seen) != n || len(slices.Compact(seen)) != n {
			t.Fatalf("%d rows came out of %d", len(seen), n)
		}
		for l := range 5 {
			for i := int(s.from[l]); i < int(s.to[l]); i++ {
				if b.lane[s.row[i]] != int32(l) || b.start[s.row[i]] != s.start[i] {
					t.Fatalf("piece %d is not what was added", i)
				}
				if i > int(s.from[l]) && s.start[i] < s.start[i-1] {
					t.Fatalf("lane %d is not sorted", l)
				}
			}
		}
	})
}

// Of nested states exactly the innermost is drawn at each instant.
func TestInnermostOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := nestedStates(t)
		lanes := &laneSet{lanes: make([]lane, 2), of: []int32{0, 1}}
		class := []uint8{0, 1, 2, 3, 4, 5, 6, 7}
		s := innermost(run, lanes, class)
		for l := range 2 {
			for at := int64(0); at < 64; at++ {
				want := int32(-1) // the last to start among those that are open
				for i := range run.State.Start {
					if run.State.Resource[i] == int32(l) && run.State.Start[i] <= at && run.State.End[i] > at {
						want = int32(i)
					}
				}
				got := int32(-1)
				for i := s.from[l]; i < s.to[l]; i++ {
					if s.start[i] <= at && s.end[i] > at {
						if got >= 0 {
							t.Fatalf("two states are drawn at %d", at)
						}
						got = s.row[i]
					}
				}
				if got != want {
					t.Fatalf("at %d on lane %d state %d is drawn, want %d", at, l, got, want)
				}
			}
		}
	})
}

// nestedStates makes properly nested states on two resources, in the order of
// the model.
func nestedStates(t *rapid.T) *trace.Run {
	run := &trace.Run{}
	s := &run.State
	var nest func(r int32, from, to int64, depth int32)
	nest = func(r int32, from, to int64, depth int32) {
		for at := from; at < to && depth < 4; {
			start := at + rapid.Int64Range(0, 6).Draw(t, "gap")
			end := start + rapid.Int64Range(0, 20).Draw(t, "length")
			if end > to {
				return
			}
			s.Resource = append(s.Resource, r)
			s.Type.Append("state")
			s.Kind.Append(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "kind"))
			s.Start, s.End, s.Depth = append(s.Start, start), append(s.End, end), append(s.Depth, depth)
			nest(r, start, end, depth+1)
			at = end + 1
		}
	}
	nest(0, 0, 64, 0)
	nest(1, 0, 64, 0)
	return run
}

func TestCompareNatural(t *testing.T) {
	want := []string{"", "CPU0", "CPU1", "CPU2", "CPU09", "CPU010", "CPU10", "CPU11", "CPU100", "CUDA0_0", "CUDA0_1", "CUDA10_0", "a1b2", "a1b10", "a2"}
	got := slices.Clone(want)
	for range 5 {
		slices.Reverse(got)
		slices.SortFunc(got, compareNatural)
		if !slices.Equal(got, want) {
			t.Fatalf("sorted to %q, want %q", got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[ab]?[0-9]{0,3}[_b]?[0-9]{0,2}`)
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if compareNatural(a, b) != -compareNatural(b, a) || (compareNatural(a, b) == 0) != (a == b) {
			t.Fatalf("%q and %q have no order", a, b)
		}
		if compareNatural(a, b) < 0 && compareNatural(b, c) < 0 && compareNatural(a, c) >= 0 {
			t.Fatalf("%q < %q < %q, but not the first before the last", a, b, c)
		}
	})
}
