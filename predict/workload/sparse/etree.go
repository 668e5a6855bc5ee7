package sparse

const none int32 = -1

// eliminationTree is the elimination tree of AᵀA without forming it: by column
// its parent, -1 for roots. Columns are eliminated in the order perm (Liu 1986;
// Davis 2006, section 4.1).
func eliminationTree(m *Matrix, perm []int32) []int32 {
	parent := filled(m.Cols, none)
	ancestor := filled(m.Cols, none)
	last := filled(m.Rows, none) // the row's column before
	for _, j := range perm {
		for _, i := range m.Column(j) {
			link(parent, ancestor, last[i], j)
			last[i] = j
		}
	}
	return parent
}

// link makes j the ancestor of all that k reaches, and the parent of the root there.
func link(parent, ancestor []int32, k, j int32) {
	for k != none && k != j {
		up := ancestor[k]
		ancestor[k] = j
		if up == none {
			parent[k] = j
		}
		k = up
	}
}

// postorder lists the nodes of a forest, children before their parents and
// ascending by weight, then number; roots ascending by number. Weights are at
// most the number of nodes; nil: all alike.
func postorder(parent, weight []int32) []int32 {
	child, sibling := siblings(parent, byWeight(weight, len(parent)))
	order := make([]int32, 0, len(parent))
	for root := range int32(len(parent)) {
		if parent[root] == none {
			order = appendPostorder(order, root, parent, child, sibling)
		}
	}
	return order
}

// appendPostorder walks one tree; child is used up on the way.
func appendPostorder(order []int32, root int32, parent, child, sibling []int32) []int32 {
	for v := root; v != none; {
		if c := child[v]; c != none {
			child[v] = sibling[c]
			v = c
			continue
		}
		order = append(order, v)
		if v == root {
			break
		}
		v = parent[v]
	}
	return order
}

// siblings makes lists of children that keep a given order of nodes.
func siblings(parent, order []int32) (child, sibling []int32) {
	child, sibling = filled(len(parent), none), filled(len(parent), none)
	for k := len(order) - 1; k >= 0; k-- {
		v := order[k]
		if p := parent[v]; p != none {
			sibling[v] = child[p]
			child[p] = v
		}
	}
	return child, sibling
}

// byWeight lists 0 … n−1 ascending by weight, then number.
func byWeight(weight []int32, n int) []int32 {
	order := make([]int32, n)
	if weight == nil {
		for v := range order {
			order[v] = int32(v)
		}
		return order
	}
	next := offsets(weight, n+1)
	for v, w := range weight {
		order[next[w]] = int32(v)
		next[w]++
	}
	return order
}

// positions inverts a permutation.
func positions(order []int32) []int32 {
	at := make([]int32, len(order))
	for k, v := range order {
		at[v] = int32(k)
	}
	return at
}

// filled is a slice of n times v.
func filled(n int, v int32) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// find is the root of x in a union-find forest whose roots point to themselves;
// the path is compressed.
func find(up []int32, x int32) int32 {
	root := x
	for up[root] != root {
		root = up[root]
	}
	for up[x] != root {
		up[x], x = root, up[x]
	}
	return root
}
