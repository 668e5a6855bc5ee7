// Package budget answers whether a reader took more time or memory than an input
// is worth. Fuzz targets call [Watch] for each of their inputs:
//
//	f.Fuzz(func(t *testing.T, file []byte) {
//		budget.Watch(t)
//		…
//
// An input that takes longer than [Time] ends the program with a panic, for which
// the fuzzer of Go, that has no limit of time, keeps the input; otherwise a target
// that is stuck would only be slow. One that allocated more than [Bytes] fails.
//
// It measures the whole program: tests that watch do not run in parallel with
// others. It does not stop an allocation before it is made.
package budget

import (
	"fmt"
	"runtime/metrics"
	"testing"
	"time"
)

// What an input may take. Inputs of the fuzzer are small: 1 MB at most.
const (
	Time  = 10 * time.Second
	Bytes = 1 << 30
)

// Watch watches the rest of a test.
func Watch(t testing.TB) { watch(t, Time, Bytes, func(s string) { panic(s) }) }

func watch(t testing.TB, limit time.Duration, most uint64, late func(string)) {
	t.Helper()
	name := t.Name()
	timer := time.AfterFunc(limit, func() { late(fmt.Sprintf("%s takes more than %v", name, limit)) })
	before := allocated()
	t.Cleanup(func() {
		timer.Stop()
		if after := allocated(); after-before > most {
			t.Errorf("allocated %d MB, want %d at most", (after-before)>>20, most>>20)
		}
	})
}

// allocated is what the program has allocated since it began, in bytes.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
