package panel

import "math/bits"

// Drawing a lane without lying (DESIGN rule 3).
//
// A window has fewer pixel columns than tasks. A task at least one column wide
// is drawn as it is. Narrower ones cannot be: to paint each a pixel wide would
// make a lane look busy that is not, to drop them the contrary. So every column
// that a narrow task touches becomes a mixed column: it is filled with stacked
// shares, one per class (kind and variant), whose height is exactly the share
// of the column's time spent in that class; idle time is the missing height.
// Wide tasks that reach into a mixed column are cut at its edge and counted in
// its shares. This is the time-sliced form of the aggregation of Garcia Pinto
// 2018, section 5.1.4, with the pixel as the slice.
//
// Shares are kept as integer nanoseconds, so they add up exactly to the busy
// time of the column. One pass over the tasks of the window and one over the
// columns suffice. Where tasks overlap on one lane, a column can be busy for
// more than its length: its shares are then scaled down to its height, each in
// proportion.

// grid divides a window into pixel columns with integer edges.
type grid struct {
	t0, t1 int64
	edges  []int64 // columns+1, increasing
}

// newGrid makes at most width columns, fewer when the window has fewer
// nanoseconds. t1 must be after t0.
func newGrid(t0, t1 int64, width int) *grid {
	span := uint64(t1 - t0)
	n := max(1, min(uint64(max(width, 1)), span))
	g := &grid{t0: t0, t1: t1, edges: make([]int64, n+1)}
	for k := range g.edges {
		g.edges[k] = t0 + int64(mulDiv(uint64(k), span, n))
	}
	return g
}

func (g *grid) columns() int { return len(g.edges) - 1 }

// column is the column that holds t, which must lie in [t0, t1): the last k
// with edges[k] <= t, from floor(k·span/n) <= t-t0 <=> k·span < (t-t0+1)·n.
func (g *grid) column(t int64) int {
	n, span := uint64(g.columns()), uint64(g.t1-g.t0)
	hi, lo := bits.Mul64(uint64(t-g.t0)+1, n)
	lo, borrow := bits.Sub64(lo, 1, 0)
	if hi -= borrow; hi == 0 {
		return int(lo / span)
	}
	k, _ := bits.Div64(hi, lo, span)
	return int(k)
}

// mulDiv is floor(a·b/c) for a <= c, without overflow.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi == 0 {
		return lo / c
	}
	q, _ := bits.Div64(hi, lo, c)
	return q
}

// bins holds the columns of one lane. It is reused from lane to lane.
type bins struct {
	grid  *grid
	busy  [][]int64 // [class][column] ns, nil for a class not met yet
	used  []uint8   // classes met on this lane, in the order of meeting
	met   []bool    // by class
	mixed []bool    // columns to draw as shares
	any   bool      // some column is mixed
}

func newBins(g *grid, classes int) *bins {
	return &bins{grid: g, busy: make([][]int64, classes), met: make([]bool, classes), mixed: make([]bool, g.columns())}
}

// reset forgets the lane.
func (b *bins) reset() {
	for _, c := range b.used {
		clear(b.busy[c])
		b.met[c] = false
	}
	b.used = b.used[:0]
	clear(b.mixed)
	b.any = false
}

// add counts the part of [start, end) inside the window for a class. It
// returns the columns touched, first to last, and false when there are none.
func (b *bins) add(start, end int64, class uint8) (first, last int, ok bool) {
	g := b.grid
	start, end = max(start, g.t0), min(end, g.t1)
	if end <= start {
		return 0, 0, false
	}
	first, last = g.column(start), g.column(end-1)
	row := b.row(class)
	if first == last {
		row[first] += end - start
		return first, last, true
	}
	row[first] += g.edges[first+1] - start
	for k := first + 1; k < last; k++ {
		row[k] += g.edges[k+1] - g.edges[k]
	}
	row[last] += end - g.edges[last]
	return first, last, true
}

// spread counts the part of [start, end) inside the window for a class that was
// busy for so long in the whole of a longer time, evenly spread: [start, end)
// is what follows the first offset ns of of. Parts of one whole add up exactly.
func (b *bins) spread(start, end, offset, of, busy int64, class uint8) (first, last int, ok bool) {
	g := b.grid
	from, to := max(start, g.t0), min(end, g.t1)
	if to <= from {
		return 0, 0, false
	}
	first, last = g.column(from), g.column(to-1)
	row := b.row(class)
	done := evenly(busy, offset+from-start, of)
	for k := first; k <= last; k++ {
		until := evenly(busy, offset+min(to, g.edges[k+1])-start, of)
		row[k] += until - done
		done = until
	}
	return first, last, true
}

// evenly is how much of busy lies in the first part of a whole.
func evenly(busy, part, whole int64) int64 {
	return int64(mulDiv(uint64(part), uint64(busy), uint64(whole)))
}

func (b *bins) row(class uint8) []int64 {
	row := b.busy[class]
	if row == nil {
		row = make([]int64, b.grid.columns())
		b.busy[class] = row
	}
	if !b.met[class] {
		b.met[class] = true
		b.used = append(b.used, class)
	}
	return row
}

// mix marks columns as mixed.
func (b *bins) mix(first, last int) {
	b.any = true
	for k := first; k <= last; k++ {
		b.mixed[k] = true
	}
}

// sum is the busy time of a column over all classes.
func (b *bins) sum(column int) (ns int64) {
	for _, c := range b.used {
		ns += b.busy[c][column]
	}
	return ns
}
