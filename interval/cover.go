package interval

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
func (c *Cover) Spans() Spans { return c.spans }

// Within is the covered time inside [from, to); 0 for an empty window.
func (c *Cover) Within(from, to int64) int64 {
	if from >= to || c.spans.Len() == 0 {
		return 0
	}
	return c.until(to) - c.until(from)
}

// Cursor answers like a [Cover] for times that ascend, from where it stands:
// many questions in order cost little more than one pass.
type Cursor struct {
	cover *Cover
	next  int // first interval that ends after the last time asked for
}

// Cursor returns a cursor before the first interval.
func (c *Cover) Cursor() Cursor { return Cursor{cover: c} }

// Until is the covered time before t, which must not be less than the last t.
func (k *Cursor) Until(t int64) int64 {
	s, step := k.cover.spans, 1
	for k.next+step <= s.Len() && s.End[k.next+step-1] <= t {
		k.next += step
		step *= 2
	}
	for ; step > 0; step /= 2 {
		for k.next+step <= s.Len() && s.End[k.next+step-1] <= t {
			k.next += step
		}
	}
	before := k.cover.before[k.next]
	if k.next < s.Len() && t > s.Start[k.next] {
		return before + t - s.Start[k.next]
	}
	return before
}

// Outside returns the covered time inside [from, to) that the union gone,
// inside that window, does not cover.
func (c *Cover) Outside(from, to int64, gone Spans) int64 {
	left := c.Within(from, to)
	for i, a := range gone.Start {
		left -= c.Within(max(a, from), min(gone.End[i], to))
	}
	return left
}

// until is the covered time before t.
func (c *Cover) until(t int64) int64 {
	i := FirstAfter(c.spans.End, t)
	if i == len(c.spans.Start) || t <= c.spans.Start[i] {
		return c.before[i]
	}
	return c.before[i] + t - c.spans.Start[i]
}

// FirstAfter is the position of the first of ascending times that is greater
// than t, their number if none is.
func FirstAfter(times []int64, t int64) int {
	low, n := 0, len(times)
	for n > 0 {
		half := n / 2
		if times[low+half] <= t {
			low, n = low+half+1, n-half-1
		} else {
			n = half
		}
	}
	return low
}
