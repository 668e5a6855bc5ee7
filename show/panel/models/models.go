package models

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/outlier"
	"dagscope/internal/words"
	"dagscope/predict/perfmodel"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "models",
		Doc: "Does the duration of tasks follow their work? For each kind and architecture the tasks as points, work against " +
			"duration, the fitted line and the band in which 95 % of new tasks are expected (docs/design/methods.md, Outliers). Tasks above the band are " +
			"outliers and in full colour. Axes are logarithmic or linear; the work is what the application declares, or the " +
			"bytes that a task touches. Lines are fitted to all tasks of the run; points are those that start in the window. " +
			"Instead, the durations or the residuals of tasks against what models of `dagscope calibrate` expect of them.",
		Reads: func(o *core.Options) []string {
			if o.Models.Show != "" {
				return panels.ResidualReads
			}
			return panels.ModelReads
		},
		Open: openModels,
	}))
}

// modelView draws a facet for each kind on an architecture.
type modelView struct {
	run    *trace.Run
	set    core.Models
	facets []modelFacet
	x      kit.Scale
	left   int // groups that no line can be fitted to
	more   int // that are not shown
	tight  bool
	id     string
	label  string                         // of the work, "" for what the options say
	data   func(core.Query) numbers.Table // nil for the facts
	show   core.ModelShow
}

// modelFacet is a regression with its colours.
type modelFacet struct {
	outlier.Model
	name, arch    string
	usual, strong scene.Color
	time          int64     // of all its tasks, ns
	value         []float64 // of each task: its duration, or how it compares with what is expected
	y             kit.Scale
	least, most   float64 // work
	long          int     // outliers
	fit           *perfmodel.Model
}

const (
	mostModels  = 8
	modelHeight = 120 // natural height of a facet
	modelGap    = 6
	modelHead   = 15 // of a facet, for its facts
)

