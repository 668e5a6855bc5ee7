package models

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/outlier"
	"dagscope/internal/stat"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "counters",
		Doc: "What the hardware counted while tasks ran, by kind and architecture: a histogram in each row, its highest column " +
			"as high as the row; the line is the median, the grey bar goes from the first to the third quartile. The number at the " +
			"right is the rank correlation with durations: near 1, slow tasks are those that count much. Against durations, each task " +
			"is a point, with the regression of duration on the counter. Of the tasks that start in the window.",
		Reads: func(*core.Options) []string { return panels.CounterReads },
		Open:  openCounters,
	}))
}

// counterView draws distributions of a counter.
type counterView struct {
	run    *trace.Run
	set    core.Counters
	event  string
	others []string
	groups []counterGroup
	x      kit.Scale
	left   int
	tight  bool
}

type counterGroup struct {
	kind.CounterGroup
	name, arch  string
	color       scene.Color
	correlation float64
}

func openCounters(run *trace.Run, o *core.Options) (core.View, error) {
	event, others, err := panels.ChosenCounter(run, o.Counters.Event)
	if err != nil {
		return nil, err
	}
	if o.Counters.Duration {
		return openCounterModels(run, o, event)
	}
	v := &counterView{run: run, set: o.Counters, event: event, others: others, tight: o.Tight}
	colors := o.Colors
	if colors == nil {
		colors = core.TaskColors([]*trace.Run{run}, false)
	}
	low, high := math.Inf(1), 0.0
	for _, g := range kind.CounterGroups(core.ShownTasks(run, o), event, kind.Options{}) {
		name := run.Task.Kind.Dict[g.Kind]
		if o.Hides(name) {
			continue
		}
		v.groups = append(v.groups, counterGroup{CounterGroup: g, name: name, arch: kind.ArchName(run, g.Arch),
			color: o.ColorOf(colors, name).Mix(scene.White, o.Paleness()/2), correlation: g.Statistics().Correlation})
		for _, x := range g.Value {
			if x > 0 {
				low, high = min(low, float64(x)), max(high, float64(x))
			}
		}
	}
	if v.largest(); len(v.groups) == 0 {
		return nil, &panels.Missing{Why: "no task that is shown has the counter " + event}
	}
	v.x = kit.NewScale(min(low, high), max(high, 1), high > 10*low && !v.set.Linear)
	return v, nil
}

// openCounterModels draws durations against the counter as the panel of
// regressions does, with the counter for the work.
func openCounterModels(run *trace.Run, o *core.Options, event string) (core.View, error) {
	part := *run
	part.Task.GFlop = kind.CounterValues(run, event)
	options := *o
	options.Models = core.Models{Linear: o.Counters.Linear}
	if options.Models.Linear {
		options.Models.Method = outlier.Linear
	}
	v, err := openModels(&part, &options)
	if err != nil {
		return nil, err
	}
	m := v.(*modelView)
	m.id, m.label = "counters", event
	m.data = func(q core.Query) numbers.Table { return core.NumbersOf("counters", run, core.WholeRun(), q) }
	return m, nil
}

// largest keeps the groups with the largest counts.
func (v *counterView) largest() {
	sum := func(g *counterGroup) (s float64) {
		for _, x := range g.Value {
			s += float64(x)
		}
		return s
	}
	slices.SortStableFunc(v.groups, func(a, b counterGroup) int { return cmp.Compare(sum(&b), sum(&a)) })
	if v.left = max(0, len(v.groups)-kit.MostKindRows); v.left > 0 {
		v.groups = v.groups[:kit.MostKindRows]
	}
	slices.SortStableFunc(v.groups, func(a, b counterGroup) int {
		return cmp.Or(core.CompareNatural(a.name, b.name), kit.CompareArchs(a.arch, b.arch))
	})
}

// Align gives the views of several runs one axis.
func (v *counterView) Align(others []core.View) {
	for _, o := range others {
		if c, ok := o.(*counterView); ok && c.x.Log == v.x.Log {
			v.x = v.x.With(c.x)
		}
	}
}

