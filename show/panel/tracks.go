package panel

import (
	"dagscope/internal/parallel"
	"dagscope/internal/pyramid"
)

// track is a row of pieces that do not overlap, with its index. The pieces of a
// worker that runs one task at a time are one track; where they overlap, as
// many as it takes.
type track struct {
	*pyramid.Row
	rows []int32 // of the table the pieces come from
	long outliers
}

// outliers are those among the pieces of a track, in order, with copies of
// their columns: they are few and far between.
type outliers struct {
	at         []int32 // piece
	start, end []int64
	class      []uint8
}

// mostTracks is the most a lane is dealt to. Where more pieces overlap, their
// shares are scaled to the height of the lane instead.
const mostTracks = 256

// newTracks makes the tracks of pieces in order of start; nil if they are too
// many. Without normal, classes have variants.
func newTracks(start, end []int64, class []uint8, row []int32, normal bool) []*track {
	if len(start) == 0 {
		return []*track{}
	}
	if !pyramid.Overlap(start, end) {
		return []*track{newTrack(start, end, class, row, normal)}
	}
	of, n, ok := pyramid.Tracks(start, end, mostTracks)
	if !ok {
		return nil
	}
	parts := make([]struct {
		start, end []int64
		class      []uint8
		row        []int32
	}, n)
	for i, k := range of {
		p := &parts[k]
		p.start, p.end = append(p.start, start[i]), append(p.end, max(start[i], end[i]))
		p.class, p.row = append(p.class, class[i]), append(p.row, row[i])
	}
	tracks := make([]*track, n)
	for k := range parts {
		p := &parts[k]
		tracks[k] = newTrack(p.start, p.end, p.class, p.row, normal)
	}
	return tracks
}

func newTrack(start, end []int64, class []uint8, row []int32, normal bool) *track {
	t := &track{Row: pyramid.NewRow(start, end, class), rows: row}
	for i, c := range class {
		if !normal && c%variants == outlying {
			t.long.at, t.long.class = append(t.long.at, int32(i)), append(t.long.class, c)
			t.long.start, t.long.end = append(t.long.start, start[i]), append(t.long.end, end[i])
		}
	}
	return t
}

// tracks makes the tracks of each lane.
func (s *spans) tracks(normal bool) [][]*track {
	all := make([][]*track, s.lanes())
	parallel.For(len(all), func(l int) {
		from, to := s.from[l], s.to[l]
		all[l] = newTracks(s.start[from:to], s.end[from:to], s.class[from:to], s.row[from:to], normal)
	})
	return all
}
