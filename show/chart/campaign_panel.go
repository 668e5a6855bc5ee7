package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/predict/campaign"
	"dagscope/show/scene"
)

// Strokes of bounds and of what would be ideal.
var (
	areaDash  = []float32{6, 3}
	pathDash  = []float32{1.5, 2.5}
	idealDash = []float32{8, 4}
)

// curve is a measure of a series: the median of replicates, and their range.
type curve struct {
	x            []float64
	y, low, high []float64
}

// of makes the curve of a measure.
func (d *arranged) of(m measure, s *series) (c curve) {
	for rank, rows := range s.rows {
		all := values(rows, m.column)
		if len(all) == 0 {
			continue
		}
		if m.relative != nil {
			for i := range all {
				all[i] = m.relative(s, &d.x, rank, all[i])
			}
		}
		c.x, c.y = append(c.x, d.x.at[rank]), append(c.y, median(all))
		c.low, c.high = append(c.low, slices.Min(all)), append(c.high, slices.Max(all))
	}
	return c
}

// bound is the curve of a bound.
func (d *arranged) bound(s *series, column string) (c curve) {
	return d.of(measure{column: column}, s)
}

// vertical fits the axis that all facets of a measure share.
func (d *arranged) vertical(m measure) measureAxis {
	var all []float64
	for _, f := range d.facets {
		for i := range f.series {
			c := d.of(m, &f.series[i])
			all = append(append(all, c.low...), c.high...)
			if m.bounds {
				all = append(all, d.bound(&f.series[i], "area_bound_ns").y...)
				all = append(all, d.bound(&f.series[i], "critical_path_ns").y...)
			}
		}
	}
	if m.name == "speedup" && d.x.scale.log {
		m.logarithmic = true
		for rank := range d.x.values {
			if d.proportional() {
				all = append(all, d.x.number(rank))
			}
		}
	}
	all = slices.DeleteFunc(all, func(v float64) bool { return m.bounds && v <= 0 })
	return newMeasureAxis(all, m, d.linear)
}

// panel draws a measure of a facet. Only the first in a row has names.
func (d *arranged) panel(m measure, axis measureAxis, f *facet, first bool) scene.Panel {
	x := d.x.scene()
	grid, labels := axis.grid(x)
	p := scene.Panel{ID: m.name, Height: rowHeight, X: x, Left: []scene.Layer{labels}}
	curves, ranges, marks := scene.Layer{Name: "curves"}, scene.Layer{Name: "ranges"}, scene.Layer{Name: "points"}
	for i := range f.series {
		s := &f.series[i]
		c := d.of(m, s)
		ranges.Areas = append(ranges.Areas, c.spread(&axis, s.color)...)
		curves.Lines = append(curves.Lines, c.line(&axis, s.color, nil, 1.6))
		marks.Rects = append(marks.Rects, c.points(&axis, s.color))
	}
	limits := scene.Layer{Name: "bounds"}
	if m.bounds {
		limits.Lines = d.limits(f, &axis)
	}
	if ideal := d.ideal(m, f, &axis); ideal != nil {
		limits.Lines = append(limits.Lines, *ideal)
	}
	p.Layers = []scene.Layer{grid, ranges, limits, curves, marks}
	if first {
		p.YLabel = axis.label(strings.ReplaceAll(m.name, "-", " "))
		p.Legend, p.Note = d.legend(m), d.note(m)
	}
	return p
}

// line is a curve on an axis; on a parameter of texts only its points count.
func (c *curve) line(axis *measureAxis, color scene.Color, dash []float32, width float32) scene.Line {
	l := scene.Line{Color: color, Dash: dash, Width: width}
	for i, v := range c.y {
		if axis.scale.log && v <= 0 {
			continue
		}
		l.X, l.Y = append(l.X, c.x[i]), append(l.Y, axis.y(v))
	}
	return l
}

// points mark the points of a curve.
func (c *curve) points(axis *measureAxis, color scene.Color) scene.Rects {
	marks := newPoints(color, 5)
	for i, v := range c.y {
		marks.add(c.x[i], axis.y(v))
	}
	return marks.Rects
}

