package whatif

import (
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
	f, sim, err := b.fit(recordedSchedule)
	if err != nil {
		return 0, 0, fmt.Errorf("repeat the recorded schedule: %w", err)
	}
	if math.Abs(f.Error) > MaxError {
		return 0, 0, fmt.Errorf("repeat the recorded schedule: found a makespan that is %+.1f %% off, want %.0f %% at most", 100*f.Error, 100*MaxError)
	}
	b.Fit, b.sim = f, sim
	changed := sim // of one memory and node, nothing is moved
	if len(sim.Machine.Links) > 0 {
		if changed, err = b.changed(recordedSchedule, slices.Clone(b.instantaneous())); err != nil {
			return 0, 0, fmt.Errorf("repeat the recorded schedule without transfers: %w", err)
		}
	}
	instant, err = b.single(changed)
	return f.Makespan, instant, err
}
