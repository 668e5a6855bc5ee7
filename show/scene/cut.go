package scene

import "math"

// A panel hands over what its window needs and the ends of what reaches out of
// it. At deep zoom those ends are far away: a line over the whole run is 10^14
// pixels long in a window of a nanosecond. Painters make the dashes of a path one
// by one and walk along its edges, wherever these are, so a page holds none that
// are further from their region than cutRoom.

// cutRoom is how far what is drawn reaches beyond the region that shows it at
// most, pixels: more than lines of usual windows need, whose files stay what they
// are, and far less than what coordinates can be written for.
const cutRoom = 1e6

// Grown is a box with so much more on all sides.
func (r Rectangle) Grown(by float64) Rectangle {
	return Rectangle{r.X0 - by, r.Y0 - by, r.X1 + by, r.Y1 + by}
}

func (r Rectangle) holds(p Point) bool {
	return p.X >= r.X0 && p.X <= r.X1 && p.Y >= r.Y0 && p.Y <= r.Y1
}

// Cut returns what of a path is inside a box, as paths that look the same there
// but for lines along its sides: the path itself if all of it is inside. Dashes
// stay where they are.
func (p *Path) Cut(box Rectangle) []*Path {
	if p.within(box) {
		return []*Path{p}
	}
	var out []*Path
	if p.Fill != None {
		filled := &Path{Closed: true, Fill: p.Fill}
		for _, line := range p.Lines() {
			filled.add(cutPolygon(line, box))
		}
		out = append(out, filled)
	}
	if p.Stroke != None {
		out = append(out, p.cutStrokes(box)...)
	}
	kept := out[:0]
	for _, part := range out {
		if len(part.Points) > 0 {
			kept = append(kept, part)
		}
	}
	return kept
}

func (p *Path) within(box Rectangle) bool {
	for _, pt := range p.Points {
		if !box.holds(pt) {
			return false
		}
	}
	return true
}

// add appends a polyline.
func (p *Path) add(line []Point) {
	if len(line) > 0 {
		p.Starts = append(p.Starts, len(p.Points))
		p.Points = append(p.Points, line...)
	}
}

// cutStrokes cuts the polylines where they leave the box. Every polyline of a
// path begins its dashes at the phase of the path, so that dashed ones become one
// path each.
func (p *Path) cutStrokes(box Rectangle) (out []*Path) {
	all := &Path{Stroke: p.Stroke, Width: p.Width}
	for _, line := range p.Lines() {
		if p.Closed && len(line) > 0 {
			line = append(line[:len(line):len(line)], line[0])
		}
		cutLine(line, box, p.Phase, period(p.Dash), func(piece []Point, phase float64) {
			if len(p.Dash) == 0 {
				all.add(piece)
				return
			}
			out = append(out, &Path{Points: piece, Stroke: p.Stroke, Width: p.Width, Dash: append([]float64(nil), p.Dash...), Phase: phase})
		})
	}
	return append(out, all)
}

// period is the length after which dashes repeat, 0 for a solid line.
func period(dash []float64) float64 {
	sum := 0.0
	for _, d := range dash {
		sum += d
	}
	if len(dash)%2 == 1 { // strokes and gaps change places
		sum *= 2
	}
	return sum
}

// cutLine calls keep for each piece of a polyline inside a box, with its phase:
// how far into the dashes it begins.
func cutLine(line []Point, box Rectangle, phase, period float64, keep func(piece []Point, phase float64)) {
	var piece []Point
	began := 0.0
	end := func() {
		if len(piece) > 1 {
			keep(piece, began)
		}
		piece = nil
	}
	for i := 0; i+1 < len(line); i++ {
		a, b := line[i], line[i+1]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		if from, to, ok := box.part(a, b); ok {
			if from > 0 || len(piece) == 0 {
				end()
				piece, began = append(piece, box.along(a, b, from)), along(phase, from*length, period)
			}
			piece = append(piece, box.along(a, b, to))
			if to < 1 {
				end()
			}
		} else {
			end()
		}
		phase = along(phase, length, period)
	}
	end()
}

// along is a phase so much further on.
func along(phase, by, period float64) float64 {
	if period <= 0 {
		return 0
	}
	return math.Mod(phase+math.Mod(by, period), period)
}

// part is which part of the segment from a to b is inside the box, as shares of
// it (Liang and Barsky 1984).
func (r Rectangle) part(a, b Point) (from, to float64, ok bool) {
	from, to = 0, 1
	for _, side := range [4][2]float64{
		{a.X - b.X, a.X - r.X0}, {b.X - a.X, r.X1 - a.X},
		{a.Y - b.Y, a.Y - r.Y0}, {b.Y - a.Y, r.Y1 - a.Y},
	} {
		towards, room := side[0], side[1] // out of this side, and to it
		switch {
		case towards < 0:
			from = max(from, room/towards)
		case towards > 0:
			to = min(to, room/towards)
		case room < 0:
			return 0, 0, false
		}
	}
	return from, to, from <= to
}

// along is the point at a share of a segment, and in the box even where its
// ends are too far away for a float64 to say it to the pixel.
func (r Rectangle) along(a, b Point, t float64) Point {
	switch t {
	case 0:
		return a
	case 1:
		return b
	}
	return Point{min(max(a.X+(b.X-a.X)*t, r.X0), r.X1), min(max(a.Y+(b.Y-a.Y)*t, r.Y0), r.Y1)}
}

// cutPolygon is what of a polygon is inside a box (Sutherland and Hodgman 1974): it
// may run along the sides of the box, where nothing of it is seen.
func cutPolygon(polygon []Point, box Rectangle) []Point {
	for _, side := range [4]func(Point) float64{ // how far inside
		func(p Point) float64 { return p.X - box.X0 }, func(p Point) float64 { return box.X1 - p.X },
		func(p Point) float64 { return p.Y - box.Y0 }, func(p Point) float64 { return box.Y1 - p.Y },
	} {
		var out []Point
		for i, b := range polygon {
			a := polygon[(i+len(polygon)-1)%len(polygon)]
			in, next := side(a), side(b)
			if (in < 0) != (next < 0) {
				t := in / (in - next)
				out = append(out, Point{a.X + (b.X-a.X)*t, a.Y + (b.Y-a.Y)*t})
			}
			if next >= 0 {
				out = append(out, b)
			}
		}
		polygon = out
	}
	return polygon
}
