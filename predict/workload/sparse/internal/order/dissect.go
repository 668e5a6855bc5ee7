package order

// leaf is the number of columns of a part that is not dissected.
const leaf = 200

// NestedDissection orders columns by recursive bisection of the graph of AᵀA
// with separators found on coarser graphs (Karypis 1998). Parts and separators
// are ordered in themselves by approximate minimum degree, which sees the
// others around them.
func NestedDissection(p Pattern) []int32 {
	rows := rowsOf(p)
	most := longestExpanded(&rows, budget(p))
	g, cliques := columnGraph(p, &rows, most), longRows(&rows, most)
	order := newMembers(p.Cols)
	keep := setDenseAside(p, &g, &cliques, &order)
	whole := &weighted{at: g.at, adj: g.adj, edge: sharedRows(p, &rows, &g, most), weight: keep}
	kept := places(keep)
	sets := dissect(whole.part(kept, repeat(-1, p.Cols)), kept, 1)
	return newQuotient(&g, &cliques, keep, order, groupsOf(p.Cols, sets)).minimumDegree()
}

// places returns where there is not 0.
func places(keep []int32) []int32 {
	var kept []int32
	for v, k := range keep {
		if k != 0 {
			kept = append(kept, int32(v))
		}
	}
	return kept
}

// dissect takes a graph apart and returns the parts and separators in the order
// of elimination, as sets of names; names has those of the vertices.
func dissect(g *weighted, names []int32, seed uint64) [][]int32 {
	if g.n() <= leaf {
		return [][]int32{names}
	}
	parts := g.components()
	if len(parts) == 1 {
		return dissectConnected(g, names, seed)
	}
	place := repeat(-1, g.n())
	var sets [][]int32
	var small []int32
	for k, part := range parts {
		if len(part) <= leaf {
			small = append(small, rename(part, names)...)
			continue
		}
		sets = append(sets, dissect(g.part(part, place), rename(part, names), seed*31+uint64(k))...)
	}
	return append(sets, small)
}

// dissectConnected takes a connected graph apart.
func dissectConnected(g *weighted, names []int32, seed uint64) [][]int32 {
	by := chance(seed)
	where := separate(g, &by)
	var sides [3][]int32
	for v, s := range where {
		sides[s] = append(sides[s], int32(v))
	}
	if len(sides[0]) == 0 || len(sides[1]) == 0 {
		return [][]int32{names}
	}
	var sets [2][][]int32
	place := repeat(-1, g.n())
	graphs := [2]*weighted{g.part(sides[0], place), g.part(sides[1], place)}
	atOnce(len(names), func(s int) {
		sets[s] = dissect(graphs[s], rename(sides[s], names), seed*2+uint64(s))
	})
	return append(append(sets[0], sets[1]...), rename(sides[separator], names))
}

// concurrent is the number of vertices of graphs whose halves are worth two threads.
const concurrent = 1000

// atOnce does something for 0 and 1, at the same time if that is worth it.
func atOnce(n int, do func(k int)) {
	if n < concurrent {
		do(0)
		do(1)
		return
	}
	done := make(chan struct{})
	go func() {
		do(0)
		close(done)
	}()
	do(1)
	<-done
}

// rename returns the names of vertices.
func rename(vertices, names []int32) []int32 {
	out := make([]int32, len(vertices))
	for k, v := range vertices {
		out[k] = names[v]
	}
	return out
}