// spread is the range of replicates, if there is one.
func (c *curve) spread(axis *measureAxis, color scene.Color) []scene.Area {
	if slices.Equal(c.low, c.high) {
		return nil
	}
	a := scene.Area{X: c.x, Color: color&^0xff | 0x30}
	for i := range c.x {
		a.Y0, a.Y1 = append(a.Y0, axis.y(c.high[i])), append(a.Y1, axis.y(c.low[i]))
	}
	return []scene.Area{a}
}

// limits are the bounds: of each series, or once in grey where all have the same.
func (d *arranged) limits(f *facet, axis *measureAxis) (lines []scene.Line) {
	for _, b := range []struct {
		column string
		dash   []float32
	}{{"area_bound_ns", areaDash}, {"critical_path_ns", pathDash}} {
		var drawn []curve
		for i := range f.series {
			c := d.bound(&f.series[i], b.column)
			if len(c.x) == 0 || slices.ContainsFunc(drawn, func(o curve) bool { return slices.Equal(o.x, c.x) && slices.Equal(o.y, c.y) }) {
				continue
			}
			drawn = append(drawn, c)
		}
		for i, c := range drawn {
			color := scene.Soft
			if len(drawn) > 1 {
				color = f.series[i].color
			}
			lines = append(lines, c.line(axis, color, b.dash, 1.2))
		}
	}
	return lines
}

// ideal is what as many times the workers would do at best.
func (d *arranged) ideal(m measure, f *facet, axis *measureAxis) *scene.Line {
	if m.relative == nil || !d.proportional() {
		return nil
	}
	c := curve{}
	for rank := range d.x.values {
		v := d.x.number(rank)
		if m.name == "efficiency" {
			v = 1
		}
		if y := v / axis.unit.Per; !axis.scale.log && y > axis.scale.high {
			if n := len(c.x); n > 0 && m.name == "speedup" { // to where it leaves the drawing
				from := d.x.number(rank - 1)
				top := axis.scale.high * axis.unit.Per
				c.x, c.y = append(c.x, d.x.at[rank-1]+(d.x.at[rank]-d.x.at[rank-1])*(top-from)/(v-from)), append(c.y, top)
			}
			break
		}
		c.x, c.y = append(c.x, d.x.at[rank]), append(c.y, v)
	}
	l := c.line(axis, scene.Soft, idealDash, 1)
	return &l
}

// legend names colours and strokes.
func (d *arranged) legend(m measure) (all []scene.LegendEntry) {
	for i, s := range d.series {
		if s != "" {
			all = append(all, scene.LegendEntry{Label: d.named(s), Color: seriesColors[i%len(seriesColors)], Swatch: scene.Stroke})
		}
	}
	if m.bounds {
		all = append(all, scene.LegendEntry{Label: "area bound", Color: scene.Soft, Swatch: scene.Stroke, Dash: areaDash},
			scene.LegendEntry{Label: "critical path", Color: scene.Soft, Swatch: scene.Stroke, Dash: pathDash})
	}
	if m.relative != nil && d.proportional() {
		all = append(all, scene.LegendEntry{Label: "ideal", Color: scene.Soft, Swatch: scene.Stroke, Dash: idealDash})
	}
	return all
}

// named is a value of the colour's key, with the key where it is a number.
func (d *arranged) named(value string) string {
	if campaign.Numeric(d.series) {
		return shortKey(d.t.Keys[d.color]) + " " + value
	}
	return value
}

// note says what a panel cannot show.
func (d *arranged) note(m measure) string {
	var parts []string
	if m.bounds && d.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d runs failed", d.failed, len(d.t.Rows)))
	}
	if m.bounds && slices.Contains(d.t.Keys, "seed") {
		parts = append(parts, "medians of replicates, and their range")
	}
	if m.name == "speedup" && !math.IsNaN(d.x.number(0)) {
		parts = append(parts, "against "+d.x.values[0]+" "+shortKey(d.x.name))
	}
	return strings.Join(parts, "; ")
}
