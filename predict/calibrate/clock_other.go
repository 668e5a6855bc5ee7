//go:build !linux

package calibrate

import "time"

// threadTime is not known here.
func threadTime() time.Duration { return -1 }
