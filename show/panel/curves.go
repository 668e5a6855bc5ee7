package panel

import (
	"fmt"
	"math"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/show/scene"
	"dagscope/trace"
)

// curve is a step function with what it is called.
type curve struct {
	label string
	color scene.Color
	steps *compact
}

// curveView draws a few curves over each other, or many as their mean and the
// range that they fill.
type curveView struct {
	numbers  string // id
	run      *trace.Run
	settings Settings
	options  Curve
	unit     string // of the values
	label    string // of the axis where there is no unit
	curves   []curve
	mean     *compact // of the curves, where they are many and it is said
	makespan int64
	many     string  // what many curves are called: "nodes"
	rates    bool    // the values are rates, of which only means over time say much
	level    float64 // a horizontal line to compare with, 0 for none
	levelled string  // what it is
	note     string
}

const (
	curveHeight = 110 // natural height of a panel of curves
	mostCurves  = 8   // that are drawn one by one
	spreadAlpha = 0x38
)

// seriesColors tell curves apart that are not kinds of tasks: the "vibrant"
// scheme of Tol 2021, darkened where it is pale on white.
var seriesColors = []scene.Color{
	scene.RGB(0x0077bb), scene.RGB(0xcc3311), scene.RGB(0x009988), scene.RGB(0xee7733),
	scene.RGB(0xaa3377), scene.RGB(0x33aadd), scene.RGB(0x887700), scene.RGB(0x555555),
}

// faint is a colour through which what lies behind shows.
func faint(c scene.Color, alpha uint8) scene.Color { return c&^0xff | scene.Color(alpha) }

// add adds the series that are selected, coloured in turn.
func (v *curveView) add(series []progress.Series, o *Options, label func(*progress.Series) string) {
	var steps []interval.Steps
	for i := range series {
		s := &series[i]
		if !o.showsNode(s.Node) {
			continue
		}
		v.curves = append(v.curves, curve{label: label(s), color: seriesColors[len(v.curves)%len(seriesColors)]})
		steps = append(steps, s.Steps)
	}
	parallel.For(len(steps), func(i int) { v.curves[i].steps = newCompact(steps[i]) })
	if len(steps) > mostCurves && v.unit != "" {
		v.mean = newCompact(meanSteps(steps))
	}
	v.makespan = schedule.Makespan(v.run)
}

// showsNode tells whether a node is selected; what belongs to none always is.
func (o *Options) showsNode(node int32) bool {
	return o.Nodes == nil || node < 0 || slices.Contains(o.Nodes, node)
}

// nodeLabel names what belongs to a node.
func nodeLabel(s *progress.Series) string {
	if s.Node < 0 {
		return "whole run"
	}
	return fmt.Sprintf("node %d", s.Node)
}

// shown are the curves of a window as they are drawn, their columns, and
// whether some step function is drawn as it is.
type shown struct {
	curve
	reduced
	exact *interval.Steps // instead of the columns
}

func (v *curveView) reduce(q Query) ([]shown, *grid) {
	g := newGrid(q.T0, q.T1, q.Width)
	out := make([]shown, len(v.curves))
	parallel.For(len(v.curves), func(i int) {
		s := &out[i]
		s.curve = v.curves[i]
		if v.options.Step > narrowest(g) {
			s.steps = s.steps.sliced(v.options.Step, q.T0, q.T1)
		}
		s.reduced = s.steps.reduce(g)
		if s.steps.fewChanges(q.T0, q.T1, g.columns()/2) {
			steps := s.steps.within(q.T0, q.T1)
			s.exact = &steps
		}
	})
	if len(out) > mostCurves {
		return []shown{v.together(out, g)}, g
	}
	return out, g
}

