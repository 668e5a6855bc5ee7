package pyramid

import "slices"

// Load is an index over spans that may overlap: how much time they take
// together before any instant. The spans themselves are forgotten: their starts
// and their ends say it all,
//
//	Σ over starts s < t of (t − s)  −  Σ over ends e < t of (t − e),
//
// whose sums may wrap around, but not their difference.
type Load struct{ starts, ends times }

// NewLoad makes the index. It takes the columns over and sorts each.
func NewLoad(start, end []int64) *Load { return &Load{newTimes(start), newTimes(end)} }

// Extent is from the first start to the last end; ok is false without spans.
func (l *Load) Extent() (t0, t1 int64, ok bool) {
	if len(l.starts.at) == 0 {
		return 0, 0, false
	}
	return l.starts.at[0], l.ends.at[len(l.ends.at)-1], true
}

// LoadCursor reads sums at ascending times.
type LoadCursor struct{ starts, ends timesCursor }

// Cursor returns a cursor before the first span.
func (l *Load) Cursor() LoadCursor {
	return LoadCursor{timesCursor{of: &l.starts}, timesCursor{of: &l.ends}}
}

// Before returns the ns that the spans take before t, which must not be less
// than in the call before.
func (c *LoadCursor) Before(t int64) int64 { return c.starts.since(t) - c.ends.since(t) }

// times are sorted instants with the sum of those before each block.
type times struct{ at, sum []int64 }

func newTimes(at []int64) times {
	slices.Sort(at)
	sum := make([]int64, len(at)/block+1)
	all := int64(0)
	for i, t := range at {
		if i%block == 0 {
			sum[i/block] = all
		}
		all += t
	}
	if len(at)%block == 0 {
		sum[len(at)/block] = all
	}
	return times{at, sum}
}

type timesCursor struct {
	of     *times
	passed int
	sum    int64 // of the instants passed
}

// since sums the time that has gone by at t since every instant before it.
func (c *timesCursor) since(t int64) int64 {
	at := c.of.at
	if next := c.passed + block; next < len(at) && at[next] < t {
		i, _ := slices.BinarySearch(at[next:], t)
		c.passed = (next + i) / block * block
		c.sum = c.of.sum[c.passed/block]
	}
	for c.passed < len(at) && at[c.passed] < t {
		c.sum += at[c.passed]
		c.passed++
	}
	return t*int64(c.passed) - c.sum
}
