package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// An import only ever grows, of columns that the collector need not look into.
// What a collection costs is the interruption, so there is one whenever so much
// more is in memory: a few of a small run, and of a large one, next to nothing
// but its columns.
const (
	gcStep     = 64 << 20 // bytes
	minPercent = 8
	maxPercent = 1600 // of 4 MiB, which is the least that Go collects at
)

// saveMemory collects each time that memory has grown by gcStep, until stop is
// called; what was set last stays. Who has set GOGC knows better.
func saveMemory() (stop func()) { return collectEvery(gcStep, minPercent) }

// collectEvery does so for another growth in bytes, but not before the heap has
// grown by least percent.
func collectEvery(step uint64, least int) (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	var stopped atomic.Bool
	var adjust func(*mark)
	adjust = func(*mark) {
		if stopped.Load() {
			return
		}
		debug.SetGCPercent(percentFor(liveBytes(), step, least))
		runtime.SetFinalizer(new(mark), adjust) // runs after the next collection
	}
	adjust(nil)
	return func() { stopped.Store(true) }
}

// limitMemory has memory that is free given back to the system before the whole
// process takes more than spare bytes over what is in use now, and from then on
// at every collection at least headroom bytes over what is in use then: a limit
// below what is in use would collect without end. Who has set GOMEMLIMIT knows
// better.
func limitMemory(spare, headroom uint64) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	least := liveBytes() + spare
	var adjust func(*mark)
	adjust = func(*mark) {
		debug.SetMemoryLimit(int64(max(least, liveBytes()+headroom)))
		runtime.SetFinalizer(new(mark), adjust) // runs after the next collection
	}
	adjust(nil)
}

// mark is something to be collected.
type mark struct{ _ [16]byte }

// percentFor is the growth in percent after which a heap is collected of which
// so many bytes are in use, so that it grows by step.
func percentFor(live, step uint64, least int) int {
	return max(least, int(min(100*step/max(live, 1), maxPercent)))
}

// liveBytes is what the last collection left.
func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
