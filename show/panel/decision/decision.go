package decision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/chain"
	"dagscope/explain/decision"
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
		ID: "decision",
		Doc: "What a scheduler had before it when it placed one task, and what came of it, on one time axis. Each worker has two tracks. " +
			"Above, what was expected: pale, until it is through with what it has; then what transfers add; then the task. In it the tasks " +
			"that it had taken (lower) and those in its queue (upper), with their priorities. Below, what it really ran, the task " +
			"framed, and the copies of its data. At the right the fitness, the smallest of which is chosen (bold). " +
			"Runs whose scheduler was not watched have no estimates.",
		Reads: func(*core.Options) []string { return panels.Joined(decision.Needs, panels.TaskTimes) },
		Open:  openDecision,
		Settings: []core.Setting{
			own.Text("task", "the task, by its key; if none is given the one whose placing went wrong most", func(o *options) *string { return &o.task }),
			own.Count("rows", "number of workers that are shown, those with the least fitness", 400, func(o *options) *int { return &o.rows }),
		},
	}))
}

// options are those of the panel on how a task was placed.
type options struct {
	task string // key, "" for the placing that went wrong most
	rows int    // workers, 0 for 16
}

const own = core.Own[options]("decision")

// Colours of what was expected, as in Garcia Pinto 2018, section 7.3.
var (
	queuedColor   = scene.RGB(0xf0e2c0)
	transferColor = scene.RGB(0xf28e2b)
	nowColor      = scene.RGB(0xcc3311)
	bestColor     = scene.RGB(0x117733)
)

var bestDash = []float32{4, 3}

const (
	mindPitch = 56
	mostMinds = 16 // rows
)

// decisionView draws how a task was placed.
type decisionView struct {
	run     *trace.Run
	index   *decision.Index
	in      *decision.Inspection
	shown   []decision.Worker
	omitted int
	colors  core.Colors
	shared  *core.Options
	lo, hi  int64 // of the axis
}

func openDecision(run *trace.Run, o *core.Options) (core.View, error) {
	x := decision.New(run, decision.Options{})
	in, err := panels.Placed(run, x, own.Of(o).task)
	if err != nil {
		return nil, err
	}
	v := &decisionView{run: run, index: x, in: in, colors: o.Colors, shared: o}
	if v.colors == nil {
		v.colors = core.TaskColors([]*trace.Run{run}, false)
	}
	v.Choose(cmp.Or(own.Of(o).rows, mostMinds))
	v.span()
	return v, nil
}

// Choose takes the workers with the least fitness, those that could not be
// chosen last, and puts them in their own order.
func (v *decisionView) Choose(most int) {
	order := make([]int, len(v.in.Moment.Workers))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) (int, int64) {
		switch w := &v.in.Moment.Workers[i]; {
		case w.Chosen || w.Name == v.in.Task.Worker:
			return 0, 0
		case w.Estimate != nil:
			return 1, w.Estimate.Fitness
		}
		return 2, 0
	}
	slices.SortStableFunc(order, func(a, b int) int {
		ra, fa := rank(a)
		rb, fb := rank(b)
		return cmp.Or(cmp.Compare(ra, rb), cmp.Compare(fa, fb))
	})
	v.omitted = max(0, len(order)-most)
	order = order[:len(order)-v.omitted]
	slices.Sort(order)
	for _, i := range order {
		v.shown = append(v.shown, v.in.Moment.Workers[i])
	}
}

// span finds the axis: from what ran at the decision to the end of the task, as
// it was expected of the chosen worker and as it came. Others may reach beyond.
func (v *decisionView) span() {
	m, w := v.in.Moment, v.in.Wait
	v.lo, v.hi = m.Time, m.Time+1
	if w != nil {
		v.lo, v.hi = min(v.lo, w.Since), max(v.hi, w.Start)
	}
	if v.in.Happened != nil {
		v.hi = max(v.hi, v.in.Happened.End)
	}
	for i := range m.Workers {
		if e := m.Workers[i].Estimate; m.Workers[i].Chosen && e != nil {
			v.hi = max(v.hi, e.End)
		}
	}
	if m.Best != nil {
		v.hi = max(v.hi, *m.Best)
	}
	room := max((v.hi-v.lo)/12, 1)
	v.lo, v.hi = v.lo-room, v.hi+room
}

