package progress

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "kinds",
		Doc: "How long the tasks of each kind took on each architecture: a histogram in each row, its highest column as high " +
			"as the row, so that rows compare by place and shape, not by height. The line is the median, the grey bar goes " +
			"from the first to the third quartile. Tasks beyond Q3 + 1.5 IQR are in full colour, and no column that holds a " +
			"task is invisible. The axis is logarithmic where durations span more than a decade. Of the tasks that start in " +
			"the window.",
		Reads: func(*core.Options) []string { return panels.Joined(kind.Needs, []string{"resource.name"}) },
		Open:  openKinds,
	}))
}

// kindView draws distributions of durations.
type kindView struct {
	run      *trace.Run
	groups   []kindGroup
	source   durationSource
	last     lastSamples
	left     int // groups that are not shown
	low, top float64
	log      bool
	tight    bool
}

// kindGroup are the tasks of a kind on an architecture.
type kindGroup struct {
	kind, arch string
	color      scene.Color
	faded      scene.Color
	totals
}

func openKinds(run *trace.Run, o *core.Options) (core.View, error) {
	v := &kindView{run: run, tight: o.Tight}
	colors := o.Colors
	if colors == nil {
		colors = core.TaskColors([]*trace.Run{run}, false)
	}
	source, groups, ok := kindsOf(o.Base, run, o)
	if v.groups, v.source = groups, source; !ok {
		v.list(o)
	}
	v.measure()
	if len(v.groups) == 0 && len(o.Hide) > 0 {
		return nil, &panels.Missing{Why: "every kind of task is hidden, or none ran in this run"}
	}
	if len(v.groups) == 0 {
		return nil, &panels.Missing{Why: "no task of the application ran in this run"}
	}
	for i := range v.groups {
		g := &v.groups[i]
		g.color = o.ColorOf(colors, g.kind)
		g.faded = g.color.Mix(scene.White, o.Paleness())
	}
	v.scale(v.durations())
	return v, nil
}

// list gathers the durations from the tasks themselves.
func (v *kindView) list(o *core.Options) {
	groups := kind.Group(core.ShownTasks(v.run, o), kind.Options{})
	starts, durations := groups.Gather(v.run.Task.Start), groups.Gather(kind.Durations(v.run))
	list := &listedDurations{}
	v.groups = nil
	for k := range groups.Len() {
		name := v.run.Task.Kind.Dict[groups.Kind[k]]
		if o.Hides(name) {
			continue
		}
		v.groups = append(v.groups, kindGroup{kind: name, arch: kind.ArchName(v.run, groups.Arch[k])})
		list.start, list.duration = append(list.start, starts[k]), append(list.duration, durations[k])
	}
	v.source = list
}

// measure keeps the groups with most time, sorted by kind and architecture.
func (v *kindView) measure() {
	var order []int
	for g, t := range totalsOf(v.source, len(v.groups)) {
		if v.groups[g].totals = t; t.n > 0 {
			order = append(order, g)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v.groups[b].sum, v.groups[a].sum) })
	if len(order) > kit.MostKindRows {
		v.left = len(order) - kit.MostKindRows
		order = order[:kit.MostKindRows]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(core.CompareNatural(v.groups[a].kind, v.groups[b].kind), kit.CompareArchs(v.groups[a].arch, v.groups[b].arch))
	})
	to := slices.Repeat([]int{-1}, len(v.groups))
	var kept []kindGroup
	for i, g := range order {
		to[g], kept = i, append(kept, v.groups[g])
	}
	v.groups, v.source = kept, v.source.mapped(to)
}

// durations is the range of the durations of all tasks of the run that are
// shown, ns: that of the axis, so that it stays as the window moves.
func (v *kindView) durations() (low, high int64) {
	low, high = math.MaxInt64, 1
	for _, g := range v.groups {
		low, high = min(low, g.low), max(high, g.high)
	}
	return low, high
}

// Align gives the views of several runs one axis.
func (v *kindView) Align(others []core.View) {
	low, high := v.durations()
	for _, o := range others {
		if k, ok := o.(*kindView); ok {
			a, b := k.durations()
			low, high = min(low, a), max(high, b)
		}
	}
	v.scale(low, high)
}

// scale chooses the axis for a range of durations.
func (v *kindView) scale(low, high int64) {
	v.last.forget()
	low = max(low, 1)
	if v.log = float64(high) > 10*float64(low); v.log {
		v.low, v.top = math.Log10(float64(low)), math.Log10(float64(high))
		room := (v.top - v.low) / 60
		v.low, v.top = v.low-room, v.top+room
		return
	}
	v.low, v.top = 0, float64(high)*1.02
}

// At is where a duration lies on the axis.
func (v *kindView) At(d float64) float64 {
	if v.log {
		return math.Log10(max(d, 1))
	}
	return d
}

func (v *kindView) Axis(width int) *scene.Axis {
	a := &scene.Axis{Min: v.low, Max: v.top}
	if v.log {
		a.Label = "duration (logarithmic)"
		a.Ticks = scene.LogTicks(v.low, v.top, float64(width), 11, words.Tick)
		return a
	}
	ticks, unit := scene.TimeTicks(v.low, v.top, float64(width), 11)
	a.Ticks, a.Label = ticks, "duration ["+unit+"]"
	return a
}

