package decision

import (
	"cmp"
	"math"
	"slices"

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
		ID: "sequence", Time: true,
		Doc: "How long tasks took when: each task of a kind on an architecture is a point, its start to the right, its duration " +
			"up. The colour is its place in the order of submission, so that the pattern of one run is found again in " +
			"another, real or simulated, although tasks run at other times (Stanisic 2015, Figure 7). Kinds with most " +
			"time have a row each. Points that would lie on the same pixels are one.",
		Open: openSequence,
	}))
}

// sequenceView draws durations over time.
type sequenceView struct {
	run    *trace.Run
	facets []sequenceFacet
	rank   []int32 // by task: place in the order of submission, as a colour
	more   int     // kinds that are not drawn
}

// sequenceFacet are the tasks of a kind on an architecture, by their start.
type sequenceFacet struct {
	name, arch string
	task       []int32
	start      []int64
	duration   []int64
	total      int64
	y          kit.Scale
}

const (
	mostSequences  = 6
	sequenceHeight = 95 // natural height of a row
	sequenceGap    = 6
	sequenceHead   = 14  // for the name of a row
	sequenceSize   = 2.8 // side of a point in pixels
)

func openSequence(run *trace.Run, o *core.Options) (core.View, error) {
	v := &sequenceView{run: run, rank: ranks(run)}
	groups := kind.Group(core.ShownTasks(run, o), kind.Options{})
	durations := groups.Gather(kind.Durations(run))
	for k := range groups.Len() {
		f := sequenceFacet{name: run.Task.Kind.Dict[groups.Kind[k]], arch: kind.ArchName(run, groups.Arch[k])}
		if o.Hides(f.name) || len(groups.Tasks(k)) == 0 {
			continue
		}
		f.fill(run, groups.Tasks(k), durations[k])
		v.facets = append(v.facets, f)
	}
	if len(v.facets) == 0 {
		return nil, &panels.Missing{Why: "no task of the application ran in this run, or every kind is hidden"}
	}
	slices.SortStableFunc(v.facets, func(a, b sequenceFacet) int { return cmp.Compare(b.total, a.total) })
	if len(v.facets) > mostSequences {
		v.more = len(v.facets) - mostSequences
		v.facets = v.facets[:mostSequences]
	}
	slices.SortStableFunc(v.facets, func(a, b sequenceFacet) int {
		return cmp.Or(core.CompareNatural(a.name, b.name), kit.CompareArchs(a.arch, b.arch))
	})
	return v, nil
}

// ranks are the colours of tasks: the runtime's own tasks are not counted.
func ranks(run *trace.Run) []int32 {
	var order []int32
	for i := range run.Task.Start {
		if (kind.Options{}).Counts(&run.Task, i) {
			order = append(order, int32(i))
		}
	}
	if submitted := run.Task.Order; submitted != nil {
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(submitted[a], submitted[b]) })
	}
	level := make([]int32, len(run.Task.Start))
	for place, task := range order {
		level[task] = int32(place * kit.SequenceLevels / len(order))
	}
	return level
}

// fill takes the tasks in the order in which they start.
func (f *sequenceFacet) fill(run *trace.Run, tasks []int32, durations []int64) {
	order := make([]int, len(tasks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(run.Task.Start[tasks[i]], run.Task.Start[tasks[j]]) })
	low, high := int64(math.MaxInt64), int64(1)
	for _, i := range order {
		f.task, f.start, f.duration = append(f.task, tasks[i]), append(f.start, run.Task.Start[tasks[i]]), append(f.duration, durations[i])
		f.total += durations[i]
		low, high = min(low, max(durations[i], 1)), max(high, durations[i])
	}
	f.y = kit.NewScale(float64(low), float64(high), float64(high) > 10*float64(low))
}

// Align gives the rows of several runs that show the same one scale.
func (v *sequenceView) Align(others []core.View) {
	for i := range v.facets {
		f := &v.facets[i]
		low, high := f.reach()
		for _, o := range others {
			other, ok := o.(*sequenceView)
			if !ok {
				continue
			}
			at := slices.IndexFunc(other.facets, func(g sequenceFacet) bool { return g.name == f.name && g.arch == f.arch })
			if at >= 0 {
				a, b := other.facets[at].reach()
				low, high = min(low, a), max(high, b)
			}
		}
		f.y = kit.NewScale(low, high, high > 10*low)
	}
}

// reach is the range of durations, ns, 1 at least.
func (f *sequenceFacet) reach() (low, high float64) {
	return float64(max(slices.Min(f.duration), 1)), float64(max(slices.Max(f.duration), 1))
}

