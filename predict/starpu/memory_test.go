package starpu_test

import (
	"runtime"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
)

// TestBytesPerTask bounds what a simulation allocates, with its graph, over its
// whole life: it cannot need more memory than that at once.
func TestBytesPerTask(t *testing.T) {
	for _, of := range []struct {
		scheduler string
		most      float64 // bytes a task
	}{{"lws", 200}, {"eager", 200}, {"dmdas", 210}} {
		t.Run(of.scheduler, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			g, err := workload.Cholesky(workload.Tiled{Tiles: 60})
			if err != nil {
				t.Fatal(err)
			}
			p, err := policy.New(of.scheduler, policy.Options{})
			if err != nil {
				t.Fatal(err)
			}
			d := make(starpu.Durations, len(g.Classes))
			for c := range d {
				d[c] = []float64{float64(10+c) * ms}
			}
			if _, err := starpu.Run(g, platform.Plain(12), d, p, starpu.DefaultOptions()); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			got := float64(after.TotalAlloc-before.TotalAlloc) / float64(g.Tasks())
			t.Logf("%.0f bytes a task", got)
			if got > of.most {
				t.Errorf("found %.0f bytes a task, want %.0f at most", got, of.most)
			}
		})
	}
}
