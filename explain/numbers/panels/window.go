package panels

import (
	"math"

	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Extent is the time that the tasks of a run span, generation included, or its
// states where no task ran. ok is false when there is neither.
func Extent(run *trace.Run) (t0, t1 int64, ok bool) {
	t0, t1 = math.MaxInt64, math.MinInt64
	t := &run.Task
	for i := range t.Start {
		if schedule.Ran(t, i) {
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

// InsideRun is the part of a window in which a run was running, from zero to the
// makespan: shares of time are of it. It is the window itself where they have
// nothing in common.
func InsideRun(run *trace.Run, from, to int64) (int64, int64) {
	t0, t1 := max(from, 0), min(to, schedule.Makespan(run))
	if t0 >= t1 {
		return from, to
	}
	return t0, t1
}

// OutsideRun says that a window begins after the end of a run, "" for others.
func OutsideRun(run *trace.Run, from, to int64) string {
	if end := schedule.Makespan(run); end > 0 && from >= end {
		return "outside the run, which ended at " + words.Duration(end)
	}
	return ""
}

// insideOnly is the error of numbers that say something about the run's
// resources at a time at which it had ended.
func insideOnly(run *trace.Run, from, to int64) error {
	if why := OutsideRun(run, from, to); why != "" {
		return &Missing{"the window is " + why}
	}
	return nil
}
