package spacetime

import (
	"slices"

	"dagscope/show/scene"
)

// clearNames takes away the kinds written inside tasks that a line or a name of
// the layers above would cross: half a word is no word.
func (p *labelPlacer) clearNames(layers, above []scene.Layer) {
	for i := range layers {
		if layers[i].Name == "kinds" {
			layers[i].Texts = slices.DeleteFunc(layers[i].Texts, func(t scene.Text) bool {
				b := p.box(&t)
				return slices.ContainsFunc(above, func(l scene.Layer) bool { return p.crosses(&l, b) })
			})
		}
	}
}

// box is the room of a text, pixels of the body.
func (p *labelPlacer) box(t *scene.Text) scene.Rectangle {
	w, h, x, y := scene.TextWidth(t.S, t.Size, t.Bold), float64(t.Size), p.x(t.X), float64(t.Y)
	if t.Rotate != 0 {
		w, h = h, w
	}
	return scene.Rectangle{X0: x - w/2 - 1, X1: x + w/2 + 1, Y0: y - h/2 - 1, Y1: y + h/2 + 1}
}

// crosses reports whether a line or text of a layer passes through a box.
func (p *labelPlacer) crosses(l *scene.Layer, b scene.Rectangle) bool {
	for _, a := range l.Arrows {
		for i := range a.X0 {
			if cuts(p.x(a.X0[i]), float64(a.Y0[i]), p.x(a.X1[i]), float64(a.Y1[i]), b) {
				return true
			}
		}
	}
	return slices.ContainsFunc(l.Texts, func(t scene.Text) bool {
		o := p.box(&t)
		return o.X0 < b.X1 && b.X0 < o.X1 && o.Y0 < b.Y1 && b.Y0 < o.Y1
	})
}

// cuts reports whether the line between two points passes through a box (Liang
// 1984): of the line as a parameter from 0 to 1, each side of the box leaves a
// part.
func cuts(x0, y0, x1, y1 float64, b scene.Rectangle) bool {
	from, to := 0.0, 1.0
	part := func(d, room float64) bool { // d·s <= room
		switch {
		case d == 0:
			return room >= 0
		case d < 0:
			from = max(from, room/d)
		default:
			to = min(to, room/d)
		}
		return from <= to
	}
	return part(x0-x1, x0-b.X0) && part(x1-x0, b.X1-x0) && part(y0-y1, y0-b.Y0) && part(y1-y0, b.Y1-y0)
}
