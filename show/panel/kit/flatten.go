package kit

import (
	"math"

	"dagscope/internal/parallel"
)

// Flatten cuts pieces that lie inside others, so that at each instant only the
// innermost remains: the one that started last, of those that started together
// the one that was added last. Pieces that cross end as they would alone. A
// stack of open pieces per lane suffices.
func Flatten(s *Spans) *Spans {
	flat := make([]flatLane, s.Lanes())
	parallel.For(len(flat), func(l int) {
		flat[l].of = s
		flat[l].cut(s.From[l], s.To[l])
	})
	var from, to, row []int32
	var start, end []int64
	var class []uint8
	for _, f := range flat {
		from = append(from, int32(len(start)))
		start, end = append(start, f.start...), append(end, f.end...)
		for _, i := range f.piece {
			class, row = append(class, s.Class[i]), append(row, s.Row[i])
		}
		to = append(to, int32(len(start)))
	}
	return NewSpans(from, to, start, end, class, row)
}

// flatLane is what remains of a lane.
type flatLane struct {
	of         *Spans
	piece      []int32
	start, end []int64
	open       []int32
	at         int64 // up to where has been written
}

func (f *flatLane) cut(from, to int32) {
	f.at = math.MinInt64
	for i := from; i < to; i++ {
		start := f.of.Start[i]
		f.close(start)
		if n := len(f.open); n > 0 {
			f.emit(f.open[n-1], start)
		}
		f.at = max(f.at, start)
		f.open = append(f.open, i)
	}
	f.close(math.MaxInt64)
}

// close ends the open pieces that end by a time, the innermost first.
func (f *flatLane) close(by int64) {
	for n := len(f.open); n > 0 && f.of.End[f.open[n-1]] <= by; n-- {
		f.emit(f.open[n-1], f.of.End[f.open[n-1]])
		f.open = f.open[:n-1]
	}
}

func (f *flatLane) emit(i int32, to int64) {
	if to > f.at {
		f.piece = append(f.piece, i)
		f.start, f.end = append(f.start, f.at), append(f.end, to)
		f.at = to
	}
}
