package memory

import (
	"testing"

	"dagscope/trace"
)

// Only a runtime counts; what is simulated or summed up says so.
func TestMemoryNote(t *testing.T) {
	var counted, simulated, summed trace.Run
	simulated.Meta.Reader = "simulation"
	counted.Meta.Derived = map[string]string{"sample.value": "GFlop/s: work over time"} // of another metric
	summed.Meta.Derived = map[string]string{"sample.value": "Used (MB): sum of the changes of memory that tasks name"}
	for want, run := range map[string]*trace.Run{"counted by the runtime": &counted, "simulated": &simulated, "summed up from the tasks": &summed} {
		if got := memoryNote(run); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}
