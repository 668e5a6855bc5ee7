package progress

import (
	"math"
	"testing"

	"dagscope/explain/breakdown"
	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/trace/tracetest"
)

// Overhead that follows from the work and the times with a ready task is the
// curve that the analysis makes.
func TestOverheadFollowsFromWork(t *testing.T) {
	found := false
	for seed := range uint64(20) {
		run := tracetest.Random(seed, 120)
		curves, _ := breakdown.Curves(run, breakdown.Options{}, breakdown.Global)
		all, _ := breakdownCurves(run, &core.Options{})
		if len(all) != 1 || all[0].overhead != nil {
			t.Fatalf("seed %d: %d curves", seed, len(all))
		}
		t0, t1, _ := panels.Extent(run)
		g := kit.NewGrid(t0-3, t1+5, 61)
		got := all[0].overheads(g)
		want := make([]float64, g.Columns())
		for i := range curves {
			for k, mean := range kit.NewCompact(curves[i].Overhead).Reduce(g).Mean {
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
				sum += kit.NewCompact(curves[i].Overhead).At(at)
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
