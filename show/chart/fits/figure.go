// Package figure draws what tells whether the models of kernels are right: what
// was measured against what is expected, and their ratio against everything that
// the models depend on.
package fits

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"dagscope/internal/words"
	"dagscope/predict/calibrate"
	"dagscope/predict/perfmodel"
	"dagscope/show/scene"
)

// Options of the figure.
type Options struct {
	Title  string
	Width  float64 // pixels, 0 for what suits
	Recipe []scene.Field
}

const (
	bodyHeight  = 150
	columnWidth = 300
	pointSize   = 2.6
	labelSize   = 10
	labelAway   = -6
)

var pointColor = scene.RGB(0x0072b2)

// Draw makes a row of plots for each kernel that has a regression.
func Draw(fits []*calibrate.Fit, o Options) (*scene.Page, error) {
	rows := make([][]plot, 0, len(fits))
	columns := 1
	for _, f := range fits {
		if row := plotsOf(f); row != nil {
			rows, columns = append(rows, row), max(columns, len(row))
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("draw residuals: found no kernel with a regression, want one")
	}
	f := &scene.Figure{Title: o.Title, Width: o.Width, Recipe: o.Recipe, Columns: columns}
	if f.Width == 0 {
		f.Width = columnWidth * float64(columns)
	}
	for _, row := range rows {
		for k := range columns {
			p := scene.Panel{ID: fmt.Sprint("none", k), Height: bodyHeight, X: &scene.Axis{Max: 1}, Missing: "depends on nothing more"}
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
	page, err := scene.Compose(f)
	if err != nil {
		return nil, fmt.Errorf("draw residuals: %w", err)
	}
	return page, nil
}

// plot is a scatter of measurements.
type plot struct {
	title, x, y string
	at, value   []float64
	xs, ys      axis
	diagonal    bool // what is as expected lies on it, else on 1
	note        string
}

// plotsOf are measured against expected times, and their ratio against what the
// kernel depends on.
func plotsOf(f *calibrate.Fit) []plot {
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
	out := []plot{
		{title: f.Model.Kind, x: "expected", y: "measured", at: expected, value: times, diagonal: true, xs: newAxis(expected, true, words.Tick), note: note},
		{title: "measured / expected", x: "expected", at: expected, value: ratio, xs: newAxis(expected, true, words.Tick)},
	}
	out[0].ys = out[0].xs.with(newAxis(times, true, words.Tick))
	for _, g := range r.Ranges {
		name := perfmodel.Product{{Of: g.Of, Exponent: 1}}.Named(r.Parameters)
		c := f.Samples.Column(g.Of, r.Parameters)
		v := make([]float64, len(rows))
		for k, i := range rows {
			v[k] = c[i]
		}
		out = append(out, plot{title: "… against " + name, x: name, at: v, value: ratio, xs: newAxis(v, slices.Min(v) > 0 && slices.Max(v) > 20*slices.Min(v), plainLabel)})
	}
	ratios := newAxis(append([]float64{0.5, 2}, ratio...), true, plainLabel)
	for k := range out[1:] {
		out[1+k].ys = ratios
	}
	return out
}

// frame is a panel without its body.
func (p *plot) frame() scene.Panel {
	panel := scene.Panel{ID: p.title + p.x, Title: p.title, Height: bodyHeight, YLabel: p.y, Note: p.note,
		X: &scene.Axis{Min: p.xs.low, Max: p.xs.high, Label: p.x}}
	panel.Left = []scene.Layer{{Name: "ticks", Unit: scene.Pixels, Texts: p.ticks()}}
	return panel
}

// draw fills the body.
func (p *plot) draw(panel *scene.Panel, width float64) {
	panel.X.Ticks = p.xs.ticks(width)
	back := scene.Rects{Palette: []scene.Color{scene.Lane.Mix(scene.White, 0.5)}, Edges: scene.Crisp}
	back.Add(p.xs.low, p.xs.high, 0, bodyHeight, 0)
	line := scene.Line{Color: scene.Ink, Width: 1}
	one := 0.0 // the logarithm of 1
	for _, x := range []float64{p.xs.low, p.xs.high} {
		y := one
		if p.diagonal {
			y = x
		}
		line.X, line.Y = append(line.X, x), append(line.Y, p.height(y))
	}
	points := scene.Rects{Palette: []scene.Color{pointColor}, MinWidth: pointSize}
	for i, v := range p.at {
		x := p.xs.at(v)
		points.Add(x, x, p.height(p.ys.at(p.value[i]))-pointSize/2, pointSize, 0)
	}
	panel.Layers = []scene.Layer{{Name: "back", Rects: []scene.Rects{back}}, {Name: "as expected", Lines: []scene.Line{line}}, {Name: "measurements", Rects: []scene.Rects{points}}}
	if median := p.medians(); len(median.X) > 1 {
		panel.Layers = append(panel.Layers, scene.Layer{Name: "median", Lines: []scene.Line{median}})
	}
}

func (p *plot) height(y float64) float32 {
	share := (y - p.ys.low) / (p.ys.high - p.ys.low)
	return float32(bodyHeight * (1 - min(max(share, 0), 1)))
}

// medians are those of groups of neighbouring measurements of residuals: where
// they leave 1, a term is missing.
func (p *plot) medians() scene.Line {
	line := scene.Line{Color: scene.RGB(0xd55e00), Width: 1.5}
	if p.diagonal {
		return line
	}
	order := make([]int, len(p.at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(p.at[a], p.at[b]) })
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

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (p *plot) ticks() (out []scene.Text) {
	last := float32(math.Inf(1))
	for _, t := range p.ys.ticks(bodyHeight * 2) {
		y := p.height(t.At)
		if last-y < labelSize+2 {
			continue
		}
		last = y
		out = append(out, scene.Text{X: labelAway, Y: y, S: t.Label, Size: labelSize, Color: scene.Soft, Anchor: scene.End})
	}
	return out
}

// axis is a linear or logarithmic one, in what at makes of values.
type axis struct {
	low, high float64
	log       bool
	label     func(float64) string
}

func newAxis(values []float64, log bool, label func(float64) string) axis {
	a := axis{log: log, label: label}
	a.low, a.high = a.at(slices.Min(values)), a.at(slices.Max(values))
	if !(a.high > a.low) {
		a.low, a.high = a.low-0.5, a.high+0.5
	}
	room := (a.high - a.low) / 30
	a.low, a.high = a.low-room, a.high+room
	return a
}

func (a axis) with(b axis) axis {
	a.low, a.high = min(a.low, b.low), max(a.high, b.high)
	return a
}

func (a *axis) at(v float64) float64 {
	if a.log {
		return math.Log10(v)
	}
	return v
}

func (a *axis) ticks(width float64) []scene.Tick {
	if a.log {
		return scene.LogTicks(a.low, a.high, width, labelSize, a.label)
	}
	return scene.Ticks(a.low, a.high, width, labelSize)
}

func plainLabel(v float64) string {
	if v >= 1e5 || v < 1e-3 {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}
