package sparse

import (
	"fmt"
	"math/rand/v2"
)

func checkGrid(n []int) error {
	return tooMany(7 * float64(n[0]) * float64(n[1]) * float64(n[2]))
}

// grad3d has a row for each pair of neighbours in a grid, their difference, and
// for points observed at random.
func grad3d(e *Entries, n []int, seed uint64) {
	size := [3]int{n[0], n[1], n[2]}
	stride := [3]int{1, n[0], n[0] * n[1]}
	e.Comment = fmt.Sprintf("first differences on a grid of %d × %d × %d and observations at %d %% of its points, seed %d", n[0], n[1], n[2], n[3], seed)
	e.cols = n[0] * n[1] * n[2]
	random := rand.New(rand.NewPCG(seed, 3))
	for point := range e.cols {
		for axis, step := range stride {
			if point/step%size[axis]+1 < size[axis] {
				e.put(e.rows, point, -1)
				e.put(e.rows, point+step, 1)
				e.rows++
			}
		}
		if random.IntN(100) < n[3] {
			e.put(e.rows, point, 1)
			e.rows++
		}
	}
}

func checkRandom(n []int) error {
	if n[2] > n[1] {
		return fmt.Errorf("found %d entries in a row of %d columns", n[2], n[1])
	}
	return tooMany(float64(n[0]) * float64(n[2]))
}

// random puts values between −1 and 1 at different places of each row.
func random(e *Entries, n []int, seed uint64) {
	e.Comment = fmt.Sprintf("%d entries at random places of each row, seed %d", n[2], seed)
	e.rows, e.cols = n[0], n[1]
	r := rand.New(rand.NewPCG(seed, 5))
	used := filled(e.cols, none)
	for i := range e.rows {
		for k := 0; k < n[2]; {
			if j := r.IntN(e.cols); used[j] != int32(i) {
				used[j] = int32(i)
				e.put(i, j, 2*r.Float64()-1)
				k++
			}
		}
	}
}
