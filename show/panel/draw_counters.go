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
	"dagscope/internal/stat"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "counters",
		Doc: "What the hardware counted while tasks ran, by kind and architecture: a histogram in each row, its highest column " +
			"as high as the row; the line is the median, the grey bar goes from the first to the third quartile. The number at the " +
			"right is the rank correlation with durations: near 1, slow tasks are those that count much. Against durations, each task " +
			"is a point, with the regression of duration on the counter. Of the tasks that start in the window.",
		Reads: func(*Options) []string { return counterReads },
		Open:  openCounters,
	}))
}

// Counters are the options of the panel of hardware counters.
type Counters struct {
	Event    string // the counter, "" for the first
	Duration bool   // counter against duration instead of distributions
	Linear   bool   // linear axis even where values span decades
}

var counterReads = joined(kind.CounterNeeds, modelReads)

// counterView draws distributions of a counter.
type counterView struct {
	run    *trace.Run
	set    Counters
	event  string
	others []string
	groups []counterGroup
	x      scale
	left   int
	tight  bool
}

type counterGroup struct {
	kind.CounterGroup
	name, arch  string
	color       scene.Color
	correlation float64
}

func openCounters(run *trace.Run, o *Options) (View, error) {
	event, others, err := chosenCounter(run, o.Counters.Event)
	if err != nil {
		return nil, err
	}
	if o.Counters.Duration {
		return openCounterModels(run, o, event)
	}
	v := &counterView{run: run, set: o.Counters, event: event, others: others, tight: o.Tight}
	colors := o.Colors
	if colors == nil {
		colors = TaskColors([]*trace.Run{run}, false)
	}
	low, high := math.Inf(1), 0.0
	for _, g := range kind.CounterGroups(shownTasks(run, o), event, kind.Options{}) {
		name := run.Task.Kind.Dict[g.Kind]
		if o.hides(name) {
			continue
		}
		v.groups = append(v.groups, counterGroup{CounterGroup: g, name: name, arch: kind.ArchName(run, g.Arch),
			color: o.colorOf(colors, name).Mix(scene.White, o.paleness()/2), correlation: g.Statistics().Correlation})
		for _, x := range g.Value {
			if x > 0 {
				low, high = min(low, float64(x)), max(high, float64(x))
			}
		}
	}
	if v.largest(); len(v.groups) == 0 {
		return nil, &Missing{"no task that is shown has the counter " + event}
	}
	v.x = newScale(min(low, high), max(high, 1), high > 10*low && !v.set.Linear)
	return v, nil
}

// chosenCounter is the counter that was asked for, and the others of the run.
func chosenCounter(run *trace.Run, wanted string) (event string, others []string, err error) {
	events := kind.Counters(run)
	if len(events) == 0 {
		return "", nil, &Missing{"not in this run: hardware counters (counter.value): StarPU writes papi.rec when it was built with PAPI and " +
			"STARPU_PROFILING=1 STARPU_PROF_PAPI_EVENTS names counters, for example PAPI_TOT_INS,PAPI_L3_TCM"}
	}
	event = cmp.Or(wanted, events[0])
	if !slices.Contains(events, event) {
		return "", nil, &Missing{fmt.Sprintf("the run has no counter %q, but %s", event, strings.Join(events, ", "))}
	}
	return event, slices.DeleteFunc(events, func(e string) bool { return e == event }), nil
}

// openCounterModels draws durations against the counter as the panel of
// regressions does, with the counter for the work.
func openCounterModels(run *trace.Run, o *Options, event string) (View, error) {
	part := *run
	part.Task.GFlop = kind.CounterValues(run, event)
	options := *o
	options.Models = Models{Linear: o.Counters.Linear}
	if options.Models.Linear {
		options.Models.Method = outlier.Linear
	}
	v, err := openModels(&part, &options)
	if err != nil {
		return nil, err
	}
	m := v.(*modelView)
	m.id, m.label = "counters", event
	m.data = func(q Query) numbers.Table { return numbersOf("counters", run, wholeRun(), q) }
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
	if v.left = max(0, len(v.groups)-mostKindRows); v.left > 0 {
		v.groups = v.groups[:mostKindRows]
	}
	slices.SortStableFunc(v.groups, func(a, b counterGroup) int {
		return cmp.Or(compareNatural(a.name, b.name), compareArchs(a.arch, b.arch))
	})
}

