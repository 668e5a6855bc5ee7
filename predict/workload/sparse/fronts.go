package sparse

import "slices"

// builder makes fronts one after another, children first.
type builder struct {
	a        *Analysis
	m        *Matrix
	rowAt    []int64 // entries of row i are rowPos[rowAt[i]:rowAt[i+1]],
	rowPos   []int32 // places of its columns in the order, ascending
	taken    []bool  // by row: assembled in an earlier front
	children treeLists
	mark     []int32 // by column: the last front that has it, +1
	local    []int32 // by column: place in the front
}

// treeLists are the children of each node, ascending.
type treeLists struct{ at, child []int32 }

func (t treeLists) of(f int32) []int32 { return t.child[t.at[f]:t.at[f+1]] }

// childLists makes lists of children from parents.
func childLists(parent func(int32) int32, n int) treeLists {
	t := treeLists{at: make([]int32, n+1)}
	for f := range int32(n) {
		if p := parent(f); p != none {
			t.at[p+1]++
		}
	}
	for f := range n {
		t.at[f+1] += t.at[f]
	}
	t.child = make([]int32, t.at[n])
	next := slices.Clone(t.at)
	for f := range int32(n) {
		if p := parent(f); p != none {
			t.child[next[p]] = f
			next[p]++
		}
	}
	return t
}

// children lists the children of each front, ascending.
func (a *Analysis) children() treeLists {
	return childLists(func(f int32) int32 { return a.Fronts[f].Parent }, len(a.Fronts))
}

// assemblyTree makes the fronts: those of the supernodes, and the artificial root.
func (a *Analysis) assemblyTree(m *Matrix, nodes []supernode, columns int64) {
	a.Columns, a.Stair = make([]int32, 0, columns), make([]int32, 0, columns)
	a.RowOrder = make([]int32, 0, m.Rows)
	a.plant(nodes)
	b := &builder{a: a, m: m, taken: make([]bool, m.Rows), children: a.children(), mark: make([]int32, m.Cols), local: make([]int32, m.Cols)}
	b.rows()
	for f, s := range nodes {
		b.front(int32(f), s)
	}
	for i := range int32(m.Rows) {
		if !b.taken[i] {
			a.RowOrder = append(a.RowOrder, i)
		}
	}
}

// plant sets pivots and parents.
func (a *Analysis) plant(nodes []supernode) {
	root := int32(len(nodes))
	a.Fronts = make([]Front, root+1)
	of := make([]int32, len(a.Order))
	for f, s := range nodes {
		for _, v := range a.Order[s.start : s.start+s.pivots] {
			of[v] = int32(f)
		}
	}
	for f, s := range nodes {
		parent := root
		if p := a.Parent[a.Order[s.start+s.pivots-1]]; p != none {
			parent = of[p]
		}
		a.Fronts[f].Parent, a.Fronts[f].Pivots = parent, s.pivots
		a.Fronts[parent].Children++
	}
	a.Fronts[root].Parent = none
}

// rows lists the matrix by rows, columns as places in the order.
func (b *builder) rows() {
	b.rowAt = offsets(b.m.Row, b.m.Rows)
	b.rowPos = make([]int32, len(b.m.Row))
	next := slices.Clone(b.rowAt)
	for k, v := range b.a.Order {
		for _, i := range b.m.Column(v) {
			b.rowPos[next[i]] = int32(k)
			next[i]++
		}
	}
}

func (b *builder) row(i int32) []int32 { return b.rowPos[b.rowAt[i]:b.rowAt[i+1]] }

// front makes the columns, the staircase and the rows of a front. Its columns
// are its pivots, those of its rows of A, and what its children leave.
func (b *builder) front(f int32, s supernode) {
	front := &b.a.Fronts[f]
	front.ColumnAt = int64(len(b.a.Columns))
	own := b.ownRows(s)
	front.RowsOfA = int32(len(own))
	for k := s.start; k < s.start+s.pivots; k++ {
		b.addColumn(f, k)
	}
	for _, i := range own {
		front.Entries += int64(len(b.row(i)))
		b.addColumns(f, b.row(i))
	}
	for _, c := range b.children.of(f) {
		b.addColumns(f, b.a.contribution(c))
	}
	columns := b.a.Columns[front.ColumnAt:]
	slices.Sort(columns)
	front.Cols = int32(len(columns))
	b.stair(f, own)
}

// ownRows takes the rows that have an entry in a pivot and are not taken yet.
func (b *builder) ownRows(s supernode) []int32 {
	from := len(b.a.RowOrder)
	for _, v := range b.a.Order[s.start : s.start+s.pivots] {
		for _, i := range b.m.Column(v) {
			if !b.taken[i] {
				b.taken[i] = true
				b.a.RowOrder = append(b.a.RowOrder, i)
			}
		}
	}
	return b.a.RowOrder[from:]
}

func (b *builder) addColumns(f int32, columns []int32) {
	for _, k := range columns {
		b.addColumn(f, k)
	}
}

func (b *builder) addColumn(f, k int32) {
	if b.mark[k] != f+1 {
		b.mark[k] = f + 1
		b.a.Columns = append(b.a.Columns, k)
	}
}

// stair counts rows by their leftmost column: rows of A, and row i of a child's
// contribution, which is upper trapezoidal. Rows above the diagonal count as
// far as there are rows.
func (b *builder) stair(f int32, own []int32) {
	front := &b.a.Fronts[f]
	for k, column := range b.a.FrontColumns(f) {
		b.local[column] = int32(k)
		b.a.Stair = append(b.a.Stair, 0)
	}
	stair := b.a.FrontStair(f)
	for _, i := range own {
		stair[b.local[b.row(i)[0]]]++
	}
	for _, c := range b.children.of(f) {
		b.countRows(stair, c)
	}
	for k := 1; k < len(stair); k++ {
		stair[k] += stair[k-1]
	}
	front.Rows = stair[len(stair)-1]
	for k := range stair {
		stair[k] = max(stair[k], min(int32(k)+1, front.Rows))
	}
}

func (b *builder) countRows(stair []int32, c int32) {
	child := &b.a.Fronts[c]
	if rows := child.Steps() - child.Pivots; rows > 0 {
		for _, column := range b.a.contribution(c)[:rows] {
			stair[b.local[column]]++
		}
	}
}