func openModels(run *trace.Run, o *core.Options) (core.View, error) {
	v := &modelView{run: run, set: o.Models, tight: o.Tight, id: "models", show: o.Models.Show}
	facets, left, err := facetsOf(run, o.Models)
	if err != nil {
		return nil, err
	}
	colors := o.Colors
	if colors == nil {
		colors = core.TaskColors([]*trace.Run{run}, false)
	}
	for _, f := range facets {
		m := &f.Model
		f.name, f.arch = run.Task.Kind.Dict[m.Kind], kind.ArchName(run, m.Arch)
		if o.Hides(f.name) {
			continue
		}
		for i, d := range m.Duration {
			f.time += d
			if m.Side[i] == outlier.Long {
				f.long++
			}
		}
		f.strong = o.ColorOf(colors, f.name)
		f.usual = f.strong.Mix(scene.White, o.Paleness())
		v.facets = append(v.facets, f)
	}
	v.left = left
	v.largest()
	if len(v.facets) == 0 {
		return nil, &panels.Missing{Why: "every kind of task is hidden"}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range v.facets {
		f := &v.facets[i]
		f.least, f.most = slices.Min(f.Work), slices.Max(f.Work)
		low, high = min(low, f.least), max(high, f.most)
		f.y = kit.NewScale(slices.Min(f.value), slices.Max(f.value), !v.set.Linear)
	}
	if v.show == core.ShowResiduals {
		v.shareScale()
	}
	v.x = kit.NewScale(low, high, !v.set.Linear)
	return v, nil
}

// facetsOf are the groups of tasks with what is drawn of each; a [panels.Missing] says
// why there are none.
func facetsOf(run *trace.Run, set core.Models) (facets []modelFacet, left int, err error) {
	if set.Show != "" {
		facets, err = residualFacets(run, set)
		return facets, 0, err
	}
	models, left, err := panels.Regressions(run, set.Method, set.Bytes)
	for _, m := range models {
		facets = append(facets, modelFacet{Model: m, value: panels.Each(m.Duration, func(d int64) float64 { return float64(d) })})
	}
	return facets, left, err
}

// largest keeps the facets with most time, sorted by kind and architecture.
func (v *modelView) largest() {
	slices.SortStableFunc(v.facets, func(a, b modelFacet) int { return cmp.Compare(b.time, a.time) })
	if v.more = max(0, len(v.facets)-mostModels); v.more > 0 {
		v.facets = v.facets[:mostModels]
	}
	slices.SortStableFunc(v.facets, func(a, b modelFacet) int {
		return cmp.Or(core.CompareNatural(a.name, b.name), kit.CompareArchs(a.arch, b.arch))
	})
}

// Align gives the views of several runs the same axes, of each facet by its
// name.
func (v *modelView) Align(others []core.View) {
	for _, o := range others {
		m, ok := o.(*modelView)
		if !ok {
			continue
		}
		v.x = v.x.With(m.x)
		for i := range v.facets {
			at := slices.IndexFunc(m.facets, func(f modelFacet) bool { return f.name == v.facets[i].name && f.arch == v.facets[i].arch })
			if at >= 0 {
				v.facets[i].y = v.facets[i].y.With(m.facets[at].y)
			}
		}
	}
}

// Draw draws the regressions with the tasks that start in a window.
func (v *modelView) Draw(q core.Query) scene.Panel {
	height := kit.HeightOr(q, modelHeight*float64(len(v.facets)))
	each := height / float64(len(v.facets))
	p := scene.Panel{ID: v.id, Height: height, YLabel: v.valueLabel(), X: v.Axis(q.Width), Note: v.note()}
	ticks, names := scene.Layer{Name: "ticks", Unit: scene.Pixels}, scene.Layer{Name: "facts", Unit: scene.Pixels}
	for i := range v.facets {
		d := facetDrawing{view: v, facet: &v.facets[i], q: q, top: float32(each * float64(i)), height: float32(max(each-modelGap, 4))}
		if each >= kit.LeastHeaded {
			d.top, d.height, d.headed = d.top+modelHead, d.height-modelHead, true
		}
		p.Layers = append(p.Layers, d.Back(), d.points(), d.guides())
		ticks.Texts = append(ticks.Texts, d.Ticks()...)
		names.Texts = append(names.Texts, d.facts()...)
	}
	p.Layers, p.Left = append(p.Layers, names), []scene.Layer{ticks}
	p.Legend = v.Legend()
	return p
}

func (v *modelView) workLabel() string {
	label := "work [GFlop]"
	if v.set.Bytes {
		label = "data [bytes]"
	}
	label = cmp.Or(v.label, label)
	if v.x.Log {
		label += " (logarithmic)"
	}
	return label
}

func (v *modelView) note() string {
	parts := []string{v.method()}
	if v.left > 0 {
		parts = append(parts, words.PluralThin(v.left, "kind has", "kinds have")+" no work that differs")
	}
	if v.more > 0 {
		parts = append(parts, words.PluralThin(v.more, "smaller one is", "smaller ones are")+" left out")
	}
	return strings.Join(parts, "; ")
}

// facetDrawing draws one facet.
type facetDrawing struct {
	view        *modelView
	facet       *modelFacet
	q           core.Query
	top, height float32
	headed      bool // there is room for the facts above
}

func (d *facetDrawing) At(duration float64) float32 {
	share := (d.facet.y.At(duration) - d.facet.y.Low) / (d.facet.y.High - d.facet.y.Low)
	return d.top + d.height*float32(1-min(max(share, 0), 1))
}

func (d *facetDrawing) Back() scene.Layer {
	back := scene.Rects{Palette: []scene.Color{scene.Lane.Mix(scene.White, 0.5)}, Edges: scene.Crisp}
	back.Add(d.view.x.Low, d.view.x.High, d.top, d.height, 0)
	return scene.Layer{Name: "back", Rects: []scene.Rects{back}}
}

// pointSize is the side of a point in pixels.
const pointSize = 2.4

// points are the tasks; those that would lie on the same pixel are one point.
func (d *facetDrawing) points() scene.Layer {
	rects := [2]scene.Rects{}
	for k := range rects {
		rects[k] = scene.Rects{Palette: []scene.Color{[]scene.Color{d.facet.usual, d.facet.strong}[k]}, MinWidth: pointSize + float32(k)}
	}
	columns, lines := max(d.q.Width, 1), int(d.height)+1
	taken := [2][]bool{make([]bool, columns*lines), make([]bool, columns*lines)}
	perPixel := (d.view.x.High - d.view.x.Low) / float64(columns)
	for i, task := range d.facet.Task {
		if start := d.view.run.Task.Start[task]; start < d.q.T0 || start >= d.q.T1 {
			continue
		}
		k := 0
		if d.facet.Side[i] == outlier.Long {
			k = 1
		}
		x, y := d.view.x.At(d.facet.Work[i]), d.At(d.facet.value[i])
		cell := min(max(int((x-d.view.x.Low)/perPixel), 0), columns-1)*lines + min(max(int(y-d.top), 0), lines-1)
		if taken[k][cell] {
			continue
		}
		taken[k][cell] = true
		size := float32(pointSize) + float32(k)
		rects[k].Add(x, x, y-size/2, size, 0)
	}
	return scene.Layer{Name: "tasks", Rects: rects[:]}
}

// lines are the fits, and the bands around them.
func (d *facetDrawing) lines() scene.Layer {
	l := scene.Layer{Name: "fit"}
	const steps = 60
	low, high := d.view.x.At(d.facet.least), d.view.x.At(d.facet.most)
	for k := range d.facet.Lines {
		band := scene.Area{Color: kit.Faint(scene.Soft, 0x40)}
		line := scene.Line{Color: scene.Ink, Width: 1.2}
		for i := range steps + 1 {
			x := low + (high-low)*float64(i)/steps
			fit, lower, upper := d.facet.Lines[k].At(d.view.x.Back(x))
			band.X, band.Y0, band.Y1 = append(band.X, x), append(band.Y0, d.At(upper)), append(band.Y1, d.At(lower))
			line.X, line.Y = append(line.X, x), append(line.Y, d.At(fit))
		}
		l.Areas, l.Lines = append(l.Areas, band), append(l.Lines, line)
	}
	return l
}

func (d *facetDrawing) Ticks() (out []scene.Text) {
	for _, t := range d.facet.y.Ticks(float64(d.height), d.view.show != core.ShowResiduals) {
		out = append(out, scene.Text{X: -kit.LabelAway, Y: d.At(d.facet.y.Back(t.At)), S: t.Label, Size: kit.TickSize, Color: scene.Soft, Anchor: scene.End})
	}
	return out
}

// facts name the facet and tell how good its lines are.
func (d *facetDrawing) facts() []scene.Text {
	text := d.facet.name + " " + kit.ArchName(d.facet.arch)
	if d.facet.fit != nil {
		text += d.fitFacts()
	}
	for k := range d.facet.Lines {
		l := &d.facet.Lines[k]
		text += fmt.Sprintf(" · n %s, R² %s, slope %s, p %s", words.CountThin(l.N), words.Number(l.R2, 3), d.slope(l), pValue(l.P()))
	}
	text += " · " + words.PluralThin(d.facet.long, "outlier", "outliers")
	if !d.headed {
		return nil
	}
	return []scene.Text{{X: 2, Y: d.top - 7, S: scene.Ellipsis(text, 10, false, float64(d.q.Width)-4), Size: 10, Color: scene.Ink}}
}

// slope is an exponent, or time per unit of work.
func (d *facetDrawing) slope(l *outlier.Line) string {
	if m := d.facet.Method; m == outlier.LogLog || m == outlier.Mixture {
		return words.Number(l.Coef[1], 3)
	}
	return words.Duration(l.Coef[1]) + " a unit"
}

// pValue writes a probability; far out in the tail only that it is small.
func pValue(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < 1e-16:
		return "< 1e−16"
	case p < 1e-3:
		return strings.Replace(fmt.Sprintf("%.0e", p), "-", "−", 1)
	}
	return words.Number(p, 3)
}

// Data returns the facts of the whole run.
func (v *modelView) Data(q core.Query) numbers.Table {
	if v.data != nil {
		return v.data(q)
	}
	s := core.WholeRun()
	s.ByBytes, s.OutlierMethod = v.set.Bytes, v.set.Method
	return core.NumbersOf("models", v.run, s, q)
}
