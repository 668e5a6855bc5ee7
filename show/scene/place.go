package scene

import (
	"strings"

	"dagscope/internal/words"
)

// placer turns the layers of one panel region into operations of a page.
type placer struct {
	page  *Page
	clip  Rectangle // of the region; empty for margins, where nothing is cut
	x0    float64   // page x of the region's zero
	y0    float64   // page y of the region's zero
	min   float64   // axis value at x0
	scale float64   // pixels per axis unit
}

// x places a horizontal coordinate.
func (p *placer) x(v float64, u Unit) float64 {
	if u == Pixels {
		return p.x0 + v
	}
	return p.x0 + (v-p.min)*p.scale
}

// emit appends an operation, without what of it is far outside the region.
func (p *placer) emit(op Op) {
	op.Clip = p.clip
	if p.clip.Empty() {
		p.page.Ops = append(p.page.Ops, op)
		return
	}
	near := p.clip.Grown(cutRoom)
	switch {
	case op.Path != nil:
		for _, path := range op.Path.Cut(near) {
			p.page.Ops = append(p.page.Ops, Op{Clip: p.clip, Path: path})
		}
		return
	case op.Label != nil && op.Label.Bounds().intersect(near).Empty():
		return
	}
	p.page.Ops = append(p.page.Ops, op)
}

func (p *placer) layers(layers []Layer) {
	for i := range layers {
		p.layer(&layers[i])
	}
}

func (p *placer) layer(l *Layer) {
	for i := range l.Rects {
		p.rects(&l.Rects[i], l.Unit)
	}
	for i := range l.Areas {
		p.area(&l.Areas[i], l.Unit)
	}
	for i := range l.Lines {
		p.line(&l.Lines[i], l.Unit)
	}
	for i := range l.Arrows {
		p.arrows(&l.Arrows[i], l.Unit)
	}
	for i := range l.Texts {
		p.text(&l.Texts[i], l.Unit)
	}
}

// rects places rectangles, cut to the region here rather than by the painter:
// most painters are slow at clipping many small shapes.
func (p *placer) rects(r *Rects, u Unit) {
	boxes := &Boxes{Palette: r.Palette, Edges: r.Edges}
	lines := &Path{Stroke: r.Hatch, Width: 0.8}
	for i := range r.X0 {
		b := p.widened(Rectangle{p.x(r.X0[i], u), p.y0 + float64(r.Y[i]),
			p.x(r.X1[i], u), p.y0 + float64(r.Y[i]+r.H[i])}, float64(r.MinWidth))
		if !p.clip.Empty() {
			b = b.intersect(p.clip)
		}
		if b.Empty() {
			continue
		}
		boxes.add(b, r.Color[i])
		if r.Hatch != None {
			hatch(lines, b)
		}
	}
	if len(boxes.X0) > 0 {
		p.emit(Op{Boxes: boxes})
	}
	if len(lines.Points) > 0 {
		p.emit(Op{Path: lines})
	}
}

// widened gives a box its least width, staying inside the region if it was.
func (p *placer) widened(b Rectangle, least float64) Rectangle {
	if b.X1-b.X0 >= least {
		return b
	}
	mid := (b.X0 + b.X1) / 2
	if !p.clip.Empty() && mid >= p.clip.X0 && mid <= p.clip.X1 {
		mid = min(max(mid, p.clip.X0+least/2), p.clip.X1-least/2)
	}
	b.X0, b.X1 = mid-least/2, mid+least/2
	return b
}

func (p *placer) points(x []float64, y []float32, u Unit) []Point {
	points := make([]Point, len(x))
	for i := range x {
		points[i] = Point{p.x(x[i], u), p.y0 + float64(y[i])}
	}
	return points
}

func (p *placer) line(l *Line, u Unit) {
	x, y := l.X, l.Y
	if l.Step {
		x, y = steps(x, y)
	}
	if len(x) < 2 {
		return
	}
	p.emit(Op{Path: &Path{Points: p.points(x, y, u), Stroke: l.Color, Width: float64(l.Width), Dash: dashes(l.Dash)}})
}

func (p *placer) area(a *Area, u Unit) {
	x, top, bottom := a.X, a.Y0, a.Y1
	if a.Step {
		x, top = steps(a.X, a.Y0)
		_, bottom = steps(a.X, a.Y1)
	}
	if len(x) < 2 {
		return
	}
	points := p.points(x, top, u)
	back := p.points(x, bottom, u)
	for i := len(back) - 1; i >= 0; i-- {
		points = append(points, back[i])
	}
	p.emit(Op{Path: &Path{Points: points, Closed: true, Fill: a.Color}})
}

func (p *placer) arrows(a *Arrows, u Unit) {
	shafts := &Path{Stroke: a.Color, Width: float64(a.Width)}
	heads := &Path{Closed: true, Fill: a.Color}
	for i := range a.X0 {
		from := Point{p.x(a.X0[i], u), p.y0 + float64(a.Y0[i])}
		to := Point{p.x(a.X1[i], u), p.y0 + float64(a.Y1[i])}
		shafts.segment(from.X, from.Y, to.X, to.Y)
		if head := arrowHead(from, to, float64(a.Head)); head != nil {
			heads.Starts = append(heads.Starts, len(heads.Points))
			heads.Points = append(heads.Points, head...)
		}
	}
	if len(shafts.Points) > 0 {
		p.emit(Op{Path: shafts})
	}
	if len(heads.Points) > 0 {
		p.emit(Op{Path: heads})
	}
}

func (p *placer) text(t *Text, u Unit) {
	if t.S == "" {
		return
	}
	l := label(t, p.x(t.X, u), p.y0)
	if t.Halo {
		box := l.Bounds()
		boxes := &Boxes{Palette: []Color{White.Mix(Grid, 0.1)}}
		boxes.add(Rectangle{box.X0 - 2, box.Y0, box.X1 + 2, box.Y1}, 0)
		p.emit(Op{Boxes: boxes})
	}
	p.emit(Op{Label: l})
}

// label turns a text whose Y counts from y0 into a page label at x.
func label(t *Text, x, y0 float64) *Label {
	// Names in traces may be any bytes; no painter knows what to do with them, nor
	// with what controls a terminal, where files of figures may be looked at.
	text := words.OneLine(strings.ToValidUTF8(t.S, "\ufffd"))
	l := &Label{X: x, Y: y0 + float64(Baseline(t.Y, t.Size)), S: text, Size: float64(t.Size),
		Width: TextWidth(text, t.Size, t.Bold), Color: t.Color, On: t.On, Bold: t.Bold,
		Anchor: t.Anchor, Rotate: float64(t.Rotate)}
	if t.Rotate != 0 {
		// The text turns about its middle line, the label about its baseline.
		turned := Rectangle{x, l.Y, x, l.Y}.rotated(Point{x, y0 + float64(t.Y)}, l.Rotate)
		l.X, l.Y = turned.X0, turned.Y0
	}
	return l
}

func dashes(d []float32) []float64 {
	var out []float64
	for _, v := range d {
		out = append(out, float64(v))
	}
	return out
}
