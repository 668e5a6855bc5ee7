package scene

import "math"

// Page is a figure in pixels: what painters paint. Its origin is the upper
// left corner; operations are painted in order.
type Page struct {
	Title  string
	Recipe []Field
	W, H   float64
	Paper  Color // None for white
	Ops    []Op
}

// Background is the colour of the empty page.
func (p *Page) Background() Color {
	if p.Paper == None {
		return White
	}
	return p.Paper
}

// scale makes everything so much larger, the page too.
func (p *Page) scale(k float64) {
	p.W, p.H = p.W*k, math.Ceil(p.H*k)
	for i := range p.Ops {
		o := &p.Ops[i]
		o.Clip = Rectangle{o.Clip.X0 * k, o.Clip.Y0 * k, o.Clip.X1 * k, o.Clip.Y1 * k}
		switch {
		case o.Boxes != nil:
			for _, side := range [][]float64{o.Boxes.X0, o.Boxes.Y0, o.Boxes.X1, o.Boxes.Y1} {
				scaleAll(side, k)
			}
		case o.Path != nil:
			for j := range o.Path.Points {
				pt := &o.Path.Points[j]
				pt.X, pt.Y = pt.X*k, pt.Y*k
			}
			o.Path.Width, o.Path.Phase = o.Path.Width*k, o.Path.Phase*k
			scaleAll(o.Path.Dash, k)
		case o.Label != nil:
			l := o.Label
			l.X, l.Y, l.Size, l.Width = l.X*k, l.Y*k, l.Size*k, l.Width*k
		}
	}
}

func scaleAll(x []float64, k float64) {
	for i := range x {
		x[i] *= k
	}
}

// Op is one operation; exactly one of the pointers is set. Clip, where it is
// not empty, limits it to a box.
type Op struct {
	Clip  Rectangle
	Boxes *Boxes
	Path  *Path
	Label *Label
}

// Rectangle is an axis-parallel box.
type Rectangle struct{ X0, Y0, X1, Y1 float64 }

// Empty reports whether the box holds nothing.
func (r Rectangle) Empty() bool { return r.X1 <= r.X0 || r.Y1 <= r.Y0 }

// Boxes are filled rectangles in columns of equal length.
type Boxes struct {
	X0, Y0, X1, Y1 []float64
	Color          []uint8 // index into Palette
	Palette        []Color
	Edges          Edges
}

func (b *Boxes) add(r Rectangle, color uint8) {
	b.X0, b.Y0 = append(b.X0, r.X0), append(b.Y0, r.Y0)
	b.X1, b.Y1 = append(b.X1, r.X1), append(b.Y1, r.Y1)
	b.Color = append(b.Color, color)
}

// Point is a place on a page.
type Point struct{ X, Y float64 }

// Path is one or several polylines with the same style. Fill closes each.
type Path struct {
	Points []Point
	Starts []int // index of the first point of each polyline; nil for one only
	Closed bool
	Fill   Color
	Stroke Color
	Width  float64
	Dash   []float64
	Phase  float64 // how far into the dashes each polyline begins
}

// Lines returns the polylines of the path.
func (p *Path) Lines() [][]Point {
	if len(p.Starts) == 0 {
		return [][]Point{p.Points}
	}
	lines := make([][]Point, len(p.Starts))
	for i, from := range p.Starts {
		to := len(p.Points)
		if i+1 < len(p.Starts) {
			to = p.Starts[i+1]
		}
		lines[i] = p.Points[from:to]
	}
	return lines
}

func (p *Path) segment(x0, y0, x1, y1 float64) {
	p.Starts = append(p.Starts, len(p.Points))
	p.Points = append(p.Points, Point{x0, y0}, Point{x1, y1})
}

// Label is a text. (X, Y) is the anchor on the baseline, about which it turns.
type Label struct {
	X, Y   float64
	S      string
	Size   float64
	Width  float64 // as measured
	Color  Color
	On     Color // the fill that it stands on, None for the paper
	Bold   bool
	Anchor Anchor
	Rotate float64 // degrees, counter-clockwise
}

// Bounds is the box around the text.
func (l *Label) Bounds() Rectangle {
	left := l.X - l.Width*anchorShare[l.Anchor]
	box := Rectangle{left, l.Y - Ascent*l.Size, left + l.Width, l.Y + Descent*l.Size}
	if l.Rotate == 0 {
		return box
	}
	return box.rotated(Point{l.X, l.Y}, l.Rotate)
}

// anchorShare is the share of a text that lies left of its anchor.
var anchorShare = [...]float64{Start: 0, Middle: 0.5, End: 1}
