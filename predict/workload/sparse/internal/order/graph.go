package order

import "slices"

// graph is the graph of AᵀA, or of what is left of it: an edge joins two
// columns that share a row. Each edge is in the lists of both its ends.
type graph struct {
	at  []int // len n+1
	adj []int32
}

func (g *graph) n() int               { return len(g.at) - 1 }
func (g *graph) of(v int32) []int32   { return g.adj[g.at[v]:g.at[v+1]] }
func (g *graph) degree(v int32) int32 { return int32(g.at[v+1] - g.at[v]) }

// rowsOf returns the columns of each row, ascending.
func rowsOf(p Pattern) graph {
	g := graph{at: make([]int, p.Rows+1), adj: make([]int32, p.Entries())}
	for _, i := range p.Row[:len(g.adj)] {
		g.at[i+1]++
	}
	for i := range p.Rows {
		g.at[i+1] += g.at[i]
	}
	fill := slices.Clone(g.at)
	for j := range p.Cols {
		for _, i := range p.Col(j) {
			g.adj[fill[i]] = int32(j)
			fill[i]++
		}
	}
	return g
}

// columnGraph returns the graph of AᵀA made of the rows with up to so many
// entries. A row of k entries takes k² steps.
func columnGraph(p Pattern, rows *graph, most int32) graph {
	g := graph{at: make([]int, p.Cols+1)}
	seen := repeat(-1, p.Cols)
	edges := 0
	for j := range p.Cols {
		eachNeighbour(p, rows, most, seen, int32(j), func(int32) { edges++ })
		g.at[j+1] = edges
	}
	g.adj = make([]int32, 0, edges)
	fillWith(seen, -1)
	for j := range p.Cols {
		eachNeighbour(p, rows, most, seen, int32(j), func(c int32) { g.adj = append(g.adj, c) })
	}
	return g
}

func eachNeighbour(p Pattern, rows *graph, most int32, seen []int32, j int32, do func(c int32)) {
	seen[j] = j
	for _, i := range p.Col(int(j)) {
		if rows.degree(i) > most {
			continue
		}
		for _, c := range rows.of(i) {
			if seen[c] != j {
				seen[c] = j
				do(c)
			}
		}
	}
}

// sharedRows returns for each edge of the graph made of rows with up to so
// many entries how many of these rows it stands for.
func sharedRows(p Pattern, rows, g *graph, most int32) []int32 {
	shared, place := make([]int32, len(g.adj)), make([]int, p.Cols)
	for j := range p.Cols {
		for k := g.at[j]; k < g.at[j+1]; k++ {
			place[g.adj[k]] = k
		}
		for _, i := range p.Col(j) {
			if rows.degree(i) > most {
				continue
			}
			for _, c := range rows.of(i) {
				if int(c) != j {
					shared[place[c]]++
				}
			}
		}
	}
	return shared
}

func fillWith(s []int32, v int32) {
	for i := range s {
		s[i] = v
	}
}

// longestExpanded is the length of the longest rows that are made edges of the
// graph, so that they take no more than budget steps together.
func longestExpanded(rows *graph, budget int64) int32 {
	longest := int32(0)
	for i := range rows.n() {
		longest = max(longest, rows.degree(int32(i)))
	}
	count := make([]int64, longest+1)
	for i := range rows.n() {
		count[rows.degree(int32(i))]++
	}
	for length := range count {
		budget -= count[length] * int64(length) * int64(length)
		if budget < 0 {
			return int32(length - 1)
		}
	}
	return longest
}
