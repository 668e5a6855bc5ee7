package panel

import (
	"slices"
)

// covering visits the pieces of a lane that hold an instant, in order of start.
func (s *spans) covering(lane int, t int64, visit func(i int)) {
	lo, hi := s.within(lane, t, t+1)
	for i := lo; i < hi; i++ {
		if s.start[i] <= t && t < s.end[i] {
			visit(i)
		}
	}
}

// nearest is the piece of a lane that holds an instant, of several the one that
// started last, which is drawn above the others; else the one whose edge is
// nearest, if that is within reach; -1 for none. Of pieces that some function
// hides none is found.
func (s *spans) nearest(lane int, t, reach int64, hidden func(i int) bool) int {
	best := -1
	s.covering(lane, t, func(i int) {
		if !hidden(i) {
			best = i
		}
	})
	if best >= 0 || reach <= 0 {
		return best
	}
	lo, hi := s.within(lane, t-reach, t+reach+1)
	for i := lo; i < hi; i++ {
		away := max(s.start[i]-t, t-s.end[i]+1)
		if away <= reach && !hidden(i) {
			best, reach = i, away
		}
	}
	return best
}

// Pick finds the task at a place, or the state in a trace without tasks.
func (v *spaceTime) Pick(q Query, t int64, y float64, reach int64) (Hit, bool) {
	l := v.gantt.lanes.place(q.Height).at(y)
	if l < 0 {
		return Hit{}, false
	}
	i := v.gantt.spans.nearest(l, t, reach, v.hidden)
	if i < 0 {
		return Hit{}, false
	}
	s := v.gantt.spans
	h := Hit{Table: HitState, Row: s.row[i], Start: s.start[i], End: s.end[i], RowName: v.gantt.lanes.lanes[l].name}
	if v.states {
		h.Label, h.Resource = v.run.State.Kind.At(int(h.Row)), v.run.State.Resource[h.Row]
		return h, true
	}
	h.Table, h.Label = HitTask, v.run.Task.Kind.At(int(h.Row))
	h.Resource = v.workerOf(l, h.Row, h.Start)
	return h, true
}

// workerOf is the worker that a piece of a task ran on: of a lane of one worker
// that, else the one that the task, or its piece, names.
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

// hidden tells whether a piece is of a kind that is left out.
func (v *spaceTime) hidden(i int) bool {
	return len(v.options.Hide) > 0 && !v.states && v.options.hides(v.run.Task.Kind.At(int(v.gantt.spans.row[i])))
}

// Pick finds the state at a place; that a worker runs a task is none.
func (v *stateView) Pick(q Query, t int64, y float64, reach int64) (Hit, bool) {
	l := v.gantt.lanes.place(v.height(q)).at(y)
	if l < 0 {
		return Hit{}, false
	}
	s := v.gantt.spans
	i := s.nearest(l, t, reach, func(i int) bool { return s.row[i] < 0 })
	if i < 0 {
		return Hit{}, false
	}
	state := &v.run.State
	row := s.row[i]
	return Hit{Table: HitState, Row: row, Label: state.Kind.At(int(row)), Start: s.start[i], End: s.end[i],
		Resource: state.Resource[row], RowName: v.gantt.lanes.lanes[l].name}, true
}

var (
	_ Picker = (*spaceTime)(nil)
	_ Picker = (*stateView)(nil)
)
