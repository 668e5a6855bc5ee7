package dag

import (
	"fmt"
	"slices"
)

// CycleError says that a graph has no topological order.
type CycleError struct {
	Nodes []int32 // a cycle: each node precedes the next, the last the first
}

func (e *CycleError) Error() string {
	const shown = 8
	if len(e.Nodes) <= shown {
		return fmt.Sprintf("order graph: nodes %v form a cycle", e.Nodes)
	}
	return fmt.Sprintf("order graph: nodes %v and %d more form a cycle", e.Nodes[:shown], len(e.Nodes)-shown)
}

// Topological returns the nodes so that each comes after its predecessors, or a
// *CycleError. It is Kahn's algorithm (Kahn 1962) with a first-in first-out
// queue; a graph whose edges all point to larger nodes, as those of tasks in
// submission order do, keeps the order of its nodes (and its locality in
// memory).
func (g *Graph) Topological() ([]int32, error) {
	if g.forward {
		return identity(g.n), nil
	}
	missing := make([]int32, g.n)
	order := make([]int32, 0, g.n)
	for v := range missing {
		missing[v] = g.predAt[v+1] - g.predAt[v]
		if missing[v] == 0 {
			order = append(order, int32(v))
		}
	}
	for next := 0; next < len(order); next++ {
		for _, w := range g.Succs(order[next]) {
			if missing[w]--; missing[w] == 0 {
				order = append(order, w)
			}
		}
	}
	if len(order) < g.n {
		return nil, &CycleError{g.cycle(missing)}
	}
	return order, nil
}

// cycle walks backwards among the nodes that Kahn's algorithm left, each of
// which has a predecessor among them, until it meets itself.
func (g *Graph) cycle(missing []int32) []int32 {
	v := int32(slices.IndexFunc(missing, func(m int32) bool { return m > 0 }))
	seen := make(map[int32]int)
	var walk []int32
	for {
		if i, ok := seen[v]; ok {
			walk = walk[i:]
			slices.Reverse(walk)
			return walk
		}
		seen[v] = len(walk)
		walk = append(walk, v)
		preds := g.Preds(v)
		v = preds[slices.IndexFunc(preds, func(u int32) bool { return missing[u] > 0 })]
	}
}
