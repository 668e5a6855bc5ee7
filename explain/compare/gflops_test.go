package compare

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// At every row, and between rows, the work done is the sum over the tasks that
// have ended.
func TestWorkIsCumulated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := tracetest.Sparse(tracetest.SparseOptions{Seed: rapid.Uint64().Draw(t, "a"), Depth: 2, Workers: rapid.IntRange(1, 4).Draw(t, "workers")})
		b := tracetest.Sparse(tracetest.SparseOptions{Seed: rapid.Uint64().Draw(t, "b"), Depth: 3})
		done := func(run *trace.Run, at int64) (sum float64) {
			for i, w := range run.Task.GFlop {
				if w > 0 && run.Task.End[i] <= at {
					sum += w
				}
			}
			return sum
		}
		c, ok := Work(a, b, false)
		if !ok {
			t.Fatal("no work")
		}
		last := int64(math.MinInt64)
		for i, at := range c.Time {
			if at <= last {
				t.Fatalf("time %d comes after %d", at, last)
			}
			last = at
			for _, probe := range []int64{at, (at + c.Time[min(i+1, len(c.Time)-1)]) / 2} {
				row := c.At(probe)
				x, y := done(a, probe), done(b, probe)
				want := y - x
				if c.AFaster {
					want = -want
				}
				if math.Abs(c.A[row]-x)+math.Abs(c.B[row]-y)+math.Abs(c.Difference[row]-want) > 1e-9 {
					t.Fatalf("at %d: %g and %g, %g ahead, want %g and %g", probe, c.A[row], c.B[row], c.Difference[row], x, y)
				}
			}
		}
		if c.At(-1) != -1 {
			t.Fatal("work is done before any task ends")
		}
	})
}

func TestWorkOfRunsThatDeclareNone(t *testing.T) {
	a, b := tracetest.Chain(3), tracetest.Chain(3)
	a.Task.GFlop = nil
	if _, ok := Work(a, b, false); ok {
		t.Error("runs without work are compared")
	}
}
