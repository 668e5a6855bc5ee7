package core

import (
	"math"

	"dagscope/explain/compare"
	"dagscope/explain/numbers/panels"
	"dagscope/trace"
)

// Window is the window of a figure of several runs when none is asked for: all
// their tasks, with a little room at both ends.
func Window(runs []*trace.Run) (t0, t1 int64, ok bool) {
	return WindowOf(runs, make([]*compare.Map, len(runs)))
}

// WindowOf is the window on an axis to which clocks map the runs.
func WindowOf(runs []*trace.Run, clocks []*compare.Map) (t0, t1 int64, ok bool) {
	t0, t1 = math.MaxInt64, math.MinInt64
	for i, run := range runs {
		a, b, some := panels.Extent(run)
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
