package panel

import (
	"math"

	"dagscope/analysis/compare"
	"dagscope/trace"
)

// Extent is the time that the tasks of a run span, generation included, or its
// states where no task ran. ok is false when there is neither.
func Extent(run *trace.Run) (t0, t1 int64, ok bool) {
	t0, t1 = math.MaxInt64, math.MinInt64
	t := &run.Task
	for i := range t.Start {
		if ran(t, i) {
			t0, t1 = min(t0, t.Start[i]), max(t1, t.End[i])
		}
	}
	if t1 > t0 {
		return t0, t1, true
	}
	s := &run.State
	for i := range s.Start {
		t0, t1 = min(t0, s.Start[i]), max(t1, s.End[i])
	}
	return t0, t1, t1 > t0
}

// Window is the window of a figure of several runs when none is asked for: all
// their tasks, with a little room at both ends.
func Window(runs []*trace.Run) (t0, t1 int64, ok bool) {
	return windowOf(runs, make([]*compare.Map, len(runs)))
}

// windowOf is the window on an axis to which clocks map the runs.
func windowOf(runs []*trace.Run, clocks []*compare.Map) (t0, t1 int64, ok bool) {
	t0, t1 = math.MaxInt64, math.MinInt64
	for i, run := range runs {
		a, b, some := Extent(run)
		if m := clocks[i]; m != nil {
			a, b = m.ToAxis(a), m.ToAxis(b)
		}
		if some {
			t0, t1, ok = min(t0, a), max(t1, b), true
		}
	}
	if !ok {
		return 0, 1, false
	}
	room := (t1 - t0) / 150
	return t0 - room, t1 + room + 1, true
}
