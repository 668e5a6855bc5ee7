package scene

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dagscope/internal/words"
)

// Ticks of values lie on the axis, in equal steps, no closer than asked.
func TestYTicksProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e5, 0).Draw(t, "lo")
		hi := lo + math.Pow(10, rapid.Float64Range(-3, 6).Draw(t, "log span"))
		height := rapid.Float64Range(5, 500).Draw(t, "height")
		ticks := YTicks(lo, hi, height, 22)
		for i, tick := range ticks {
			if tick.At < lo-1e-6*(hi-lo) || tick.At > hi+1e-6*(hi-lo) || tick.Label == "" {
				t.Fatalf("tick %v outside [%g, %g]", tick, lo, hi)
			}
			if i > 0 && (tick.At-ticks[i-1].At)*height/(hi-lo) < 22-1e-6 {
				t.Fatalf("ticks %v and %v are too close", ticks[i-1], tick)
			}
		}
		if height > 150 && len(ticks) < 2 {
			t.Fatalf("%d ticks on %g pixels", len(ticks), height)
		}
	})
}

// Labels on a logarithmic axis do not meet, and there are some.
func TestLogTicksProperty(t *testing.T) {
	label := func(v float64) string { return words.Duration(v) }
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(0, 10).Draw(t, "lo")
		hi := lo + rapid.Float64Range(1, 8).Draw(t, "span")
		width := rapid.Float64Range(150, 1500).Draw(t, "width")
		ticks := LogTicks(lo, hi, width, 11, label)
		if len(ticks) == 0 {
			t.Fatalf("no ticks on [%g, %g]", lo, hi)
		}
		for i := 1; i < len(ticks); i++ {
			room := (ticks[i].At - ticks[i-1].At) * width / (hi - lo)
			if w := (TextWidth(ticks[i].Label, 11, false) + TextWidth(ticks[i-1].Label, 11, false)) / 2; room < w {
				t.Fatalf("labels %q and %q meet", ticks[i-1].Label, ticks[i].Label)
			}
		}
	})
}