// together is the mean of many curves with the range that they fill.
func (v *curveView) together(all []shown, g *grid) shown {
	s := shown{curve: curve{fmt.Sprintf("mean of %d %s", len(all), v.many), seriesColors[0], v.mean}, reduced: newReduced(g.columns())}
	if v.mean != nil && v.options.Step > narrowest(g) {
		s.steps = v.mean.sliced(v.options.Step, g.t0, g.t1)
	}
	for k := range s.mean {
		s.low[k], s.high[k] = math.Inf(1), math.Inf(-1)
		for i := range all {
			s.mean[k] += all[i].mean[k] / float64(len(all))
			s.low[k], s.high[k] = min(s.low[k], all[i].low[k]), max(s.high[k], all[i].high[k])
		}
	}
	return s
}

// meanSteps is the mean of step functions.
func meanSteps(all []interval.Steps) interval.Steps {
	mean := sumSteps(all)
	for k := range mean.Value {
		mean.Value[k] /= float64(len(all))
	}
	return mean
}

// span is the range of values that a window shows. Of rates it is that of the
// means: counters of rates have spikes that last no time to speak of, and would
// leave the curve no height.
func (v *curveView) span(all []shown) (low, high float64) {
	for i := range all {
		least, most := all[i].low, all[i].high
		if v.rates {
			least, most = all[i].mean, all[i].mean
		}
		low, high = min(low, slices.Min(least)), max(high, slices.Max(most))
	}
	return low, high
}

// Peak is the greatest value in a window.
func (v *curveView) Peak(q Query) float64 {
	all, _ := v.reduce(q)
	_, high := v.span(all)
	return high
}

// Draw draws a window of the curves.
func (v *curveView) Draw(q Query) scene.Panel {
	all, g := v.reduce(q)
	height := heightOr(q, curveHeight)
	low, high := v.span(all)
	for _, top := range []float64{v.options.Top, q.Top} {
		if top > 0 {
			high = top
		}
	}
	axis := newAxis(low, high, height, v.unit)
	spread, lines := scene.Layer{Name: "spread"}, scene.Layer{Name: "curves"}
	for i := range all {
		s := &all[i]
		if area, ok := s.area(g, &axis); ok && !v.rates {
			spread.Areas = append(spread.Areas, area)
		}
		lines.Lines = append(lines.Lines, s.line(g, &axis))
	}
	p := scene.Panel{ID: v.numbers, Height: height, Layers: []scene.Layer{axis.grid(q), spread, lines}}
	referred := v.level > 0 && v.level < axis.high
	if referred {
		p.Layers = append(p.Layers, v.reference(q, &axis))
	}
	if q.Body {
		return p
	}
	p.YLabel, p.Left, p.Note = v.label, []scene.Layer{axis.labels(0)}, v.noteOf(q, all, &axis, len(spread.Areas) > 0)
	if axis.unit != "" {
		p.YLabel = axis.unit
	}
	p.Legend = v.legend(q, all, len(spread.Areas) > 0)
	if referred {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: v.levelled, Color: scene.Soft, Swatch: scene.Stroke, Dash: referenceDash})
	}
	return p
}

var referenceDash = []float32{3, 3}

// heightOr is the height asked for, or the natural one.
func heightOr(q Query, natural float64) float64 {
	if q.Height > 0 {
		return q.Height
	}
	return natural
}

func (v *curveView) reference(q Query, a *yAxis) scene.Layer {
	y := a.y(v.level)
	return scene.Layer{Name: "reference", Lines: []scene.Line{{X: []float64{float64(q.T0), float64(q.T1)}, Y: []float32{y, y},
		Color: scene.Soft, Width: 1, Dash: referenceDash}}}
}

func (v *curveView) legend(q Query, all []shown, spread bool) []scene.LegendEntry {
	var legend []scene.LegendEntry
	if len(v.curves) == 1 {
		return nil
	}
	for i := range all {
		e := scene.LegendEntry{Label: all[i].label, Color: all[i].color, Swatch: scene.Stroke}
		if v.unit != "" {
			_, most := summary(v.makespan, q, all[i].steps)
			e.Detail = "most " + amount(most, v.unit)
		}
		legend = append(legend, e)
	}
	if spread && len(v.curves) > mostCurves {
		legend = append(legend, scene.LegendEntry{Label: "from the least to the greatest", Color: seriesColors[0].Mix(scene.White, 0.75)})
	}
	return legend
}

