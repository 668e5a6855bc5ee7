package starpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A tournament says what a search says.
func TestEarliestIsFound(t *testing.T) {
	for n := 1; n < 20; n++ {
		draw := rand.New(rand.NewPCG(uint64(n), 5))
		e, dates := newEarliest(n), slices.Repeat([]float64{math.Inf(1)}, n)
		for range 200 {
			i := draw.IntN(n)
			dates[i] = float64(draw.IntN(6))
			e.set(i, dates[i])
			first := slices.Index(dates, slices.Min(dates))
			others := slices.Concat(dates[:first], dates[first+1:], []float64{math.Inf(1)})
			if got, second := e.winner(); got != first || second != slices.Min(others) || e.others(first) != second {
				t.Fatalf("dates %v: found %d and %g, others %g, want %d and %g", dates, got, second, e.others(first), first, slices.Min(others))
			}
			var before []int
			e.before(3, func(i int) { before = append(before, i) })
			for i, d := range dates {
				if slices.Contains(before, i) != (d < 3) {
					t.Fatalf("dates %v: found %v before 3", dates, before)
				}
			}
		}
	}
}
