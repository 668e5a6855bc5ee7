package kit

import (
	"math"
	"testing"

	"dagscope/internal/interval"

	"pgregory.net/rapid"
)

// The mean and the greatest value are those of every ns of the period, and
// sums of functions are sums at every ns.
func TestSummaryOfEveryNanosecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []interval.Steps{}
		for range rapid.IntRange(1, 5).Draw(t, "functions") {
			all = append(all, drawSteps(t))
		}
		p := Period{From: int64(rapid.IntRange(-30, 30).Draw(t, "from"))}
		p.To = p.From + int64(rapid.IntRange(1, 40).Draw(t, "for"))
		sum, want, top := SumSteps(all), 0.0, math.Inf(-1)
		for at := p.From; at < p.To; at++ {
			value := 0.0
			for _, f := range all {
				value += valueAt(f, at)
			}
			want, top = want+value/float64(p.To-p.From), max(top, value)
		}
		mean, most := p.meanMostSteps(sum)
		if math.Abs(mean-want) > 1e-9 || most != top {
			t.Fatalf("mean %g, most %g; want %g and %g", mean, most, want, top)
		}
	})
}
