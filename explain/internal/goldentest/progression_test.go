package goldentest

import (
	"math"
	"slices"
	"testing"

	"dagscope/explain/internal/golden"
	"dagscope/explain/progression"
	"dagscope/explain/schedule"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

// severalNodes are runs of several nodes.
func severalNodes(t *testing.T, f func(t *testing.T, run *trace.Run)) {
	t.Run("np2", func(t *testing.T) {
		f(t, readNodes(t, testenv.Repo("testdata/starpu/nativempi-np2-n8-lws")))
	})
	for _, name := range []string{"sgmpi-np2-n8-dmdas", "sgmpi-np4-n20-dmdas", "sgmpi-np8-n40-dmdas", "sgmpi-np30-n50-t640-dmdas"} {
		t.Run(name, func(t *testing.T) {
			testenv.Slow(t)
			f(t, readNodes(t, golden.Path(t, "starpu", name)))
		})
	}
}

func readNodes(t *testing.T, path string) *trace.Run {
	t.Helper()
	run, err := read.Read(path, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// copies makes a run of so many nodes that all do what one node of a run did:
// its workers, its tasks at their times. Those of a group take twice as long for
// everything from an instant on.
func copies(from *trace.Run, node int32, nodes int32, slow []int32, at int64) *trace.Run {
	run := &trace.Run{}
	for n := range nodes {
		worker := map[int32]int32{}
		for r := range from.Resource.Parent {
			if from.Resource.Node[r] == node && from.Resource.Level.At(r) == trace.LevelWorker {
				worker[int32(r)] = int32(len(run.Resource.Parent))
				run.Resource.Parent, run.Resource.Node = append(run.Resource.Parent, trace.None), append(run.Resource.Node, n)
				run.Resource.Name.Append(from.Resource.Name.At(r))
				run.Resource.Arch.Append(from.Resource.Arch.At(r))
				run.Resource.Level.Append(trace.LevelWorker)
			}
		}
		late := func(t int64) int64 {
			if t > at && slices.Contains(slow, n) {
				return at + 2*(t-at)
			}
			return t
		}
		t := &from.Task
		for i, w := range t.Worker {
			if to, ok := worker[w]; ok && t.Counted(i) {
				c := &run.Task
				c.Worker, c.Node = append(c.Worker, to), append(c.Node, n)
				c.Kind.Append(t.Kind.At(i))
				c.Start, c.End = append(c.Start, late(t.Start[i])), append(c.End, late(t.End[i]))
				c.Generation, c.Internal = append(c.Generation, false), append(c.Internal, false)
			}
		}
	}
	return run
}

// TestSlowGroupOfRealNodesSeparates: copies of each node of real runs keep
// pace until a known instant from which a known group is slow. Exactly that
// group is the slower cluster from when it is behind by more than the density
// blurs, and no node leaves before.
func TestSlowGroupOfRealNodesSeparates(t *testing.T) {
	severalNodes(t, func(t *testing.T, run *trace.Run) {
		whole, err := progression.Compute(run, progression.Options{NoBounds: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, node := range whole.Node[:min(len(whole.Node), 4)] {
			group, at := []int32{3, 7, 8}, schedule.Makespan(run)/2
			r, err := progression.Compute(copies(run, node, 12, group, at), progression.Options{NoBounds: true, Weights: progression.ByCount})
			if err != nil {
				t.Fatal(err)
			}
			separated := false
			for s, time := range r.Time {
				behind := math.Abs(r.Progress[s][3] - r.Progress[s][0])
				switch {
				case time <= at && len(r.Size[s]) != 1:
					t.Fatalf("node %d: %d clusters before anyone is slow", node, len(r.Size[s]))
				case behind < 0.03:
					continue
				}
				separated = true
				for i, n := range r.Node {
					if len(r.Size[s]) != 2 || (r.Cluster[s][i] == 0) != slices.Contains(group, n) {
						t.Fatalf("node %d, instant %d: clusters %v, slow are %v", node, s, r.Cluster[s], group)
					}
				}
			}
			if !separated {
				t.Errorf("node %d: the group never separates", node)
			}
		}
	})
}

// TestClustersOfRealNodesMergeWithTheBandwidth: from a cluster for each node to
// one for all.
func TestClustersOfRealNodesMergeWithTheBandwidth(t *testing.T) {
	severalNodes(t, func(t *testing.T, run *trace.Run) {
		most := math.MaxInt
		for _, h := range []float64{1e-6, 1e-4, 0.003, 0.01, 0.03, 0.1, 0.5} {
			r, err := progression.Compute(run, progression.Options{Bandwidth: h, NoBounds: true})
			if err != nil {
				t.Fatal(err)
			}
			clusters := 0
			for s := range r.Size {
				clusters += len(r.Size[s])
			}
			if clusters > most {
				t.Errorf("%d clusters with bandwidth %g, %d with less", clusters, h, most)
			}
			if most = clusters; h == 1e-6 && clusters < len(r.Node)*6 || h == 0.5 && clusters != len(r.Time) {
				t.Errorf("%d clusters of %d nodes at %d instants with bandwidth %g", clusters, len(r.Node), len(r.Time), h)
			}
		}
	})
}
