package depend

import (
	"dagscope/internal/dag"
	"dagscope/trace"
)

// ToSource as a number of levels follows a chain to a node that depends on
// nothing.
const ToSource = -1

// Chain follows last dependencies backwards from a node, for so many levels or
// [ToSource], and returns the nodes met, the given one first (Garcia Pinto
// 2018, section 5.1.5, backward chain).
func (l *Last) Chain(node int32, levels int) []int32 {
	chain := []int32{node}
	for levels != 0 && len(chain) <= len(l.Of) { // a broken graph may have a circle
		node = l.Of[node]
		if node == trace.None {
			break
		}
		chain = append(chain, node)
		levels--
	}
	return chain
}

// LastPath is the chain to the source from the counted task that ends last,
// the one that made the run as long as it was. It is nil in a run without
// counted tasks.
func (l *Last) LastPath() []int32 {
	t := &l.run.Task
	last := trace.None
	for v := range int32(l.Tasks) {
		if l.hasRun(v) && t.Counted(int(v)) && (last == trace.None || t.End[v] > t.End[last]) {
			last = v
		}
	}
	if last == trace.None {
		return nil
	}
	return l.Chain(last, ToSource)
}

// Links are edges from nodes to their last dependencies, as columns, in the
// order in which the chains were walked.
type Links struct {
	Node  []int32 // node
	Last  []int32 // its last dependency
	Group []int32 // number of the merged chain, from 0
}

// Merge follows the chains of many nodes and joins those that meet into one
// group (Garcia Pinto 2018, section 5.1.5: union-find, Figure 5.13b). Every
// link is listed once; groups are numbered in the order of the given nodes, and
// group has an entry for each of these. Time is linear in the links.
func (l *Last) Merge(nodes []int32, levels int) (links Links, group []int32) {
	if levels < 0 {
		levels = len(l.Of)
	}
	left := make([]int32, len(l.Of)) // levels that were left after each node, plus one
	sets := dag.NewSets(len(l.Of))
	for _, v := range nodes {
		for k := int32(levels); k >= left[v]; k-- {
			fresh := left[v] <= 1
			left[v] = k + 1
			w := l.Of[v]
			if k == 0 || w == trace.None {
				break
			}
			if fresh {
				links.Node, links.Last = append(links.Node, v), append(links.Last, w)
			}
			sets.Union(v, w)
			v = w
		}
	}
	return l.number(links, nodes, sets)
}

// number gives the groups consecutive numbers.
func (l *Last) number(links Links, nodes []int32, sets dag.Sets) (Links, []int32) {
	name := make([]int32, len(l.Of)) // by set, plus one
	groups := int32(0)
	of := func(v int32) int32 {
		s := sets.Find(v)
		if name[s] == 0 {
			groups++
			name[s] = groups
		}
		return name[s] - 1
	}
	group := make([]int32, len(nodes))
	for i, v := range nodes {
		group[i] = of(v)
	}
	links.Group = make([]int32, len(links.Node))
	for i, v := range links.Node {
		links.Group[i] = of(v)
	}
	return links, group
}