// align gives the views of several runs one axis.
func (v *counterView) align(others []View) {
	for _, o := range others {
		if c, ok := o.(*counterView); ok && c.x.log == v.x.log {
			v.x = v.x.with(c.x)
		}
	}
}

// Draw draws the distributions of the tasks that start in a window.
func (v *counterView) Draw(q Query) scene.Panel {
	var rows []barRow
	inside := make([][]int64, len(v.groups))
	for i := range v.groups {
		g := &v.groups[i]
		inside[i] = v.inside(g, q)
		row := barRow{label: archName(g.arch), block: g.name, right: "–"}
		if n := len(inside[i]); n > 0 {
			row.right = words.CountThin(n) + ", ρ " + words.Number(g.correlation, 2)
		}
		rows = append(rows, row)
	}
	b := newBarRows(rows, q, kindPitch, v.tight)
	d := counterDrawing{view: v, step: (v.x.high - v.x.low) * histogramStep / float64(max(q.Width, histogramStep)),
		back: scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}, columns: scene.Rects{Edges: scene.Crisp},
		boxes: scene.Rects{Palette: []scene.Color{faint(scene.Ink, 0x60)}, MinWidth: 2}, medians: scene.Rects{Palette: []scene.Color{scene.Ink}, MinWidth: 1}}
	for i := range v.groups {
		d.row(&v.groups[i], inside[i], b.rows.y[i], b.rows.h[i])
	}
	label := v.event
	if v.x.log {
		label += " (logarithmic)"
	}
	p := scene.Panel{ID: "counters", Height: float64(b.rows.height), X: v.x.axis(q.Width, label), Note: v.note(), Layers: []scene.Layer{
		{Name: "rows", Rects: []scene.Rects{d.back}}, {Name: "counts", Rects: []scene.Rects{d.columns}}, {Name: "quartiles", Rects: []scene.Rects{d.boxes, d.medians}}},
		Legend: []scene.LegendEntry{{Label: "median", Color: scene.Ink, Swatch: scene.Stroke}, {Label: "middle half", Color: scene.Soft.Mix(scene.White, 0.3)}}}
	p.Left, p.Right = b.margins("number, with duration")
	return p
}

// inside are the counts of the tasks that start in a window.
func (v *counterView) inside(g *counterGroup, q Query) (values []int64) {
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

func (d *counterDrawing) row(g *counterGroup, values []int64, y, h float32) {
	d.back.Add(d.view.x.low, d.view.x.high, y, h, 0)
	if len(values) == 0 {
		return
	}
	count, most := make([]int, int((d.view.x.high-d.view.x.low)/d.step)+1), 0
	for _, x := range values {
		k := int(min(max((d.view.x.at(float64(x))-d.view.x.low)/d.step, 0), float64(len(count)-1)))
		count[k]++
		most = max(most, count[k])
	}
	color := uint8(len(d.columns.Palette))
	d.columns.Palette = append(d.columns.Palette, g.color)
	for k, n := range count {
		if n > 0 {
			x, height := d.view.x.low+float64(k)*d.step, max(leastColumn, h*float32(n)/float32(most))
			d.columns.Add(x, min(x+d.step, d.view.x.high), y+h-height, height, color)
		}
	}
	var q [3]float64
	stat.Quantiles(values, []float64{0.25, 0.5, 0.75}, q[:])
	at := func(x float64) float64 { return max(d.view.x.at(x), d.view.x.low) }
	d.boxes.Add(at(q[0]), at(q[2]), y+h-3, 3, 0)
	d.medians.Add(at(q[1]), at(q[1]), y, h, 0)
}

// Data returns the statistics of the tasks that start in the window.
func (v *counterView) Data(q Query) numbers.Table { return numbersOf("counters", v.run, wholeRun(), q) }
