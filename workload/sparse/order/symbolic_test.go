package order

// Symbolic factorization as a measure of orderings.

// etree returns the elimination tree of AᵀA with columns in the order perm
// (Liu 1986), by places; -1 for roots.
func etree(p Pattern, perm []int32) []int32 {
	parent, anc, prev := filled(p.Cols, -1), filled(p.Cols, -1), filled(p.Rows, -1)
	for k, j := range perm {
		for _, i := range p.Col(int(j)) {
			for v := prev[i]; v != -1 && v != int32(k); {
				next := anc[v]
				anc[v] = int32(k)
				if next == -1 {
					parent[v] = int32(k)
				}
				v = next
			}
			prev[i] = int32(k)
		}
	}
	return parent
}

func filled(n int, with int32) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = with
	}
	return s
}

// postorderOf returns the places of a tree, children before parents.
func postorderOf(parent []int32) []int32 {
	head, next := filled(len(parent), -1), filled(len(parent), -1)
	for v := len(parent) - 1; v >= 0; v-- {
		if p := parent[v]; p >= 0 {
			next[v], head[p] = head[p], int32(v)
		}
	}
	var out, stack []int32
	for r := range parent {
		if parent[r] >= 0 {
			continue
		}
		for stack = append(stack, int32(r)); len(stack) > 0; {
			v := stack[len(stack)-1]
			if c := head[v]; c >= 0 {
				head[v] = next[c]
				stack = append(stack, c)
				continue
			}
			stack, out = stack[:len(stack)-1], append(out, v)
		}
	}
	return out
}

// colCounts returns the numbers of entries in the rows of R, with the diagonal
// (Gilbert, Li, Ng and Peyton 2001), by place.
func colCounts(p Pattern, perm []int32) []int64 {
	parent := etree(p, perm)
	post := postorderOf(parent)
	n := p.Cols
	q := make([]int32, n) // column at place of the postorder
	place := make([]int32, n)
	for k, v := range post {
		q[k], place[v] = perm[v], int32(k)
	}
	up := make([]int32, n)
	for v, f := range parent {
		up[place[v]] = -1
		if f >= 0 {
			up[place[v]] = place[f]
		}
	}
	first, count := filled(n, -1), make([]int64, n)
	for k := range n {
		if first[k] == -1 {
			count[k] = 1
		}
		for u := int32(k); u != -1 && first[u] == -1; u = up[u] {
			first[u] = int32(k)
		}
	}
	// rows by their first column
	head, next := filled(n, -1), filled(p.Rows, -1)
	seen := make([]bool, p.Rows)
	rowAt := make([]int64, p.Rows+1)
	for _, i := range p.Row[:p.Entries()] {
		rowAt[i+1]++
	}
	for i := range p.Rows {
		rowAt[i+1] += rowAt[i]
	}
	fill := append([]int64(nil), rowAt...)
	cols := make([]int32, p.Entries())
	for k, j := range q {
		for _, i := range p.Col(int(j)) {
			if !seen[i] {
				seen[i] = true
				next[i], head[k] = head[k], i
			}
			cols[fill[i]] = int32(k)
			fill[i]++
		}
	}
	// leaves of row subtrees
	lastNb, prevLeaf, set := filled(n, -1), filled(n, -1), make([]int32, n)
	for k := range set {
		set[k] = int32(k)
	}
	find := func(x int32) int32 {
		for set[x] != x {
			set[x] = set[set[x]]
			x = set[x]
		}
		return x
	}
	adj := make([][]int32, n) // f -> the later columns of rows whose first column is f
	last := filled(n, -1)
	for f := range n {
		for i := head[f]; i >= 0; i = next[i] {
			for _, k := range cols[rowAt[i]:rowAt[i+1]] {
				if int(k) != f && last[k] != int32(f) {
					last[k] = int32(f)
					adj[f] = append(adj[f], k)
				}
			}
		}
	}
	for j := range n {
		if up[j] >= 0 {
			count[up[j]]--
		}
		for _, u := range adj[j] {
			if first[j] > lastNb[u] {
				count[j]++
				if prevLeaf[u] != -1 {
					count[find(prevLeaf[u])]--
				}
				prevLeaf[u] = int32(j)
			}
			lastNb[u] = int32(j)
		}
		if up[j] >= 0 {
			set[j] = up[j]
		}
	}
	for j := range n {
		if up[j] >= 0 {
			count[up[j]] += count[j]
		}
	}
	return count
}

// cost is what an ordering costs: entries of R, and the sum of their squares
// by row, which goes as the operations of a Cholesky factorization of AᵀA.
func cost(p Pattern, perm []int32) (entries, squares int64) {
	for _, c := range colCounts(p, perm) {
		entries += c
		squares += c * c
	}
	return entries, squares
}
