package interval

import "sort"

// Cover answers how much of any window a union of intervals covers, in
// O(log n), from prefix sums of its lengths.
type Cover struct {
	spans  Spans   // disjoint, in order
	before []int64 // before[i] is the length of the first i
}

// NewCover prepares a union as [Union] returns it, which must not change
// afterwards.
func NewCover(union Spans) Cover {
	before := make([]int64, union.Len()+1)
	for i, a := range union.Start {
		before[i+1] = before[i] + union.End[i] - a
	}
	return Cover{union, before}
}

// Spans returns the union.
func (c Cover) Spans() Spans { return c.spans }

// Within is the covered time inside [from, to); 0 for an empty window.
func (c Cover) Within(from, to int64) int64 {
	if from >= to || len(c.spans.Start) == 0 {
		return 0
	}
	return c.until(to) - c.until(from)
}

// Outside returns the covered time inside [from, to) that the union gone,
// inside that window, does not cover.
func (c Cover) Outside(from, to int64, gone Spans) int64 {
	left := c.Within(from, to)
	for i, a := range gone.Start {
		left -= c.Within(max(a, from), min(gone.End[i], to))
	}
	return left
}

// until is the covered time before t.
func (c Cover) until(t int64) int64 {
	i := sort.Search(len(c.spans.Start), func(i int) bool { return c.spans.End[i] > t })
	if i == len(c.spans.Start) || t <= c.spans.Start[i] {
		return c.before[i]
	}
	return c.before[i] + t - c.spans.Start[i]
}
