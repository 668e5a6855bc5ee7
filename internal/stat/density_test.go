package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// density is the estimate itself, but for a factor.
func density(values []float64, t, h float64) (sum float64) {
	for _, v := range values {
		sum += math.Exp(-(v - t) * (v - t) / (2 * h * h))
	}
	return sum
}

// naiveGroups climbs from each value to its mode, as mean shift does, and gives
// values with the same mode the same group. Modes that lie close together are
// about to merge: which values they have is a matter of rounding, and ok false.
func naiveGroups(values []float64, h float64) (group []int32, ok bool) {
	mode := make([]float64, len(values))
	for i, t := range values {
		for range 20000 {
			sum, weight := 0.0, 0.0
			for _, v := range values {
				w := math.Exp(-(v - t) * (v - t) / (2 * h * h))
				sum, weight = sum+v*w, weight+w
			}
			if next := sum / weight; math.Abs(next-t) < 1e-12*h {
				break
			} else {
				t = next
			}
		}
		mode[i] = t
	}
	sorted := slices.Sorted(slices.Values(mode))
	for k := 1; k < len(sorted); k++ {
		if apart := sorted[k] - sorted[k-1]; apart > h/100 && apart < h/4 {
			return nil, false
		}
	}
	group = make([]int32, len(values))
	for i, m := range mode {
		for k := 1; k < len(sorted) && sorted[k-1] < m-h/100; k++ {
			if sorted[k]-sorted[k-1] > h/100 {
				group[i]++
			}
		}
	}
	return group, true
}

func TestModalClustersAreThoseOfMeanShift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		values := make([]float64, rapid.IntRange(1, 25).Draw(t, "values"))
		for i := range values {
			values[i] = float64(random.IntN(3)) * random.Float64()
		}
		h := rapid.Float64Range(0.003, 0.6).Draw(t, "h")
		got, minima := ModalClusters(values, h)
		for _, m := range minima {
			if density(values, m, h) < 0.02 {
				continue // far from all values, where any place divides them
			}
			if density(values, m, h) > density(values, m-h/50, h)*(1+1e-9) || density(values, m, h) > density(values, m+h/50, h)*(1+1e-9) {
				t.Fatalf("%g is no minimum of %v with %g", m, values, h)
			}
		}
		if want, ok := naiveGroups(values, h); ok && !slices.Equal(got, want) {
			t.Fatalf("groups of %v with %g are %v, want %v", values, h, got, want)
		}
	})
}

// Two values are one group up to twice the bandwidth apart (the density of two
// equal normal distributions has two modes beyond two standard deviations).
func TestTwoValuesSplitBeyondTwoBandwidths(t *testing.T) {
	for _, c := range []struct {
		distance float64
		groups   int
	}{{1, 0}, {1.99, 0}, {2.02, 1}, {7, 1}, {9, 1}, {1e6, 1}} {
		if _, minima := ModalClusters([]float64{0, c.distance}, 1); len(minima) != c.groups {
			t.Errorf("values %g bandwidths apart have minima %v", c.distance, minima)
		}
	}
}

func TestModalClustersOfNothingMuch(t *testing.T) {
	for _, h := range []float64{0, -1, math.NaN(), 0.01, math.Inf(1)} {
		for _, v := range [][]float64{nil, {0.3}, {0.3, 0.3, 0.3}} {
			if group, minima := ModalClusters(v, h); len(group) != len(v) || len(minima) != 0 {
				t.Errorf("%v with %g: groups %v, minima %v", v, h, group, minima)
			}
		}
	}
}

// exactSheatherJones solves the same equation with all pairs as they are.
func exactSheatherJones(x []float64) float64 {
	n := float64(len(x))
	functional := func(h, order float64, term func(float64) float64) float64 {
		sum := 0.0
		for _, a := range x {
			for _, b := range x {
				z := (a - b) / h
				sum += math.Exp(-z*z/2) * term(z*z)
			}
		}
		return sum / (n * (n - 1) * math.Pow(h, order) * math.Sqrt(2*math.Pi))
	}
	fourth := func(d float64) float64 { return d*d - 6*d + 3 }
	sixth := func(d float64) float64 { return d*d*d - 15*d*d + 45*d - 15 }
	scale := spread(x)
	ratio := functional(1.24*scale*math.Pow(n, -1.0/7), 5, fourth) / -functional(1.23*scale*math.Pow(n, -1.0/9), 7, sixth)
	alpha := 1.357 * math.Pow(ratio, 1.0/7)
	high := 1.144 * scale * math.Pow(n, -0.2)
	return root(func(h float64) float64 {
		return math.Pow(1/(2*math.Sqrt(math.Pi)*n)/functional(alpha*math.Pow(h, 5.0/7), 5, fourth), 0.2) - h
	}, 0.1*high, high)
}

func TestSheatherJonesIsThatOfAllPairs(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 2))
		x := make([]float64, 60)
		for i := range x {
			x[i] = random.NormFloat64() + float64(i%2)*float64(seed)
		}
		got, want := SheatherJones(x), exactSheatherJones(x)
		if !(math.Abs(got-want) < 0.01*want) {
			t.Errorf("seed %d: %g, want %g", seed, got, want)
		}
		y := slices.Clone(x)
		for i := range y {
			y[i] = 1e-3*y[i] + 7
		}
		if scaled := SheatherJones(y); !(math.Abs(scaled-1e-3*got) < 1e-2*scaled) {
			t.Errorf("seed %d: of a thousandth %g, want %g", seed, scaled, 1e-3*got)
		}
	}
	for _, alike := range [][]float64{nil, {1}, {2, 2, 2}} {
		if h := SheatherJones(alike); !math.IsNaN(h) {
			t.Errorf("bandwidth of %v is %g", alike, h)
		}
	}
}
