package kit

import (
	"math"
	"testing"

	"dagscope/internal/interval"

	"pgregory.net/rapid"
)

// The greatest value of a sum is that of a sweep over it.
func TestPeaksAgainstSweep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []interval.Steps
		var parts []*Compact
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			f := drawLongSteps(t)
			all, parts = append(all, f), append(parts, NewCompact(f))
		}
		sum := SumSteps(all)
		peaks := NewPeaks(parts, sum)
		for range 5 {
			from := rapid.Int64Range(-100, 3000).Draw(t, "from")
			p := Period{from, from + rapid.SampledFrom([]int64{1, 60, 900, 4000, 1 << 45}).Draw(t, "length")}
			_, want := p.meanMostSteps(sum)
			if got := peaks.Within(p); math.Abs(got-want) > 1e-9 {
				t.Fatalf("most of %v is %g, want %g", p, got, want)
			}
		}
	})
}
