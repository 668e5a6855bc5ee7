package panel

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"dagscope/explain/breakdown"
	"dagscope/internal/interval"
	"dagscope/trace/tracetest"
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
		want, got := newCompact(interval.Concurrency(s)), compactConcurrency(s)
		for at := int64(-5); at < 1000; at++ {
			if got.at(at) != want.at(at) {
				t.Fatalf("at %d %g are open, want %g", at, got.at(at), want.at(at))
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
		c := newCompact(drawLongSteps(t))
		k := c.cursor(math.MinInt64)
		at := int64(-100)
		for range 30 {
			at += rapid.SampledFrom([]int64{0, 1, 7, 400, 1 << 40}).Draw(t, "gap")
			k.moveTo(at)
			if k.value != c.at(at) {
				t.Fatalf("at %d %g, want %g", at, k.value, c.at(at))
			}
			to := at + rapid.Int64Range(1, 900).Draw(t, "length")
			area, low, high := k.column(at, to)
			if a, l, h := c.cursor(at).column(at, to); math.Abs(a-area) > 1e-6 || l != low || h != high {
				t.Fatalf("[%d, %d) %g %g %g, want %g %g %g", at, to, area, low, high, a, l, h)
			}
			at = to
		}
	})
}

// Overhead that follows from the work and the times with a ready task is the
// curve that the analysis makes.
func TestOverheadFollowsFromWork(t *testing.T) {
	found := false
	for seed := range uint64(20) {
		run := tracetest.Random(seed, 120)
		curves, _ := breakdown.Curves(run, breakdown.Options{}, breakdown.Global)
		all, _ := breakdownCurves(run, &Options{})
		if len(all) != 1 || all[0].overhead != nil {
			t.Fatalf("seed %d: %d curves", seed, len(all))
		}
		t0, t1, _ := Extent(run)
		g := newGrid(t0-3, t1+5, 61)
		got := all[0].overheads(g)
		want := make([]float64, g.columns())
		for i := range curves {
			for k, mean := range newCompact(curves[i].Overhead).reduce(g).mean {
				want[k] += mean
			}
		}
		for k := range want {
			found = found || want[k] > 0
			if math.Abs(got[k]-want[k]) > 1e-9 {
				t.Fatalf("seed %d, column %d: %g, want %g", seed, k, got[k], want[k])
			}
		}
		for at := t0; at < t1; at += max(1, (t1-t0)/40) {
			sum := 0.0
			for i := range curves {
				sum += newCompact(curves[i].Overhead).at(at)
			}
			if v := all[0].overheadAt(at); v != sum {
				t.Fatalf("seed %d at %d: %g, want %g", seed, at, v, sum)
			}
		}
	}
	if !found {
		t.Fatal("no run has overhead")
	}
}

// A curve of the tasks of a run takes some five bytes a change, a third of its
// times and values.
func TestCompactIsSmall(t *testing.T) {
	run := tracetest.CholeskyTasks(20_000, tracetest.Options{})
	s := interval.Spans{Start: run.Task.Submit, End: run.Task.End}
	c := compactConcurrency(s)
	if bytes := cap(c.data) + 48*cap(c.blocks); c.n < 30_000 || bytes > 6*c.n {
		t.Fatalf("%d changes take %d bytes", c.n, bytes)
	}
}

// Times a century apart leave no room for steps beside them.
func TestCompactOfFarTimes(t *testing.T) {
	s := interval.Spans{Start: []int64{math.MinInt64 + 1, 5}, End: []int64{-7, math.MaxInt64}}
	for _, c := range []*compact{compactConcurrency(s), newCompact(interval.Concurrency(s))} {
		for at, want := range map[int64]float64{math.MinInt64 + 1: 1, -8: 1, -7: 0, 4: 0, 5: 1, math.MaxInt64 - 1: 1, math.MaxInt64: 0} {
			if got := c.at(at); got != want {
				t.Errorf("at %d: %g, want %g", at, got, want)
			}
		}
	}
}
