package kit

import (
	"slices"

	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/show/panel/core"
)

// Inside reports whether all pieces lie in a window.
func (s *Spans) Inside(q core.Query) bool {
	for l := range s.From {
		from, to := int(s.From[l]), int(s.To[l])
		if from == to {
			continue
		}
		if n := len(s.Start[from:to]); s.Start[from] < q.T0 || s.End[from+n-1] > q.T1 || s.Overlap[l] && slices.Max(s.End[from:to]) > q.T1 {
			return false
		}
	}
	return true
}

// Spans are pieces of time on lanes, lane by lane, each lane's in order of
// start: the tasks of a worker, the states of a thread. The columns may hold
// more than the lanes do.
type Spans struct {
	From, To   []int32 // lane l has the rows from[l] to to[l]-1
	Start, End []int64
	Class      []uint8
	Row        []int32 // row of the table the piece comes from
	Overlap    []bool  // lanes on which pieces overlap
	longest    []int64 // piece of these lanes, ns
}

// NewSpans takes pieces that are laid out already: those of each lane are rows
// [from, to) of the columns.
func NewSpans(from, to []int32, start, end []int64, class []uint8, row []int32) *Spans {
	s := &Spans{From: from, To: to, Start: start, End: end, Class: class, Row: row, Overlap: make([]bool, len(from)), longest: make([]int64, len(from))}
	parallel.For(len(from), func(l int) {
		for i := from[l] + 1; i < to[l]; i++ {
			if start[i] < end[i-1] {
				s.Overlap[l], s.longest[l] = true, longestOf(start[from[l]:to[l]], end[from[l]:to[l]])
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

// Lanes is the number of lanes.
func (s *Spans) Lanes() int { return len(s.From) }

// Len is the number of pieces on the lanes.
func (s *Spans) Len() int {
	n := 0
	for l := range s.From {
		n += int(s.To[l] - s.From[l])
	}
	return n
}

// SpanBuilder collects pieces in any order.
type SpanBuilder struct {
	lane       []int32
	start, end []int64
	class      []uint8
	row        []int32
}

// NewSpanBuilder has room for n pieces.
func NewSpanBuilder(n int) *SpanBuilder {
	return &SpanBuilder{lane: make([]int32, 0, n), start: make([]int64, 0, n), end: make([]int64, 0, n),
		class: make([]uint8, 0, n), row: make([]int32, 0, n)}
}

func (b *SpanBuilder) Add(lane int32, start, end int64, class uint8, row int32) {
	b.lane = append(b.lane, lane)
	b.start, b.end = append(b.start, start), append(b.end, end)
	b.class, b.row = append(b.class, class), append(b.row, row)
}

// AddShown adds a piece if its lane is shown.
func (b *SpanBuilder) AddShown(lane int32, start, end int64, class uint8, row int32) {
	if lane >= 0 {
		b.Add(lane, start, end, class, row)
	}
}

// Build deals the pieces out to their lanes and sorts them there by start,
// those that start together in the order in which they were added.
func (b *SpanBuilder) Build(lanes int) *Spans {
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
	return NewSpans(at[:lanes], at[1:], start, end, class, row)
}

// Within returns the rows of a lane that may touch [t0, t1).
func (s *Spans) Within(lane int, t0, t1 int64) (lo, hi int) {
	from, to := int(s.From[lane]), int(s.To[lane])
	n, _ := slices.BinarySearch(s.Start[from:to], t1)
	hi = from + n
	if s.Overlap[lane] {
		n, _ = slices.BinarySearch(s.Start[from:hi], t0-s.longest[lane]+1) // ends are in no order
		return from + n, hi
	}
	// Without overlap, ends are in the order of starts.
	n, _ = slices.BinarySearch(s.End[from:hi], t0+1)
	return from + n, hi
}

// tracks makes the tracks of each lane.
func (s *Spans) tracks(normal bool) [][]*core.Track {
	all := make([][]*core.Track, s.Lanes())
	parallel.For(len(all), func(l int) {
		from, to := s.From[l], s.To[l]
		all[l] = core.NewTracks(s.Start[from:to], s.End[from:to], s.Class[from:to], s.Row[from:to], normal)
	})
	return all
}
