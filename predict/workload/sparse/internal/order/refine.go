package order

// Refinement of vertex separators (Fiduccia 1982, as Karypis 1998 uses it): a
// separator vertex goes to one of the sides, and its neighbours on the other
// side come into the separator. The best move is made even if it is bad, each
// vertex moves once, and then all is undone down to where the separator was
// lightest.

const (
	// unbalance is what a side may weigh, of half of the graph.
	unbalance = 1.3
	// tilt is the weight of the sides' imbalance against that of the separator.
	tilt = 0.05
	// patience is the number of moves in vain after which a pass ends; a pass
	// that moves to one side only has thrice as much while the separator is
	// not above hill times its lightest.
	patience = 600
	hill     = 1.1
	// passes is the number of passes made if each finds something better.
	passes = 10

	separator = 2 // where a vertex of the separator is; the sides are 0 and 1
	both      = 2 // moves go to both sides
)

// cut is a graph cut in two by a vertex separator.
type cut struct {
	g      *weighted
	where  []uint8
	weight [3]int64
	most   int64 // that a side may weigh

	gain   [2]heap // of moving a separator vertex to each side
	locked []int32 // by vertex: the pass in which it moved
	now    int32   // number of the pass
	to     uint8   // the side that vertices are moved to, or both
	moves  []move
	pulled []int32 // by all moves
}

// move is one of the moves made, and how many had been pulled before it.
type move struct {
	v      int32
	to     uint8
	pulled int
}

func newCut(g *weighted, where []uint8) *cut {
	c := &cut{g: g, where: where, most: int64(unbalance * float64(g.total) / 2), locked: make([]int32, g.n())}
	for s := range 2 {
		c.gain[s] = newHeap(g.n())
	}
	c.weigh()
	return c
}

// weigh adds up what is where.
func (c *cut) weigh() {
	c.weight = [3]int64{}
	for v, s := range c.where {
		c.weight[s] += int64(c.g.weight[v])
	}
}

// better says whether weights a are better than b: first of all, no side is
// too heavy; then the separator is light and the sides are balanced.
func (c *cut) better(a, b [3]int64) bool {
	overA, overB := max(0, max(a[0], a[1])-c.most), max(0, max(b[0], b[1])-c.most)
	if overA != overB {
		return overA < overB
	}
	return badness(a) < badness(b)
}

// badness is the weight of the separator, more if the sides are not balanced.
func badness(w [3]int64) float64 {
	return float64(w[separator]) * (1 + tilt*float64(max(w[0], w[1])-min(w[0], w[1]))/float64(w[0]+w[1]+1))
}

// refine makes passes as long as they help: passes that move vertices to one
// side sweep the separator across what does not help at first, passes that
// move them to both find what those cannot.
func (c *cut) refine(by *chance) {
	c.repeat(func() {
		to := c.lighter()
		c.sweep(by, to)
		c.sweep(by, 1-to)
	})
	c.repeat(func() { c.pass(by) })
}

func (c *cut) repeat(pass func()) {
	for range passes {
		before := c.weight
		if pass(); !c.better(c.weight, before) {
			return
		}
	}
}

func (c *cut) lighter() uint8 {
	if c.weight[1] < c.weight[0] {
		return 1
	}
	return 0
}

// pass moves vertices to both sides.
func (c *cut) pass(by *chance) {
	c.begin(by, both)
	best, kept := c.weight, 0
	for len(c.moves)-kept < patience {
		v, to := c.choose()
		if v < 0 {
			break
		}
		c.move(v, to)
		if c.better(c.weight, best) {
			best, kept = c.weight, len(c.moves)
		}
	}
	c.undo(kept)
}

// sweep moves vertices to one side.
func (c *cut) sweep(by *chance, to uint8) {
	c.begin(by, to)
	best, kept := c.weight, 0
	for vain := 0; vain < patience || vain < 3*patience && float64(c.weight[separator]) < hill*float64(best[separator]); vain++ {
		v, ok := c.top(to)
		if !ok {
			break
		}
		c.move(v, to)
		if c.better(c.weight, best) {
			best, kept, vain = c.weight, len(c.moves), 0
		}
	}
	c.undo(kept)
}

// begin puts the separator into the heaps, for moves to a side or both.
func (c *cut) begin(by *chance, to uint8) {
	c.now++
	c.to = to
	c.moves, c.pulled = c.moves[:0], c.pulled[:0]
	c.gain[0].clear()
	c.gain[1].clear()
	var vs []int32
	for v, s := range c.where {
		if s == separator {
			vs = append(vs, int32(v))
		}
	}
	by.shuffle(vs)
	for _, v := range vs {
		c.enter(v)
	}
}

// enter finds what moving a separator vertex gains, and queues it.
func (c *cut) enter(v int32) {
	var beside [3]int64
	for _, u := range c.g.of(v) {
		beside[c.where[u]] += int64(c.g.weight[u])
	}
	if c.locked[v] == c.now {
		return
	}
	for s := range uint8(2) {
		if c.to == s || c.to == both {
			c.gain[s].push(v, int64(c.g.weight[v])-beside[1-s])
		}
	}
}

// choose returns the move that gains most among those that leave no side too
// heavy, and to the lighter side if two gain the same; -1: there is none.
func (c *cut) choose() (int32, uint8) {
	to := c.lighter()
	a, okA := c.top(to)
	b, okB := c.top(1 - to)
	switch {
	case okA && okB && c.gain[1-to].gain[b] > c.gain[to].gain[a]:
		return b, 1 - to
	case okA:
		return a, to
	case okB:
		return b, 1 - to
	}
	return -1, 0
}

// top returns the first for a side, unless it would be too heavy.
func (c *cut) top(to uint8) (int32, bool) {
	if len(c.gain[to].item) == 0 {
		return -1, false
	}
	v := c.gain[to].item[0]
	return v, c.weight[to]+int64(c.g.weight[v]) <= c.most
}

// move moves a separator vertex to a side.
func (c *cut) move(v int32, to uint8) {
	c.moves = append(c.moves, move{v: v, to: to, pulled: len(c.pulled)})
	c.gain[0].remove(v)
	c.gain[1].remove(v)
	c.locked[v] = c.now
	c.put(v, to)
	w := int64(c.g.weight[v])
	for _, u := range c.g.of(v) {
		switch c.where[u] {
		case separator:
			c.gain[1-to].add(u, -w)
		case 1 - to:
			c.pull(u)
		}
	}
}

// pull takes a vertex from a side into the separator.
func (c *cut) pull(u int32) {
	from := c.where[u]
	c.pulled = append(c.pulled, u)
	c.put(u, separator)
	w := int64(c.g.weight[u])
	for _, x := range c.g.of(u) {
		if c.where[x] == separator {
			c.gain[1-from].add(x, w)
		}
	}
	c.enter(u)
}

// put says where a vertex is now.
func (c *cut) put(v int32, to uint8) {
	w := int64(c.g.weight[v])
	c.weight[c.where[v]] -= w
	c.weight[to] += w
	c.where[v] = to
}

// undo takes back all but the first moves.
func (c *cut) undo(keep int) {
	for k := len(c.moves) - 1; k >= keep; k-- {
		m := c.moves[k]
		for _, u := range c.pulled[m.pulled:] {
			c.put(u, 1-m.to)
		}
		c.pulled = c.pulled[:m.pulled]
		c.put(m.v, separator)
	}
	c.moves = c.moves[:keep]
}
