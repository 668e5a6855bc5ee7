package order

// weighted is an undirected graph with weights of vertices and edges. Each edge
// is in the lists of both its ends; there are no loops.
type weighted struct {
	at     []int   // len n+1
	adj    []int32 // neighbours
	edge   []int32 // weights of the edges to them
	weight []int32 // of the vertices
	total  int64   // of all vertices
}

func (g *weighted) n() int                { return len(g.weight) }
func (g *weighted) of(v int32) []int32    { return g.adj[g.at[v]:g.at[v+1]] }
func (g *weighted) edges(v int32) []int32 { return g.edge[g.at[v]:g.at[v+1]] }
func (g *weighted) degree(v int32) int    { return g.at[v+1] - g.at[v] }

// part returns the graph of some vertices and the edges between them. Entry v
// of place must be -1 for every vertex; so it is again afterwards.
func (g *weighted) part(vertices, place []int32) *weighted {
	for k, v := range vertices {
		place[v] = int32(k)
	}
	edges := 0
	for _, v := range vertices {
		edges += g.degree(v)
	}
	p := &weighted{at: make([]int, 1, len(vertices)+1), adj: make([]int32, 0, edges), edge: make([]int32, 0, edges),
		weight: make([]int32, len(vertices))}
	for k, v := range vertices {
		w := g.edges(v)
		for i, u := range g.of(v) {
			if place[u] >= 0 {
				p.adj, p.edge = append(p.adj, place[u]), append(p.edge, w[i])
			}
		}
		p.at = append(p.at, len(p.adj))
		p.weight[k] = g.weight[v]
		p.total += int64(g.weight[v])
	}
	for _, v := range vertices {
		place[v] = -1
	}
	return p
}

// components returns the connected components, by their first vertices.
func (g *weighted) components() [][]int32 {
	found := make([]int32, 0, g.n())
	seen := make([]bool, g.n())
	var sets [][]int32
	for v := range g.n() {
		if seen[v] {
			continue
		}
		from := len(found)
		seen[v], found = true, append(found, int32(v))
		for k := from; k < len(found); k++ {
			for _, u := range g.of(found[k]) {
				if !seen[u] {
					seen[u], found = true, append(found, u)
				}
			}
		}
		sets = append(sets, found[from:len(found):len(found)])
	}
	return sets
}
