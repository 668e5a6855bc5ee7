package order

const (
	// coarsest is the number of vertices at which graphs are not made coarser.
	coarsest = 100
	// starts is the number of separators grown on the coarsest graph.
	starts = 10
	// middle is the number of vertices of graphs of which several coarse ones
	// are made and the best separator goes on; runs is their number.
	middle, runs = 10000, 4
)

// separate cuts a connected graph in two by a small vertex separator, found on
// coarser graphs, and says where each vertex is.
func separate(g *weighted, by *chance) []uint8 {
	if g.n() <= middle {
		return bestOf(g, runs, by)
	}
	small, in := coarser(g, heaviestVertex(g), by)
	if small.n() > g.n()*19/20 {
		return bestOf(g, runs, by)
	}
	return project(g, in, separate(small, by), by)
}

// bestOf returns the best of several separators; they are a power of two.
func bestOf(g *weighted, times int, by *chance) []uint8 { return bestCut(g, times, by.next()).where }

func bestCut(g *weighted, times int, seed uint64) *cut {
	if times == 1 {
		by := chance(seed)
		return newCut(g, multilevel(g, &by))
	}
	var cuts [2]*cut
	atOnce(g.n(), func(k int) { cuts[k] = bestCut(g, times/2, seed+uint64(k*times)) })
	if cuts[1].better(cuts[1].weight, cuts[0].weight) {
		return cuts[1]
	}
	return cuts[0]
}

// multilevel finds a separator on the coarsest graph and refines it on the others.
func multilevel(g *weighted, by *chance) []uint8 {
	if g.n() > coarsest {
		small, in := coarser(g, heaviestVertex(g), by)
		if small.n() <= g.n()*19/20 {
			return project(g, in, multilevel(small, by), by)
		}
	}
	return grow(g, by)
}

// heaviestVertex is what a vertex of a coarser graph may weigh.
func heaviestVertex(g *weighted) int64 { return 3 * g.total / (2 * coarsest) }

// project takes a separator over from a coarser graph.
func project(g *weighted, in []int32, small []uint8, by *chance) []uint8 {
	where := make([]uint8, g.n())
	for v, k := range in {
		where[v] = small[k]
	}
	c := newCut(g, where)
	c.refine(by)
	return c.where
}

// grow returns the best of some separators that are grown from vertices chosen
// by chance until half of the graph is on their side.
func grow(g *weighted, by *chance) []uint8 {
	var best []uint8
	var weight [3]int64
	for range starts {
		c := growFrom(g, int32(by.below(g.n())), by)
		if best == nil || c.better(c.weight, weight) {
			best, weight = c.where, c.weight
		}
	}
	return best
}

func growFrom(g *weighted, v int32, by *chance) *cut {
	where := make([]uint8, g.n())
	for u := range where {
		where[u] = 1
	}
	c := newCut(g, where)
	c.begin(by, 0)
	c.pull(v)
	for c.weight[0] < c.weight[1] && len(c.gain[0].item) > 0 {
		c.move(c.gain[0].item[0], 0)
	}
	c.refine(by)
	return c
}
