package panel

import (
	"slices"

	"dagscope/internal/interval"
	"dagscope/internal/parallel"
)

// spans are pieces of time on lanes, lane by lane, each lane's in order of
// start: the tasks of a worker, the states of a thread. The columns may hold
// more than the lanes do.
type spans struct {
	from, to   []int32 // lane l has the rows from[l] to to[l]-1
	start, end []int64
	class      []uint8
	row        []int32 // row of the table the piece comes from
	overlap    []bool  // lanes on which pieces overlap
	longest    []int64 // piece of these lanes, ns
}

// newSpans takes pieces that are laid out already: those of each lane are rows
// [from, to) of the columns.
func newSpans(from, to []int32, start, end []int64, class []uint8, row []int32) *spans {
	s := &spans{from: from, to: to, start: start, end: end, class: class, row: row, overlap: make([]bool, len(from)), longest: make([]int64, len(from))}
	parallel.For(len(from), func(l int) {
		for i := from[l] + 1; i < to[l]; i++ {
			if start[i] < end[i-1] {
				s.overlap[l], s.longest[l] = true, longestOf(start[from[l]:to[l]], end[from[l]:to[l]])
				return
			}
		}
	})
	return s
}

func longestOf(start, end []int64) (longest int64) {
	for i := range start {
		longest = max(longest, end[i]-start[i])
	}
	return longest
}

// lanes is the number of lanes.
func (s *spans) lanes() int { return len(s.from) }

// len is the number of pieces on the lanes.
func (s *spans) len() int {
	n := 0
	for l := range s.from {
		n += int(s.to[l] - s.from[l])
	}
	return n
}

// spanBuilder collects pieces in any order.
type spanBuilder struct {
	lane       []int32
	start, end []int64
	class      []uint8
	row        []int32
}

// newSpanBuilder has room for n pieces.
func newSpanBuilder(n int) *spanBuilder {
	return &spanBuilder{lane: make([]int32, 0, n), start: make([]int64, 0, n), end: make([]int64, 0, n),
		class: make([]uint8, 0, n), row: make([]int32, 0, n)}
}

func (b *spanBuilder) add(lane int32, start, end int64, class uint8, row int32) {
	b.lane = append(b.lane, lane)
	b.start, b.end = append(b.start, start), append(b.end, end)
	b.class, b.row = append(b.class, class), append(b.row, row)
}

// addShown adds a piece if its lane is shown.
func (b *spanBuilder) addShown(lane int32, start, end int64, class uint8, row int32) {
	if lane >= 0 {
		b.add(lane, start, end, class, row)
	}
}

// build deals the pieces out to their lanes and sorts them there by start,
// those that start together in the order in which they were added.
func (b *spanBuilder) build(lanes int) *spans {
	at, order := interval.Group(b.lane, lanes, nil)
	n := len(order)
	start, end, class, row := make([]int64, n), make([]int64, n), make([]uint8, n), make([]int32, n)
	parallel.For(lanes, func(l int) {
		own := order[at[l]:at[l+1]]
		key := make([]int64, len(own))
		for i, from := range own {
			key[i] = b.start[from]
		}
		for i, k := range interval.Order(key) {
			from, to := own[k], int(at[l])+i
			start[to], end[to], class[to], row[to] = b.start[from], b.end[from], b.class[from], b.row[from]
		}
	})
	return newSpans(at[:lanes], at[1:], start, end, class, row)
}

// within returns the rows of a lane that may touch [t0, t1).
func (s *spans) within(lane int, t0, t1 int64) (lo, hi int) {
	from, to := int(s.from[lane]), int(s.to[lane])
	n, _ := slices.BinarySearch(s.start[from:to], t1)
	hi = from + n
	if s.overlap[lane] {
		n, _ = slices.BinarySearch(s.start[from:hi], t0-s.longest[lane]+1) // ends are in no order
		return from + n, hi
	}
	// Without overlap, ends are in the order of starts.
	n, _ = slices.BinarySearch(s.end[from:hi], t0+1)
	return from + n, hi
}
