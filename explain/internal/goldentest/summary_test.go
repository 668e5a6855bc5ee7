package goldentest

import (
	"math"
	"testing"

	"dagscope/diagnose/report"
	"dagscope/explain/internal/golden"
	"dagscope/internal/testenv"
	"dagscope/read"
)

// TestSummaries compares the key numbers of two larger runs, for which only a
// table exists (milliseconds to three places, StarVZ 0.8.4; idleness counts the
// workers of the run as both do here: all of them ran, or none of an
// architecture did).
func TestSummaries(t *testing.T) {
	for _, c := range []struct {
		name            string
		tasks, outliers int64
		makespan, zero  float64 // ms
		idle, abe, cpb  float64 // %, ms
		path            int
	}{
		{"sg-mirage-n30-dmdas", 4960, 3, 4196.478, 0.888, 7.904, 3866.607, 2021.261, 37},
		{"sgmpi-np8-n40-dmdas", 11480, 66, 2777.000, 41.997, 84.018, 1239.269, 941.346, 148},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.tasks > 10_000 {
				testenv.Slow(t)
			}
			run, err := read.Read(golden.Path(t, "starpu", c.name), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var o report.Options
			report.LikeStarVZ(run, &o)
			r := report.Compute(c.name, run, o)
			long := int64(0)
			for _, out := range r.Outliers {
				long += out.Count
			}
			if int64(r.Tasks) != c.tasks || long != c.outliers || len(r.LastPath) != c.path {
				t.Errorf("found %d tasks, %d outliers, a last path of %d; wanted %d, %d, %d", r.Tasks, long, len(r.LastPath), c.tasks, c.outliers, c.path)
			}
			for what, v := range map[string][2]float64{
				"makespan": {float64(r.Makespan) / ms, c.makespan}, "zero": {float64(r.Meta.Origin) / ms, c.zero},
				"ABE": {float64(r.Bounds.ABE) / ms, c.abe}, "CPB": {float64(r.Bounds.CPB) / ms, c.cpb},
				"idleness": {100 * r.IdleShare, c.idle},
			} {
				if math.Abs(v[0]-v[1]) > 0.00051 {
					t.Errorf("%s: found %.6f, wanted %.3f", what, v[0], v[1])
				}
			}
		})
	}
}
