package panel

import (
	"strings"
	"testing"

	"dagscope/internal/interval"
)

// Rows have a tick that is not zero, or the note says their scale.
func TestBandsHaveAScale(t *testing.T) {
	for _, down := range []bool{false, true} {
		for _, most := range []float64{1, 99, 256, 1999, 5001} {
			for height := 6.0; height < 90; height++ {
				b := band{label: "RAM", up: []*compact{newCompact(interval.Steps{Time: []int64{0}, Value: []float64{most}})}}
				if down {
					b.down = []*compact{{}}
				}
				v := &bandsView{unit: "MB/s", bands: []band{b}, note: "counted"}
				p := v.Draw(Query{T0: 0, T1: 1000, Width: 100, Height: height})
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
