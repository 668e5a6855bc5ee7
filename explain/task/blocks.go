package task

import (
	"math"
	"sort"

	"dagscope/internal/parallel"
	"dagscope/trace"
)

// blockSize rows share a bound: small beside a window's own rows, and the
// bounds of 3e7 rows are looked through in microseconds.
const blockSize = 1024

// blocks finds the rows of a table that overlap a window, whatever order they
// are in: for each block the least start and the greatest end.
type blocks struct{ start, end, low, high []int64 }

func newBlocks(start, end []int64) blocks {
	n := (len(start) + blockSize - 1) / blockSize
	b := blocks{start, end, make([]int64, n), make([]int64, n)}
	parallel.For(n, b.bound)
	return b
}

// bound determines the bounds of block k.
func (b *blocks) bound(k int) {
	from, to := k*blockSize, min((k+1)*blockSize, len(b.start))
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for i := from; i < to; i++ {
		if b.start[i] != trace.NoTime {
			low, high = min(low, b.start[i]), max(high, b.end[i])
		}
	}
	b.low[k], b.high[k] = low, high
}

// each calls f for the parts of rows of [first, last) that overlap the window
// [from, to), in order of the rows.
func (b *blocks) each(first, last int, from, to int64, f func(row int, start, end int64)) {
	b.ranges(first, last, from, to, func(i, end int) {
		for ; i < end; i++ {
			if s, e := max(b.start[i], from), min(b.end[i], to); s < e && b.start[i] != trace.NoTime {
				f(i, s, e)
			}
		}
	})
}

// ranges calls f for ranges of rows of [first, last) that hold all those that
// overlap the window.
func (b *blocks) ranges(first, last int, from, to int64, f func(first, end int)) {
	for i := first; i < last; {
		k := i / blockSize
		end := min((k+1)*blockSize, last)
		if b.low[k] < to && b.high[k] > from {
			f(i, end)
		}
		i = end
	}
}

// rowsOf is the range of rows with a value in a column that ascends.
func rowsOf(column []int32, value int32) (first, end int) {
	first = sort.Search(len(column), func(i int) bool { return column[i] >= value })
	end = first + sort.Search(len(column)-first, func(i int) bool { return column[first+i] > value })
	return first, end
}
