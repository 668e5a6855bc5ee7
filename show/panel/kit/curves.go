package kit

import (
	"fmt"
	"math"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
)

// Curve is a step function with what it is called.
type Curve struct {
	label string
	Color scene.Color
	steps *Compact
}

// Curves draws a few curves over each other, or many as their mean and the
// range that they fill.
type Curves struct {
	Numbers  string // id
	Run      *trace.Run
	Settings panels.Settings
	Options  core.Curve
	Unit     string // of the values
	Label    string // of the axis where there is no unit
	Curves   []Curve
	mean     *Compact // of the curves, where they are many and it is said
	makespan int64
	Many     string  // what many curves are called: "nodes"
	Rates    bool    // the values are rates, of which only means over time say much
	Level    float64 // a horizontal line to compare with, 0 for none
	Levelled string  // what it is
	Note     string
	paper    bool // see [core.Options]
}

const (
	CurveHeight = 110 // natural height of a panel of curves
	MostCurves  = 8   // that are drawn one by one
	SpreadAlpha = 0x38
)

// SeriesColors tell curves apart that are not kinds of tasks: the "vibrant"
// scheme of Tol 2021, darkened where it is pale on white.
var SeriesColors = []scene.Color{
	scene.RGB(0x0077bb), scene.RGB(0xcc3311), scene.RGB(0x009988), scene.RGB(0xee7733),
	scene.RGB(0xaa3377), scene.RGB(0x33aadd), scene.RGB(0x887700), scene.RGB(0x555555),
}

// Faint is a colour through which what lies behind shows.
func Faint(c scene.Color, alpha uint8) scene.Color { return c&^0xff | scene.Color(alpha) }

// Add adds the series that are selected, coloured in turn.
func (v *Curves) Add(series []progress.Series, o *core.Options, label func(*progress.Series) string) {
	var steps []interval.Steps
	for i := range series {
		s := &series[i]
		if !o.ShowsNode(s.Node) {
			continue
		}
		v.Curves = append(v.Curves, Curve{label: label(s), Color: SeriesColors[len(v.Curves)%len(SeriesColors)]})
		steps = append(steps, s.Steps)
	}
	parallel.For(len(steps), func(i int) { v.Curves[i].steps = NewCompact(steps[i]) })
	if len(steps) > MostCurves && v.Unit != "" {
		v.mean = NewCompact(meanSteps(steps))
	}
	v.makespan, v.paper = schedule.Makespan(v.Run), o.Paper
}

// NodeLabel names what belongs to a node.
func NodeLabel(s *progress.Series) string {
	if s.Node < 0 {
		return "whole run"
	}
	return fmt.Sprintf("node %d", s.Node)
}

// Shown are the curves of a window as they are drawn, their columns, and
// whether some step function is drawn as it is.
type Shown struct {
	Curve
	Reduced
	exact *interval.Steps // instead of the columns
}

func (v *Curves) Reduce(q core.Query) ([]Shown, *Grid) {
	g := NewGrid(q.T0, q.T1, q.Width)
	out := make([]Shown, len(v.Curves))
	parallel.For(len(v.Curves), func(i int) {
		s := &out[i]
		s.Curve = v.Curves[i]
		if v.Options.Step > Narrowest(g) {
			s.steps = s.steps.Sliced(v.Options.Step, q.T0, q.T1)
		}
		s.Reduced = s.steps.Reduce(g)
		if s.steps.fewChanges(q.T0, q.T1, g.Columns()/2) {
			steps := s.steps.Within(q.T0, q.T1)
			s.exact = &steps
		}
	})
	if len(out) > MostCurves {
		return []Shown{v.together(out, g)}, g
	}
	return out, g
}

// together is the mean of many curves with the range that they fill.
func (v *Curves) together(all []Shown, g *Grid) Shown {
	s := Shown{Curve: Curve{fmt.Sprintf("mean of %d %s", len(all), v.Many), SeriesColors[0], v.mean}, Reduced: newReduced(g.Columns())}
	if v.mean != nil && v.Options.Step > Narrowest(g) {
		s.steps = v.mean.Sliced(v.Options.Step, g.T0, g.T1)
	}
	for k := range s.Mean {
		s.low[k], s.high[k] = math.Inf(1), math.Inf(-1)
		for i := range all {
			s.Mean[k] += all[i].Mean[k] / float64(len(all))
			s.low[k], s.high[k] = min(s.low[k], all[i].low[k]), max(s.high[k], all[i].high[k])
		}
	}
	return s
}

