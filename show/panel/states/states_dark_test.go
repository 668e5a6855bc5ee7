package states

import (
	"testing"

	"dagscope/show/scene"
)

// The colours of states stand out from a dark row.
func TestStatesOnDark(t *testing.T) {
	theme := scene.Dark(nil)
	for name, c := range starpuStates {
		fill, lane := onPaper(t, theme, c), onPaper(t, theme, scene.Lane)
		if r := scene.Contrast(fill, lane); r < 1.5 {
			t.Errorf("%s is %s on the dark row %s, contrast %.2f", name, fill.Hex(), lane.Hex(), r)
		}
	}
	if r := scene.Contrast(onPaper(t, theme, runningColor), onPaper(t, theme, scene.Lane)); r < 2 {
		t.Errorf("running tasks have contrast %.2f to a dark row", r)
	}
}

func onPaper(t *testing.T, theme *scene.Theme, c scene.Color) scene.Color {
	rects := scene.Rects{Palette: []scene.Color{c}}
	rects.Add(0, 10, 0, 10, 0)
	f := &scene.Figure{Width: 300, T1: 10, Theme: theme, Panels: []scene.Panel{{Height: 20, Layers: []scene.Layer{{Rects: []scene.Rects{rects}}}}}}
	page, err := scene.Compose(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range page.Ops {
		if op.Boxes != nil {
			return op.Boxes.Palette[0]
		}
	}
	t.Fatal("nothing was drawn")
	return scene.None
}
