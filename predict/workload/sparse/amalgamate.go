package sparse

// Thresholds of relaxed amalgamation: shares of zeros that are added to a front
// of so many pivots. 0.05 is a single-precision literal in qr_mumps, which
// decides ties such as a share of exactly 0.8.
const (
	mergeAlways = 4 // merge without a look at zeros below so many pivots
	zeroShare   = float64(float32(0.05))
)

// supernode is a set of consecutive columns that are eliminated together.
type supernode struct {
	start  int32 // first column, as a position in the order
	pivots int32
	count  int32 // entries of the first row of R
}

// amalgamate groups the columns of a postordered elimination tree, children
// ascending by count, into the fronts of qr_mumps: fundamental supernodes,
// merged with their last child where that adds few zeros.
func amalgamate(parent, count, order []int32) []supernode {
	s := fundamental(parent, count, order)
	g := newMerger(s, parent, order)
	for child := len(s) - 2; child >= 0; child-- {
		g.consider(int32(child))
	}
	merged := s[:0]
	for k, node := range s {
		if g.into[k] == int32(k) {
			merged = append(merged, node)
		}
	}
	return merged
}

// fundamental cuts the order wherever a column is not the only child's parent
// with one entry less in R.
func fundamental(parent, count, order []int32) []supernode {
	children := make([]int32, len(parent))
	for _, p := range parent {
		if p != none {
			children[p]++
		}
	}
	var s []supernode
	for k, v := range order {
		if k > 0 {
			before := order[k-1]
			if parent[before] == v && count[before] == count[v]+1 && children[v] == 1 {
				s[len(s)-1].pivots++
				continue
			}
		}
		s = append(s, supernode{start: int32(k), pivots: 1, count: count[v]})
	}
	return s
}

// merger holds what is known while supernodes are merged, from the last one
// to the first. A merged pair is known by the child's number.
type merger struct {
	nodes  []supernode
	father []int32 // as it was before merging
	into   []int32 // union-find
	zeros  []int64 // added so far
}

func newMerger(s []supernode, parent, order []int32) *merger {
	g := &merger{nodes: s, father: make([]int32, len(s)), into: byWeight(nil, len(s)), zeros: make([]int64, len(s))}
	of := make([]int32, len(parent))
	for k, node := range s {
		for _, v := range order[node.start : node.start+node.pivots] {
			of[v] = int32(k)
		}
	}
	for k, node := range s {
		g.father[k] = none
		if p := parent[order[node.start+node.pivots-1]]; p != none {
			g.father[k] = of[p]
		}
	}
	return g
}

// consider merges a supernode with its father if it is the last child, whose
// columns come just before the father's.
func (g *merger) consider(child int32) {
	father := child + 1
	if g.father[child] == none || find(g.into, g.father[child]) != father {
		return
	}
	c, f := &g.nodes[child], &g.nodes[father]
	added := int64(c.pivots) * int64(f.count+c.pivots-c.count)
	total := g.zeros[father] + added
	if !worthMerging(c.pivots+f.pivots, f.count-f.pivots, added, total) {
		return
	}
	g.zeros[child], g.into[father] = total, child
	c.count = c.pivots + f.count
	c.pivots, f.pivots = c.pivots+f.pivots, 0
}

// worthMerging decides on a front of so many pivots and other columns.
func worthMerging(pivots, others int32, added, total int64) bool {
	if pivots < mergeAlways {
		return true
	}
	if added == 0 {
		return pivots < 50*mergeAlways
	}
	t := int64(pivots)
	share := float64(total) / float64(t*(t+1)/2+t*int64(others))
	return pivots < 4*mergeAlways && share < 16*zeroShare ||
		pivots < 12*mergeAlways && share < 2*zeroShare ||
		share < zeroShare
}
