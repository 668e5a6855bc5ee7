package breakdown

import (
	"time"

	"dagscope/trace"
)

// ProcessorTime is what the processes of a recording used, ns; 0 where it is not
// known. What their threads did longer than that was no work: they slept, or other
// programs had their processors.
func ProcessorTime(run *trace.Run) int64 {
	d, err := time.ParseDuration(run.Meta.Environment[trace.ProcessorTime])
	if err != nil || !run.Meta.Lifetimes {
		return 0
	}
	return max(0, d.Nanoseconds())
}
