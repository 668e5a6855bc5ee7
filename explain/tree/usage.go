package tree

import (
	"slices"

	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Usage is how much of the machine worked on what, slice by slice: rows for
// what was worked on at all, by node and slice.
type Usage struct {
	Of    []int32 // tree node, or depth
	Slice []int32
	Busy  []float64 // ns of workers
	Share []float64 // of all workers over the slice, 0 to 1
}

// ByNode integrates the load of each tree node over slices: the time for which
// workers computed on it (docs/design/methods.md, Elimination tree:
// 100·integral/(step·workers)).
func (t *Tree) ByNode(cut interval.Slices, d interval.Divisor) *Usage {
	return t.usage(cut, d, len(t.Parent), func(node int32) int32 { return node })
}

// ByDepth is the sum over the nodes of each depth; roots have depth 0. With
// leavesUp a leaf of the tree counts at the depth of its parent, as it does in
// StarVZ: its search for depths never enters leaves.
func (t *Tree) ByDepth(cut interval.Slices, d interval.Divisor, leavesUp bool) *Usage {
	deepest := int32(0)
	for _, depth := range t.Depth {
		deepest = max(deepest, depth)
	}
	level := t.levels(leavesUp)
	return t.usage(cut, d, int(deepest)+1, func(node int32) int32 { return level[node] })
}

// levels are the depths, of leaves those of their parents if asked for.
func (t *Tree) levels(leavesUp bool) []int32 {
	if !leavesUp {
		return t.Depth
	}
	level, inner := slices.Clone(t.Depth), make([]bool, len(t.Depth))
	for _, p := range t.Parent {
		if p >= 0 {
			inner[p] = true
		}
	}
	for node := range level {
		if !inner[node] && level[node] > 0 {
			level[node]--
		}
	}
	return level
}

// ByRow is the sum over the nodes that are drawn in one row; see [Tree.Rows].
func (t *Tree) ByRow(r *Rows, cut interval.Slices, d interval.Divisor) *Usage {
	return t.usage(cut, d, len(r.Node), func(node int32) int32 { return r.Of[node] })
}

// usage sums up in places; a place below 0 is left out.
func (t *Tree) usage(cut interval.Slices, d interval.Divisor, places int, of func(node int32) int32) *Usage {
	u := &Usage{}
	nodes := make([][]int32, places)
	for node := range t.Compute {
		if p := of(int32(node)); p >= 0 {
			nodes[p] = append(nodes[p], int32(node))
		}
	}
	n := cut.Len()
	sums := make([]map[int32]float64, places)
	parallel.For(places, func(p int) {
		sums[p] = map[int32]float64{}
		for _, node := range nodes[p] {
			addSlices(sums[p], &t.Compute[node], cut, n)
		}
	})
	for p, sum := range sums {
		of := make([]int32, 0, len(sum))
		for s := range sum {
			of = append(of, s)
		}
		slices.Sort(of)
		for _, s := range of {
			u.Of, u.Slice, u.Busy = append(u.Of, int32(p)), append(u.Slice, s), append(u.Busy, sum[s])
			u.Share = append(u.Share, sum[s]/(cut.Over(int(s), d)*float64(max(t.Workers, 1))))
		}
	}
	return u
}

// addSlices adds the time of intervals to the slices that they touch.
func addSlices(sum map[int32]float64, spans *interval.Spans, cut interval.Slices, n int) {
	for i, start := range spans.Start {
		start, end := max(start, cut.From), min(spans.End[i], cut.To)
		for start < end {
			s := int((start - cut.From) / cut.Step)
			_, to := cut.Bounds(min(s, n-1))
			sum[int32(s)] += float64(min(to, end) - start)
			start = to
		}
	}
}

// Load is the number of workers that compute on a set of nodes, as a step
// function.
func (t *Tree) Load(nodes []int32) interval.Steps {
	var all interval.Spans
	for _, node := range nodes {
		for i, start := range t.Compute[node].Start {
			all.Add(start, t.Compute[node].End[i])
		}
	}
	return interval.Concurrency(all)
}

// LoadByDepth has the load of each depth.
func (t *Tree) LoadByDepth() []interval.Steps {
	var nodes [][]int32
	for node, depth := range t.Depth {
		for int(depth) >= len(nodes) {
			nodes = append(nodes, nil)
		}
		nodes[depth] = append(nodes[depth], int32(node))
	}
	out := make([]interval.Steps, len(nodes))
	parallel.For(len(nodes), func(i int) { out[i] = t.Load(nodes[i]) })
	return out
}

// Rows are the rows of a drawing of the tree.
type Rows struct {
	Node []int32 // of each row, top to bottom
	Of   []int32 // row of each node, -1 for those without tasks
	Up   []int32 // of each row, that of the nearest ancestor that has one, -1 for none
}

// RowOrder is the order of the rows.
type RowOrder string

// Orders of rows.
const (
	Postorder RowOrder = ""      // children before their parents, subtrees together
	ByStart   RowOrder = "start" // the order in which work on nodes began
	ByLevel   RowOrder = "depth" // the deepest first
)

// Rows places the nodes on which something ran. What was pruned (subtrees that
// one task does) is in the row of the node above, as in StarVZ; nodes deeper
// than cut (0 for any) are in the row of their ancestor there.
func (t *Tree) Rows(order RowOrder, cut int32) *Rows {
	r := &Rows{Of: make([]int32, len(t.Parent))}
	owner, shown := t.owners(cut), make([]bool, len(t.Parent))
	for i := range owner {
		shown[owner[i]] = shown[owner[i]] || t.Tasks[i] > 0
	}
	for _, node := range t.Order {
		if shown[node] {
			r.Node = append(r.Node, node)
		}
	}
	t.sortRows(r.Node, order)
	row := make([]int32, len(t.Parent))
	for i := range row {
		row[i] = -1
	}
	for i, node := range r.Node {
		row[node] = int32(i)
	}
	for i := range r.Of {
		if r.Of[i] = -1; t.Tasks[i] > 0 {
			r.Of[i] = row[owner[i]]
		}
	}
	r.addUps(t)
	return r
}

// addUps finds the rows of ancestors, parents first.
func (r *Rows) addUps(t *Tree) {
	up := make([]int32, len(t.Parent))
	for node, p := range t.Parent {
		switch {
		case p < 0:
			up[node] = -1
		case r.Of[p] >= 0:
			up[node] = r.Of[p]
		default:
			up[node] = up[p]
		}
	}
	r.Up = make([]int32, len(r.Node))
	for row, node := range r.Node {
		if r.Up[row] = up[node]; r.Up[row] == int32(row) {
			r.Up[row] = -1
		}
	}
}

// owners are the nodes whose rows nodes are in, found parents first.
func (t *Tree) owners(cut int32) []int32 {
	base, owner := make([]int32, len(t.Parent)), make([]int32, len(t.Parent))
	for i, p := range t.Parent {
		if base[i] = int32(i); cut > 0 && t.Depth[i] > cut {
			base[i] = base[p]
		}
		node := base[i]
		if p := t.Parent[node]; t.Pruned[node] && p >= 0 && t.Tasks[p] > 0 {
			node = p
		}
		owner[i] = node
	}
	return owner
}

func (t *Tree) sortRows(nodes []int32, order RowOrder) {
	switch order {
	case ByStart:
		slices.SortStableFunc(nodes, func(a, b int32) int { return compareKeys(t.begin(a), t.begin(b)) })
	case ByLevel:
		slices.SortStableFunc(nodes, func(a, b int32) int { return int(t.Depth[b]) - int(t.Depth[a]) })
	}
}

// begin is when computing on a node began, or anything where nothing computes.
func (t *Tree) begin(node int32) int64 {
	if s := t.Compute[node].Start; len(s) > 0 {
		return s[0]
	}
	if t.Start[node] == trace.NoTime {
		return 1<<63 - 1
	}
	return t.Start[node]
}
