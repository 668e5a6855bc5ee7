package kit

import (
	"slices"
	"testing"

	"dagscope/internal/interval"
	"dagscope/show/panel/core"
	"dagscope/trace/tracetest"
)

// Curves that lie on each other for long enough take turns: of three with one
// value two are dashes above the last, each a turn later than the one before.
func TestEqualCurvesStayVisible(t *testing.T) {
	v := &Curves{Numbers: "usedmemory", Run: tracetest.Chain(2), Unit: "MiB"}
	for i, values := range [][]float64{{10, 20}, {10, 10}, {10, 30}} {
		steps := interval.Steps{Time: []int64{0, 5000}, Value: values}
		v.Curves = append(v.Curves, Curve{label: string(rune('a' + i)), Color: SeriesColors[i], steps: NewCompact(steps)})
	}
	dashed := func(q core.Query) (starts []float64) {
		for _, l := range v.Draw(q).Layers {
			if l.Name != "coinciding" {
				continue
			}
			for i, line := range l.Lines {
				if line.Color != SeriesColors[i] || !slices.Equal(line.Dash, []float32{8, 16}) {
					t.Errorf("dashes %v of curve %d have colour %s", line.Dash, i, line.Color.Hex())
				}
				if end := line.X[len(line.X)-1]; end != 5000 {
					t.Errorf("dashes of curve %d end at %g, want 5000: from there they differ", i, end)
				}
				starts = append(starts, line.X[0])
			}
		}
		return starts
	}
	if got := dashed(core.Query{T0: 0, T1: 10000, Width: 100}); !slices.Equal(got, []float64{0, 800}) {
		t.Errorf("dashes begin at %v, want 0 and 8 pixels later", got)
	}
	if got := dashed(core.Query{T0: 4900, T1: 14900, Width: 100}); got != nil {
		t.Errorf("a pixel in which curves are equal is dashed from %v", got)
	}
}