// decisionDrawing collects the primitives of one drawing.
type decisionDrawing struct {
	view           *decisionView
	width          int
	back, expected scene.Rects
	held, real     scene.Rects
	moved          scene.Rects
	frames         []scene.Line
	texts          []scene.Text
	left, right    scene.Layer
	kinds          map[string]int
}

// Draw draws the moment, whatever the window.
func (v *decisionView) Draw(q core.Query) scene.Panel {
	height := kit.HeightOr(q, mindPitch*float64(max(len(v.shown), 1)))
	pitch := height / float64(max(len(v.shown), 1))
	d := decisionDrawing{view: v, width: max(q.Width, 1), kinds: map[string]int{},
		left: scene.Layer{Name: "workers", Unit: scene.Pixels}, right: scene.Layer{Name: "fitness", Unit: scene.Pixels}}
	d.back.Palette, d.back.Edges = []scene.Color{scene.Lane}, scene.Crisp
	d.expected.Edges, d.held.MinWidth, d.real.MinWidth, d.moved.MinWidth = scene.Crisp, 1, 1, 1
	for i := range v.shown {
		d.Row(&v.shown[i], float32(pitch*float64(i))+2, float32(pitch)-4)
	}
	ticks, unit := scene.TimeTicks(float64(v.lo), float64(v.hi), float64(d.width), 11)
	p := scene.Panel{ID: "decision", Height: height, X: &scene.Axis{Min: float64(v.lo), Max: float64(v.hi), Label: "time [" + unit + "]", Ticks: ticks},
		Layers: []scene.Layer{
			{Name: "expected", Rects: []scene.Rects{d.back, d.expected}}, {Name: "queues", Rects: []scene.Rects{d.held}},
			{Name: "real", Rects: []scene.Rects{d.real, d.moved}, Lines: d.frames}, {Name: "instants", Lines: v.instants(float32(height))}, {Name: "names", Texts: d.texts}}}
	if q.Body {
		return p
	}
	d.Margins(&p)
	return p
}

// instants are lines where the decision was made and where it could have ended
// first.
func (v *decisionView) instants(height float32) []scene.Line {
	line := func(t int64, c scene.Color, dash []float32) scene.Line {
		return scene.Line{X: []float64{float64(t), float64(t)}, Y: []float32{0, height}, Color: c, Width: 1.4, Dash: dash}
	}
	lines := []scene.Line{line(v.in.Moment.Time, nowColor, nil)}
	if b := v.in.Moment.Best; b != nil {
		lines = append(lines, line(*b, bestColor, bestDash))
	}
	return lines
}

// Row draws a worker: what was expected above, what came below.
func (d *decisionDrawing) Row(w *decision.Worker, y, h float32) {
	d.back.Add(float64(d.view.lo), float64(d.view.hi), y, h, 0)
	above := h * 0.58
	d.estimate(w, y, above)
	d.queue(w, y, above)
	d.happened(w, y+above+1, h-above-1)
	if h < leastTitled {
		return
	}
	d.left.Texts = append(d.left.Texts, d.title(w, y+h/2, h))
	if w.Estimate != nil && !d.view.shared.Tight {
		d.right.Texts = append(d.right.Texts, scene.Text{X: kit.LabelAway, Y: y + above/2, S: words.MS(w.Estimate.Fitness), Size: 10, Color: scene.Ink, Bold: w.Chosen})
	}
}

// leastTitled is the height of a row in pixels from which its name has room:
// smaller letters cannot be read.
const leastTitled = 8

// title is the name of a worker left of its row.
func (d *decisionDrawing) title(w *decision.Worker, y, h float32) scene.Text {
	room := 150.0
	if d.view.shared.Tight {
		room = 80
	}
	size := min(11, h)
	return scene.Text{X: -kit.LabelAway, Y: y, S: scene.Ellipsis(w.Name, size, w.Chosen, room), Size: size, Color: scene.Ink, Anchor: scene.End, Bold: w.Chosen}
}

