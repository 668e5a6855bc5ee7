package order

import "math"

// AMD orders columns by approximate minimum degree in the graph of AᵀA (Amestoy
// 1996). Long rows are cliques whose edges are not formed. Columns that share
// rows with very many others (more than 10 √columns) come last, and then empty
// ones.
func AMD(p Pattern) []int32 {
	rows := rowsOf(p)
	most := longestExpanded(&rows, budget(p))
	g, cliques := columnGraph(p, &rows, most), longRows(&rows, most)
	order := newMembers(p.Cols)
	keep := setDenseAside(p, &g, &cliques, &order)
	return newQuotient(&g, &cliques, keep, order, oneGroup(p.Cols)).minimumDegree()
}

// budget is the number of steps that may be taken to form AᵀA: 64 for each
// entry, but of many entries fewer, so that there is memory for the edges.
func budget(p Pattern) int64 {
	entries := int64(p.Entries())
	return 1e6 + 16*entries + min(48*entries, 1e8)
}

// longRows returns the rows with more than so many entries.
func longRows(rows *graph, most int32) graph {
	long := graph{at: []int{0}}
	for i := range rows.n() {
		if rows.degree(int32(i)) > most {
			long.adj = append(long.adj, rows.of(int32(i))...)
			long.at = append(long.at, len(long.adj))
		}
	}
	return long
}

// setDenseAside orders empty columns last and before them dense ones, and says
// with 1 which columns are neither.
func setDenseAside(p Pattern, g, cliques *graph, order *members) []int32 {
	keep := make([]int32, p.Cols)
	limit := max(denseFloor, int32(denseCol*math.Sqrt(float64(p.Cols))))
	for j := p.Cols - 1; j >= 0; j-- {
		if len(p.Col(j)) == 0 {
			order.emitLast(int32(j))
		}
	}
	for j := p.Cols - 1; j >= 0; j-- {
		switch {
		case g.degree(int32(j)) > limit:
			order.emitLast(int32(j))
		case len(p.Col(j)) > 0:
			keep[j] = 1
		}
	}
	return keep
}
