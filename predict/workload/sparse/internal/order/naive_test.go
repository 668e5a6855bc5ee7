package order

import (
	"math/rand/v2"
	"slices"
)

// What orderings are measured with, as simply as it can be.

// patternOf makes a pattern of entries (row, column), in any order.
func patternOf(rows, cols int, at [][2]int32) Pattern {
	slices.SortFunc(at, func(a, b [2]int32) int {
		if a[1] != b[1] {
			return int(a[1] - b[1])
		}
		return int(a[0] - b[0])
	})
	at = slices.Compact(at)
	p := Pattern{Rows: rows, Cols: cols, ColAt: make([]int64, cols+1), Row: make([]int32, len(at))}
	for k, e := range at {
		p.ColAt[e[1]+1]++
		p.Row[k] = e[0]
	}
	for j := range cols {
		p.ColAt[j+1] += p.ColAt[j]
	}
	return p
}

// randomPattern has entries at random places, sometimes a dense row, a dense
// column, columns that are the same, and parts that do not touch.
func randomPattern(r *rand.Rand, rows, cols, entries int) Pattern {
	var at [][2]int32
	add := func(i, j int) { at = append(at, [2]int32{int32(i), int32(j)}) }
	if rows > 0 && cols > 0 {
		blocks := 1 + r.IntN(3)
		for range entries {
			i, j := r.IntN(rows), r.IntN(cols)
			if i%blocks == j%blocks {
				add(i, j)
			}
		}
		if r.IntN(3) == 0 {
			for j, i := 0, r.IntN(rows); j < cols; j += 1 + r.IntN(2) {
				add(i, j)
			}
		}
		if r.IntN(3) == 0 {
			for i, j := 0, r.IntN(cols); i < rows; i += 1 + r.IntN(2) {
				add(i, j)
			}
		}
		if r.IntN(3) == 0 {
			a, b := int32(r.IntN(cols)), int32(r.IntN(cols))
			for _, e := range slices.Clone(at) {
				if e[1] == a {
					add(int(e[0]), int(b))
				}
			}
		}
	}
	return patternOf(rows, cols, at)
}

// gridPattern has a row for each edge of a grid, and one for each vertex.
func gridPattern(nx, ny int) Pattern {
	var at [][2]int32
	row := int32(0)
	for v := range int32(nx * ny) {
		at = append(at, [2]int32{row, v})
		row++
		if int(v)%nx < nx-1 {
			at = append(at, [2]int32{row, v}, [2]int32{row, v + 1})
			row++
		}
		if int(v)/nx < ny-1 {
			at = append(at, [2]int32{row, v}, [2]int32{row, v + int32(nx)})
			row++
		}
	}
	return patternOf(int(row), nx*ny, at)
}

// neighbours is the graph of AᵀA as a matrix.
func neighbours(p Pattern) [][]bool {
	adj := make([][]bool, p.Cols)
	for j := range adj {
		adj[j] = make([]bool, p.Cols)
	}
	for a := range p.Cols {
		for b := range p.Cols {
			adj[a][b] = a != b && slices.ContainsFunc(p.Col(a), func(i int32) bool { return slices.Contains(p.Col(b), i) })
		}
	}
	return adj
}

// entriesOfR eliminates columns one by one: each makes a clique of its
// neighbours. It returns the number of entries of R, diagonal included.
func entriesOfR(p Pattern, perm []int32) (entries int) {
	adj := neighbours(p)
	for _, j := range perm {
		entries += eliminateFrom(adj, j)
	}
	return entries
}

// eliminateFrom returns the number of neighbours of j, and j itself.
func eliminateFrom(adj [][]bool, j int32) int {
	var around []int
	for k, is := range adj[j] {
		if is {
			around = append(around, k)
		}
	}
	for _, a := range around {
		for _, b := range around {
			adj[a][b] = a != b
		}
		adj[a][j], adj[j][a] = false, false
	}
	return len(around) + 1
}

// exactMinimumDegree orders by the exact degree, the first of equals first.
func exactMinimumDegree(p Pattern) (perm []int32) {
	adj := neighbours(p)
	gone := make([]bool, p.Cols)
	for range p.Cols {
		best, least := int32(-1), p.Cols
		for j := range adj {
			if degree := count(adj[j]); !gone[j] && degree < least {
				best, least = int32(j), degree
			}
		}
		gone[best] = true
		perm = append(perm, best)
		eliminateFrom(adj, best)
	}
	return perm
}

func count(s []bool) (n int) {
	for _, is := range s {
		if is {
			n++
		}
	}
	return n
}
