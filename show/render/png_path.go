package render

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"

	"dagscope/show/scene"
)

// cutRoom is how far beyond its clip a path is painted, page pixels: more than
// widths and mitres, so that nothing of a cut is seen. The rasterizer walks along
// every edge, and dashes are made one by one.
const cutRoom = 1000

// path fills and strokes a path within a clip of device pixels.
func (r *raster) path(p *scene.Path, clip image.Rectangle) {
	if clip.Empty() {
		return
	}
	near := scene.Rectangle{X0: float64(clip.Min.X) / r.scale, Y0: float64(clip.Min.Y) / r.scale,
		X1: float64(clip.Max.X) / r.scale, Y1: float64(clip.Max.Y) / r.scale}
	for _, part := range p.Cut(near.Grown(cutRoom)) {
		r.near(part, clip)
	}
}

// near paints a path that is not long beyond its clip.
func (r *raster) near(p *scene.Path, clip image.Rectangle) {
	lines := r.scaled(p)
	if p.Fill != scene.None {
		r.polygons(lines, p.Fill, clip)
	}
	if p.Stroke == scene.None {
		return
	}
	var quads [][]scene.Point
	for _, line := range lines {
		if p.Closed && len(line) > 0 {
			line = append(line[:len(line):len(line)], line[0])
		}
		for _, piece := range dashed(line, p.Dash, p.Phase, r.scale) {
			quads = appendStroke(quads, piece, p.Width*r.scale/2)
		}
	}
	r.polygons(quads, p.Stroke, clip)
}

func (r *raster) scaled(p *scene.Path) [][]scene.Point {
	lines := p.Lines()
	out := make([][]scene.Point, len(lines))
	for i, line := range lines {
		out[i] = make([]scene.Point, len(line))
		for k, pt := range line {
			out[i][k] = scene.Point{X: pt.X * r.scale, Y: pt.Y * r.scale}
		}
	}
	return out
}

// polygons fills closed polygons of the same orientation with a colour.
func (r *raster) polygons(polygons [][]scene.Point, c scene.Color, clip image.Rectangle) {
	area := bounds(polygons).Intersect(clip)
	if area.Empty() {
		return
	}
	z := vector.NewRasterizer(area.Dx(), area.Dy())
	for _, polygon := range polygons {
		for i, p := range polygon {
			x, y := float32(p.X-float64(area.Min.X)), float32(p.Y-float64(area.Min.Y))
			if i == 0 {
				z.MoveTo(x, y)
			} else {
				z.LineTo(x, y)
			}
		}
		z.ClosePath()
	}
	r.fill(z, c, area)
}

func (r *raster) fill(z *vector.Rasterizer, c scene.Color, area image.Rectangle) {
	z.DrawOp = draw.Over
	red, green, blue, alpha := c.Parts()
	z.Draw(r.img, area, image.NewUniform(color.NRGBA{R: red, G: green, B: blue, A: alpha}), image.Point{})
}

func bounds(polygons [][]scene.Point) image.Rectangle {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, polygon := range polygons {
		for _, p := range polygon {
			x0, y0, x1, y1 = min(x0, p.X), min(y0, p.Y), max(x1, p.X), max(y1, p.Y)
		}
	}
	if x1 < x0 {
		return image.Rectangle{}
	}
	return image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1)))
}

// appendStroke appends a quadrangle for each segment of a line. Neighbours meet
// along the bisector of their angle (a mitre), so that they neither overlap,
// which would darken the joint, nor leave a gap; where the line turns back too
// sharply for that, both are lengthened by half the width. All quadrangles turn
// the same way, so that overlaps do not cancel.
func appendStroke(quads [][]scene.Point, line []scene.Point, half float64) [][]scene.Point {
	line = distinct(line)
	for i := 0; i+1 < len(line); i++ {
		a, b := line[i], line[i+1]
		u := direction(a, b)
		from, to := scene.Point{X: -u.Y * half, Y: u.X * half}, scene.Point{X: -u.Y * half, Y: u.X * half}
		if i > 0 {
			if m, ok := mitre(line[i-1], a, b, half); ok {
				from = m
			} else {
				a = scene.Point{X: a.X - u.X*half, Y: a.Y - u.Y*half}
			}
		}
		if i+2 < len(line) {
			if m, ok := mitre(a, b, line[i+2], half); ok {
				to = m
			} else {
				b = scene.Point{X: b.X + u.X*half, Y: b.Y + u.Y*half}
			}
		}
		quads = append(quads, []scene.Point{{X: a.X + from.X, Y: a.Y + from.Y}, {X: b.X + to.X, Y: b.Y + to.Y},
			{X: b.X - to.X, Y: b.Y - to.Y}, {X: a.X - from.X, Y: a.Y - from.Y}})
	}
	return quads
}

