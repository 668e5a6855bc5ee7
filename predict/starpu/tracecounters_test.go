package starpu

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Steps are those that counting at every instant finds.
func TestSteps(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		up, down := make([]int64, random.IntN(20)), make([]int64, random.IntN(20))
		for _, of := range [][]int64{up, down} {
			for i := range of {
				of[i] = random.Int64N(15)
			}
			slices.Sort(of)
		}
		type step struct {
			at    int64
			count int
		}
		var got, want []step
		steps(up, down, func(at int64, count int) { got = append(got, step{at, count}) })
		for at := range int64(15) {
			if !slices.Contains(up, at) && !slices.Contains(down, at) {
				continue
			}
			count := 0
			for _, u := range up {
				if u <= at {
					count++
				}
			}
			for _, d := range down {
				if d <= at {
					count--
				}
			}
			want = append(want, step{at, count})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("of %v and %v found %v, want %v", up, down, got, want)
		}
	}
}
