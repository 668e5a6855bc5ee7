package kit

import (
	"math"
	"math/rand/v2"
	"testing"

	"dagscope/internal/interval"
	"dagscope/trace/tracetest"

	"pgregory.net/rapid"
)

// Counting open intervals gives what interval.Concurrency does.
func TestCompactConcurrency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s interval.Spans
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for range random.IntN(600) {
			start := random.Int64N(900)
			s.Start, s.End = append(s.Start, start), append(s.End, start+random.Int64N(40)-2)
		}
		want, got := NewCompact(interval.Concurrency(s)), CompactConcurrency(s)
		for at := int64(-5); at < 1000; at++ {
			if got.At(at) != want.At(at) {
				t.Fatalf("at %d %g are open, want %g", at, got.At(at), want.At(at))
			}
		}
		if got.n != want.n {
			t.Fatalf("%d changes, want %d", got.n, want.n)
		}
	})
}

// A cursor that is moved stands where a new one would.
func TestMovedCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := NewCompact(drawLongSteps(t))
		k := c.Cursor(math.MinInt64)
		at := int64(-100)
		for range 30 {
			at += rapid.SampledFrom([]int64{0, 1, 7, 400, 1 << 40}).Draw(t, "gap")
			k.MoveTo(at)
			if k.value != c.At(at) {
				t.Fatalf("at %d %g, want %g", at, k.value, c.At(at))
			}
			to := at + rapid.Int64Range(1, 900).Draw(t, "length")
			area, low, high := k.Column(at, to)
			if a, l, h := c.Cursor(at).Column(at, to); math.Abs(a-area) > 1e-6 || l != low || h != high {
				t.Fatalf("[%d, %d) %g %g %g, want %g %g %g", at, to, area, low, high, a, l, h)
			}
			at = to
		}
	})
}

// A curve of the tasks of a run takes some five bytes a change, a third of its
// times and values.
func TestCompactIsSmall(t *testing.T) {
	run := tracetest.CholeskyTasks(20_000, tracetest.Options{})
	s := interval.Spans{Start: run.Task.Submit, End: run.Task.End}
	c := CompactConcurrency(s)
	if bytes := cap(c.data) + 48*cap(c.blocks); c.n < 30_000 || bytes > 6*c.n {
		t.Fatalf("%d changes take %d bytes", c.n, bytes)
	}
}

// Times a century apart leave no room for steps beside them.
func TestCompactOfFarTimes(t *testing.T) {
	s := interval.Spans{Start: []int64{math.MinInt64 + 1, 5}, End: []int64{-7, math.MaxInt64}}
	for _, c := range []*Compact{CompactConcurrency(s), NewCompact(interval.Concurrency(s))} {
		for at, want := range map[int64]float64{math.MinInt64 + 1: 1, -8: 1, -7: 0, 4: 0, 5: 1, math.MaxInt64 - 1: 1, math.MaxInt64: 0} {
			if got := c.At(at); got != want {
				t.Errorf("at %d: %g, want %g", at, got, want)
			}
		}
	}
}
