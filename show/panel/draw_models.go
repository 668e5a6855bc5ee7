package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/explain/outlier"
	"dagscope/internal/words"
	"dagscope/predict/perfmodel"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "models",
		Doc: "Does the duration of tasks follow their work? For each kind and architecture the tasks as points, work against " +
			"duration, the fitted line and the band in which 95 % of new tasks are expected (docs/design/methods.md, Outliers). Tasks above the band are " +
			"outliers and in full colour. Axes are logarithmic or linear; the work is what the application declares, or the " +
			"bytes that a task touches. Lines are fitted to all tasks of the run; points are those that start in the window. " +
			"Instead, the durations or the residuals of tasks against what models of `dagscope calibrate` expect of them.",
		Reads: func(o *Options) []string {
			if o.Models.Show != "" {
				return residualReads
			}
			return modelReads
		},
		Open: openModels,
	}))
}

// Models are the options of the panel of regressions.
type Models struct {
	Bytes  bool           // the work of a task is the bytes that it touches, not the GFlop it declares
	Linear bool           // linear axes
	Method outlier.Method // how lines are fitted, "" for log-log

	Show    ModelShow        // what is drawn, "" for durations against work
	Fit     perfmodel.Method // how models are fitted whose residuals are drawn, "" for regression
	Formula string           // terms of regressions, "" for what tells most
}

// ModelMethod is how lines are fitted.
type ModelMethod = outlier.Method

// ModelMethods are the ways to fit lines.
var ModelMethods = []string{string(outlier.LogLog), string(outlier.Linear), string(outlier.Weighted), string(outlier.TwoThirds), string(outlier.Mixture)}

var modelReads = joined(outlier.Needs, []string{"task.bytes", "task.key", "resource.name"})

// modelView draws a facet for each kind on an architecture.
type modelView struct {
	run    *trace.Run
	set    Models
	facets []modelFacet
	x      scale
	left   int // groups that no line can be fitted to
	more   int // that are not shown
	tight  bool
	id     string
	label  string                    // of the work, "" for what the options say
	data   func(Query) numbers.Table // nil for the facts
	show   ModelShow
}

