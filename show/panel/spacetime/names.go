package spacetime

import (
	"math"

	"dagscope/show/panel/core"
	"dagscope/show/scene"
)

// labelPlacer puts labels near what they name inside a body so that none meets
// another one or covers what another one names or a vertical line. It tries places from near to
// far; a label that is not beside its thing gets a leader.
type labelPlacer struct {
	width, height float64
	t0, pixel     float64 // left edge of the body and a pixel, ns
	taken         []scene.Rectangle
}

// newLabelPlacer keeps labels off vertical lines.
func newLabelPlacer(q core.Query, height float64, lines []scene.Mark) *labelPlacer {
	p := &labelPlacer{width: float64(q.Width), height: height, t0: float64(q.T0), pixel: float64(q.T1-q.T0) / float64(max(1, q.Width))}
	for _, m := range lines {
		x := p.x(m.X)
		p.avoid(scene.Rectangle{X0: x - 1, X1: x + 1, Y0: 0, Y1: height})
	}
	return p
}

// x is where a time is, in pixels.
func (p *labelPlacer) x(ns float64) float64 { return (ns - p.t0) / p.pixel }

// ns is the time at a pixel.
func (p *labelPlacer) ns(x float64) float64 { return p.t0 + x*p.pixel }

const (
	nameSize   = 10
	nameHeight = 14 // of a line of text with room
	nameReach  = 8  // lines that a label may be away
)

// avoid keeps labels off a box.
func (p *labelPlacer) avoid(b scene.Rectangle) { p.taken = append(p.taken, b) }

// Place writes a label for a box; false if no place near it is free.
func (p *labelPlacer) Place(l *scene.Layer, text string, of scene.Rectangle) bool {
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
	for _, x := range []float64{of.X0 + away/2, middle - w/2, of.X1 - w - away/2, of.X1 + 4 + away, of.X0 - 4 - w - away, of.X0 - 20 - w - 2*away} {
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
	l.Texts = append(l.Texts, scene.Text{X: p.ns((b.X0 + b.X1) / 2), Y: float32((b.Y0 + b.Y1) / 2), S: text, Size: nameSize,
		Color: scene.Ink, Anchor: scene.Middle, Halo: true})
	target := (of.X0 + of.X1) / 2
	if step == 0 && target >= b.X0 && target <= b.X1 {
		return
	}
	from, to := b.Y1, of.Y0
	if b.Y0 >= of.Y1 {
		from, to = b.Y0, of.Y1
	}
	l.Lines = append(l.Lines, scene.Line{X: []float64{p.ns(max(b.X0, min(target, b.X1))), p.ns(target)}, Y: []float32{float32(from), float32(to)},
		Color: scene.Ink, Width: 0.8})
}

// beside writes a label along a vertical bar, or across it where the bar is too
// low for that: left or right of its middle, whichever is free; false if none
// is.
func (p *labelPlacer) beside(l *scene.Layer, text string, of scene.Rectangle) bool {
	w, y := math.Ceil(scene.TextWidth(text, nameSize, false))+4, (of.Y0+of.Y1)/2
	p.avoid(of)
	for _, across := range []bool{false, true} {
		wide, high := float64(nameHeight), w
		if across {
			wide, high = w, nameHeight
		}
		if high > of.Y1-of.Y0 {
			continue
		}
		for _, x := range []float64{of.X0 - wide - 1, of.X1 + 1} {
			b := scene.Rectangle{X0: x, X1: x + wide, Y0: y - high/2, Y1: y + high/2}
			if !p.free(b) {
				continue
			}
			p.avoid(b)
			t := scene.Text{X: p.ns(x + wide/2), Y: float32(y), S: text, Size: nameSize, Color: scene.Ink, Anchor: scene.Middle, Halo: true}
			if !across {
				t.Rotate = 90
			}
			l.Texts = append(l.Texts, t)
			return true
		}
	}
	return false
}
