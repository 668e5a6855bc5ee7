package order

// leaf is the number of columns of a part that is not dissected.
const leaf = 200

// NestedDissection orders columns by recursive bisection of the graph of AᵀA
// with separators found on coarser graphs (Karypis and Kumar 1998). Parts and
// separators are ordered in themselves by approximate minimum degree, which
// sees the others around them.
func NestedDissection(p Pattern) []int32 {
	rows := rowsOf(p)
	most := longestExpanded(&rows, amdBudget(p))
	g, cliques := columnGraph(p, &rows, most), longRows(&rows, most)
	order := newMembers(p.Cols)
	keep := setDenseAside(p, &g, &cliques, &order)
	d := dissection{whole: unweighted(&g, keep), place: repeat(-1, p.Cols)}
	var kept []int32
	for v, k := range keep {
		if k != 0 {
			kept = append(kept, int32(v))
		}
	}
	d.dissect(d.whole.part(kept, d.place), kept, 1)
	return newQuotient(&g, &cliques, keep, order, groupsOf(p.Cols, d.sets)).minimumDegree()
}

// unweighted gives all vertices and edges that are kept weight 1.
func unweighted(g *graph, keep []int32) *weighted {
	edge := repeat(1, len(g.adj))
	return &weighted{at: g.at, adj: g.adj, edge: edge, weight: keep, total: int64(g.n())}
}

// dissection is what has been dissected so far.
type dissection struct {
	whole *weighted
	place []int32
	sets  [][]int32 // parts and separators, in the order of elimination
}

// dissect takes a part of the graph apart; names are its vertices in the whole.
func (d *dissection) dissect(g *weighted, names []int32, seed uint64) {
	if g.n() <= leaf {
		d.sets = append(d.sets, names)
		return
	}
	parts := g.components()
	if len(parts) == 1 {
		d.cut(g, names, seed)
		return
	}
	place := repeat(-1, g.n())
	var small []int32
	for k, part := range parts {
		if len(part) <= leaf {
			small = append(small, rename(part, names)...)
			continue
		}
		d.dissect(g.part(part, place), rename(part, names), seed*31+uint64(k))
	}
	d.sets = append(d.sets, small)
}

// cut takes a connected part apart.
func (d *dissection) cut(g *weighted, names []int32, seed uint64) {
	by := chance(seed)
	where := separate(g, &by)
	var sides [3][]int32
	for v, s := range where {
		sides[s] = append(sides[s], int32(v))
	}
	if len(sides[0]) == 0 || len(sides[1]) == 0 {
		d.sets = append(d.sets, names)
		return
	}
	place := repeat(-1, g.n())
	for s := range 2 {
		d.dissect(g.part(sides[s], place), rename(sides[s], names), seed*2+uint64(s))
	}
	d.sets = append(d.sets, rename(sides[separator], names))
}

// rename returns the names of vertices.
func rename(vertices, names []int32) []int32 {
	out := make([]int32, len(vertices))
	for k, v := range vertices {
		out[k] = names[v]
	}
	return out
}
