package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"dagscope/internal/words"
	"dagscope/predict/calibrate"
	"dagscope/predict/perfmodel"
	"dagscope/show/scene"
)

// Fits draws whether models of kernels are right: a row of plots for each that is
// a regression, with what was measured against what the model expects, and their
// ratio against everything that the model depends on.
type Fits []*calibrate.Fit

const (
	fitHeight      = 150 // of a plot, pixels
	fitColumnWidth = 300
	fitPointSize   = 2.6
)

var fitColor = scene.RGB(0x0072b2)

// Draw fails where no model is a regression.
func (fits Fits) Draw(o Options) (*scene.Page, error) {
	rows := make([][]scatter, 0, len(fits))
	columns := 1
	for _, f := range fits {
		if row := scattersOf(f); row != nil {
			rows, columns = append(rows, row), max(columns, len(row))
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("draw residuals: found no kernel with a regression, want one")
	}
	f := o.figure()
	f.Columns, f.Width = columns, cmp.Or(o.Width, fitColumnWidth*float64(columns))
	for _, row := range rows {
		for k := range columns {
			p := scene.Panel{ID: fmt.Sprint("none", k), Height: fitHeight, X: &scene.Axis{Max: 1}, Missing: "depends on nothing more"}
			if k < len(row) {
				p = row[k].frame()
			}
			f.Panels = append(f.Panels, p)
		}
	}
	width := f.BodyWidth()
	for r, row := range rows {
		for k := range row {
			row[k].draw(&f.Panels[r*columns+k], width)
		}
	}
	return compose(f, "residuals")
}

// scatter is a plot of measurements.
type scatter struct {
	title, x, y string
	at, value   []float64
	xs, ys      fitAxis
	diagonal    bool // what is as expected lies on it, else on 1
	note        string
}

// scattersOf are measured against expected times, and their ratio against what
// the kernel depends on.
func scattersOf(f *calibrate.Fit) []scatter {
	r := f.Model.Regression
	if r == nil {
		return nil
	}
	var times, expected, ratio []float64
	rows := make([]int, 0, f.Samples.Len())
	for i, t := range f.Samples.Time {
		if t > 0 && f.Expected[i] > 0 {
			rows = append(rows, i)
			times, expected, ratio = append(times, t), append(expected, f.Expected[i]), append(ratio, t/f.Expected[i])
		}
	}
	if len(rows) == 0 {
		return nil
	}
	note := fmt.Sprintf("adjusted R² %.4f, median error %.1f %%", f.Model.Fit.AdjR2, 100*f.MedianError)
	out := []scatter{
		{title: f.Model.Kind, x: "expected", y: "measured", at: expected, value: times, diagonal: true, xs: newFitAxis(expected, true, words.Tick), note: note},
		{title: "measured / expected", x: "expected", at: expected, value: ratio, xs: newFitAxis(expected, true, words.Tick)},
	}
	out[0].ys = out[0].xs
	out[0].ys.scale = out[0].ys.with(newFitAxis(times, true, words.Tick).scale)
	for _, g := range r.Ranges {
		name := perfmodel.Product{{Of: g.Of, Exponent: 1}}.Named(r.Parameters)
		c := f.Samples.Column(g.Of, r.Parameters)
		v := make([]float64, len(rows))
		for k, i := range rows {
			v[k] = c[i]
		}
		out = append(out, scatter{title: "… against " + name, x: name, at: v, value: ratio, xs: newFitAxis(v, slices.Min(v) > 0 && slices.Max(v) > 20*slices.Min(v), exponentLabel)})
	}
	ratios := newFitAxis(append([]float64{0.5, 2}, ratio...), true, exponentLabel)
	for k := range out[1:] {
		out[1+k].ys = ratios
	}
	return out
}

// frame is a panel without its body.
func (p *scatter) frame() scene.Panel {
	panel := scene.Panel{ID: p.title + p.x, Title: p.title, Height: fitHeight, YLabel: p.y, Note: p.note,
		X: &scene.Axis{Min: p.xs.low, Max: p.xs.high, Label: p.x}}
	panel.Left = []scene.Layer{{Name: "ticks", Unit: scene.Pixels, Texts: p.ticks()}}
	return panel
}

// draw fills the body.
func (p *scatter) draw(panel *scene.Panel, width float64) {
	panel.X.Ticks = p.xs.ticks(width)
	back := scene.Rects{Palette: []scene.Color{scene.Lane.Mix(scene.White, 0.5)}, Edges: scene.Crisp}
	back.Add(p.xs.low, p.xs.high, 0, fitHeight, 0)
	line := scene.Line{Color: scene.Ink, Width: 1}
	one := 0.0 // the logarithm of 1
	for _, x := range []float64{p.xs.low, p.xs.high} {
		y := one
		if p.diagonal {
			y = x
		}
		line.X, line.Y = append(line.X, x), append(line.Y, p.height(y))
	}
	measured := newPoints(fitColor, fitPointSize)
	for i, v := range p.at {
		measured.add(p.xs.at(v), p.height(p.ys.at(p.value[i])))
	}
	panel.Layers = []scene.Layer{{Name: "back", Rects: []scene.Rects{back}}, {Name: "as expected", Lines: []scene.Line{line}}, {Name: "measurements", Rects: []scene.Rects{measured.Rects}}}
	if median := p.medians(); len(median.X) > 1 {
		panel.Layers = append(panel.Layers, scene.Layer{Name: "median", Lines: []scene.Line{median}})
	}
}

// height is where a place of the vertical axis is on the body, in pixels from the
// top.
func (p *scatter) height(y float64) float32 {
	return float32(fitHeight * (1 - min(max(p.ys.share(y), 0), 1)))
}

// medians are those of groups of neighbouring measurements of residuals: where
// they leave 1, a term is missing.
func (p *scatter) medians() scene.Line {
	line := scene.Line{Color: highlight, Width: 1.5}
	if p.diagonal {
		return line
	}
	order := make([]int, len(p.at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.at[a], p.at[b]) })
	groups := min(12, len(order)/8)
	for g := range groups {
		part := order[g*len(order)/groups : (g+1)*len(order)/groups]
		values := make([]float64, len(part))
		for k, i := range part {
			values[k] = p.value[i]
		}
		slices.Sort(values)
		x := p.xs.at(p.at[part[len(part)/2]])
		if n := len(line.X); n > 0 && x <= line.X[n-1] {
			continue
		}
		line.X, line.Y = append(line.X, x), append(line.Y, p.height(p.ys.at(values[len(values)/2])))
	}
	return line
}

func (p *scatter) ticks() (out []scene.Text) {
	last := float32(math.Inf(1))
	for _, t := range p.ys.ticks(fitHeight * 2) {
		y := p.height(t.At)
		if last-y < labelFont+2 {
			continue
		}
		last = y
		out = append(out, sideLabel(t.Label, y))
	}
	return out
}

// fitAxis is a scale with what its ticks are written as.
type fitAxis struct {
	scale
	label func(float64) string
}

// newFitAxis holds values with a little room at both ends.
func newFitAxis(values []float64, log bool, label func(float64) string) fitAxis {
	s := newScale(slices.Min(values), slices.Max(values), log)
	if !(s.high > s.low) {
		s.low, s.high = s.low-0.5, s.high+0.5
	}
	room := (s.high - s.low) / 30
	s.low, s.high = s.low-room, s.high+room
	return fitAxis{s, label}
}

func (a *fitAxis) ticks(width float64) []scene.Tick { return a.scale.ticks(width, a.label) }

// exponentLabel writes a number, with an exponent where it is far from 1.
func exponentLabel(v float64) string {
	if v >= 1e5 || v < 1e-3 {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}
