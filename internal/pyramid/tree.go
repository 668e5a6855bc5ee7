package pyramid

// fan is how many nodes, or spans, a node of the tree is over.
const fan = 16

// tree holds the greatest duration of every fan spans, then of every fan of
// these, and so on: half a byte a span.
type tree [][]int64

func newTree(start, end []int64) tree {
	if len(start) == 0 {
		return nil
	}
	level := make([]int64, (len(start)+fan-1)/fan)
	for i := range start {
		level[i/fan] = max(level[i/fan], end[i]-start[i])
	}
	t := tree{level}
	for len(level) > 1 {
		above := make([]int64, (len(level)+fan-1)/fan)
		for i, d := range level {
			above[i/fan] = max(above[i/fan], d)
		}
		t, level = append(t, above), above
	}
	return t
}

// next finds the first span of [i, hi) of at least w: it climbs while the nodes
// are below w and goes down where one is not.
func (t tree) next(start, end []int64, i, hi int, w int64) int {
	for i < hi {
		for stop := min(hi, i/fan*fan+fan); i < stop; i++ {
			if end[i]-start[i] >= w {
				return i
			}
		}
		if i < hi {
			i = t.skip(i/fan, (hi-1)/fan, w) * fan
		}
	}
	return hi
}

// skip returns the first leaf of [leaf, last] with a span of at least w, one
// beyond last if there is none.
func (t tree) skip(leaf, last int, w int64) int {
	level, at := 0, leaf
	for at<<(4*level) <= last {
		switch {
		case t[level][at] >= w && level == 0:
			return at
		case t[level][at] >= w:
			level, at = level-1, at*fan
		case (at+1)%fan == 0 && level+1 < len(t):
			level, at = level+1, (at+1)/fan
		default:
			at++
		}
	}
	return last + 1
}

// longest finds the first of the longest spans of [lo, hi).
func (t tree) longest(start, end []int64, lo, hi int) int {
	most := int64(0)
	level, from, to := -1, lo, hi
	at := func(i int) int64 { return end[i] - start[i] }
	for from < to {
		for ; from < to && from%fan != 0; from++ {
			most = max(most, at(from))
		}
		for ; from < to && to%fan != 0; to-- {
			most = max(most, at(to-1))
		}
		level, from, to = level+1, from/fan, to/fan
		if level < len(t) {
			nodes := t[level]
			at = func(i int) int64 { return nodes[i] }
		}
	}
	return t.next(start, end, lo, hi, most)
}
