package spacetime

import (
	"testing"

	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace/tracetest"
)

// Texts on fills are read on both papers, and tasks stand out from their row.
func TestTextsOnFills(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 4})
	view, err := openSpaceTime(run, &core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, theme := range []*scene.Theme{nil, scene.Dark(core.Colors(nil).Bases())} {
		f := &scene.Figure{Width: 3000, T1: 1e8, Theme: theme, Panels: []scene.Panel{view.Draw(core.Query{T1: 1e8, Width: 2800})}}
		page, err := scene.Compose(f)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, op := range page.Ops {
			if l := op.Label; l != nil && l.On != scene.None {
				n++
				if r := scene.Contrast(l.Color, l.On); r < 3.5 {
					t.Errorf("%q on %s has contrast %.2f", l.S, l.On.Hex(), r)
				}
			}
		}
		if n == 0 {
			t.Error("no text stands on a fill")
		}
	}
}
