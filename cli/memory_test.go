package cli

import (
	"runtime/debug"
	"testing"
)

// What users set of the collector is theirs.
func TestSaveMemory(t *testing.T) {
	was := debug.SetGCPercent(77)
	defer debug.SetGCPercent(was)
	t.Setenv("GOGC", "77")
	saveMemory()()
	if got := debug.SetGCPercent(77); got != 77 {
		t.Errorf("GOGC=77: collects after %d %% of growth, wanted 77", got)
	}
	t.Setenv("GOGC", "")
	saveMemory()()
	if got := debug.SetGCPercent(77); got == 77 {
		t.Errorf("without GOGC: collects after %d %% of growth, wanted what saves memory", got)
	}
}

// A collection is due after about gcStep of growth, whatever is live.
func TestPercentFor(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, maxPercent}, {4 << 20, maxPercent}, {64 << 20, 100}, {640 << 20, 10}, {64 << 30, minPercent}} {
		if got := percentFor(c.live, gcStep, minPercent); got != c.want {
			t.Errorf("%d bytes live: collects after %d %% of growth, wanted %d", c.live, got, c.want)
		}
	}
}
