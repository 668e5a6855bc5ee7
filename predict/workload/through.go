package workload

import (
	"slices"

	"dagscope/internal/dag"
)

// through leaves nodes out of a graph: those that follow one of them follow
// those that it follows. Joins of many nodes with many are kept all the same, so
// that the number of edges grows at most by a factor.
type through struct {
	ran  []bool // nodes with work
	keep []bool // these, and joins
	g    *dag.Graph
	via  map[int32][]int32 // kept nodes before one that is left out
}

// wide is from how many predecessors on a node without work is kept.
const wide = 64

// newThrough leaves the nodes out that did not run. It reports cycles.
func newThrough(ran []bool, from, to []int32) (through, error) {
	t := through{ran: ran, keep: slices.Clone(ran), g: dag.Build(len(ran), from, to), via: make(map[int32][]int32)}
	order, err := t.g.Topological()
	if err != nil {
		return t, err
	}
	out := t.successors(order)
	for _, v := range order {
		if !ran[v] {
			t.leaveOut(v, out[v])
		}
	}
	return t, nil
}

// successors counts the paths from a node without work to nodes with work that
// meet no other, up to a limit.
func (t *through) successors(order []int32) map[int32]int {
	const limit = 1 << 20
	out := make(map[int32]int)
	for _, v := range slices.Backward(order) {
		if t.ran[v] {
			continue
		}
		sum := 0
		for _, s := range t.g.Succs(v) {
			if t.ran[s] {
				sum++
			} else {
				sum += out[s]
			}
		}
		out[v] = min(sum, limit)
	}
	return out
}

// leaveOut decides about a node whose predecessors are decided.
func (t *through) leaveOut(v int32, out int) {
	before := t.preds(v)
	if in := len(before); in > wide || in*out > 4*(in+out) {
		t.keep[v] = true
	} else {
		t.via[v] = before
	}
}

// preds are the kept nodes that a node follows, each once.
func (t *through) preds(v int32) []int32 {
	var all []int32
	for _, p := range t.g.Preds(v) {
		if t.keep[p] {
			all = append(all, p)
		} else {
			all = append(all, t.via[p]...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
