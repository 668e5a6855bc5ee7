package compare

import (
	"math"
	"strings"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// stretched makes every task of a chain take some time more or less.
func stretched(run *trace.Run, factor float64) *trace.Run {
	for i := range run.Task.Start {
		run.Task.End[i] = run.Task.Start[i] + int64(math.Round(float64(run.Task.End[i]-run.Task.Start[i])*factor))
	}
	run.Meta.Horizon *= 4
	return run
}

func TestInflation(t *testing.T) {
	for _, factor := range []float64{0.5, 1, 1.5, 3} {
		one, many := tracetest.Fork(20, 1), stretched(tracetest.Fork(30, 2), factor)
		for _, mirrored := range []bool{false, true} {
			a, b, base := one, many, "A"
			if mirrored {
				a, b, base = many, one, "B"
			}
			r := compared(t, a, b, Options{})
			f := r.Inflation
			if f == nil || f.One != base || math.Abs(f.Factor-factor) > 1e-9 || f.Usual != 320 || len(f.Kinds) != 3 {
				t.Fatalf("inflation %+v, want %v times 320 ns", f, factor)
			}
			last := r.Words[len(r.Words)-1]
			if strings.HasPrefix(last, "Work inflation") != (factor > 1) {
				t.Errorf("factor %v: %q", factor, last)
			}
			if factor > 1 && f.Kinds[0].Kind != "branch" {
				t.Errorf("most in %+v, want branch", f.Kinds[0])
			}
		}
	}
}

func TestNoInflationOfEquals(t *testing.T) {
	for _, workers := range []int{1, 3} {
		if r := compared(t, tracetest.Fork(20, workers), tracetest.Fork(20, workers), Options{}); r.Inflation != nil {
			t.Errorf("%d workers in both runs: inflation %+v", workers, r.Inflation)
		}
	}
	if r := compared(t, tracetest.Chain(3), tracetest.Fork(5, 2), Options{}); r.Inflation != nil {
		t.Errorf("no kind in both runs: inflation %+v", r.Inflation)
	}
}
