package scene

import "math"

// rotated is the box around r after a turn of so many degrees,
// counter-clockwise on a page whose y grows downwards.
func (r Rectangle) rotated(about Point, degrees float64) Rectangle {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	out := Rectangle{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range [4]Point{{r.X0, r.Y0}, {r.X1, r.Y0}, {r.X0, r.Y1}, {r.X1, r.Y1}} {
		x, y := p.X-about.X, p.Y-about.Y
		out = out.with(Point{about.X + x*cos + y*sin, about.Y - x*sin + y*cos})
	}
	return out
}

func (r Rectangle) with(p Point) Rectangle {
	return Rectangle{min(r.X0, p.X), min(r.Y0, p.Y), max(r.X1, p.X), max(r.Y1, p.Y)}
}

func (r Rectangle) intersect(o Rectangle) Rectangle {
	return Rectangle{max(r.X0, o.X0), max(r.Y0, o.Y0), min(r.X1, o.X1), min(r.Y1, o.Y1)}
}

// hatchGap is the distance of hatching lines along x, in pixels.
const hatchGap = 5

// hatch adds to p the slanted lines x + y = k·hatchGap inside a box. All boxes
// of a page share the phase, so that neighbours look like one surface.
func hatch(p *Path, r Rectangle) {
	for c := math.Ceil((r.X0+r.Y0)/hatchGap) * hatchGap; c < r.X1+r.Y1; c += hatchGap {
		x0, x1 := max(r.X0, c-r.Y1), min(r.X1, c-r.Y0)
		if x1 > x0 {
			p.segment(x0, c-x0, x1, c-x1)
		}
	}
}

// steps turns a step function into the corners of its polyline.
func steps(x []float64, y []float32) ([]float64, []float32) {
	if len(x) == 0 {
		return nil, nil
	}
	outX, outY := make([]float64, 0, 2*len(x)), make([]float32, 0, 2*len(x))
	for i := range x {
		if i > 0 {
			outX, outY = append(outX, x[i]), append(outY, y[i-1])
		}
		outX, outY = append(outX, x[i]), append(outY, y[i])
	}
	return outX, outY
}

// arrowHead returns the triangle of an arrow that ends at b, nil without
// direction.
func arrowHead(a, b Point, length float64) []Point {
	dx, dy := b.X-a.X, b.Y-a.Y
	d := math.Hypot(dx, dy)
	if d == 0 || length <= 0 {
		return nil
	}
	length = min(length, d)
	ux, uy := dx/d*length, dy/d*length
	const half = 0.35
	return []Point{b,
		{b.X - ux + uy*half, b.Y - uy - ux*half},
		{b.X - ux - uy*half, b.Y - uy + ux*half}}
}
