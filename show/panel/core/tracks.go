package core

import (
	"dagscope/internal/pyramid"
)

// Track is a row of pieces that do not overlap, with its index. The pieces of a
// worker that runs one task at a time are one track; where they overlap, as
// many as it takes.
type Track struct {
	*pyramid.Row
	Rows []int32 // of the table the pieces come from
	Long outliers
}

// outliers are those among the pieces of a track, in order, with copies of
// their columns: they are few and far between.
type outliers struct {
	At         []int32 // piece
	Start, End []int64
	Class      []uint8
}

// MostTracks is the most a lane is dealt to. Where more pieces overlap, their
// shares are scaled to the height of the lane instead.
const MostTracks = 256

// NewTracks makes the tracks of pieces in order of start; nil if they are too
// many. Without normal, classes have variants.
func NewTracks(start, end []int64, class []uint8, row []int32, normal bool) []*Track {
	if len(start) == 0 {
		return []*Track{}
	}
	if !pyramid.Overlap(start, end) {
		return []*Track{newTrack(start, end, class, row, normal)}
	}
	of, n, ok := pyramid.Tracks(start, end, MostTracks)
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
	tracks := make([]*Track, n)
	for k := range parts {
		p := &parts[k]
		tracks[k] = newTrack(p.start, p.end, p.class, p.row, normal)
	}
	return tracks
}

func newTrack(start, end []int64, class []uint8, row []int32, normal bool) *Track {
	t := &Track{Row: pyramid.NewRow(start, end, class), Rows: row}
	for i, c := range class {
		if !normal && c%Variants == Outlying {
			t.Long.At, t.Long.Class = append(t.Long.At, int32(i)), append(t.Long.Class, c)
			t.Long.Start, t.Long.End = append(t.Long.Start, start[i]), append(t.Long.End, end[i])
		}
	}
	return t
}
