package pyramid

import (
	"slices"
	"sort"
)

// block is the number of spans between two sums. A look-up scans half of it on
// the average; the sums take 12 bytes a class and block.
const block = 128

// Row is an index over spans [Start, End) in ns, sorted by start, that do not
// overlap: no span starts before the one before it ends, and none ends before
// it starts. Some may be empty. It keeps the columns that it was made of, which
// must not change. Its methods may be called from several goroutines.
type Row struct {
	Start, End []int64
	Class      []uint8

	classes []uint8 // that occur, ascending
	slot    []uint8 // of a class, by class up to the greatest
	last    []int64 // end of the last span of each block
	busy    []int64 // by block and slot: ns of the spans before the block
	count   []int32 // by block and slot: spans that are not empty before the block
	longest tree
}

// NewRow makes the index in one pass over the spans and one over their blocks.
func NewRow(start, end []int64, class []uint8) *Row {
	r := &Row{Start: start, End: end, Class: class}
	r.findClasses()
	blocks, n := (len(start)+block-1)/block, len(r.classes)
	r.last = make([]int64, blocks)
	r.busy, r.count = make([]int64, (blocks+1)*n), make([]int32, (blocks+1)*n)
	for b := range blocks {
		from, to := b*block, min((b+1)*block, len(start))
		r.last[b] = end[to-1]
		busy, count := r.busy[(b+1)*n:(b+2)*n], r.count[(b+1)*n:(b+2)*n]
		copy(busy, r.busy[b*n:])
		copy(count, r.count[b*n:])
		for i := from; i < to; i++ {
			if d := end[i] - start[i]; d > 0 {
				s := r.slot[class[i]]
				busy[s] += d
				count[s]++
			}
		}
	}
	r.longest = newTree(start, end)
	return r
}

func (r *Row) findClasses() {
	var met [256]bool
	for _, c := range r.Class {
		met[c] = true
	}
	for c := range met {
		if met[c] {
			r.classes = append(r.classes, uint8(c))
			r.slot = append(r.slot, make([]uint8, c+1-len(r.slot))...)
			r.slot[c] = uint8(len(r.classes) - 1)
		}
	}
}

// Overlap tells whether a row of these spans, sorted by start, would break the
// rules of a [Row].
func Overlap(start, end []int64) bool {
	for i := range start {
		if end[i] < start[i] || i > 0 && start[i] < end[i-1] {
			return true
		}
	}
	return false
}

// Len is the number of spans.
func (r *Row) Len() int { return len(r.Start) }

// Classes lists the classes that occur, ascending: what sums are by. The caller
// must not change it.
func (r *Row) Classes() []uint8 { return r.classes }

// Within returns the spans [lo, hi) that end after t0 and start before t1.
func (r *Row) Within(t0, t1 int64) (lo, hi int) {
	lo = r.Seek(0, t0)
	n, _ := slices.BinarySearch(r.Start[lo:], t1)
	return lo, lo + n
}

// Seek returns the first span from i on that ends after t, Len if none does. It
// takes O(log n), and less the nearer the span is.
func (r *Row) Seek(i int, t int64) int {
	if i >= len(r.End) || r.End[i] > t {
		return i
	}
	b := r.seekBlock(i/block, t)
	if b == len(r.last) {
		return len(r.End)
	}
	from, to := max(i, b*block), min((b+1)*block, len(r.End))
	return from + sort.Search(to-from, func(k int) bool { return r.End[from+k] > t })
}

// seekBlock returns the first block from b on whose last span ends after t,
// looking ahead in growing steps.
func (r *Row) seekBlock(b int, t int64) int {
	step := 1
	for b < len(r.last) && r.last[b] <= t {
		next := b + step
		if next >= len(r.last) || r.last[next] > t {
			ahead := min(next, len(r.last)) - b - 1
			return b + 1 + sort.Search(ahead, func(k int) bool { return r.last[b+1+k] > t })
		}
		b, step = next, 2*step
	}
	return b
}

// Next returns the first of the spans [i, hi) that is at least w ns long, hi if
// none is. w must be positive.
func (r *Row) Next(i, hi int, w int64) int { return r.longest.next(r.Start, r.End, i, hi, w) }

// Longest returns the first of the longest spans of [lo, hi), hi if there are
// none.
func (r *Row) Longest(lo, hi int) int { return r.longest.longest(r.Start, r.End, lo, hi) }

// Count adds for each class of Classes the number of spans of [lo, hi) that are
// not empty.
func (r *Row) Count(lo, hi int, into []int) {
	if lo >= hi {
		return
	}
	r.countBefore(lo, into, -1)
	r.countBefore(hi, into, 1)
}

func (r *Row) countBefore(i int, into []int, sign int) {
	n, from := len(r.classes), i/block*block
	for s, c := range r.count[i/block*n : i/block*n+n] {
		into[s] += sign * int(c)
	}
	for k := from; k < i; k++ {
		if r.End[k] > r.Start[k] {
			into[r.slot[r.Class[k]]] += sign
		}
	}
}

// Busy adds for each class of Classes the ns that it takes of [t0, t1).
func (r *Row) Busy(t0, t1 int64, into []int64) {
	c := r.Cursor()
	before := make([]int64, len(r.classes))
	c.Before(t0, before)
	after := make([]int64, len(r.classes))
	c.Before(t1, after)
	for s := range into {
		into[s] += after[s] - before[s]
	}
}

// Cursor reads sums at ascending times: what lies near the last one costs less
// than elsewhere.
type Cursor struct {
	row  *Row
	at   int     // spans before it have ended
	sums []int64 // busy time of the spans before at
}

// Cursor returns a cursor before the first span.
func (r *Row) Cursor() *Cursor { return &Cursor{row: r, sums: make([]int64, len(r.classes))} }

// Before sets for each class of Classes the ns that it takes before t, which
// must not be less than in the call before.
func (c *Cursor) Before(t int64, into []int64) {
	r := c.row
	if at := c.at; at < len(r.End) && r.End[at] <= t {
		c.moveTo(t)
	}
	copy(into, c.sums)
	if c.at < len(r.Start) && r.Start[c.at] < t {
		into[r.slot[r.Class[c.at]]] += t - r.Start[c.at]
	}
}

// moveTo steps over the spans that end by t: block by block, then one by one.
func (c *Cursor) moveTo(t int64) {
	r, n := c.row, len(c.sums)
	if b := r.seekBlock(c.at/block, t); b > c.at/block {
		copy(c.sums, r.busy[b*n:])
		c.at = b * block
	}
	at, slot, sums := c.at, r.slot, c.sums
	for ; at < len(r.End) && r.End[at] <= t; at++ {
		sums[slot[r.Class[at]]] += r.End[at] - r.Start[at]
	}
	c.at = at
}
