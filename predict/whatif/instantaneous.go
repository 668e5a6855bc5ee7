package whatif

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dagscope/trace"
)

// Instantaneous are the makespans of a run with its recorded schedule, simulated as
// it was and with transfers and messages that take no time, in ns. It is an error
// if the first does not repeat the run.
func Instantaneous(run *trace.Run) (asRecorded, instant int64, _ error) {
	b := &Base{Run: run, set: settings(run)}
	sim, err := b.build(recordedSchedule, nil, run)
	if err == nil {
		asRecorded, err = b.single(context.Background(), sim)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("repeat the recorded schedule: %w", err)
	}
	if off := float64(asRecorded)/float64(max(span(run, sim.Rows), 1)) - 1; math.Abs(off) > MaxError {
		return 0, 0, fmt.Errorf("repeat the recorded schedule: found a makespan that is %+.1f %% off, want %.0f %% at most", 100*off, 100*MaxError)
	}
	b.sim = sim
	changed := sim // of one memory and node, nothing is moved
	if len(sim.Machine.Links) > 0 {
		if changed, err = b.changed(recordedSchedule, slices.Clone(b.instantaneous())); err != nil {
			return 0, 0, fmt.Errorf("repeat the recorded schedule without transfers: %w", err)
		}
	}
	instant, err = b.single(context.Background(), changed)
	return asRecorded, instant, err
}
