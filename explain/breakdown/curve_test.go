package breakdown

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dagscope/internal/interval"
	"dagscope/trace/tracetest"
)

// In any interval the curves amount to what the breakdown of that interval
// says, architecture by architecture.
func TestCurvesAddUpToTheBreakdown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "tasks"))
		if rapid.Bool().Draw(t, "with phases") {
			run = drawRun(t)
		}
		run.Meta.Lifetimes = rapid.Bool().Draw(t, "lifetimes")
		o := Options{WaitingNotReady: rapid.Bool().Draw(t, "waiting not ready")}
		from := rapid.Int64Range(-50, 500).Draw(t, "from")
		to := from + rapid.Int64Range(1, 1000).Draw(t, "span")
		scope := rapid.SampledFrom([]Scope{Global, ByArch}).Draw(t, "scope")
		curves, unknown := Curves(run, o, scope)
		o.From, o.To = from, to
		whole := Compute(run, o)
		if unknown != whole.Unknown {
			t.Fatalf("%d tasks of unknown ready time, want %d", unknown, whole.Unknown)
		}
		for _, c := range curves {
			var want Parts
			n := 0
			for i, w := range whole.Workers {
				if run.Resource.Arch.At(int(w)) == c.Arch {
					want.add(whole.Cell[scope][i])
					n++
				}
			}
			cut := interval.Slices{From: from, To: to, Step: to - from}
			work := interval.Average(c.Work, cut, interval.ExistingPart)[0] * float64(to-from)
			over := interval.Average(c.Overhead, cut, interval.ExistingPart)[0] * float64(to-from)
			implicit := interval.Average(c.Implicit, cut, interval.ExistingPart)[0] * float64(to-from)
			present := float64(n) * float64(to-from)
			if run.Meta.Lifetimes {
				present = interval.Average(c.Present, cut, interval.ExistingPart)[0] * float64(to-from)
			}
			if math.Abs(implicit-float64(want.Implicit)) > 1e-6 || math.Abs(present-float64(want.Sum())) > 1e-6 {
				t.Fatalf("%s: implicit work %g, presence %g; want %d, %d", c.Arch, implicit, present, want.Implicit, want.Sum())
			}
			if n != c.Workers || math.Abs(work-float64(want.Work)) > 1e-6 || math.Abs(over-float64(want.Overhead)) > 1e-6 {
				t.Fatalf("%s: %d workers, work %g, overhead %g; want %d, %d, %d", c.Arch, c.Workers, work, over, n, want.Work, want.Overhead)
			}
		}
	})
}

// Threads that never lived are never held up, whatever was ready.
func TestCurvesOfThreadsThatNeverLived(t *testing.T) {
	run := tracetest.Random(3, 20)
	run.Meta.Lifetimes = true
	re := &run.Resource
	re.Start, re.End = make([]int64, len(re.Parent)), make([]int64, len(re.Parent))
	curves, _ := Curves(run, Options{}, Global)
	for _, c := range curves {
		for i, v := range c.Overhead.Value {
			if v != 0 {
				t.Fatalf("%s: %g workers are held up from %d on, none lived", c.Arch, v, c.Overhead.Time[i])
			}
		}
	}
}
