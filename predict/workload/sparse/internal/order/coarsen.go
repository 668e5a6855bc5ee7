package order

import "slices"

// Graphs are made coarser by heavy-edge matching (Karypis 1998): vertices of
// low degree choose first, and choose the neighbour with the heaviest edge.
// Vertices left over that share a neighbour are matched as well, or graphs with
// hubs would hardly shrink.

// coarser returns a graph of matched vertices, none heavier than most, and
// which of its vertices each vertex is in.
func coarser(g *weighted, most int64, c *chance) (small *weighted, in []int32) {
	mate := match(g, most, c)
	in = make([]int32, g.n())
	first := make([]int32, 0, g.n()/2+1)
	for v, u := range mate {
		if int(u) >= v {
			in[v], in[u] = int32(len(first)), int32(len(first))
			first = append(first, int32(v))
		}
	}
	return contract(g, mate, first, in), in
}

// match pairs vertices; those without a mate are their own.
func match(g *weighted, most int64, c *chance) []int32 {
	mate := repeat(-1, g.n())
	left := 0
	for _, v := range byDegree(g, c) {
		if mate[v] >= 0 {
			continue
		}
		u := heaviest(g, mate, v, most)
		mate[v], mate[u] = u, v
		if u == v {
			left++
		}
	}
	if left > g.n()/10 {
		matchTwoHops(g, mate, most)
	}
	return mate
}

// byDegree returns the vertices by degree, of the same degree by chance.
func byDegree(g *weighted, c *chance) []int32 {
	order := ascending(g.n())
	c.shuffle(order)
	slices.SortStableFunc(order, func(a, b int32) int { return g.degree(a) - g.degree(b) })
	return order
}

// heaviest returns the free neighbour of v with the heaviest edge, or v.
func heaviest(g *weighted, mate []int32, v int32, most int64) int32 {
	best, weight := v, int32(0)
	edges := g.edges(v)
	for k, u := range g.of(v) {
		if mate[u] < 0 && edges[k] > weight && int64(g.weight[v])+int64(g.weight[u]) <= most {
			best, weight = u, edges[k]
		}
	}
	return best
}

// matchTwoHops pairs single vertices that share a neighbour.
func matchTwoHops(g *weighted, mate []int32, most int64) {
	for hub := range g.n() {
		waiting := int32(-1)
		for _, u := range g.of(int32(hub)) {
			switch {
			case mate[u] != u:
			case waiting < 0:
				waiting = u
			case int64(g.weight[waiting])+int64(g.weight[u]) <= most:
				mate[waiting], mate[u] = u, waiting
				waiting = -1
			}
		}
	}
}

// contract makes one vertex of each pair; first has one of each.
func contract(g *weighted, mate, first, in []int32) *weighted {
	s := &weighted{at: make([]int, 1, len(first)+1), weight: make([]int32, len(first)), total: g.total}
	s.adj, s.edge = make([]int32, 0, len(g.adj)/2), make([]int32, 0, len(g.adj)/2)
	place := repeat(-1, len(first)) // of each neighbour in adj
	for k, v := range first {
		from := len(s.adj)
		s.addEdges(g, v, int32(k), in, place, from)
		s.weight[k] = g.weight[v]
		if u := mate[v]; u != v {
			s.addEdges(g, u, int32(k), in, place, from)
			s.weight[k] += g.weight[u]
		}
		s.at = append(s.at, len(s.adj))
	}
	return s
}

// addEdges adds those of v to vertex k, whose list begins at from.
func (g *weighted) addEdges(fine *weighted, v, k int32, in, place []int32, from int) {
	edges := fine.edges(v)
	for i, u := range fine.of(v) {
		c := in[u]
		if c == k {
			continue
		}
		if at := int(place[c]); at >= from && at < len(g.adj) && g.adj[at] == c {
			g.edge[at] += edges[i]
			continue
		}
		place[c] = int32(len(g.adj))
		g.adj, g.edge = append(g.adj, c), append(g.edge, edges[i])
	}
}
