package sparse

import (
	"fmt"
	"math/bits"
	"slices"
)

// forests is the matrix TFn: a column for each tree on n nodes, a row for each
// forest of two trees on n nodes, and the number of edges of the tree whose
// removal leaves the forest. Both are counted up to isomorphism.
func forests(e *Entries, n []int, _ uint64) {
	e.Comment = fmt.Sprintf("TF%d: forests of two trees on %d nodes × trees on %d nodes", n[0], n[0], n[0])
	f := &forestRows{e: e, shapes: map[string]int32{}, row: map[[2]int32]int{}}
	freeTrees(n[0], func(level []int) {
		f.column(newTree(level))
		e.cols++
	})
}

// forestRows numbers forests as they come, as pairs of shapes.
type forestRows struct {
	e      *Entries
	shapes map[string]int32 // of rooted trees, by the sorted shapes below the root
	row    map[[2]int32]int
}

// tree has nodes in preorder: parents, and neighbours as sets.
type tree struct {
	parent    []int
	neighbour []uint32
}

// newTree makes a tree from the levels of its nodes in preorder, root 0.
func newTree(level []int) tree {
	t := tree{make([]int, len(level)), make([]uint32, len(level))}
	last := make([]int, len(level)) // node by level
	for v, l := range level {
		last[l] = v
		if l == 0 {
			continue
		}
		p := last[l-1]
		t.parent[v] = p
		t.neighbour[v] |= 1 << p
		t.neighbour[p] |= 1 << v
	}
	return t
}

// column removes each edge of a tree and counts the forests that are left.
func (f *forestRows) column(t tree) {
	var found [][2]int32
	var count []int
	for v := 1; v < len(t.parent); v++ {
		forest := f.without(t, v)
		k := slices.Index(found, forest)
		if k < 0 {
			k = len(found)
			found, count = append(found, forest), append(count, 0)
		}
		count[k]++
	}
	for k, forest := range found {
		row, known := f.row[forest]
		if !known {
			row = f.e.rows
			f.row[forest] = row
			f.e.rows++
		}
		f.e.put(row, f.e.cols, float64(count[k]))
	}
}

// without is the forest left when the edge from v to its parent is removed.
func (f *forestRows) without(t tree, v int) [2]int32 {
	below := t.component(v, 1<<t.parent[v])
	all := uint32(1)<<len(t.parent) - 1
	a, b := f.shape(t, below), f.shape(t, all&^below)
	return [2]int32{min(a, b), max(a, b)}
}

// component is the nodes that v reaches without entering those of a set.
func (t tree) component(v int, without uint32) uint32 {
	reached := uint32(1) << v
	for todo := reached; todo != 0; {
		u := bits.TrailingZeros32(todo)
		fresh := t.neighbour[u] &^ (reached | without)
		todo = todo&(todo-1) | fresh
		reached |= fresh
	}
	return reached
}

// shape numbers a free tree: the least shape of it rooted at one of its centres.
func (f *forestRows) shape(t tree, nodes uint32) int32 {
	shape := int32(-1)
	for c := t.centres(nodes); c != 0; c &= c - 1 {
		s := f.rooted(t, bits.TrailingZeros32(c), nodes)
		if shape < 0 || s < shape {
			shape = s
		}
	}
	return shape
}

// centres takes leaves away until one or two nodes are left.
func (t tree) centres(nodes uint32) uint32 {
	for bits.OnesCount32(nodes) > 2 {
		leaves := uint32(0)
		for rest := nodes; rest != 0; rest &= rest - 1 {
			v := bits.TrailingZeros32(rest)
			if bits.OnesCount32(t.neighbour[v]&nodes) <= 1 {
				leaves |= 1 << v
			}
		}
		nodes &^= leaves
	}
	return nodes
}

// rooted numbers the tree that hangs below v within a set of nodes.
func (f *forestRows) rooted(t tree, v int, nodes uint32) int32 {
	var below [32]int32
	n := 0
	nodes &^= 1 << v
	for c := t.neighbour[v] & nodes; c != 0; c &= c - 1 {
		below[n] = f.rooted(t, bits.TrailingZeros32(c), nodes)
		n++
	}
	slices.Sort(below[:n])
	var key [128]byte
	k := key[:0]
	for _, s := range below[:n] {
		k = append(k, byte(s), byte(s>>8), byte(s>>16), byte(s>>24))
	}
	shape, known := f.shapes[string(k)]
	if !known {
		shape = int32(len(f.shapes))
		f.shapes[string(k)] = shape
	}
	return shape
}

// freeTrees calls fn with each tree on n nodes, as the levels of its nodes in
// preorder from a root at its centre (Wright 1986). fn must not keep it.
func freeTrees(n int, fn func(level []int)) {
	level := make([]int, 0, n)
	for l := range n/2 + 1 {
		level = append(level, l)
	}
	for l := 1; l < (n+1)/2; l++ {
		level = append(level, l)
	}
	for more := true; more; {
		skipToFree(level)
		fn(level)
		more = nextRooted(level, lastDeep(level))
	}
}

// lastDeep is the last node deeper than level 1, or the root.
func lastDeep(level []int) int {
	p := len(level) - 1
	for level[p] == 1 {
		p--
	}
	return p
}

// nextRooted makes the next sequence of levels of a rooted tree that differs
// from node p on; false if p is the root.
func nextRooted(level []int, p int) bool {
	if p == 0 {
		return false
	}
	q := p - 1
	for level[q] != level[p]-1 {
		q--
	}
	for i := p; i < len(level); i++ {
		level[i] = level[i-p+q]
	}
	return true
}

// skipToFree moves on to the next sequence that is the representative of its
// free tree, if this one is not: the first subtree is then not the larger half.
func skipToFree(level []int) {
	m := firstEnd(level)
	if representative(level, m) {
		return
	}
	p := m - 1
	deep := level[p] > 2
	nextRooted(level, p)
	if !deep {
		return
	}
	height := slices.Max(level[1:firstEnd(level)])
	for k := range height { // of the first subtree, as a path of the root's last child
		level[len(level)-height+k] = k + 1
	}
}

// firstEnd is where the first subtree below the root ends.
func firstEnd(level []int) int {
	for m := 2; m < len(level); m++ {
		if level[m] == 1 {
			return m
		}
	}
	return len(level)
}

// representative compares the first subtree, nodes 1 … m−1, with the rest.
func representative(level []int, m int) bool {
	left, rest := level[1:m], level[m:]
	height := 0
	if len(rest) > 0 {
		height = slices.Max(rest)
	}
	if leftHeight := slices.Max(left) - 1; leftHeight != height {
		return height > leftHeight
	}
	if len(left) != len(rest)+1 {
		return len(left) < len(rest)+1
	}
	for k := 1; k < len(left); k++ {
		if l := left[k] - 1; l != rest[k-1] {
			return l < rest[k-1]
		}
	}
	return true
}