// Draw draws the tasks that start in a window.
func (v *sequenceView) Draw(q core.Query) scene.Panel {
	height := kit.HeightOr(q, sequenceHeight*float64(len(v.facets)))
	each := height / float64(len(v.facets))
	p := scene.Panel{ID: "sequence", Height: height}
	ticks, names := scene.Layer{Name: "ticks", Unit: scene.Pixels}, scene.Layer{Name: "names", Unit: scene.Pixels}
	for i := range v.facets {
		d := sequenceDrawing{v, &v.facets[i], q, float32(each * float64(i)), float32(max(each-sequenceGap, 4))}
		if each >= kit.LeastHeaded {
			d.top, d.height = d.top+sequenceHead, d.height-sequenceHead
			names.Texts = append(names.Texts, d.name())
		}
		p.Layers = append(p.Layers, d.Back(), d.points())
		ticks.Texts = append(ticks.Texts, d.Ticks()...)
	}
	p.Layers = append(p.Layers, names)
	if q.Body {
		return p
	}
	p.YLabel, p.Left, p.Legend = "duration", []scene.Layer{ticks}, sequenceLegend()
	if v.more > 0 {
		p.Note = words.PluralThin(v.more, "kind with less time is", "kinds with less time are") + " left out"
	}
	return p
}

func sequenceLegend() []scene.LegendEntry {
	last := len(kit.SequenceColors) - 1
	return []scene.LegendEntry{{Label: "submitted first", Color: kit.SequenceColors[0]}, {Label: "halfway", Color: kit.SequenceColors[last/2]}, {Label: "last", Color: kit.SequenceColors[last]}}
}

// sequenceDrawing draws one row.
type sequenceDrawing struct {
	view        *sequenceView
	facet       *sequenceFacet
	q           core.Query
	top, height float32
}

func (d *sequenceDrawing) At(duration float64) float32 {
	share := (d.facet.y.At(duration) - d.facet.y.Low) / (d.facet.y.High - d.facet.y.Low)
	return d.top + d.height*float32(1-min(max(share, 0), 1))
}

func (d *sequenceDrawing) Back() scene.Layer {
	back := scene.Rects{Palette: []scene.Color{scene.Lane.Mix(scene.White, 0.5)}, Edges: scene.Crisp}
	back.Add(float64(d.q.T0), float64(d.q.T1), d.top, d.height, 0)
	return scene.Layer{Name: "back", Rects: []scene.Rects{back}}
}

// points are the tasks that start in the window; of those on the same pixels the
// first one is drawn.
func (d *sequenceDrawing) points() scene.Layer {
	points := scene.Rects{Palette: kit.SequenceColors, MinWidth: sequenceSize}
	columns, lines := max(d.q.Width, 1), int(d.height)+1
	taken := make([]bool, columns*lines)
	perPixel := float64(d.q.T1-d.q.T0) / float64(columns)
	first, _ := slices.BinarySearch(d.facet.start, d.q.T0)
	for i := first; i < len(d.facet.start) && d.facet.start[i] < d.q.T1; i++ {
		x, y := float64(d.facet.start[i]), d.At(float64(d.facet.duration[i]))
		cell := min(int((x-float64(d.q.T0))/perPixel), columns-1)*lines + min(max(int(y-d.top), 0), lines-1)
		if taken[cell] {
			continue
		}
		taken[cell] = true
		points.Add(x, x, y-sequenceSize/2, sequenceSize, uint8(d.view.rank[d.facet.task[i]]))
	}
	return scene.Layer{Name: "tasks", Rects: []scene.Rects{points}}
}

func (d *sequenceDrawing) Ticks() (out []scene.Text) {
	for _, t := range d.facet.y.Ticks(float64(d.height), true) {
		out = append(out, scene.Text{X: -kit.LabelAway, Y: d.At(d.facet.y.Back(t.At)), S: t.Label, Size: kit.TickSize, Color: scene.Soft, Anchor: scene.End})
	}
	return out
}

func (d *sequenceDrawing) name() scene.Text {
	text := d.facet.name + " " + kit.ArchName(d.facet.arch) + " · " + words.CountThin(len(d.facet.task))
	return scene.Text{X: 2, Y: d.top - 7, S: scene.Ellipsis(text, 10, false, float64(d.q.Width)-4), Size: 10, Color: scene.Ink}
}

// Data returns the tasks of the window.
func (v *sequenceView) Data(q core.Query) numbers.Table {
	return core.NumbersOf("sequence", v.run, core.WholeRun(), q)
}
