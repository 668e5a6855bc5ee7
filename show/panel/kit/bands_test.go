package kit

import (
	"slices"
	"strings"
	"testing"

	"dagscope/internal/interval"
	"dagscope/show/panel/core"
)

// Rows have a tick that is not zero, or the note says their scale.
func TestBandsHaveAScale(t *testing.T) {
	for _, down := range []bool{false, true} {
		for _, most := range []float64{1, 99, 256, 1999, 5001} {
			for height := 6.0; height < 90; height++ {
				b := Band{Label: "RAM", Up: []*Compact{NewCompact(interval.Steps{Time: []int64{0}, Value: []float64{most}})}}
				if down {
					b.Down = []*Compact{{}}
				}
				v := &Bands{unit: "MB/s", Bands: []Band{b}, Note: "counted"}
				p := v.Draw(core.Query{T0: 0, T1: 1000, Width: 100, Height: height})
				ticks := 0
				for _, text := range p.Left[0].Texts {
					if text.Size == 8.5 && text.S != "0" {
						ticks++
					}
				}
				if noted := strings.Contains(p.Note, "the height of a row"); noted == (ticks > 0) {
					t.Fatalf("%g MB/s in %g pixels: %d ticks, note %q", most, height, ticks, p.Note)
				}
				if strings.Contains(p.Note, "each direction") && !down {
					t.Fatalf("note %q of rows with one direction", p.Note)
				}
			}
		}
	}
}

// Single peaks are cut, at most one column in a hundred of a flow; what lasts is not,
// and neither are the columns of a short flow.
func TestScaleOfBands(t *testing.T) {
	flat := func(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }
	for name, c := range map[string]struct {
		in            []bandColumns
		top, greatest float64
	}{
		"a peak":       {[]bandColumns{{up: append(flat(200, 1), 9)}}, 1, 9},
		"a low peak":   {[]bandColumns{{up: append(flat(200, 1), 1.4)}}, 1.4, 1.4},
		"few columns":  {[]bandColumns{{up: append(flat(50, 1), 9)}}, 9, 9},
		"a phase":      {[]bandColumns{{up: append(flat(200, 1), flat(5, 9)...)}}, 9, 9},
		"another flow": {[]bandColumns{{up: append(flat(200, 1), 9)}, {down: flat(200, 5)}}, 5, 9},
		"zeros":        {[]bandColumns{{up: append(flat(500, 0), 2, 9)}}, 9, 9},
		"nothing":      {[]bandColumns{{up: flat(5, 0)}}, 0, 0},
	} {
		if top, greatest := scaleOf(c.in); top != c.top || greatest != c.greatest {
			t.Errorf("%s: found %g and %g, want %g and %g", name, top, greatest, c.top, c.greatest)
		}
	}
}
