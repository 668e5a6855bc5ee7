package kit

import (
	"dagscope/show/panel/core"
)

// Piece is a piece of a lane as it was traced.
type Piece struct {
	Start, End int64
	Class      uint8 // as drawn
	Row        int32 // of the table it comes from
}

// away is how far an instant is from a piece, 0 inside it.
func (p *Piece) away(t int64) int64 { return max(p.Start-t, t-p.End+1, 0) }

// near visits the pieces of a lane that hold an instant or end or begin within
// reach of it, in order of start on each track. Hidden ones are left out.
func (g *Gantt) near(tracks []*core.Track, lane int, t, reach int64, visit func(p Piece)) {
	g.Open()
	from, to := t-reach, t+reach+1
	see := func(p Piece) {
		if p.Class = g.Remap[p.Class]; p.Class != core.Hidden && p.Start < to && p.End > from {
			visit(p)
		}
	}
	if tracks == nil {
		s := g.Sorted()
		lo, hi := s.Within(lane, from, to)
		for i := lo; i < hi; i++ {
			see(Piece{s.Start[i], s.End[i], s.Class[i], s.Row[i]})
		}
	}
	for _, k := range tracks {
		lo, hi := k.Within(from, to)
		for i := lo; i < hi; i++ {
			see(Piece{k.Start[i], k.End[i], k.Class[i], k.Rows[i]})
		}
	}
}

// Covering visits the pieces of a lane that hold an instant.
func (g *Gantt) Covering(lane int, t int64, visit func(p Piece)) {
	g.near(g.TracksOf(lane), lane, t, 0, visit)
}

// TracksOf are the tracks of a lane, nil where it has no index.
func (g *Gantt) TracksOf(lane int) []*core.Track {
	g.Open()
	if g.Tracks == nil {
		return nil
	}
	return g.Tracks[lane]
}

// stacked is the number of tracks that a lane of some height shows one below
// the other.
func (g *Gantt) stacked(lane int, h float32) int {
	n := len(g.TracksOf(lane))
	if len(g.Lanes.Lanes[lane].Resources) > 1 || h < leastTrack*float32(n) {
		return 1
	}
	return max(n, 1)
}

// Pick finds the piece that is drawn at a place: of several that hold the
// instant the one that started last, else the one whose edge is nearest, if
// that is within reach. taken leaves pieces out.
func (g *Gantt) Pick(r *Rows, t int64, y float64, reach int64, taken func(p *Piece) bool) (lane int, best Piece, ok bool) {
	if lane = r.At(y); lane < 0 {
		return lane, best, false
	}
	tracks := g.TracksOf(lane)
	if n := g.stacked(lane, r.H[lane]); n > 1 {
		k := min(max(int((y-float64(r.Y[lane]))/float64(r.H[lane])*float64(n)), 0), n-1)
		tracks = tracks[k : k+1]
	}
	g.near(tracks, lane, t, max(reach, 0), func(p Piece) {
		a, b := p.away(t), best.away(t)
		if taken(&p) && (!ok || a < b || a == b && p.Start >= best.Start) {
			best, ok = p, true
		}
	})
	return lane, best, ok
}