// Add draws a rectangle inside the axis.
func (d *decisionDrawing) Add(to *scene.Rects, from, until int64, y, h float32, c scene.Color) {
	if from, until = max(from, d.view.lo), min(until, d.view.hi); from < until {
		to.Add(float64(from), float64(until), y, h, kit.ColorIn(to, c))
	}
}

// estimate draws what was expected.
func (d *decisionDrawing) estimate(w *decision.Worker, y, h float32) {
	e, now := w.Estimate, d.view.in.Moment.Time
	if e == nil {
		return
	}
	begin := e.End - e.Duration
	d.Add(&d.expected, now, now+e.Queue, y, h, queuedColor)
	d.Add(&d.expected, now+e.Queue, begin, y, h, transferColor)
	color := d.Color(d.view.in.Task.Kind)
	d.kinds[d.view.in.Task.Kind] += 0
	if !w.Chosen {
		color = color.Mix(scene.White, 0.55)
	}
	d.Add(&d.expected, begin, e.End, y+h*0.2, h*0.6, color)
	d.name(d.view.in.Task.Key, begin, e.End, y+h*0.2, h*0.6, color)
}

func (d *decisionDrawing) Color(kind string) scene.Color {
	return d.view.shared.ColorOf(d.view.colors, kind)
}

// queue draws the tasks that a worker had: those that it had taken below, those
// in its queue above, one after the other for as long as they were expected to
// take.
func (d *decisionDrawing) queue(w *decision.Worker, y, h float32) {
	at := d.view.in.Moment.Time
	for i := range w.Taken {
		t := &w.Taken[i]
		from := at
		if t.Running && t.Start != nil {
			from = *t.Start
		}
		until := from + length(t)
		d.box(t, max(from, d.view.lo), max(until, at), y+h*0.52, h*0.44)
		at = max(at, until)
	}
	for i := range w.Waiting {
		until := at + length(&w.Waiting[i])
		d.box(&w.Waiting[i], at, until, y+h*0.04, h*0.44)
		at = until
	}
}

// length is how long a task was expected to take, or took.
func length(t *decision.Held) int64 {
	switch {
	case t.Expected != nil:
		return *t.Expected
	case t.Start != nil && t.End != nil:
		return *t.End - *t.Start
	}
	return 0
}

// box draws a task with its priority.
func (d *decisionDrawing) box(t *decision.Held, from, until int64, y, h float32) {
	color := d.Color(t.Kind)
	d.kinds[t.Kind]++
	gap := (d.view.hi - d.view.lo) / int64(2*d.width)
	d.Add(&d.held, from, until-gap, y, h, color)
	if !d.name(fmt.Sprintf("%s (%d)", t.Key, t.Priority), from, until, y, h, color) {
		d.name(fmt.Sprintf("(%d)", t.Priority), from, until, y, h, color)
	}
}

// name writes into a rectangle if there is room.
func (d *decisionDrawing) name(s string, from, until int64, y, h float32, on scene.Color) bool {
	from, until = max(from, d.view.lo), min(until, d.view.hi)
	size := min(9, h*0.85)
	room := float64(until-from) / float64(d.view.hi-d.view.lo) * float64(d.width)
	if size < kit.LeastLabel-0.5 || room < scene.TextWidth(s, size, false)+2 || len(d.texts) >= kit.MostTexts {
		return false
	}
	d.texts = append(d.texts, scene.Text{X: float64(from+until) / 2, Y: y + h/2, S: s, Size: size, Color: kit.Contrast(on), On: on,
		Anchor: scene.Middle, Room: float64(until - from)})
	return true
}

