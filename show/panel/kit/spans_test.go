package kit

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// within leaves out no piece that touches the window, and without overlap
// keeps none that does not.
func TestWithinOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b SpanBuilder
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
			b.Add(l, start, end, 0, int32(i))
		}
		s := b.Build(3)
		t0 := rapid.Int64Range(-60, 60).Draw(t, "t0")
		t1 := t0 + rapid.Int64Range(1, 60).Draw(t, "span")
		for l := range 3 {
			lo, hi := s.Within(l, t0, t1)
			for i := int(s.From[l]); i < int(s.To[l]); i++ {
				touches := s.Start[i] < t1 && s.End[i] > t0
				if inside := i >= lo && i < hi; touches && !inside || inside && !touches && !s.Overlap[l] {
					t.Fatalf("[%d, %d) touches [%d, %d): %t, but returned: %t", s.Start[i], s.End[i], t0, t1, touches, inside)
				}
			}
		}
	})
}

func TestSpansAreSortedByLaneAndStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b SpanBuilder
		n := rapid.IntRange(0, 50).Draw(t, "n")
		for i := range n {
			b.Add(rapid.Int32Range(0, 4).Draw(t, "lane"), rapid.Int64Range(0, 9).Draw(t, "start"), 10, 0, int32(i))
		}
		s := b.Build(5)
		seen := slices.Clone(s.Row)
		slices.Sort(seen)
		if len(seen) != n || len(slices.Compact(seen)) != n {
			t.Fatalf("%d rows came out of %d", len(seen), n)
		}
		for l := range 5 {
			for i := int(s.From[l]); i < int(s.To[l]); i++ {
				if b.lane[s.Row[i]] != int32(l) || b.start[s.Row[i]] != s.Start[i] {
					t.Fatalf("piece %d is not what was added", i)
				}
				if i > int(s.From[l]) && s.Start[i] < s.Start[i-1] {
					t.Fatalf("lane %d is not sorted", l)
				}
			}
		}
	})
}
