package selection

// skips finds the rows that touch a window in columns of start and end that are
// roughly in order of time, without any promise: of every few hundred rows it
// knows the least start and the greatest end. A run of ten million rows has
// forty thousand such blocks, and looking at all of them costs less than a
// tenth of a millisecond.
type skips struct {
	first, last []int64
}

const skipRows = 256

func newSkips(start, end []int64) skips {
	var s skips
	for from := 0; from < len(start); from += skipRows {
		first, last := start[from], end[from]
		for i := from; i < min(len(start), from+skipRows); i++ {
			first, last = min(first, start[i]), max(last, end[i])
		}
		s.first, s.last = append(s.first, first), append(s.last, last)
	}
	return s
}

// visit calls f for ranges of rows of [from, to) that hold all that touch
// [t0, t1), in order.
func (s skips) visit(from, to int32, t0, t1 int64, f func(from, to int)) {
	for b := int(from) / skipRows; b*skipRows < int(to); b++ {
		if s.first[b] < t1 && s.last[b] >= t0 {
			f(max(int(from), b*skipRows), min(int(to), (b+1)*skipRows))
		}
	}
}

// touches tells whether something is in [t0, t1) for a while, or begins there.
func touches(start, end, t0, t1 int64) bool { return start < t1 && (end > t0 || start >= t0) }
