package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func twoLines(n int, share, gap float64) (x, y []float64, truth []uint8) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range n {
		v := rng.Float64() * 4
		k := uint8(0)
		w := 1 + 0.8*v + 0.1*rng.NormFloat64()
		if rng.Float64() < share {
			k = 1
			w += gap
		}
		x, y, truth = append(x, v), append(y, w), append(truth, k)
	}
	return x, y, truth
}

func TestMixtureFindsTwoLines(t *testing.T) {
	for _, n := range []int{400, 50000} {
		x, y, truth := twoLines(n, 0.25, 1)
		m, err := FitMixture(x, y, MixtureOptions{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Fit) != 2 || !(m.BIC2 < m.BIC1) {
			t.Fatalf("n=%d: %d lines, BIC %v and %v", n, len(m.Fit), m.BIC1, m.BIC2)
		}
		wrong := 0
		for i := range truth {
			if truth[i] != m.Label[i] {
				wrong++
			}
		}
		if wrong > n/200 {
			t.Errorf("n=%d: %d of the observations are labelled wrongly", n, wrong)
		}
		if gap := m.Fit[1].Predict(2) - m.Fit[0].Predict(2); math.Abs(gap-1) > 0.05 {
			t.Errorf("n=%d: lines are %v apart, want 1", n, gap)
		}
	}
}

func TestMixtureKeepsOneLine(t *testing.T) {
	x, y, _ := twoLines(500, 0, 0)
	m, err := FitMixture(x, y, MixtureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Fit) != 1 || slices.Max(m.Label) != 0 {
		t.Errorf("%d lines through one noisy line, BIC %v and %v", len(m.Fit), m.BIC1, m.BIC2)
	}
	// All on one line: no deviation, hence no likelihood to compare.
	m, err = FitMixture([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, []float64{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}, MixtureOptions{})
	if err != nil || len(m.Fit) != 1 {
		t.Errorf("exact line: %d lines, %v", len(m.Fit), err)
	}
}

func TestMixtureIsDeterministic(t *testing.T) {
	x, y, _ := twoLines(30000, 0.3, 0.5)
	a, err := FitMixture(x, y, MixtureOptions{Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	b, err := FitMixture(x, y, MixtureOptions{Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	if a.BIC2 != b.BIC2 || !slices.Equal(a.Label, b.Label) {
		t.Error("the same seed gave two results")
	}
}
