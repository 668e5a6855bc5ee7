package order_test

import (
	"math"
	"slices"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/workload/sparse"
)

// small and large are matrices that there are reference orderings of; of AMD
// there are those of the first five.
var (
	small = []string{"lp_afiro", "west0067", "ash219", "kneser_6_2_1", "lp_d2q06c", "TF14", "lp_dfl001", "bcsstk16",
		"ch7-6-b3", "Franz6_id1959_aug"}
	large = []string{"TF15", "kneser_8_3_1", "lap2d_200", "TF16", "TF17"}
)

// against is how much more than with a reference ordering there is, of entries
// of R and of flops, as factors.
type against struct{ entries, flops float64 }

// compare orders the matrices that have a reference ordering.
func compare(t *testing.T, names []string, name, reference string) []against {
	t.Helper()
	var found []against
	for _, matrix := range names {
		perm := testenv.Reference(t, "data/sparse/ref", matrix, reference, "perm.csv")
		m, err := sparse.ReadMatrix(testenv.Reference(t, "data/sparse/matrices", matrix+".mtx"))
		if err != nil {
			t.Fatal(err)
		}
		given, err := sparse.ReadPerm(perm, min(m.Rows, m.Cols))
		if err != nil {
			t.Fatal(err)
		}
		ours, err := sparse.Order(m, name)
		if err != nil {
			t.Fatal(err)
		}
		a, b := analyze(t, m, ours), analyze(t, m, given)
		f := against{float64(a.EntriesR) / float64(b.EntriesR), float64(a.Flops) / float64(b.Flops)}
		t.Logf("%-18s %s against %s: entries of R %11d %+6.1f %%, %9.3f GFlop %+6.1f %%", matrix, name, reference,
			a.EntriesR, 100*f.entries-100, float64(a.Flops)/1e9, 100*f.flops-100)
		found = append(found, f)
	}
	return found
}

func analyze(t *testing.T, m *sparse.Matrix, perm []int32) *sparse.Analysis {
	t.Helper()
	a, err := sparse.Analyze(m, perm, sparse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// bars are what orderings may cost against references.
func bars(t *testing.T, found []against, entries, worst, median float64) {
	t.Helper()
	var flops []float64
	for _, f := range found {
		flops = append(flops, f.flops)
		if f.entries > entries || f.flops > worst {
			t.Errorf("%.3f times the entries of R, want at most %g; %.3f times the flops, want at most %g", f.entries, entries, f.flops, worst)
		}
	}
	slices.Sort(flops)
	if m := flops[len(flops)/2]; m > median {
		t.Errorf("median of flops %.3f times the reference's, want at most %g", m, median)
	}
}

// sizes runs a test on the small matrices, and on the large ones with the slow
// tests.
func sizes(t *testing.T, test func(t *testing.T, matrices []string)) {
	t.Run("small", func(t *testing.T) { test(t, small) })
	t.Run("large", func(t *testing.T) {
		testenv.Slow(t)
		test(t, large)
	})
}

func TestColamdAgainstReference(t *testing.T) {
	sizes(t, compareColamd)
}

func compareColamd(t *testing.T, matrices []string) {
	found := compare(t, matrices, "colamd", "colamd")
	bars(t, found, 1.10, 1.25, 1.10)
	for _, f := range found {
		if math.Abs(f.entries-1) > 0.10 || math.Abs(f.flops-1) > 0.25 {
			t.Errorf("factors %+v: better is no closer to what the solver does", f)
		}
	}
}

func TestAMDAgainstReference(t *testing.T) {
	bars(t, compare(t, small[:5], "amd", "amd"), 1.10, 1.25, 1.10)
}

func TestNestedDissectionAgainstReference(t *testing.T) {
	sizes(t, func(t *testing.T, matrices []string) {
		bars(t, compare(t, matrices, "nd", "metis"), 1.25, 1.5, 1.05)
	})
}