// noteOf sums the part of the window up in which the run ran.
func (v *curveView) noteOf(q Query, all []shown, a *yAxis, spread bool) string {
	note := v.note
	if len(all) == 1 && len(v.curves) == 1 {
		mean, most := summary(v.makespan, q, all[0].steps)
		note = fmt.Sprintf("mean %s, most %s; ", a.value(mean), a.value(most)) + note
	}
	if spread {
		note += "; pale: what it ranges over within a pixel"
		if len(v.curves) > mostCurves {
			note = v.note
		}
	}
	return note
}

// flat is the height in pixels that two values must differ by to be drawn as
// different.
const flat = 0.05

// line is the step function itself where it is known, else the curve of the
// means, through the middles of the columns.
func (s *shown) line(g *grid, a *yAxis) scene.Line {
	if s.exact != nil {
		return s.stepLine(g, a)
	}
	l := scene.Line{Color: s.color, Width: 1.4}
	add := func(x float64, y float32) { l.X, l.Y = append(l.X, x), append(l.Y, y) }
	left, middle := float64(g.t0), 0.0 // of the column before
	for k, value := range s.mean {
		y, n := a.y(value), len(l.Y)
		same := n > 0 && math.Abs(float64(l.Y[n-1]-y)) < flat
		at := float64(g.edges[k]+g.edges[k+1]) / 2
		if !same {
			if n > 0 && l.X[n-1] < middle {
				add(middle, l.Y[n-1])
			}
			if n == 0 {
				at = left
			}
			add(at, y)
		}
		middle = float64(g.edges[k]+g.edges[k+1]) / 2
	}
	add(float64(g.t1), l.Y[len(l.Y)-1])
	return l
}

// stepLine draws the step function itself.
func (s *shown) stepLine(g *grid, a *yAxis) scene.Line {
	l := scene.Line{Step: true, Color: s.color, Width: 1.4}
	add := func(x int64, value float64) {
		y := a.y(value)
		if n := len(l.Y); n == 0 || math.Abs(float64(l.Y[n-1]-y)) >= flat {
			l.X, l.Y = append(l.X, float64(x)), append(l.Y, y)
		}
	}
	for i, t := range s.exact.Time {
		add(t, s.exact.Value[i])
	}
	l.X, l.Y = append(l.X, float64(g.t1)), append(l.Y, l.Y[len(l.Y)-1])
	return l
}

// area is what the curve ranges over within each column; ok is false where that
// would hardly be seen.
func (s *shown) area(g *grid, a *yAxis) (area scene.Area, ok bool) {
	if s.exact != nil {
		return area, false
	}
	area = scene.Area{Step: true, Color: faint(s.color, spreadAlpha)}
	for k := range s.low {
		top, bottom := a.y(s.high[k]), a.y(s.low[k])
		ok = ok || bottom-top > 4
		if n := len(area.X); n > 0 && math.Abs(float64(area.Y0[n-1]-top)) < flat && math.Abs(float64(area.Y1[n-1]-bottom)) < flat {
			continue
		}
		area.X, area.Y0, area.Y1 = append(area.X, float64(g.edges[k])), append(area.Y0, top), append(area.Y1, bottom)
	}
	n := len(area.X) - 1
	area.X, area.Y0, area.Y1 = append(area.X, float64(g.t1)), append(area.Y0, area.Y0[n]), append(area.Y1, area.Y1[n])
	return area, ok
}

// Data returns the means of the columns, or the slices that were asked for.
func (v *curveView) Data(q Query) numbers.Table {
	s := v.settings
	s.Step = sliceStep(&v.options, q)
	return numbersOf(v.numbers, v.run, s, q)
}

// sliceStep is the length of the slices behind a drawing: a pixel, or the longer
// ones that were asked for.
func sliceStep(c *Curve, q Query) int64 {
	return max(c.Step, narrowest(newGrid(q.T0, q.T1, q.Width)))
}

var _ Reader = (*curveView)(nil)
