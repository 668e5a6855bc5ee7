package progress

import (
	"fmt"
	"math"
	"strconv"

	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/tasking"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "parallelism",
		Doc: "How many tasks the program offers at once, and how many ran. The blue curve is the parallelism profile: tasks that " +
			"would work if none ever had to wait for a worker, from the start of the program to the end of its longest chain of " +
			"work, the span. Where it lies below the dashed line, the number of workers, no scheduler can keep all of them busy: " +
			"that is filled red. The dark curve is what ran, over the run. Each curve has its own time, from 0 to 100 %, since the " +
			"span is shorter than the run; a step up is twice as many tasks.",
		Open: openParallelism,
	}))
}

// parallelismView draws the profile and what ran, of the whole run.
type parallelismView struct {
	run                *trace.Run
	span               *tasking.Span
	possible, observed profileCurve
	workers            int
}

// profileCurve is a step function over a time of its own.
type profileCurve struct {
	steps    *kit.Compact
	from, to int64
	mean     float64
	most     float64
}

func newProfileCurve(f interval.Steps) profileCurve {
	c := profileCurve{steps: kit.NewCompact(f), from: f.Time[0], to: f.Time[len(f.Time)-1]}
	for i := range len(f.Time) - 1 {
		c.mean += f.Value[i] * float64(f.Time[i+1]-f.Time[i])
		c.most = max(c.most, f.Value[i])
	}
	c.mean /= float64(c.to - c.from)
	return c
}

func openParallelism(run *trace.Run, o *core.Options) (core.View, error) {
	s := tasking.FindSpan(run, tasking.Options{})
	profile := s.Profile()
	if len(profile.Time) == 0 {
		return nil, &panels.Missing{Why: "no task ran in this run"}
	}
	if s.Circles > 0 {
		return nil, &panels.Missing{Why: "tasks wait for each other in a circle: the run has no longest chain"}
	}
	return &parallelismView{run: run, span: s, possible: newProfileCurve(profile),
		observed: newProfileCurve(tasking.Observed(run, tasking.Options{})), workers: len(kind.Workers(run))}, nil
}

const parallelismHeight = 130

var (
	possibleColor = kit.SeriesColors[0]
	lackingColor  = scene.RGB(0xcc3311)
)

// Peak is the greatest number of tasks.
func (v *parallelismView) Peak(core.Query) float64 {
	return max(v.possible.most, v.observed.most, float64(v.workers))
}

// doubling is a vertical axis on which a step is twice as many.
type doubling struct {
	top, height float64 // log2(1+value) at the upper edge; pixels
}

func (d doubling) Y(v float64) float32 {
	room := max(d.height-kit.CurveAbove-kit.CurveBelow, 1)
	return float32(d.height - kit.CurveBelow - room*math.Log2(1+v)/d.top)
}

// Ticks are 0 and the powers of two that have room.
func (d doubling) Ticks() []scene.Tick {
	ticks := []scene.Tick{{At: 0, Label: "0"}}
	last := d.Y(0)
	for v := 1.0; math.Log2(1+v) <= d.top; v *= 2 {
		if y := d.Y(v); last-y >= 13 {
			ticks, last = append(ticks, scene.Tick{At: v, Label: words.CountThin(int(v))}), y
		}
	}
	return ticks
}

// Draw draws both curves, whatever the window.
func (v *parallelismView) Draw(q core.Query) scene.Panel {
	height := kit.HeightOr(q, parallelismHeight)
	axis := doubling{math.Log2(1 + max(q.Top, v.Peak(q))), height}
	line, lacking := v.possible.curve(q.Width, axis, possibleColor)
	level := axis.Y(float64(v.workers))
	for i := range lacking.X {
		lacking.Y0[i], lacking.Y1[i] = level, max(lacking.Y1[i], level)
	}
	lacking.Color = kit.Faint(lackingColor, kit.SpreadAlpha)
	observed, _ := v.observed.curve(q.Width, axis, scene.Ink)
	observed.Width = 1.1
	p := scene.Panel{ID: "parallelism", Height: height, X: percentAxis(), Layers: []scene.Layer{
		v.Grid(axis), {Name: "lacking", Areas: []scene.Area{lacking}}, {Name: "curves", Lines: []scene.Line{line, observed}},
		{Name: "workers", Lines: []scene.Line{{X: []float64{0, 100}, Y: []float32{level, level}, Color: scene.Soft, Width: 1, Dash: kit.ReferenceDash}}},
	}}
	if q.Body {
		return p
	}
	p.YLabel, p.Left = "tasks at once", []scene.Layer{axis.Labels()}
	p.Legend, p.Note = v.Legend(), v.note()
	return p
}

