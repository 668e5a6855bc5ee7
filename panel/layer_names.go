package panel

import (
	"math"

	"dagscope/scene"
)

// labelPlacer puts labels near what they name inside a body so that none meets
// another one or covers what another one names. It tries places from near to
// far; a label that is not beside its thing gets a leader.
type labelPlacer struct {
	width, height float64
	t0, pixel     float64 // left edge of the body and a pixel, ns
	taken         []scene.Rectangle
}

func newLabelPlacer(q Query, height float64) *labelPlacer {
	return &labelPlacer{width: float64(q.Width), height: height, t0: float64(q.T0), pixel: float64(q.T1-q.T0) / float64(max(1, q.Width))}
}

const (
	nameSize   = 10
	nameHeight = 14 // of a line of text with room
	nameReach  = 8  // lines that a label may be away
)

// avoid keeps labels off a box.
func (p *labelPlacer) avoid(b scene.Rectangle) { p.taken = append(p.taken, b) }

// place writes a label for a box; false if no place near it is free.
func (p *labelPlacer) place(l *scene.Layer, text string, of scene.Rectangle) bool {
	w := math.Ceil(scene.TextWidth(text, nameSize, false)) + 6
	for step := range nameReach {
		for _, b := range p.around(of, w, float64(step)*nameHeight) {
			if !p.free(b) {
				continue
			}
			p.taken = append(p.taken, b)
			p.write(l, text, b, of, step)
			return true
		}
	}
	return false
}

// around are the places for a label so far above and below a box: over its
// beginning, over its end, right and left of it.
func (p *labelPlacer) around(of scene.Rectangle, w, away float64) []scene.Rectangle {
	var out []scene.Rectangle
	middle := (of.X0 + of.X1) / 2
	above, below := of.Y0-away-nameHeight-1, of.Y1+away+1
	for _, x := range []float64{of.X0 + away/2, middle - w/2, of.X1 - w - away/2, of.X1 + 4 + away, of.X0 - 4 - w - away} {
		x = max(2, min(x, p.width-w-2))
		for _, y := range []float64{above, below} {
			out = append(out, scene.Rectangle{X0: x, X1: x + w, Y0: y, Y1: y + nameHeight})
		}
	}
	return out
}

func (p *labelPlacer) free(b scene.Rectangle) bool {
	if b.X0 < 0 || b.X1 > p.width || b.Y0 < 0 || b.Y1 > p.height {
		return false
	}
	for _, t := range p.taken {
		if t.X0 < b.X1 && b.X0 < t.X1 && t.Y0 < b.Y1 && b.Y0 < t.Y1 {
			return false
		}
	}
	return true
}

// write adds the text and, from the nearest side of it, the leader.
func (p *labelPlacer) write(l *scene.Layer, text string, b, of scene.Rectangle, step int) {
	x := func(pixels float64) float64 { return p.t0 + pixels*p.pixel }
	l.Texts = append(l.Texts, scene.Text{X: x((b.X0 + b.X1) / 2), Y: float32((b.Y0 + b.Y1) / 2), S: text, Size: nameSize,
		Color: scene.Ink, Anchor: scene.Middle, Halo: true, Bold: false})
	target := (of.X0 + of.X1) / 2
	if step == 0 && target >= b.X0 && target <= b.X1 {
		return
	}
	from, to := b.Y1, of.Y0
	if b.Y0 >= of.Y1 {
		from, to = b.Y0, of.Y1
	}
	l.Lines = append(l.Lines, scene.Line{X: []float64{x(max(b.X0, min(target, b.X1))), x(target)}, Y: []float32{float32(from), float32(to)},
		Color: scene.Ink, Width: 0.8})
}