// meanSteps is the mean of step functions.
func meanSteps(all []interval.Steps) interval.Steps {
	mean := SumSteps(all)
	for k := range mean.Value {
		mean.Value[k] /= float64(len(all))
	}
	return mean
}

// span is the range of values that a window shows. Of rates it is that of the
// means: counters of rates have spikes that last no time to speak of, and would
// leave the curve no height.
func (v *Curves) span(all []Shown) (low, high float64) {
	for i := range all {
		least, most := all[i].low, all[i].high
		if v.Rates {
			least, most = all[i].Mean, all[i].Mean
		}
		low, high = min(low, slices.Min(least)), max(high, slices.Max(most))
	}
	return low, high
}

// Peak is the greatest value in a window.
func (v *Curves) Peak(q core.Query) float64 {
	all, _ := v.Reduce(q)
	_, high := v.span(all)
	return high
}

// Draw draws a window of the curves.
func (v *Curves) Draw(q core.Query) scene.Panel {
	all, g := v.Reduce(q)
	height := HeightOr(q, CurveHeight)
	low, high := v.span(all)
	for _, top := range []float64{v.Options.Top, q.Top} {
		if top > 0 {
			high = top
		}
	}
	axis := NewAxis(low, high, height, v.Unit)
	spread, lines := scene.Layer{Name: "spread"}, scene.Layer{Name: "curves"}
	for i := range all {
		s := &all[i]
		if area, ok := s.area(g, &axis); ok && !v.Rates {
			spread.Areas = append(spread.Areas, area)
		}
		lines.Lines = append(lines.Lines, s.Line(g, &axis))
	}
	p := scene.Panel{ID: v.Numbers, Height: height, Layers: []scene.Layer{axis.Grid(q), spread, lines}}
	if shared := coinciding(all, q, g, &axis); shared != nil {
		p.Layers = append(p.Layers, scene.Layer{Name: "coinciding", Lines: shared})
	}
	referred := v.Level > 0 && v.Level < axis.High
	if referred {
		p.Layers = append(p.Layers, v.reference(q, &axis))
	}
	if q.Body {
		return p
	}
	p.YLabel, p.Left, p.Note = v.Label, []scene.Layer{axis.Labels(0)}, v.noteOf(q, all, &axis, len(spread.Areas) > 0)
	if axis.Unit != "" {
		p.YLabel = axis.Unit
	}
	p.Legend = v.Legend(q, all, len(spread.Areas) > 0)
	if referred {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: v.Levelled, Color: scene.Soft, Swatch: scene.Stroke, Dash: ReferenceDash})
	}
	return p
}

var ReferenceDash = []float32{3, 3}

// HeightOr is the height asked for, or the natural one.
func HeightOr(q core.Query, natural float64) float64 {
	if q.Height > 0 {
		return q.Height
	}
	return natural
}

func (v *Curves) reference(q core.Query, a *YAxis) scene.Layer {
	y := a.Y(v.Level)
	return scene.Layer{Name: "reference", Lines: []scene.Line{{X: []float64{float64(q.T0), float64(q.T1)}, Y: []float32{y, y},
		Color: scene.Soft, Width: 1, Dash: ReferenceDash}}}
}

func (v *Curves) Legend(q core.Query, all []Shown, spread bool) []scene.LegendEntry {
	var legend []scene.LegendEntry
	if len(v.Curves) == 1 {
		return nil
	}
	for i := range all {
		e := scene.LegendEntry{Label: all[i].label, Color: all[i].Color, Swatch: scene.Stroke}
		if v.Unit != "" {
			_, most := Summary(v.makespan, q, all[i].steps)
			e.Detail = "most " + Amount(most, v.Unit)
		}
		legend = append(legend, e)
	}
	if spread && len(v.Curves) > MostCurves {
		legend = append(legend, scene.LegendEntry{Label: "from the least to the greatest", Color: SeriesColors[0].Mix(scene.White, 0.75)})
	}
	return legend
}

// noteOf sums the part of the window up in which the run ran.
func (v *Curves) noteOf(q core.Query, all []Shown, a *YAxis, spread bool) string {
	note := v.Note
	if len(all) == 1 && len(v.Curves) == 1 {
		mean, most := Summary(v.makespan, q, all[0].steps)
		note = fmt.Sprintf("mean %s, most %s; ", a.Value(mean), a.Value(most)) + note
	}
	if spread && !(v.paper && len(v.Curves) <= MostCurves) {
		note += "; pale: what it ranges over within a pixel"
		if len(v.Curves) > MostCurves {
			note = v.Note
		}
	}
	return note
}

