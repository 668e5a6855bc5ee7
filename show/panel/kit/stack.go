package kit

import (
	"math"
	"slices"

	"dagscope/show/scene"
)

// Stacked is one part of a whole over time: its mean in each column.
type Stacked struct {
	Label, Detail string
	Color         scene.Color
	Mean          []float64
}

// Stack draws parts on top of each other: heights are time averages,
// which add up.
type Stack struct {
	Grid  *Grid
	Parts []Stacked // bottom to top
	Axis  YAxis
	Down  float32 // where the axis begins in the body
}

// SumOf is the sum of the parts in each column.
func SumOf(parts []Stacked, columns int) []float64 {
	sum := make([]float64, columns)
	for _, p := range parts {
		for k, v := range p.Mean {
			sum[k] += v
		}
	}
	return sum
}

// Areas are the parts, and a line along the top.
func (d *Stack) Areas(outline bool) scene.Layer {
	l := scene.Layer{Name: "parts"}
	below := make([]float64, d.Grid.Columns())
	above := make([]float64, d.Grid.Columns())
	for _, p := range d.Parts {
		for k, v := range p.Mean {
			above[k] = below[k] + v
		}
		l.Areas = append(l.Areas, d.area(below, above, p.Color))
		copy(below, above)
	}
	if outline {
		top := Shown{Curve: Curve{Color: scene.Soft}, Reduced: Reduced{Mean: above}}
		line := top.Line(d.Grid, &d.Axis)
		line.Width = 0.8
		for i := range line.Y {
			line.Y[i] += d.Down
		}
		l.Lines = append(l.Lines, line)
	}
	return l
}

// area is what lies between two curves; columns that look the same are one.
func (d *Stack) area(below, above []float64, color scene.Color) scene.Area {
	a := scene.Area{Step: true, Color: color}
	for k := range above {
		top, bottom := d.Down+d.Axis.Y(above[k]), d.Down+d.Axis.Y(below[k])
		if n := len(a.X); n > 0 && math.Abs(float64(a.Y0[n-1]-top)) < Flat && math.Abs(float64(a.Y1[n-1]-bottom)) < Flat {
			continue
		}
		a.X, a.Y0, a.Y1 = append(a.X, float64(d.Grid.Edges[k])), append(a.Y0, top), append(a.Y1, bottom)
	}
	n := len(a.X) - 1
	a.X, a.Y0, a.Y1 = append(a.X, float64(d.Grid.T1)), append(a.Y0, a.Y0[n]), append(a.Y1, a.Y1[n])
	return a
}

func (d *Stack) Legend() []scene.LegendEntry {
	var legend []scene.LegendEntry
	for _, p := range slices.Backward(d.Parts) {
		legend = append(legend, scene.LegendEntry{Label: p.Label, Detail: p.Detail, Color: p.Color})
	}
	slices.Reverse(legend)
	return legend
}

// archColors tell architectures apart: the "bright" scheme of Tol 2021, which
// tasks and curves do not use.
var archColors = map[string]scene.Color{
	"cpu": scene.RGB(0x4477aa), "cuda": scene.RGB(0xee6677), "hip": scene.RGB(0xaa3377), "opencl": scene.RGB(0xccbb44),
}

func ArchColor(arch string) scene.Color {
	if c, ok := archColors[arch]; ok {
		return c
	}
	return scene.RGB(0x228833)
}
