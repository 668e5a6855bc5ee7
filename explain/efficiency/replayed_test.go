package efficiency

import (
	"math"
	"slices"
	"testing"
)

// Serialisation × transfer is the communication efficiency, and neither is known
// without a replay.
func TestReplayed(t *testing.T) {
	for _, c := range []struct {
		replayed *Replayed
		transfer float64
	}{{nil, math.NaN()}, {&Replayed{Makespan: 200, Instant: 150}, 0.75}} {
		r := &Result{Run: Part{Span: 100, Longest: 60, ABE: 50, Largest: 50, Load: 60}, replayed: c.replayed}
		if got := r.Transfer(); !same(got, c.transfer) {
			t.Errorf("found transfer %g, want %g", got, c.transfer)
		}
		if got := r.Transfer() * r.Serialisation(); c.replayed != nil && math.Abs(got-r.Run.Communication()) > 1e-12 {
			t.Errorf("found a product of %g, want the communication efficiency %g", got, r.Run.Communication())
		}
		if got := slices.Contains(r.Missing(), Replay); got != (c.replayed == nil) {
			t.Errorf("found %q missing: %t", Replay, got)
		}
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
