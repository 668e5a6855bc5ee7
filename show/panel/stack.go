package panel

import (
	"math"
	"slices"

	"dagscope/show/scene"
)

// stacked is one part of a whole over time: its mean in each column.
type stacked struct {
	label, detail string
	color         scene.Color
	mean          []float64
}

// stackDrawing draws parts on top of each other: heights are time averages,
// which add up.
type stackDrawing struct {
	grid  *grid
	parts []stacked // bottom to top
	axis  yAxis
	down  float32 // where the axis begins in the body
}

// sumOf is the sum of the parts in each column.
func sumOf(parts []stacked, columns int) []float64 {
	sum := make([]float64, columns)
	for _, p := range parts {
		for k, v := range p.mean {
			sum[k] += v
		}
	}
	return sum
}

// areas are the parts, and a line along the top.
func (d *stackDrawing) areas(outline bool) scene.Layer {
	l := scene.Layer{Name: "parts"}
	below := make([]float64, d.grid.columns())
	above := make([]float64, d.grid.columns())
	for _, p := range d.parts {
		for k, v := range p.mean {
			above[k] = below[k] + v
		}
		l.Areas = append(l.Areas, d.area(below, above, p.color))
		copy(below, above)
	}
	if outline {
		top := shown{curve: curve{color: scene.Soft}, reduced: reduced{mean: above}}
		line := top.line(d.grid, &d.axis)
		line.Width = 0.8
		for i := range line.Y {
			line.Y[i] += d.down
		}
		l.Lines = append(l.Lines, line)
	}
	return l
}

// area is what lies between two curves; columns that look the same are one.
func (d *stackDrawing) area(below, above []float64, color scene.Color) scene.Area {
	a := scene.Area{Step: true, Color: color}
	for k := range above {
		top, bottom := d.down+d.axis.y(above[k]), d.down+d.axis.y(below[k])
		if n := len(a.X); n > 0 && math.Abs(float64(a.Y0[n-1]-top)) < flat && math.Abs(float64(a.Y1[n-1]-bottom)) < flat {
			continue
		}
		a.X, a.Y0, a.Y1 = append(a.X, float64(d.grid.edges[k])), append(a.Y0, top), append(a.Y1, bottom)
	}
	n := len(a.X) - 1
	a.X, a.Y0, a.Y1 = append(a.X, float64(d.grid.t1)), append(a.Y0, a.Y0[n]), append(a.Y1, a.Y1[n])
	return a
}

func (d *stackDrawing) legend() []scene.LegendEntry {
	var legend []scene.LegendEntry
	for _, p := range slices.Backward(d.parts) {
		legend = append(legend, scene.LegendEntry{Label: p.label, Detail: p.detail, Color: p.color})
	}
	slices.Reverse(legend)
	return legend
}

// archColors tell architectures apart: the "bright" scheme of Tol 2021, which
// tasks and curves do not use.
var archColors = map[string]scene.Color{
	"cpu": scene.RGB(0x4477aa), "cuda": scene.RGB(0xee6677), "hip": scene.RGB(0xaa3377), "opencl": scene.RGB(0xccbb44),
}

func archColor(arch string) scene.Color {
	if c, ok := archColors[arch]; ok {
		return c
	}
	return scene.RGB(0x228833)
}
