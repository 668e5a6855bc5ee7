package serve

import (
	"dagscope/show/scene"
)

// points are a curve in units of tiles; a second height for areas.
type points struct{ x, y, z []int32 }

// curve rounds a curve, leaves out what is beyond the edges and points that say
// nothing.
func curve(x []float64, y, z []float32, step bool, u scene.Unit, at *section) points {
	var p points
	from, to := visible(x, u, at)
	for i := from; i < to; i++ {
		v, a, b := at.x(x[i], u), height(y[i]), int32(0)
		if z != nil {
			b = height(z[i])
		}
		n := len(p.x)
		if n > 0 && p.x[n-1] == v && p.y[n-1] == a && p.z[n-1] == b {
			continue
		}
		if n > 1 && p.flat(n, v, a, b, step) {
			p.x[n-1] = v
			continue
		}
		p.x, p.y, p.z = append(p.x, v), append(p.y, a), append(p.z, b)
	}
	return p
}

// flat reports whether a point carries a level stretch on: its last point can then
// move there.
func (p *points) flat(n int, x, y, z int32, step bool) bool {
	return x >= p.x[n-1] && p.x[n-1] >= p.x[n-2] && p.y[n-1] == y && p.y[n-2] == y && p.z[n-1] == z && p.z[n-2] == z
}

// visible are the points that matter inside a section: those in it and one on
// either side. Curves whose x does not grow are kept whole.
func visible(x []float64, u scene.Unit, at *section) (from, to int) {
	const beyond = 8 // px, for the width of lines
	left, right := units((at.Left-beyond)*xUnits), units((at.Right+beyond)*xUnits)
	for i := 1; i < len(x); i++ {
		if x[i] < x[i-1] {
			return 0, len(x)
		}
	}
	from, to = 0, len(x)
	for from+1 < to && at.x(x[from+1], u) < left {
		from++
	}
	for to-1 > from && at.x(x[to-2], u) > right {
		to--
	}
	return from, to
}

func (w *tileWriter) area(a *scene.Area, u scene.Unit, at *section) bool {
	p := curve(a.X, a.Y0, a.Y1, a.Step, u, at)
	if len(p.x) < 2 {
		return false
	}
	w.color(a.Color)
	w.flag(a.Step)
	w.u(len(p.x))
	w.differences(p.x)
	w.differences(p.y)
	for i, z := range p.z {
		w.s(z - p.y[i])
	}
	return true
}

func (w *tileWriter) line(l *scene.Line, u scene.Unit, at *section) bool {
	p := curve(l.X, l.Y, nil, l.Step, u, at)
	if len(p.x) < 2 {
		return false
	}
	w.color(l.Color)
	w.u(int(height(l.Width)))
	w.flag(l.Step)
	w.u(len(l.Dash))
	for _, d := range l.Dash {
		w.u(int(height(d)))
	}
	w.u(len(p.x))
	w.differences(p.x)
	w.differences(p.y)
	return true
}

func (w *tileWriter) flag(b bool) {
	if b {
		w.u(1)
		return
	}
	w.u(0)
}

func (w *tileWriter) differences(of []int32) {
	last := int32(0)
	for _, v := range of {
		w.s(v - last)
		last = v
	}
}

func (w *tileWriter) arrows(a *scene.Arrows, u scene.Unit, at *section) bool {
	left, right := at.Left-float64(a.Head)-4, at.Right+float64(a.Head)+4
	var x0, x1, y0, y1 []int32
	for i := range a.X0 {
		from, to := at.x(a.X0[i], u), at.x(a.X1[i], u)
		if max(from, to) < units(left*xUnits) || min(from, to) > units(right*xUnits) {
			continue
		}
		x0, x1 = append(x0, from), append(x1, to-from)
		y0, y1 = append(y0, height(a.Y0[i])), append(y1, height(a.Y1[i])-height(a.Y0[i]))
	}
	if len(x0) == 0 {
		return false
	}
	w.color(a.Color)
	w.u(int(height(a.Width)))
	w.u(int(height(a.Head)))
	w.u(len(x0))
	w.differences(x0)
	for _, v := range x1 {
		w.s(v)
	}
	w.differences(y0)
	for _, v := range y1 {
		w.s(v)
	}
	return true
}
