package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// maxColumned is how many nodes Columns arranges: its time is quadratic.
const maxColumned = 4096

// OneDOneD deals tiles to unequal nodes (Beaumont 2001): columns of tiles to
// columns of nodes by the sum of their powers, and, in each column of nodes,
// rows of tiles to its nodes by their power. Each node has a share of the tiles
// that goes with its power, whatever leading rows and columns are left out, as
// factorizations do step by step. With nodes of equal power in a grid it is
// BlockCyclic.
//
// Columns say which nodes stand in each column: Columns(power), or
// GridColumns(p, q). Each node stands in one of them.
func OneDOneD(g *Graph, columns [][]int32, power []float64) ([]int32, error) {
	if err := checkColumns(columns, power); err != nil {
		return nil, err
	}
	rows, cols := g.extent()
	sums := make([]float64, len(columns))
	row := make([][]int32, len(columns)) // by column of nodes: node of each row of tiles
	for c, nodes := range columns {
		powers := make([]float64, len(nodes))
		for i, n := range nodes {
			powers[i] = power[n]
			sums[c] += power[n]
		}
		row[c] = deal(powers, rows)
		for x, i := range row[c] {
			row[c][x] = nodes[i]
		}
	}
	column := deal(sums, cols)
	return g.byTile(func(x, y int32) int32 { return row[column[y]][x] })
}

func checkColumns(columns [][]int32, power []float64) error {
	for n, p := range power {
		if !(p > 0) || math.IsInf(p, 0) {
			return fmt.Errorf("distribute data: found power %g of node %d, want a number above 0", p, n)
		}
	}
	seen, count := make([]bool, len(power)), 0
	for _, nodes := range columns {
		for _, n := range nodes {
			if n < 0 || int(n) >= len(power) || seen[n] {
				return fmt.Errorf("distribute data: found node %d in columns of %d nodes, want each of them once", n, len(power))
			}
			seen[n] = true
			count++
		}
		if len(nodes) == 0 {
			return fmt.Errorf("distribute data: found a column without nodes, want one at least in each")
		}
	}
	if count != len(power) || count == 0 {
		return fmt.Errorf("distribute data: found %d nodes in columns, want %d", count, len(power))
	}
	return nil
}

// extent is the number of rows and of columns of tiles.
func (g *Graph) extent() (rows, columns int) {
	for h := range g.HandleX {
		rows, columns = max(rows, int(g.HandleX[h])+1), max(columns, int(g.HandleY[h])+1)
	}
	return rows, columns
}

// deal gives each of count rows to one of some groups, so that whatever rows
// are left out at the start, the greatest load of a group, its rows by its
// weight, is the least possible: from the last row on, each goes to the group
// that has the least load with it (Boulet 1999). Where loads are equal, groups
// take turns as they do in a cyclic distribution.
func deal(weight []float64, count int) []int32 {
	groups := len(weight)
	to, has := make([]int32, count), make([]int, groups)
	for i := count - 1; i >= 0; i-- {
		best := i % groups
		for step := 1; step < groups; step++ {
			g := (i + groups - step%groups) % groups
			if float64(has[g]+1)*weight[best] < float64(has[best]+1)*weight[g] {
				best = g
			}
		}
		to[i] = int32(best)
		has[best]++
	}
	return to
}

// GridColumns are the columns of a grid of p × q nodes that are numbered row by
// row.
func GridColumns(p, q int) [][]int32 {
	columns := make([][]int32, q)
	for c := range columns {
		for r := range p {
			columns[c] = append(columns[c], int32(r*q+c))
		}
	}
	return columns
}

// Columns arranges nodes in columns so that the rectangles in which a square is
// split, a column as wide as its nodes have power, have the least sum of
// perimeters: that is what a product, or each step of a factorization,
// communicates (Beaumont 2002). Nodes come by decreasing power. It takes time
// quadratic in the number of nodes.
func Columns(power []float64) ([][]int32, error) {
	if len(power) == 0 || len(power) > maxColumned {
		return nil, fmt.Errorf("distribute data: found %d nodes, want 1 to %d, or a grid p × q", len(power), maxColumned)
	}
	order := make([]int32, len(power))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(power[b], power[a]) })
	last := lastColumns(order, power)
	var columns [][]int32
	for end := len(order); end > 0; end -= last[end] {
		columns = append(columns, order[end-last[end]:end])
	}
	slices.Reverse(columns)
	return columns, nil
}

// lastColumns is, for each number of first nodes, how many of them stand in the
// last column of their best arrangement: k nodes whose powers are a share w of
// all have rectangles of half perimeters k·w + 1 together.
func lastColumns(order []int32, power []float64) []int {
	sum := make([]float64, len(order)+1)
	for i, n := range order {
		sum[i+1] = sum[i] + power[n]
	}
	all := sum[len(order)]
	least, last := make([]float64, len(order)+1), make([]int, len(order)+1)
	for end := 1; end <= len(order); end++ {
		least[end] = math.Inf(1)
		for k := 1; k <= end; k++ {
			cost := least[end-k] + 1 + float64(k)*(sum[end]-sum[end-k])/all
			if cost < least[end]*(1-1e-12) {
				least[end], last[end] = cost, k
			}
		}
	}
	return last
}