func percentAxis() *scene.Axis {
	a := &scene.Axis{Min: 0, Max: 100, Label: "part of the span (possible) and of the run (observed) [%]"}
	for at := 0; at <= 100; at += 20 {
		a.Ticks = append(a.Ticks, scene.Tick{At: float64(at), Label: strconv.Itoa(at)})
	}
	return a
}

// curve draws the means of columns as steps, and what lies between them and
// the bottom.
func (c *profileCurve) curve(width int, axis doubling, color scene.Color) (scene.Line, scene.Area) {
	g := kit.NewGrid(c.from, c.to, width)
	mean := c.steps.Reduce(g).Mean
	l, a := scene.Line{Step: true, Color: color, Width: 1.4}, scene.Area{Step: true}
	add := func(x float64, y float32) {
		l.X, l.Y = append(l.X, x), append(l.Y, y)
		a.X, a.Y0, a.Y1 = append(a.X, x), append(a.Y0, y), append(a.Y1, y)
	}
	for k, value := range mean {
		y := axis.Y(value)
		if n := len(l.Y); n > 0 && math.Abs(float64(l.Y[n-1]-y)) < kit.Flat {
			continue
		}
		add(100*float64(g.Edges[k]-c.from)/float64(c.to-c.from), y)
	}
	add(100, l.Y[len(l.Y)-1])
	return l, a
}

func (v *parallelismView) Grid(axis doubling) scene.Layer {
	l := scene.Layer{Name: "grid"}
	for _, t := range axis.Ticks() {
		y := float32(math.Floor(float64(axis.Y(t.At)))) + 0.5
		l.Lines = append(l.Lines, scene.Line{X: []float64{0, 100}, Y: []float32{y, y}, Color: scene.Grid, Width: 1})
	}
	return l
}

func (d doubling) Labels() scene.Layer {
	l := scene.Layer{Name: "ticks", Unit: scene.Pixels}
	for _, t := range d.Ticks() {
		l.Texts = append(l.Texts, scene.Text{X: -kit.LabelAway, Y: d.Y(t.At), S: t.Label, Size: kit.TickSize, Color: scene.Soft, Anchor: scene.End})
	}
	return l
}

func (v *parallelismView) Legend() []scene.LegendEntry {
	below := v.span.Below(v.workers)
	return []scene.LegendEntry{
		{Label: "possible", Detail: "mean " + kit.Number(v.possible.mean), Color: possibleColor, Swatch: scene.Stroke},
		{Label: "observed", Detail: "mean " + kit.Number(v.observed.mean), Color: scene.Ink, Swatch: scene.Stroke},
		{Label: words.PluralThin(v.workers, "worker", "workers"), Color: scene.Soft, Swatch: scene.Stroke, Dash: kit.ReferenceDash},
		{Label: "too few tasks", Detail: words.PercentFine(float64(below) / float64(max(v.span.Span, 1))), Color: lackingColor.Mix(scene.White, 0.78)},
	}
}

func (v *parallelismView) note() string {
	return fmt.Sprintf("work %s, span %s: at most %s times as fast as one worker; observed over %s", words.Duration(v.span.Work),
		words.Duration(v.span.Span), kit.Number(v.span.Parallelism()), words.Duration(float64(v.observed.to-v.observed.from)))
}

// Data returns both curves.
func (v *parallelismView) Data(q core.Query) numbers.Table {
	return core.NumbersOf("parallelism", v.run, core.WholeRun(), q)
}
