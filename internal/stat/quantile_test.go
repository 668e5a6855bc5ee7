package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// R: quantile(c(9,1,4,4,7,2.5,11), c(0,.05,.25,.5,.75,.95,1))
func TestQuantilesAgainstR(t *testing.T) {
	x := []float64{9, 1, 4, 4, 7, 2.5, 11}
	p := []float64{0, .05, .25, .5, .75, .95, 1}
	want := []float64{1, 1.45, 3.25, 4, 8, 10.4, 11}
	got := make([]float64, len(p))
	Quantiles(x, p, got)
	for i := range p {
		if math.Abs(got[i]-want[i]) > 1e-14*want[i] {
			t.Errorf("quantile %g is %v, want %v", p[i], got[i], want[i])
		}
	}
}

func TestQuantileOfNothing(t *testing.T) {
	if q := Quantile([]int64{}, 0.5); !math.IsNaN(q) {
		t.Errorf("median of nothing is %v, want NaN", q)
	}
	if q := Quantile([]int64{7}, 0.95); q != 7 {
		t.Errorf("95%% quantile of one 7 is %v", q)
	}
}

// Selection must agree with a full sort, whatever the order and the repetition.
func TestQuantilesEqualSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		distinct := rapid.Int64Range(1, 5000).Draw(t, "distinct")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		x := make([]int64, n)
		for i := range x {
			x[i] = rng.Int64N(distinct) - distinct/2
		}
		switch rapid.IntRange(0, 2).Draw(t, "order") {
		case 1:
			slices.Sort(x)
		case 2:
			slices.Sort(x)
			slices.Reverse(x)
		}
		sorted := slices.Clone(x)
		slices.Sort(sorted)
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 8).Draw(t, "p")
		got := make([]float64, len(p))
		Quantiles(x, p, got)
		for i := range p {
			if want := SortedQuantile(sorted, p[i]); got[i] != want {
				t.Fatalf("quantile %g of %d values is %v, want %v", p[i], n, got[i], want)
			}
		}
		slices.Sort(x)
		if !slices.Equal(x, sorted) {
			t.Fatal("values were lost")
		}
	})
}

func TestSummarize(t *testing.T) {
	// A large offset must not swallow the deviation (the naive formula gives 0).
	x := []float64{1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4}
	m := Summarize(x)
	if m.Mean != 1e9+2.5 || math.Abs(m.SD-1.2909944487358056) > 1e-15 || m.Min != 1e9+1 || m.Max != 1e9+4 || m.N != 4 {
		t.Errorf("got %+v", m)
	}
	if m := Summarize([]int64{5}); m.Mean != 5 || !math.IsNaN(m.SD) {
		t.Errorf("one value: %+v, want mean 5 and no deviation", m)
	}
	if m := Summarize([]int64{}); !math.IsNaN(m.Mean) || m.Sum != 0 {
		t.Errorf("no value: %+v, want sum 0 and no mean", m)
	}
}

func TestSumCompensates(t *testing.T) {
	x := make([]float64, 1<<16)
	for i := range x {
		x[i] = 0.1
	}
	if s := Sum(x); math.Abs(s-6553.6) > 1e-9 {
		t.Errorf("sum of 65536 tenths is %.15g", s)
	}
}

func BenchmarkQuantiles1e7(b *testing.B) {
	src := make([]int64, 1e7)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range src {
		src[i] = int64(1e6 * math.Exp(rng.NormFloat64()))
	}
	x, out := make([]int64, len(src)), make([]float64, 4)
	for b.Loop() {
		copy(x, src)
		Quantiles(x, []float64{0.25, 0.5, 0.75, 0.95}, out)
	}
}
