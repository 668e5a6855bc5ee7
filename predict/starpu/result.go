package starpu

import (
	"fmt"
	"math"

	"dagscope/trace"
)

// Pair is what moved between two memories.
type Pair struct {
	Count int64
	Bytes int64
}

// Result is a simulated run. Dates count from the first submission.
type Result struct {
	Makespan int64     // ns, to the end of the last task, of the runtime's own too
	Events   int64     // dates at which something happened
	Worker   []int32   // by task, -1 for those without work
	Begin    []int64   // ns, by task
	End      []int64   // ns, by task
	Pairs    []Pair    // by source and destination, as in platform.Machine.Routes
	Peak     []int64   // bytes allocated by the runtime at most, by memory
	Messages []Message // between nodes
	Busy     []int64   // ns, by worker, of engines that keep no tasks; else nil

	// Write is how another engine writes down its run; nil: as this one does.
	Write func() (*trace.Run, error)

	e *engine  // of one node
	c *cluster // of several
}

func (e *engine) result() *Result {
	return &Result{Makespan: e.nanoseconds(e.log.end), Events: e.events, Worker: e.log.worker, Begin: e.log.begin, End: e.log.over,
		Pairs: e.log.pairs, Peak: e.log.peak, e: e}
}

// MaxEnd is when a run has to be over, in ns: nine years, so that the sums of
// times of many workers are numbers still.
const MaxEnd = int64(1) << 58

// tooLong reports an end, in s since the first submission, that is no date of a
// run.
func tooLong(end float64) error {
	if end*1e9 <= float64(MaxEnd) {
		return nil
	}
	return fmt.Errorf("simulate: found a run of %.3g s, want %.3g at most; what durations, bandwidths and latencies are too far from usual?", end, float64(MaxEnd)/1e9)
}

// nanoseconds since the first submission.
func (e *engine) nanoseconds(date float64) int64 { return int64(math.Round((date - e.zero) * 1e9)) }
