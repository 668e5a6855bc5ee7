package cli

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// An import only ever grows, of columns that the collector need not look into:
// collecting early costs next to no time and saves a third of the memory, and of
// a large run nearly all that is not its columns.
const (
	gcPercent      = 30
	largeHeap      = 512 << 20 // bytes
	gcPercentLarge = 8
)

// saveMemory collects early, and earlier once much is in memory, until stop is
// called; what was set last stays.
func saveMemory() (stop func()) {
	debug.SetGCPercent(gcPercent)
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for heapBytes() < largeHeap {
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
		debug.SetGCPercent(gcPercentLarge)
	}()
	return func() { close(done) }
}

// heapBytes is what objects take, dead ones included.
func heapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
