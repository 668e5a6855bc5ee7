package figure

import (
	"math"
	"testing"

	"dagscope/internal/budget"
)

// FuzzValues reads sizes, colours, panels with heights and bounds of figures:
// numbers that can be drawn, or an error.
func FuzzValues(f *testing.F) {
	for _, s := range []string{"column", "178x100mm", "#12ab9F", "peachpuff3", "st:1.5", "LP=12.5", "infx1mm", "=nan", "ready:1e999", "x4", "1234"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		budget.Watch(t)
		if w, h, zoom, err := ParseSize(s); err == nil && !(w >= 20 && w <= 5000 && h >= 0 && h <= 5000 && zoom > 0) {
			t.Errorf("%q is %v × %v mm, zoom %v", s, w, h, zoom)
		}
		if _, h, err := parseChoice(s); err == nil && !(h >= 0 && h <= 1000) {
			t.Errorf("%q has height %v", s, h)
		}
		if b, err := parseBound(s); err == nil && (b.NS < 0 || b.NS == math.MaxInt64) {
			t.Errorf("%q is a bound of %d ns", s, b.NS)
		}
		_, _ = ParseColor(s)
	})
}
