package tracetest

// id names a task of the factorisation: step k, and the tile (m, n) that it
// writes, k ≤ n ≤ m: POTRF when n = m = k, TRSM when n = k < m, SYRK when
// k < n = m, GEMM otherwise. Sequential task flow submits in the order (k, n, m),
// so packing them in this order makes ids compare as submissions.
type id uint64

const idBits = 48 // priorities fit above

func newID(k, n, m int) id { return id(k)<<32 | id(n)<<16 | id(m) }

func (t id) split() (k, n, m int) {
	return int(t >> 32 & 0xffff), int(t >> 16 & 0xffff), int(t & 0xffff)
}

// Kinds, as indices into kindNames.
const (
	potrf = iota
	trsm
	syrk
	gemm
)

var kindNames = [...]string{"POTRF", "TRSM", "SYRK", "GEMM"}

func (t id) kind() int {
	k, n, m := t.split()
	switch {
	case n > k && m > n:
		return gemm
	case n > k:
		return syrk
	case m > k:
		return trsm
	}
	return potrf
}

// graph is the task graph and its distribution over P × Q nodes: tile (m, n),
// and every task that writes it, belongs to node (m mod P)·Q + n mod Q.
type graph struct {
	n, p, q int
	step    []int   // number of tasks before each step
	row     []int32 // row of each task by submission order; nil on one node, where they are equal
	first   []int   // first row of each node, and the number of tasks
}

func newGraph(n, nodes int) *graph {
	g := &graph{n: n, p: 1, step: make([]int, n+1), first: make([]int, nodes+1)}
	for d := 1; d*d <= nodes; d++ {
		if nodes%d == 0 {
			g.p = d
		}
	}
	g.q = nodes / g.p
	for k := range n {
		left := n - k
		g.step[k+1] = g.step[k] + left*(left+1)/2
	}
	g.first[nodes] = g.tasks()
	if nodes > 1 {
		g.numberByNode(nodes)
	}
	return g
}

func (g *graph) numberByNode(nodes int) {
	g.row = make([]int32, g.tasks())
	row := 0
	for node := range nodes {
		g.first[node] = row
		for w := g.walk(node); w.ok; w.next() {
			g.row[g.order(w.k, w.n, w.m)] = int32(row)
			row++
		}
	}
}

func (g *graph) tasks() int { return g.step[g.n] }

func (g *graph) nodes() int { return g.p * g.q }

func (g *graph) owner(m, n int) int { return m%g.p*g.q + n%g.q }

// tile numbers the tiles of the lower triangle.
func tile(m, n int) int { return m*(m+1)/2 + n }

func (g *graph) tiles() int { return g.n * (g.n + 1) / 2 }

// order is the place of a task in the whole submission: column n of step k has
// N-n tasks.
func (g *graph) order(k, n, m int) int {
	j := n - k
	return g.step[k] + j*(g.n-k) - j*(j-1)/2 + m - n
}

// rowOf is the row of a task in the task table.
func (g *graph) rowOf(k, n, m int) int32 {
	o := g.order(k, n, m)
	if g.row == nil {
		return int32(o)
	}
	return g.row[o]
}

// priority is Chameleon's.
func (g *graph) priority(k, n, m int) int {
	p := 2*g.n - 2*k
	if m > k {
		p -= m
	}
	if n > k && m > n {
		p -= n
	}
	return p
}

// reads appends the steps (k, k, m') whose tiles (m', k) the task reads, in the
// order of its parameters. It also waits for the task (k-1, n, m) when k > 0,
// the previous writer of its tile. That is all of sequential task flow's edges:
// a tile is not written any more once it is read.
func reads(k, n, m int, tiles []int) []int {
	switch {
	case n > k && m > n:
		return append(tiles, m, n)
	case n > k:
		return append(tiles, n)
	case m > k:
		return append(tiles, k)
	}
	return tiles
}

// waits is the number of predecessors.
func waits(k, n, m int) uint8 {
	var c uint8
	if k > 0 {
		c++
	}
	switch {
	case n > k && m > n:
		c += 2
	case m > k:
		c++
	}
	return c
}

// readers calls visit for each task on a node that reads tile (m, k) after its
// last write: row m up to the diagonal, then column m.
func (g *graph) readers(k, m, node int, visit func(n, m int)) {
	p, q := node/g.q, node%g.q
	if p == m%g.p {
		for n := atLeast(k+1, q, g.q); n <= m; n += g.q {
			visit(n, m)
		}
	}
	if q == m%g.q {
		for i := atLeast(m+1, p, g.p); i < g.n; i += g.p {
			// In step k the panel (m = k) is read by its column's tasks.
			visit(m, i)
		}
	}
}

// atLeast is the smallest number ≥ from that is r modulo mod.
func atLeast(from, r, mod int) int {
	return from + ((r-from)%mod+mod)%mod
}

// destinations calls visit for each node but the owner that reads tile (m, k).
// seen has a false entry per node, before and after.
func (g *graph) destinations(k, m int, seen []bool, visit func(node int)) {
	self := g.owner(m, k)
	each := func(do func(node int)) {
		for n := k + 1; n <= min(m, k+g.q); n++ {
			do(g.owner(m, n))
		}
		for i := m + 1; i < min(g.n, m+1+g.p); i++ {
			do(g.owner(i, m))
		}
	}
	each(func(node int) {
		if node != self && !seen[node] {
			seen[node] = true
			visit(node)
		}
	})
	each(func(node int) { seen[node] = false })
}

// walker goes through the tasks of a node in the order of their submission.
type walker struct {
	g       *graph
	p, q    int
	k, n, m int
	ok      bool
}

func (g *graph) walk(node int) walker {
	w := walker{g: g, p: node / g.q, q: node % g.q, n: -1, m: g.n, ok: true}
	w.next()
	return w
}

func (w *walker) next() {
	g := w.g
	for w.m += g.p; w.m >= g.n; w.m = atLeast(w.n, w.p, g.p) {
		w.n = atLeast(w.n+1, w.q, g.q)
		if w.n < g.n {
			continue
		}
		w.k++
		w.n = atLeast(w.k, w.q, g.q)
		if w.n >= g.n { // nor does any later step have a column for this node
			w.ok = false
			return
		}
	}
}
