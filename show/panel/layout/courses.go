package layout

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/compare"
	"dagscope/internal/words"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
)

const (
	courseHeight = 140
	mostCourses  = 10  // that are drawn: the first are those of whole runs
	coursePoint  = 2.2 // side of a point in pixels
)

// courseColors are those of the first and the second run.
var courseColors = [2]scene.Color{kit.SeriesColors[0], kit.SeriesColors[1]}

// Courses draws how quantities went in two runs: on the left both over their
// time, on the right the second run's value against the first's at the same
// share of their time. A width of 0 is 960 pixels.
func Courses(courses []compare.Course, names [2]string, width float64) (*scene.Figure, error) {
	if len(courses) == 0 {
		return nil, fmt.Errorf("draw courses: found no quantity that both runs know of")
	}
	if width == 0 {
		width = 960
	}
	if len(courses) > mostCourses {
		courses = courses[:mostCourses]
	}
	f := &scene.Figure{Width: width, Columns: 2}
	for i := range courses {
		c := courseDrawing{&courses[i], names, kit.NewAxis(0, max(slices.Max(courses[i].A), slices.Max(courses[i].B)), courseHeight, courses[i].Unit)}
		f.Panels = append(f.Panels, c.curves(i == 0), c.scatter())
	}
	body := f.BodyWidth()
	for i := range f.Panels {
		x := f.Panels[i].X
		x.Ticks = scene.Ticks(x.Min, x.Max, body, kit.TickSize)
	}
	return f, nil
}

// courseDrawing draws one quantity.
type courseDrawing struct {
	*compare.Course
	names [2]string
	axis  kit.YAxis
}

// Label is the name of the quantity with its unit.
func (c *courseDrawing) Label() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + " [" + c.Unit + "]"
}

// curves are both courses from 0 to 100 %.
func (c *courseDrawing) curves(first bool) scene.Panel {
	p := scene.Panel{ID: "courses", Title: c.Name, Height: courseHeight, X: &scene.Axis{Min: 0, Max: 100, Label: "part of the run [%]"}, YLabel: cmp.Or(c.Unit, "tasks"),
		Left: []scene.Layer{c.axis.Labels(0)}}
	curves := scene.Layer{Name: "curves"}
	for k, values := range [][]float64{c.A, c.B} {
		l := scene.Line{Color: courseColors[k], Width: 1.3, Step: true}
		for i, v := range values {
			l.X, l.Y = append(l.X, 100*float64(i)/float64(len(values))), append(l.Y, c.axis.Y(v))
		}
		l.X, l.Y = append(l.X, 100), append(l.Y, l.Y[len(l.Y)-1])
		curves.Lines = append(curves.Lines, l)
		if first {
			p.Legend = append(p.Legend, scene.LegendEntry{Label: c.names[k], Color: courseColors[k], Swatch: scene.Stroke})
		}
	}
	p.Layers = []scene.Layer{c.Grid(0, 100), curves}
	p.Note = fmt.Sprintf("mean %s and %s, apart %s", kit.Number(float64(c.AMean)), kit.Number(float64(c.BMean)), words.PercentFine(float64(c.Difference)))
	return p
}

// scatter is the value of the second run against that of the first.
func (c *courseDrawing) scatter() scene.Panel {
	top := c.axis.High
	p := scene.Panel{ID: "scatter", Height: courseHeight, X: &scene.Axis{Min: 0, Max: top, Label: c.Label() + " in " + c.names[0]}, YLabel: "in " + c.names[1],
		Left: []scene.Layer{c.axis.Labels(0)}}
	points := scene.Rects{Palette: kit.SequenceColors, MinWidth: coursePoint}
	for i := range c.A {
		points.Add(c.A[i], c.A[i], c.axis.Y(c.B[i])-coursePoint/2, coursePoint, uint8(i*len(kit.SequenceColors)/len(c.A)))
	}
	equal := scene.Line{X: []float64{0, top}, Y: []float32{c.axis.Y(0), c.axis.Y(top)}, Color: scene.Soft, Width: 1, Dash: kit.ReferenceDash}
	p.Layers = []scene.Layer{c.Grid(0, top), {Name: "equal", Lines: []scene.Line{equal}}, {Name: "points", Rects: []scene.Rects{points}}}
	last := len(kit.SequenceColors) - 1
	p.Legend = []scene.LegendEntry{{Label: "begin", Color: kit.SequenceColors[0]}, {Label: "end", Color: kit.SequenceColors[last]}, {Label: "equal", Color: scene.Soft, Swatch: scene.Stroke, Dash: kit.ReferenceDash}}
	if r := float64(c.Correlation); !math.IsNaN(r) {
		p.Note = "correlation " + kit.Number(r)
	}
	return p
}

// Grid are lines at the ticks of the axis.
func (c *courseDrawing) Grid(x0, x1 float64) scene.Layer {
	l := scene.Layer{Name: "grid"}
	for _, t := range scene.YTicks(c.axis.Low, c.axis.High, float64(c.axis.Bottom-c.axis.Top), 26) {
		y := float32(math.Floor(float64(c.axis.Y(t.At)))) + 0.5
		l.Lines = append(l.Lines, scene.Line{X: []float64{x0, x1}, Y: []float32{y, y}, Color: scene.Grid, Width: 1})
	}
	return l
}
