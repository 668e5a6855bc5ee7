package starpu

import (
	"math"
	"testing"
)

// What drand48 of the C library gives after srand48(0) and srand48(42).
func TestDraws(t *testing.T) {
	for seed, want := range map[int64][]float64{
		0:  {0.17082803610628972, 0.74990198048496381, 0.09637165562356742},
		42: {0.74452500006100664, 0.34270147871890799, 0.11108528244416149},
	} {
		d := newDrand48(seed)
		for i, w := range want {
			if got := d.uniform(); math.Abs(got-w) > 1e-15 {
				t.Errorf("number %d of seed %d is %.17g, want %.17g", i, seed, got, w)
			}
		}
	}
}
