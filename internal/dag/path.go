package dag

import "slices"

// Path is a chain of nodes, first to last.
type Path struct {
	Length int64   // sum of the weights on it
	Nodes  []int32 // nodes, first to last
	Edges  []int32 // input rows of the edges between them, one fewer
}

// LongestPath returns the path of the greatest sum of node weights, over all
// sources and sinks. order is a topological order, weight has one entry >= 0
// per node. It starts at a source; ties go to the smaller node. An empty graph
// has an empty path.
func (g *Graph) LongestPath(order []int32, weight []int64) Path {
	return g.LongestPathEdges(order, weight, nil)
}

// LongestPathEdges is LongestPath that also counts the weight (>= 0) of each
// edge passed, by input row; nil counts none.
func (g *Graph) LongestPathEdges(order []int32, weight, edgeWeight []int64) Path {
	length := make([]int64, g.n) // of the longest path that ends with the node
	last := make([]int32, g.n)   // position of its last edge among predRow
	end := None
	for _, v := range order {
		best, at := g.longestInto(v, length, edgeWeight)
		length[v], last[v] = best+weight[v], at
		if end == None || length[v] > length[end] || length[v] == length[end] && v < end {
			end = v
		}
	}
	return g.trace(end, length, last)
}

// longestInto returns the greatest length with which a path reaches v, and the
// position of the edge it comes by.
func (g *Graph) longestInto(v int32, length, edgeWeight []int64) (best int64, at int32) {
	at = None
	for p := g.predAt[v]; p < g.predAt[v+1]; p++ {
		l := length[g.pred[p]]
		if edgeWeight != nil {
			l += edgeWeight[g.predRow[p]]
		}
		if at == None || l > best || l == best && g.pred[p] < g.pred[at] {
			best, at = l, p
		}
	}
	return best, at
}

// trace follows the best edges back from the last node.
func (g *Graph) trace(end int32, length []int64, last []int32) Path {
	if end == None {
		return Path{}
	}
	p := Path{Length: length[end], Nodes: []int32{end}}
	for at := last[end]; at != None; at = last[p.Nodes[len(p.Nodes)-1]] {
		p.Nodes = append(p.Nodes, g.pred[at])
		p.Edges = append(p.Edges, g.predRow[at])
	}
	slices.Reverse(p.Nodes)
	slices.Reverse(p.Edges)
	return p
}

// TopLevels returns for each node the greatest weight of a path that ends just
// before it: the earliest it can start on any number of processors.
func (g *Graph) TopLevels(order []int32, weight []int64) []int64 {
	return g.TopLevelsEdges(order, weight, nil)
}

// TopLevelsEdges is TopLevels with the weights of edges too, by row; nil for
// none.
func (g *Graph) TopLevelsEdges(order []int32, weight, edgeWeight []int64) []int64 {
	level := make([]int64, g.n)
	for _, v := range order {
		for p := g.predAt[v]; p < g.predAt[v+1]; p++ {
			u := g.pred[p]
			l := level[u] + weight[u]
			if edgeWeight != nil {
				l += edgeWeight[g.predRow[p]]
			}
			level[v] = max(level[v], l)
		}
	}
	return level
}

// Tails returns for each node the greatest weight of a path that starts just
// after it: what cannot end sooner than that after the node.
func (g *Graph) Tails(order []int32, weight []int64) []int64 {
	return g.TailsEdges(order, weight, nil)
}

// TailsEdges is Tails with the weights of edges too, by row; nil for none.
func (g *Graph) TailsEdges(order []int32, weight, edgeWeight []int64) []int64 {
	tail := make([]int64, g.n)
	for _, v := range slices.Backward(order) {
		for p := g.predAt[v]; p < g.predAt[v+1]; p++ {
			u := g.pred[p]
			l := tail[v] + weight[v]
			if edgeWeight != nil {
				l += edgeWeight[g.predRow[p]]
			}
			tail[u] = max(tail[u], l)
		}
	}
	return tail
}