// Flat is the height in pixels that two values must differ by to be drawn as
// different.
const Flat = 0.05

// Line is the step function itself where it is known, else the curve of the
// means, through the middles of the columns.
func (s *Shown) Line(g *Grid, a *YAxis) scene.Line {
	if s.exact != nil {
		return s.stepLine(g, a)
	}
	l := scene.Line{Color: s.Color, Width: curveWidth}
	add := func(x float64, y float32) { l.X, l.Y = append(l.X, x), append(l.Y, y) }
	left, middle := float64(g.T0), 0.0 // of the column before
	for k, value := range s.Mean {
		y, n := a.Y(value), len(l.Y)
		same := n > 0 && math.Abs(float64(l.Y[n-1]-y)) < Flat
		at := float64(g.Edges[k]+g.Edges[k+1]) / 2
		if !same {
			if n > 0 && l.X[n-1] < middle {
				add(middle, l.Y[n-1])
			}
			if n == 0 {
				at = left
			}
			add(at, y)
		}
		middle = float64(g.Edges[k]+g.Edges[k+1]) / 2
	}
	add(float64(g.T1), l.Y[len(l.Y)-1])
	return l
}

// stepLine draws the step function itself.
func (s *Shown) stepLine(g *Grid, a *YAxis) scene.Line {
	l := scene.Line{Step: true, Color: s.Color, Width: curveWidth}
	add := func(x int64, value float64) {
		y := a.Y(value)
		if n := len(l.Y); n == 0 || math.Abs(float64(l.Y[n-1]-y)) >= Flat {
			l.X, l.Y = append(l.X, float64(x)), append(l.Y, y)
		}
	}
	for i, t := range s.exact.Time {
		add(t, s.exact.Value[i])
	}
	l.X, l.Y = append(l.X, float64(g.T1)), append(l.Y, l.Y[len(l.Y)-1])
	return l
}

// area is what the curve ranges over within each column; ok is false where that
// would hardly be seen.
func (s *Shown) area(g *Grid, a *YAxis) (area scene.Area, ok bool) {
	if s.exact != nil {
		return area, false
	}
	area = scene.Area{Step: true, Color: Faint(s.Color, SpreadAlpha)}
	for k := range s.low {
		top, bottom := a.Y(s.high[k]), a.Y(s.low[k])
		ok = ok || bottom-top > 4
		if n := len(area.X); n > 0 && math.Abs(float64(area.Y0[n-1]-top)) < Flat && math.Abs(float64(area.Y1[n-1]-bottom)) < Flat {
			continue
		}
		area.X, area.Y0, area.Y1 = append(area.X, float64(g.Edges[k])), append(area.Y0, top), append(area.Y1, bottom)
	}
	n := len(area.X) - 1
	area.X, area.Y0, area.Y1 = append(area.X, float64(g.T1)), append(area.Y0, area.Y0[n]), append(area.Y1, area.Y1[n])
	return area, ok
}

// Data returns the means of the columns, or the slices that were asked for.
func (v *Curves) Data(q core.Query) numbers.Table {
	s := v.Settings
	s.Step = SliceStep(&v.Options, q)
	return core.NumbersOf(v.Numbers, v.Run, s, q)
}

// SliceStep is the length of the slices behind a drawing: a pixel, or the longer
// ones that were asked for.
func SliceStep(c *core.Curve, q core.Query) int64 {
	return max(c.Step, Narrowest(NewGrid(q.T0, q.T1, q.Width)))
}

var _ core.Reader = (*Curves)(nil)

// Count adds a curve of how many of its intervals are open for each node, or
// one for all.
func (v *Curves) Count(spans []interval.Spans, o *core.Options) {
	var s progress.Series
	var shown []interval.Spans
	if s.Node = trace.None; v.Settings.Total && len(spans) > 0 {
		var all interval.Spans
		for _, one := range spans {
			all.Start, all.End = append(all.Start, one.Start...), append(all.End, one.End...)
		}
		shown, v.Curves = append(shown, all), append(v.Curves, Curve{label: NodeLabel(&s)})
	} else {
		for node, one := range spans {
			if s.Node = int32(node); o.ShowsNode(s.Node) {
				shown, v.Curves = append(shown, one), append(v.Curves, Curve{label: NodeLabel(&s)})
			}
		}
	}
	for i := range shown {
		v.Curves[i].Color = SeriesColors[i%len(SeriesColors)]
		v.Curves[i].steps = CompactConcurrency(shown[i])
	}
	v.makespan, v.paper = schedule.Makespan(v.Run), o.Paper
}