// happened draws what a worker ran.
func (d *decisionDrawing) happened(w *decision.Worker, y, h float32) {
	for _, t := range d.view.index.Ran(w.Resource, d.view.lo, d.view.hi) {
		if t.Start == nil || t.End == nil || d.view.shared.Hides(t.Kind) {
			continue
		}
		own := t.Key == d.view.in.Task.Key
		color := d.Color(t.Kind)
		if !own {
			color = color.Mix(scene.White, 0.35)
		}
		d.kinds[t.Kind]++
		d.Add(&d.real, *t.Start, *t.End, y, h*0.8, color)
		d.name(t.Key, *t.Start, *t.End, y, h*0.8, color)
		if own {
			d.Frame(*t.Start, *t.End, y, h*0.8)
		}
	}
	if r := d.view.in.Happened; r != nil && w.Name == d.view.in.Task.Worker && r.First != nil && r.Arrived != nil {
		d.Add(&d.moved, *r.First, *r.Arrived, y+h*0.82, h*0.18, transferColor)
	}
}

// Frame draws a line around the task.
func (d *decisionDrawing) Frame(from, until int64, y, h float32) {
	a, b := float64(max(from, d.view.lo)), float64(min(until, d.view.hi))
	d.frames = append(d.frames, scene.Line{X: []float64{a, b, b, a, a}, Y: []float32{y, y, y + h, y + h, y}, Color: scene.Ink, Width: 1.6})
}

// Margins writes what stands beside the body.
func (d *decisionDrawing) Margins(p *scene.Panel) {
	p.Left = []scene.Layer{d.left}
	if len(d.right.Texts) > 0 {
		d.right.Texts = append(d.right.Texts, scene.Text{X: kit.LabelAway, Y: -8, S: "fitness, ms", Size: 10, Color: scene.Soft})
		p.Right = []scene.Layer{d.right}
	}
	p.Legend = append(p.Legend, scene.LegendEntry{Label: "now", Color: nowColor, Swatch: scene.Stroke})
	if d.view.in.Moment.Best != nil {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: "earliest end", Color: bestColor, Swatch: scene.Stroke, Dash: bestDash}, scene.LegendEntry{Label: "expected: what it has", Color: queuedColor},
			scene.LegendEntry{Label: "transfers", Color: transferColor})
	}
	for _, kind := range kit.SortedKeys(d.kinds) {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: kind, Kind: kind, Color: d.view.colors.Of(kind)})
	}
	p.Note = d.note()
}

func (d *decisionDrawing) note() string {
	t := &d.view.in.Task
	parts := []string{fmt.Sprintf("task %s (%s, priority %d)", t.Key, t.Kind, t.Priority)}
	if w := d.view.in.Wait; w != nil {
		parts = append(parts, waitWords(w))
	}
	if h := d.view.in.Happened; h != nil && h.EndError != nil {
		parts = append(parts, fmt.Sprintf("ended %+.3f ms after what was expected", float64(*h.EndError)/1e6))
	}
	if len(d.view.in.Moment.Shared) > 0 {
		n := 0
		for _, q := range d.view.in.Moment.Shared {
			n += len(q.Waiting)
		}
		parts = append(parts, words.PluralThin(n, "task", "tasks")+" in shared queues")
	}
	if d.view.omitted > 0 {
		parts = append(parts, words.PluralThin(d.view.omitted, "worker is", "workers are")+" left out")
	}
	return strings.Join(parts, "; ")
}

// waitWords says why a task did not begin earlier.
func waitWords(w *decision.Wait) string {
	var parts []string
	causes := slices.Clone(w.Causes)
	for _, r := range w.Release {
		if i := slices.IndexFunc(causes, func(c chain.Reason) bool { return c.Cause == r.Cause }); i >= 0 {
			causes[i].NS += r.NS
		} else {
			causes = append(causes, r)
		}
	}
	for _, r := range causes {
		parts = append(parts, fmt.Sprintf("%s %s", r.Cause, words.MS(r.NS)))
	}
	if len(parts) == 0 {
		return "began as soon as it could"
	}
	return fmt.Sprintf("began %s ms after it could: %s", words.MS(w.Delay), strings.Join(parts, " + "))
}

// Data returns what was expected of each worker.
func (v *decisionView) Data(q core.Query) numbers.Table {
	s := core.WholeRun()
	s.Task = v.in.Task.Key
	return core.NumbersOf("decision", v.run, s, q)
}
