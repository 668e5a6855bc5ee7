package cli

import "time"

// stopwatch starts measuring what something takes: the function it returns gives
// wall-clock seconds and the CPU seconds of all threads, 0 where the system does
// not report them.
func stopwatch() func() (seconds, cpu float64) {
	start, before := time.Now(), processorTime()
	return func() (seconds, cpu float64) {
		return time.Since(start).Seconds(), (processorTime() - before).Seconds()
	}
}
