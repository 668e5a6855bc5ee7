package breakdown

import (
	"math"
	"testing"

	"dagscope/trace/tracetest"
)

// Runs of damaged traces may last longer than 2^62 ns: their time is broken down
// as that of others is.
func TestRunsOfAnyLength(t *testing.T) {
	for _, horizon := range []int64{7777881130532000000, math.MaxInt64} {
		run := tracetest.Random(3, 20)
		run.Meta.Horizon = horizon
		r := Compute(run, Options{To: horizon})
		for k, cell := range r.Cell[Global] {
			if cell.Sum() != horizon || k >= len(r.Workers) {
				t.Errorf("horizon %d: found %d ns of worker %d, want all", horizon, cell.Sum(), k)
			}
		}
		if n := len(r.Cell[Global]); n != len(r.Workers) {
			t.Errorf("horizon %d: found %d cells, want one for each of %d workers", horizon, n, len(r.Workers))
		}
		Compute(run, Options{From: -horizon, To: horizon})
	}
}
