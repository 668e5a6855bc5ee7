package utilization_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dagscope/explain/utilization"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// One node's numbers, by plain loops over its tasks.
func TestNodesAreThoseOfTheirTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Cholesky(tracetest.Options{Tiles: rapid.IntRange(1, 7).Draw(t, "tiles"), Nodes: rapid.IntRange(1, 5).Draw(t, "nodes"),
			CPUs: rapid.IntRange(1, 3).Draw(t, "cpus"), Seed: rapid.Uint64().Draw(t, "seed")})
		s, err := utilization.ByNode(run, utilization.NodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for n, node := range s.Node {
			tasks, busy, end := int64(0), int64(0), trace.NoTime
			for i, w := range run.Task.Worker {
				if w >= 0 && run.Resource.Node[w] == node && run.Task.Counted(i) {
					tasks, busy, end = tasks+1, busy+run.Task.End[i]-run.Task.Start[i], max(end, run.Task.End[i])
				}
			}
			if s.Tasks[n] != tasks || s.Busy[n] != busy || s.End[n] != end {
				t.Fatalf("node %d: %d tasks, %d ns, end %d; want %d, %d, %d", node, s.Tasks[n], s.Busy[n], s.End[n], tasks, busy, end)
			}
			// On workers of one class the area bound is all work over all workers.
			if want := float64(busy) / float64(s.Workers[n]); math.Abs(s.ABE[n]-want) > 1e-6*want {
				t.Fatalf("node %d: bound %g, want %g", node, s.ABE[n], want)
			}
			if tasks > 0 && math.Abs(s.Gap(n)-(1-s.ABE[n]/float64(end))) > 1e-12 || tasks == 0 && s.Gap(n) != 0 {
				t.Fatalf("node %d: gap %g", node, s.Gap(n))
			}
		}
	})
}
