package kit

import (
	"math/bits"
)

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

// Grid divides a window into pixel columns with integer edges.
type Grid struct {
	T0, T1 int64
	Edges  []int64 // columns+1, increasing
}

// NewGrid makes at most width columns, fewer when the window has fewer
// nanoseconds. t1 must be after t0.
func NewGrid(t0, t1 int64, width int) *Grid {
	span := uint64(t1 - t0)
	n := max(1, min(uint64(max(width, 1)), span))
	g := &Grid{T0: t0, T1: t1, Edges: make([]int64, n+1)}
	for k := range g.Edges {
		g.Edges[k] = t0 + int64(mulDiv(uint64(k), span, n))
	}
	return g
}

func (g *Grid) Columns() int { return len(g.Edges) - 1 }

// Column is the column that holds t, which must lie in [t0, t1): the last k
// with edges[k] <= t, from floor(k·span/n) <= t-t0 <=> k·span < (t-t0+1)·n.
func (g *Grid) Column(t int64) int {
	n, span := uint64(g.Columns()), uint64(g.T1-g.T0)
	hi, lo := bits.Mul64(uint64(t-g.T0)+1, n)
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

// Bins holds the columns of one lane. It is reused from lane to lane.
type Bins struct {
	Grid  *Grid
	Busy  [][]int64 // [class][column] ns, nil for a class not met yet
	Used  []uint8   // classes met on this lane, in the order of meeting
	met   []bool    // by class
	mixed []bool    // columns to draw as shares
	any   bool      // some column is mixed
}

func NewBins(g *Grid, classes int) *Bins {
	return &Bins{Grid: g, Busy: make([][]int64, classes), met: make([]bool, classes), mixed: make([]bool, g.Columns())}
}

// Reset forgets the lane.
func (b *Bins) Reset() {
	for _, c := range b.Used {
		clear(b.Busy[c])
		b.met[c] = false
	}
	b.Used = b.Used[:0]
	clear(b.mixed)
	b.any = false
}

// Add counts the part of [start, end) inside the window for a class. It
// returns the columns touched, first to last, and false when there are none.
func (b *Bins) Add(start, end int64, class uint8) (first, last int, ok bool) {
	g := b.Grid
	start, end = max(start, g.T0), min(end, g.T1)
	if end <= start {
		return 0, 0, false
	}
	first, last = g.Column(start), g.Column(end-1)
	row := b.Row(class)
	if first == last {
		row[first] += end - start
		return first, last, true
	}
	row[first] += g.Edges[first+1] - start
	for k := first + 1; k < last; k++ {
		row[k] += g.Edges[k+1] - g.Edges[k]
	}
	row[last] += end - g.Edges[last]
	return first, last, true
}

// Spread counts the part of [start, end) inside the window for a class that was
// busy for so long in the whole of a longer time, evenly spread: [start, end)
// is what follows the first offset ns of of. Parts of one whole add up exactly.
func (b *Bins) Spread(start, end, offset, of, busy int64, class uint8) (first, last int, ok bool) {
	g := b.Grid
	from, to := max(start, g.T0), min(end, g.T1)
	if to <= from {
		return 0, 0, false
	}
	first, last = g.Column(from), g.Column(to-1)
	row := b.Row(class)
	done := evenly(busy, offset+from-start, of)
	for k := first; k <= last; k++ {
		until := evenly(busy, offset+min(to, g.Edges[k+1])-start, of)
		row[k] += until - done
		done = until
	}
	return first, last, true
}

// evenly is how much of busy lies in the first part of a whole.
func evenly(busy, part, whole int64) int64 {
	return int64(mulDiv(uint64(part), uint64(busy), uint64(whole)))
}

func (b *Bins) Row(class uint8) []int64 {
	row := b.Busy[class]
	if row == nil {
		row = make([]int64, b.Grid.Columns())
		b.Busy[class] = row
	}
	if !b.met[class] {
		b.met[class] = true
		b.Used = append(b.Used, class)
	}
	return row
}

// mix marks columns as mixed.
func (b *Bins) mix(first, last int) {
	b.any = true
	for k := first; k <= last; k++ {
		b.mixed[k] = true
	}
}

// Sum is the busy time of a column over all classes.
func (b *Bins) Sum(column int) (ns int64) {
	for _, c := range b.Used {
		ns += b.Busy[c][column]
	}
	return ns
}
