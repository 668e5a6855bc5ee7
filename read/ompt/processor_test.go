package ompt

import (
	"testing"
	"time"

	"dagscope/read/ompt/dsom"
)

// A process that was killed has no end: then the time of all is not known.
func TestProcessorTime(t *testing.T) {
	ended := dsom.Process{End: &dsom.End{User: 1.25, System: 0.5}}
	for _, c := range []struct {
		processes []dsom.Process
		want      time.Duration
	}{{[]dsom.Process{ended, ended}, 3500 * time.Millisecond}, {[]dsom.Process{ended, {}}, 0}, {nil, 0}, {[]dsom.Process{{End: &dsom.End{User: -1}}}, 0}} {
		if got := processorTime(&dsom.Recording{Processes: c.processes}); got != c.want {
			t.Errorf("found %v, want %v", got, c.want)
		}
	}
}
