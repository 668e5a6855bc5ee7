package calibrate

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of the calling thread, below 0 where it is
// not known.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return -1
	}
	return time.Duration(t.Nano())
}
