package sparse

// rowCounts is by column the number of entries of its row of R, diagonal
// included, found from the leaves of row subtrees without forming AᵀA or R
// (Gilbert 2001).
func rowCounts(m *Matrix, parent, post []int32) []int32 {
	c := &counter{
		parent: parent, position: positions(post),
		count: make([]int32, m.Cols), first: filled(m.Cols, none),
		lastLeaf: filled(m.Cols, none), seen: filled(m.Cols, none), up: byWeight(nil, m.Cols),
	}
	c.firstDescendants(post)
	c.higher(m, post)
	for _, j := range post {
		c.column(j)
	}
	for _, j := range post {
		if p := parent[j]; p != none {
			c.count[p] += c.count[j]
		}
	}
	return c.count
}

type counter struct {
	parent, position []int32
	count            []int32
	first            []int32 // place in postorder of the first descendant
	// Lists by column j of the columns u > j of rows that begin in j: "higher
	// adjacent" ones. The columns with u in their lists hold the leaves of the
	// row subtree of u.
	head, next, item []int32
	lastLeaf         []int32 // by u: the last leaf of its subtree
	seen             []int32 // by u: place of the last column with u in its list
	up               []int32 // union-find over finished columns
}

// firstDescendants also counts 1 for each leaf of the tree.
func (c *counter) firstDescendants(post []int32) {
	for k, v := range post {
		if c.first[v] == none {
			c.count[v] = 1
		}
		for u := v; u != none && c.first[u] == none; u = c.parent[u] {
			c.first[u] = int32(k)
		}
	}
}

// higher makes the lists: rows that begin in the same column are one clique.
func (c *counter) higher(m *Matrix, post []int32) {
	leader, last := filled(m.Rows, none), filled(m.Cols, none)
	c.head = filled(m.Cols, none)
	c.next, c.item = make([]int32, 0, len(m.Row)), make([]int32, 0, len(m.Row))
	for k, j := range post {
		for _, i := range m.Column(j) {
			u := leader[i]
			if u == none {
				leader[i] = j
			} else if u != j && last[u] < int32(k) {
				c.push(u, j)
				last[u] = int32(k)
			}
		}
	}
}

// push puts u in the list of j.
func (c *counter) push(j, u int32) {
	c.next, c.item = append(c.next, c.head[j]), append(c.item, u)
	c.head[j] = int32(len(c.item) - 1)
}

func (c *counter) column(j int32) {
	p := c.parent[j]
	if p != none {
		c.count[p]--
	}
	for e := c.head[j]; e != none; e = c.next[e] {
		c.leaf(j, c.item[e])
	}
	if p != none {
		c.up[j] = p
	}
}

// leaf counts j once if it is a leaf of the subtree of u; what it shares with
// the leaf before is counted back where their paths meet.
func (c *counter) leaf(j, u int32) {
	if c.first[j] > c.seen[u] {
		c.count[j]++
		if c.lastLeaf[u] != none {
			c.count[find(c.up, c.lastLeaf[u])]--
		}
		c.lastLeaf[u] = j
	}
	c.seen[u] = c.position[j]
}
