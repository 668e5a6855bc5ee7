package panel

import "slices"

// shownPiece is a piece of a lane as it was traced.
type shownPiece struct {
	start, end int64
	class      uint8 // as drawn
	row        int32 // of the table it comes from
}

// away is how far an instant is from a piece, 0 inside it.
func (p *shownPiece) away(t int64) int64 { return max(p.start-t, t-p.end+1, 0) }

// near visits the pieces of a lane that hold an instant or end or begin within
// reach of it, in order of start on each track. Hidden ones are left out.
func (g *gantt) near(tracks []*track, lane int, t, reach int64, visit func(p shownPiece)) {
	g.open()
	from, to := t-reach, t+reach+1
	see := func(p shownPiece) {
		if p.class = g.remap[p.class]; p.class != hidden && p.start < to && p.end > from {
			visit(p)
		}
	}
	if tracks == nil {
		s := g.sorted()
		lo, hi := s.within(lane, from, to)
		for i := lo; i < hi; i++ {
			see(shownPiece{s.start[i], s.end[i], s.class[i], s.row[i]})
		}
	}
	for _, k := range tracks {
		lo, hi := k.Within(from, to)
		for i := lo; i < hi; i++ {
			see(shownPiece{k.Start[i], k.End[i], k.Class[i], k.rows[i]})
		}
	}
}

// covering visits the pieces of a lane that hold an instant.
func (g *gantt) covering(lane int, t int64, visit func(p shownPiece)) {
	g.near(g.tracksOf(lane), lane, t, 0, visit)
}

// tracksOf are the tracks of a lane, nil where it has no index.
func (g *gantt) tracksOf(lane int) []*track {
	g.open()
	if g.tracks == nil {
		return nil
	}
	return g.tracks[lane]
}

// stacked is the number of tracks that a lane of some height shows one below
// the other.
func (g *gantt) stacked(lane int, h float32) int {
	n := len(g.tracksOf(lane))
	if len(g.lanes.lanes[lane].resources) > 1 || h < leastTrack*float32(n) {
		return 1
	}
	return max(n, 1)
}

// pick finds the piece that is drawn at a place: of several that hold the
// instant the one that started last, else the one whose edge is nearest, if
// that is within reach. taken leaves pieces out.
func (g *gantt) pick(r *rows, t int64, y float64, reach int64, taken func(p *shownPiece) bool) (lane int, best shownPiece, ok bool) {
	if lane = r.at(y); lane < 0 {
		return lane, best, false
	}
	tracks := g.tracksOf(lane)
	if n := g.stacked(lane, r.h[lane]); n > 1 {
		k := min(max(int((y-float64(r.y[lane]))/float64(r.h[lane])*float64(n)), 0), n-1)
		tracks = tracks[k : k+1]
	}
	g.near(tracks, lane, t, max(reach, 0), func(p shownPiece) {
		a, b := p.away(t), best.away(t)
		if taken(&p) && (!ok || a < b || a == b && p.start >= best.start) {
			best, ok = p, true
		}
	})
	return lane, best, ok
}

// Pick finds the task at a place, or the state in a trace without tasks.
func (v *spaceTime) Pick(q Query, t int64, y float64, reach int64) (Hit, bool) {
	if h, ok := v.pickStep(q, t, y, reach); ok {
		return h, true
	}
	l, p, ok := v.gantt.pick(v.gantt.lanes.place(q.Height), t, y, reach, func(*shownPiece) bool { return true })
	if !ok {
		return Hit{}, false
	}
	h := Hit{Table: HitState, Row: p.row, Start: p.start, End: p.end, RowName: v.gantt.lanes.lanes[l].name}
	if v.states {
		h.Label, h.Resource = v.run.State.Kind.At(int(h.Row)), v.run.State.Resource[h.Row]
		return h, true
	}
	h.Table, h.Label = HitTask, v.run.Task.Kind.At(int(h.Row))
	h.Resource = v.workerOf(l, h.Row, h.Start)
	return h, true
}

// workerOf is the worker that a piece of a task ran on: of a lane of one worker
// that, else the one that the piece, or the task, names.
func (v *spaceTime) workerOf(l int, task int32, start int64) int32 {
	if of := v.gantt.lanes.lanes[l].resources; len(of) == 1 {
		return of[0]
	}
	seg := &v.run.Segment
	first, _ := slices.BinarySearch(seg.Task, task)
	for k := first; k < len(seg.Task) && seg.Task[k] == task; k++ {
		if seg.Start[k] == start && v.gantt.lanes.of[seg.Worker[k]] == int32(l) {
			return seg.Worker[k]
		}
	}
	return v.run.Task.Worker[task]
}

// Pick finds the state at a place; that a worker runs a task is none.
func (v *stateView) Pick(q Query, t int64, y float64, reach int64) (Hit, bool) {
	l, p, ok := v.gantt.pick(v.gantt.lanes.place(v.height(q)), t, y, reach, func(p *shownPiece) bool { return p.row >= 0 })
	if !ok {
		return Hit{}, false
	}
	state := &v.run.State
	return Hit{Table: HitState, Row: p.row, Label: state.Kind.At(int(p.row)), Start: p.start, End: p.end,
		Resource: state.Resource[p.row], RowName: v.gantt.lanes.lanes[l].name}, true
}
