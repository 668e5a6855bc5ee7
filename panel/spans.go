package panel

import (
	"cmp"
	"slices"
	"sync"
)

// spans are pieces of time on lanes, lane by lane, each lane's in order of
// start: the tasks of a worker, the states of a thread.
type spans struct {
	from       []int32 // lane l has the rows from[l] to from[l+1]-1
	start, end []int64
	class      []uint8
	row        []int32 // row of the table the piece comes from
	overlap    []bool  // lanes on which pieces overlap
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

// build sorts the pieces by lane, by counting, and by start within each lane.
func (b *spanBuilder) build(lanes int) *spans {
	n := len(b.lane)
	s := &spans{from: make([]int32, lanes+1), start: make([]int64, n), end: make([]int64, n),
		class: make([]uint8, n), row: make([]int32, n), overlap: make([]bool, lanes)}
	for _, l := range b.lane {
		s.from[l+1]++
	}
	for l := range lanes {
		s.from[l+1] += s.from[l]
	}
	order := make([]piece, n)
	next := slices.Clone(s.from)
	for i, l := range b.lane {
		order[next[l]] = piece{b.start[i], int32(i)}
		next[l]++
	}
	eachLane(lanes, func(l int) {
		pieces := order[s.from[l]:s.from[l+1]]
		slices.SortFunc(pieces, func(x, y piece) int {
			return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.i, y.i))
		})
		for k, p := range pieces {
			at := int(s.from[l]) + k
			s.start[at], s.end[at] = b.start[p.i], b.end[p.i]
			s.class[at], s.row[at] = b.class[p.i], b.row[p.i]
			s.overlap[l] = s.overlap[l] || k > 0 && s.start[at] < s.end[at-1]
		}
	})
	return s
}

type piece struct {
	start int64
	i     int32
}

// eachLane calls f for every lane, on two goroutines: lanes are independent.
func eachLane(lanes int, f func(int)) {
	var wg sync.WaitGroup
	for first := range 2 {
		wg.Go(func() {
			for l := first; l < lanes; l += 2 {
				f(l)
			}
		})
	}
	wg.Wait()
}

// within returns the rows of a lane that may touch [t0, t1).
func (s *spans) within(lane int, t0, t1 int64) (lo, hi int) {
	from, to := int(s.from[lane]), int(s.from[lane+1])
	n, _ := slices.BinarySearch(s.start[from:to], t1)
	hi = from + n
	if s.overlap[lane] {
		return from, hi // ends are in no order
	}
	// Without overlap, ends are in the order of starts.
	n, _ = slices.BinarySearch(s.end[from:hi], t0+1)
	return from + n, hi
}