// modelFacet is a regression with its colours.
type modelFacet struct {
	outlier.Model
	name, arch    string
	usual, strong scene.Color
	time          int64     // of all its tasks, ns
	value         []float64 // of each task: its duration, or how it compares with what is expected
	y             scale
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

// leastHeaded is the height from which on a facet has a line of facts above it.
const leastHeaded = 45

func openModels(run *trace.Run, o *Options) (View, error) {
	v := &modelView{run: run, set: o.Models, tight: o.Tight, id: "models", show: o.Models.Show}
	facets, left, err := facetsOf(run, o.Models)
	if err != nil {
		return nil, err
	}
	colors := o.Colors
	if colors == nil {
		colors = TaskColors([]*trace.Run{run}, false)
	}
	for _, f := range facets {
		m := &f.Model
		f.name, f.arch = run.Task.Kind.Dict[m.Kind], kind.ArchName(run, m.Arch)
		if o.hides(f.name) {
			continue
		}
		for i, d := range m.Duration {
			f.time += d
			if m.Side[i] == outlier.Long {
				f.long++
			}
		}
		f.strong = o.colorOf(colors, f.name)
		f.usual = f.strong.Mix(scene.White, o.paleness())
		v.facets = append(v.facets, f)
	}
	v.left = left
	v.largest()
	if len(v.facets) == 0 {
		return nil, &Missing{"every kind of task is hidden"}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range v.facets {
		f := &v.facets[i]
		f.least, f.most = slices.Min(f.Work), slices.Max(f.Work)
		low, high = min(low, f.least), max(high, f.most)
		f.y = newScale(slices.Min(f.value), slices.Max(f.value), !v.set.Linear)
	}
	if v.show == ShowResiduals {
		v.shareScale()
	}
	v.x = newScale(low, high, !v.set.Linear)
	return v, nil
}

// facetsOf are the groups of tasks with what is drawn of each; a [Missing] says
// why there are none.
func facetsOf(run *trace.Run, set Models) (facets []modelFacet, left int, err error) {
	if set.Show != "" {
		facets, err = residualFacets(run, set)
		return facets, 0, err
	}
	models, left, err := Regressions(run, set.Method, set.Bytes)
	for _, m := range models {
		facets = append(facets, modelFacet{Model: m, value: each(m.Duration, func(d int64) float64 { return float64(d) })})
	}
	return facets, left, err
}

// Regressions fits durations to work, or to the bytes that tasks touch; a [Missing]
// says why there are no lines. left is the number of groups without.
func Regressions(run *trace.Run, method outlier.Method, byBytes bool) (models []outlier.Model, left int, err error) {
	if byBytes {
		part := *run
		part.Task.GFlop = each(run.Task.Bytes, func(b int64) float64 { return float64(b) })
		run = &part
	}
	if len(run.Task.GFlop) == 0 {
		return nil, 0, &Missing{workMissing(byBytes)}
	}
	models, left = outlier.Models(run, outlier.Options{Method: method})
	if len(models) == 0 {
		return nil, 0, &Missing{"no kind of tasks does work that differs from task to task (task.gflop): the kinds panel shows durations of equal work"}
	}
	return models, left, nil
}

func workMissing(bytes bool) string {
	if bytes {
		return "not in this run: the bytes that tasks touch (task.bytes): they are in the sizes of tasks.rec"
	}
	return "not in this run: the work of tasks (task.gflop): an application of StarPU declares it with STARPU_FLOPS when it submits a task"
}

// largest keeps the facets with most time, sorted by kind and architecture.
func (v *modelView) largest() {
	slices.SortStableFunc(v.facets, func(a, b modelFacet) int { return cmp.Compare(b.time, a.time) })
	if v.more = max(0, len(v.facets)-mostModels); v.more > 0 {
		v.facets = v.facets[:mostModels]
	}
	slices.SortStableFunc(v.facets, func(a, b modelFacet) int {
		return cmp.Or(compareNatural(a.name, b.name), compareArchs(a.arch, b.arch))
	})
}

// align gives the views of several runs the same axes, of each facet by its
// name.
func (v *modelView) align(others []View) {
	for _, o := range others {
		m, ok := o.(*modelView)
		if !ok {
			continue
		}
		v.x = v.x.with(m.x)
		for i := range v.facets {
			at := slices.IndexFunc(m.facets, func(f modelFacet) bool { return f.name == v.facets[i].name && f.arch == v.facets[i].arch })
			if at >= 0 {
				v.facets[i].y = v.facets[i].y.with(m.facets[at].y)
			}
		}
	}
}

// Draw draws the regressions with the tasks that start in a window.
func (v *modelView) Draw(q Query) scene.Panel {
	height := heightOr(q, modelHeight*float64(len(v.facets)))
	each := height / float64(len(v.facets))
	p := scene.Panel{ID: v.id, Height: height, YLabel: v.valueLabel(), X: v.axis(q.Width), Note: v.note()}
	ticks, names := scene.Layer{Name: "ticks", Unit: scene.Pixels}, scene.Layer{Name: "facts", Unit: scene.Pixels}
	for i := range v.facets {
		d := facetDrawing{view: v, facet: &v.facets[i], q: q, top: float32(each * float64(i)), height: float32(max(each-modelGap, 4))}
		if each >= leastHeaded {
			d.top, d.height, d.headed = d.top+modelHead, d.height-modelHead, true
		}
		p.Layers = append(p.Layers, d.back(), d.points(), d.guides())
		ticks.Texts = append(ticks.Texts, d.ticks()...)
		names.Texts = append(names.Texts, d.facts()...)
	}
	p.Layers, p.Left = append(p.Layers, names), []scene.Layer{ticks}
	p.Legend = v.legend()
	return p
}

func (v *modelView) workLabel() string {
	label := "work [GFlop]"
	if v.set.Bytes {
		label = "data [bytes]"
	}
	label = cmp.Or(v.label, label)
	if v.x.log {
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
	q           Query
	top, height float32
	headed      bool // there is room for the facts above
}

func (d *facetDrawing) at(duration float64) float32 {
	share := (d.facet.y.at(duration) - d.facet.y.low) / (d.facet.y.high - d.facet.y.low)
	return d.top + d.height*float32(1-min(max(share, 0), 1))
}

func (d *facetDrawing) back() scene.Layer {
	back := scene.Rects{Palette: []scene.Color{scene.Lane.Mix(scene.White, 0.5)}, Edges: scene.Crisp}
	back.Add(d.view.x.low, d.view.x.high, d.top, d.height, 0)
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
	perPixel := (d.view.x.high - d.view.x.low) / float64(columns)
	for i, task := range d.facet.Task {
		if start := d.view.run.Task.Start[task]; start < d.q.T0 || start >= d.q.T1 {
			continue
		}
		k := 0
		if d.facet.Side[i] == outlier.Long {
			k = 1
		}
		x, y := d.view.x.at(d.facet.Work[i]), d.at(d.facet.value[i])
		cell := min(max(int((x-d.view.x.low)/perPixel), 0), columns-1)*lines + min(max(int(y-d.top), 0), lines-1)
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
	low, high := d.view.x.at(d.facet.least), d.view.x.at(d.facet.most)
	for k := range d.facet.Lines {
		band := scene.Area{Color: faint(scene.Soft, 0x40)}
		line := scene.Line{Color: scene.Ink, Width: 1.2}
		for i := range steps + 1 {
			x := low + (high-low)*float64(i)/steps
			fit, lower, upper := d.facet.Lines[k].At(d.view.x.back(x))
			band.X, band.Y0, band.Y1 = append(band.X, x), append(band.Y0, d.at(upper)), append(band.Y1, d.at(lower))
			line.X, line.Y = append(line.X, x), append(line.Y, d.at(fit))
		}
		l.Areas, l.Lines = append(l.Areas, band), append(l.Lines, line)
	}
	return l
}

func (d *facetDrawing) ticks() (out []scene.Text) {
	for _, t := range d.facet.y.ticks(float64(d.height), d.view.show != ShowResiduals) {
		out = append(out, scene.Text{X: -labelAway, Y: d.at(d.facet.y.back(t.At)), S: t.Label, Size: tickSize, Color: scene.Soft, Anchor: scene.End})
	}
	return out
}

// facts name the facet and tell how good its lines are.
func (d *facetDrawing) facts() []scene.Text {
	text := d.facet.name + " " + archName(d.facet.arch)
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
func (v *modelView) Data(q Query) numbers.Table {
	if v.data != nil {
		return v.data(q)
	}
	s := wholeRun()
	s.ByBytes, s.OutlierMethod = v.set.Bytes, v.set.Method
	return numbersOf("models", v.run, s, q)
}
