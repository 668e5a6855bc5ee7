package workload

import (
	"math"
	"testing"

	"dagscope/internal/stat"
)

// ofKinds is a graph of independent tasks of these kinds, in this order.
func ofKinds(kinds ...string) *Graph {
	g := &Graph{AccessAt: []int32{0}}
	class := make(map[string]int32)
	for _, kind := range kinds {
		if _, known := class[kind]; !known {
			class[kind] = int32(len(g.Classes))
			g.Classes = append(g.Classes, Class{Kind: kind})
		}
		g.Class = append(g.Class, class[kind])
		g.AccessAt = append(g.AccessAt, 0)
	}
	return g
}

// Factors have mean 1 and the coefficient of variation that was asked for.
func TestNoiseHasItsMoments(t *testing.T) {
	g := ofKinds("gemm")
	for len(g.Class) < 200_000 {
		g.Class, g.AccessAt = append(g.Class, 0), append(g.AccessAt, 0)
	}
	for _, cv := range []float64{0.001, 0.05, 0.3, 1} {
		m := stat.Summarize(g.Perturbed(cv, 7).Factor)
		// Standard errors of mean and deviation of 200 000, generously.
		if math.Abs(m.Mean-1) > 5*cv/math.Sqrt(200_000) || math.Abs(m.SD/cv-1) > 0.03 {
			t.Errorf("cv %g: found mean %g, deviation %g", cv, m.Mean, m.SD)
		}
	}
}

// What a task draws hangs on its kind and its number among that kind alone: not
// on other kinds, nor on the order of classes.
func TestNoiseBelongsToTasks(t *testing.T) {
	a := ofKinds("a", "b", "a", "b", "b").Perturbed(0.2, 3)
	b := ofKinds("x", "b", "x", "a", "a", "b", "b", "b").Perturbed(0.2, 3)
	for _, pair := range [][2]int{{0, 3}, {1, 1}, {2, 4}, {3, 5}, {4, 6}} {
		if a.Factor[pair[0]] != b.Factor[pair[1]] {
			t.Errorf("task %d draws %g, the same task in another graph %g", pair[0], a.Factor[pair[0]], b.Factor[pair[1]])
		}
	}
	seen := make(map[float64]bool)
	for seed := range uint64(50) {
		for _, f := range b.Perturbed(0.2, seed).Factor {
			if seen[f] {
				t.Fatalf("seed %d: factor %g was drawn before", seed, f)
			}
			seen[f] = true
		}
	}
}

// Noise multiplies what tasks differ by anyway, leaves tasks without work alone,
// and the graph as it was.
func TestNoiseMultipliesFactors(t *testing.T) {
	g := ofKinds("a", "a", "a")
	plain := g.Perturbed(0.1, 1).Factor
	g.Factor, g.Sync = []float64{2, 1, 3}, []bool{false, true, false}
	got := g.Perturbed(0.1, 1).Factor
	for i, want := range []float64{2 * plain[0], 1, 3 * plain[2]} {
		if got[i] != want {
			t.Errorf("task %d: found factor %g, want %g", i, got[i], want)
		}
	}
	if g.Factor[0] != 2 || g.Perturbed(0, 1).Factor[0] != 2 {
		t.Errorf("the graph itself has changed")
	}
}