// Draw draws the distributions of the tasks that start in a window.
func (v *counterView) Draw(q core.Query) scene.Panel {
	var rows []kit.BarRow
	inside := make([][]int64, len(v.groups))
	for i := range v.groups {
		g := &v.groups[i]
		inside[i] = v.Inside(g, q)
		row := kit.BarRow{Label: kit.ArchName(g.arch), Block: g.name, Right: "–"}
		if n := len(inside[i]); n > 0 {
			row.Right = words.CountThin(n) + ", ρ " + words.Number(g.correlation, 2)
		}
		rows = append(rows, row)
	}
	b := kit.NewBarRows(rows, q, kit.KindPitch, v.tight)
	d := counterDrawing{view: v, step: (v.x.High - v.x.Low) * kit.HistogramStep / float64(max(q.Width, kit.HistogramStep)),
		back: scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}, columns: scene.Rects{Edges: scene.Crisp},
		boxes: scene.Rects{Palette: []scene.Color{kit.Faint(scene.Ink, 0x60)}, MinWidth: 2}, medians: scene.Rects{Palette: []scene.Color{scene.Ink}, MinWidth: 1}}
	for i := range v.groups {
		d.Row(&v.groups[i], inside[i], b.Rows.Y[i], b.Rows.H[i])
	}
	label := v.event
	if v.x.Log {
		label += " (logarithmic)"
	}
	p := scene.Panel{ID: "counters", Height: float64(b.Rows.Height), X: v.x.Axis(q.Width, label), Note: v.note(), Layers: []scene.Layer{
		{Name: "rows", Rects: []scene.Rects{d.back}}, {Name: "counts", Rects: []scene.Rects{d.columns}}, {Name: "quartiles", Rects: []scene.Rects{d.boxes, d.medians}}},
		Legend: []scene.LegendEntry{{Label: "median", Color: scene.Ink, Swatch: scene.Stroke}, {Label: "middle half", Color: scene.Soft.Mix(scene.White, 0.3)}}}
	p.Left, p.Right = b.Margins("number, with duration")
	return p
}

// Inside are the counts of the tasks that start in a window.
func (v *counterView) Inside(g *counterGroup, q core.Query) (values []int64) {
	for i, task := range g.Task {
		if start := v.run.Task.Start[task]; start >= q.T0 && start < q.T1 {
			values = append(values, g.Value[i])
		}
	}
	return values
}

func (v *counterView) note() string {
	note := "ρ: rank correlation with durations, of the whole run"
	if len(v.others) > 0 {
		note += "; other counters: " + strings.Join(v.others, ", ")
	}
	if v.left > 0 {
		note += "; " + words.PluralThin(v.left, "smaller row is", "smaller rows are") + " left out"
	}
	return note
}

// counterDrawing collects the rows of one drawing.
type counterDrawing struct {
	view                          *counterView
	step                          float64
	back, columns, boxes, medians scene.Rects
}

func (d *counterDrawing) Row(g *counterGroup, values []int64, y, h float32) {
	d.back.Add(d.view.x.Low, d.view.x.High, y, h, 0)
	if len(values) == 0 {
		return
	}
	count, most := make([]int, int((d.view.x.High-d.view.x.Low)/d.step)+1), 0
	for _, x := range values {
		k := int(min(max((d.view.x.At(float64(x))-d.view.x.Low)/d.step, 0), float64(len(count)-1)))
		count[k]++
		most = max(most, count[k])
	}
	color := uint8(len(d.columns.Palette))
	d.columns.Palette = append(d.columns.Palette, g.color)
	for k, n := range count {
		if n > 0 {
			x, height := d.view.x.Low+float64(k)*d.step, max(kit.LeastColumn, h*float32(n)/float32(most))
			d.columns.Add(x, min(x+d.step, d.view.x.High), y+h-height, height, color)
		}
	}
	var q [3]float64
	stat.Quantiles(values, []float64{0.25, 0.5, 0.75}, q[:])
	at := func(x float64) float64 { return max(d.view.x.At(x), d.view.x.Low) }
	d.boxes.Add(at(q[0]), at(q[2]), y+h-3, 3, 0)
	d.medians.Add(at(q[1]), at(q[1]), y, h, 0)
}

// Data returns the statistics of the tasks that start in the window.
func (v *counterView) Data(q core.Query) numbers.Table {
	return core.NumbersOf("counters", v.run, core.WholeRun(), q)
}
