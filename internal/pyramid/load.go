package pyramid

// Load is an index over spans that may overlap: how much time they take
// together before any instant. The spans themselves are forgotten: their starts
// and their ends say it all,
//
//	Σ over starts s < t of (t − s)  −  Σ over ends e < t of (t − e),
//
// whose sums may wrap around, but not their difference.
type Load struct{ starts, ends times }

// NewLoad makes the index, of 8 to 10 bytes a span. It sorts the columns.
func NewLoad(start, end []int64) *Load { return &Load{newTimes(start), newTimes(end)} }

// Extent is from the first start to the last end; ok is false without spans.
func (l *Load) Extent() (t0, t1 int64, ok bool) {
	n := l.starts.len()
	if n == 0 {
		return 0, 0, false
	}
	return l.starts.at(0), l.ends.at(n - 1), true
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
