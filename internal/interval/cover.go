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
	return k.cover.at(k.next, t)
}

// Probe answers like a [Cover] for windows that lie near each other: it looks
// for each from where the last was found, in steps that double, so that an
// answer takes the logarithm of the distance and stays in the processor's
// caches.
type Probe struct {
	cover *Cover
	at    int
}

// Probe returns a probe at the beginning.
func (c *Cover) Probe() Probe { return Probe{cover: c} }

// Within is the covered time inside [from, to); 0 for an empty window.
func (p *Probe) Within(from, to int64) int64 {
	if from >= to || p.cover.spans.Len() == 0 {
		return 0
	}
	until := p.until(to)
	return until - p.until(from)
}

// until is the covered time before t.
func (p *Probe) until(t int64) int64 {
	ends := p.cover.spans.End
	low, high, step := p.at, p.at, 1
	for low > 0 && ends[low-1] > t { // ends[high-1] > t or high is the start
		high, low = low, max(0, low-step)
		step *= 2
	}
	for high < len(ends) && ends[high] <= t { // ends[low-1] <= t or low is 0
		low, high = high+1, min(len(ends), high+step)
		step *= 2
	}
	p.at = low + FirstAfter(ends[low:max(low, high)], t)
	return p.cover.at(p.at, t)
}

// until is the covered time before t.
func (c *Cover) until(t int64) int64 {
	return c.at(FirstAfter(c.spans.End, t), t)
}

// at is the covered time before t when i is the first interval that ends after
// it.
func (c *Cover) at(i int, t int64) int64 {
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