// distinct leaves out points that repeat the one before.
func distinct(line []scene.Point) []scene.Point {
	out := make([]scene.Point, 0, len(line))
	for i, p := range line {
		if i == 0 || p != line[i-1] {
			out = append(out, p)
		}
	}
	return out
}

// direction is the unit vector from a to b.
func direction(a, b scene.Point) scene.Point {
	d := math.Hypot(b.X-a.X, b.Y-a.Y)
	return scene.Point{X: (b.X - a.X) / d, Y: (b.Y - a.Y) / d}
}

// mitre is the vector from the joint b of two segments to where their left
// edges meet; ok is false where that is further away than the segments allow.
func mitre(a, b, c scene.Point, half float64) (v scene.Point, ok bool) {
	u, w := direction(a, b), direction(b, c)
	cos := 1 + u.X*w.X + u.Y*w.Y // of the turn, plus 1
	if cos < 0.5 {
		return v, false
	}
	v = scene.Point{X: -(u.Y + w.Y) / cos * half, Y: (u.X + w.X) / cos * half}
	// The inner end of the mitre must lie beside both segments.
	tan := math.Abs(u.X*w.Y-u.Y*w.X) / cos * half
	return v, tan <= math.Hypot(b.X-a.X, b.Y-a.Y) && tan <= math.Hypot(c.X-b.X, c.Y-b.Y)
}

// dashed cuts a line into the strokes of a dash pattern (page pixels), which
// begins so far into it.
func dashed(line []scene.Point, dash []float64, phase, scale float64) [][]scene.Point {
	total := 0.0
	for _, d := range dash {
		total += d
	}
	if total <= 0 {
		return [][]scene.Point{line}
	}
	var pieces [][]scene.Point
	k, left := 0, dash[0]*scale
	for phase *= scale; phase > 0; { // less than once or twice through the pattern
		step := min(left, phase)
		phase -= step
		if left -= step; left <= 0 {
			k = (k + 1) % len(dash)
			left = max(dash[k]*scale, 1e-6)
		}
	}
	for i := 0; i+1 < len(line); i++ {
		a, b := line[i], line[i+1]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		for at := 0.0; at < length; {
			step := min(left, length-at)
			if k%2 == 0 {
				pieces = append(pieces, []scene.Point{between(a, b, at/length), between(a, b, (at+step)/length)})
			}
			at += step
			if left -= step; left <= 0 {
				k = (k + 1) % len(dash)
				left = max(dash[k]*scale, 1e-6)
			}
		}
	}
	return pieces
}

func between(a, b scene.Point, t float64) scene.Point {
	return scene.Point{X: a.X + (b.X-a.X)*t, Y: a.Y + (b.Y-a.Y)*t}
}

// label paints a text from the outlines of the font, at any angle.
func (r *raster) label(l *scene.Label, clip image.Rectangle) {
	b := l.Bounds()
	area := image.Rect(int(math.Floor(b.X0*r.scale))-2, int(math.Floor(b.Y0*r.scale))-2,
		int(math.Ceil(b.X1*r.scale))+2, int(math.Ceil(b.Y1*r.scale))+2).Intersect(clip)
	if area.Empty() {
		return
	}
	z := vector.NewRasterizer(area.Dx(), area.Dy())
	outlines(z, l, func(p scene.Point) (x, y float32) {
		return float32(p.X*r.scale - float64(area.Min.X)), float32(p.Y*r.scale - float64(area.Min.Y))
	})
	r.fill(z, l.Color, area)
}