// lastSamples are those of the last drawing: a window is often drawn again.
type lastSamples struct {
	sync.Mutex
	q   core.Query
	all []sample
}

func (l *lastSamples) Of(q core.Query, measure func() []sample) []sample {
	q.Height, q.Top, q.Body = 0, 0, false
	l.Lock()
	defer l.Unlock()
	if l.all == nil || l.q != q {
		l.q, l.all = q, measure()
	}
	return l.all
}

// forget is for when the axis changes.
func (l *lastSamples) forget() {
	l.Lock()
	l.all = nil
	l.Unlock()
}

// Draw draws the distributions of the tasks that start in a window.
func (v *kindView) Draw(q core.Query) scene.Panel {
	d := kindDrawing{view: v, step: (v.top - v.low) * kit.HistogramStep / float64(max(q.Width, kit.HistogramStep)),
		back: scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}, columns: scene.Rects{Edges: scene.Crisp},
		boxes: scene.Rects{Palette: []scene.Color{kit.Faint(scene.Ink, 0x60)}, MinWidth: 2}, medians: scene.Rects{Palette: []scene.Color{scene.Ink}, MinWidth: 1}}
	var rows []kit.BarRow
	inside := v.last.Of(q, func() []sample {
		return samplesOf(v.source, len(v.groups), q, int((d.view.top-d.view.low)/d.step)+1, d.Column)
	})
	for i := range v.groups {
		g := &v.groups[i]
		row := kit.BarRow{Label: kit.ArchName(g.arch), Block: g.kind, Right: "–"}
		if n := inside[i].n; n > 0 {
			row.Right = words.CountThin(n) + " × " + words.Duration(inside[i].quartile[1])
		}
		rows = append(rows, row)
	}
	b := kit.NewBarRows(rows, q, kit.KindPitch, v.tight)
	for i := range v.groups {
		d.Row(i, &inside[i], b.Rows.Y[i], b.Rows.H[i])
	}
	p := scene.Panel{ID: "kinds", Height: float64(b.Rows.Height), X: v.Axis(q.Width), Note: d.note(), Layers: []scene.Layer{
		{Name: "rows", Rects: []scene.Rects{d.back}}, {Name: "durations", Rects: []scene.Rects{d.columns}},
		{Name: "quartiles", Rects: []scene.Rects{d.boxes, d.medians}}},
		Legend: []scene.LegendEntry{{Label: "median", Color: scene.Ink, Swatch: scene.Stroke}, {Label: "middle half", Color: scene.Soft.Mix(scene.White, 0.3)}}}
	p.Left, p.Right = b.Margins("number × median")
	return p
}

// kindDrawing collects the rows of one drawing.
type kindDrawing struct {
	view     *kindView
	step     float64 // of the axis, of a column
	outliers int

	back, columns, boxes, medians scene.Rects
}

// Color is the index of a colour in the palette of the columns.
func (d *kindDrawing) Color(c scene.Color) uint8 {
	at := slices.Index(d.columns.Palette, c)
	if at < 0 {
		at = len(d.columns.Palette)
		d.columns.Palette = append(d.columns.Palette, c)
	}
	return uint8(at)
}

// Column is the column of a duration.
func (d *kindDrawing) Column(ns int64) int {
	return int(min(max((d.view.At(float64(ns))-d.view.low)/d.step, 0), math.Floor((d.view.top-d.view.low)/d.step)))
}

func (d *kindDrawing) Row(i int, s *sample, y, h float32) {
	d.back.Add(d.view.low, d.view.top, y, h, 0)
	if s.n == 0 {
		return
	}
	g, q := &d.view.groups[i], &s.quartile
	count, most := make([][2]int, len(s.usual)), 0 // usual, outliers
	for at := range count {
		count[at] = [2]int{s.usual[at], s.long[at]}
		most = max(most, s.usual[at]+s.long[at])
		d.outliers += s.long[at]
	}
	colors := [2]uint8{d.Color(g.faded), d.Color(g.color)}
	for at, n := range count {
		bottom := y + h
		for long, tasks := range n {
			if tasks == 0 {
				continue
			}
			height := max(kit.LeastColumn, h*float32(tasks)/float32(most))
			bottom = max(y, bottom-height)
			x := d.view.low + float64(at)*d.step
			d.columns.Add(x, min(x+d.step, d.view.top), bottom, min(height, y+h-bottom), colors[long])
		}
	}
	const boxHeight = 3
	d.boxes.Add(d.view.At(q[0]), d.view.At(q[2]), y+h-boxHeight, boxHeight, 0)
	d.medians.Add(d.view.At(q[1]), d.view.At(q[1]), y, h, 0)
}

func (d *kindDrawing) note() string {
	var parts []string
	if d.outliers > 0 {
		parts = append(parts, words.PluralThin(d.outliers, "task is", "tasks are")+" longer than usual, in full colour")
	}
	if d.view.left > 0 {
		parts = append(parts, words.PluralThin(d.view.left, "smaller row is", "smaller rows are")+" left out")
	}
	return strings.Join(parts, "; ")
}

// Data returns the statistics of the tasks that start in the window.
func (v *kindView) Data(q core.Query) numbers.Table {
	return core.NumbersOf("kinds", v.run, core.WholeRun(), q)
}
