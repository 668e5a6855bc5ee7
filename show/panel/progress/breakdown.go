package progress

import (
	"fmt"
	"slices"

	"dagscope/explain/breakdown"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "breakdown", Time: true,
		Doc: "How many workers worked, were held up (overhead: some task was ready, yet the worker ran none) or were idle " +
			"(nothing was ready), over time. Heights are time averages of each pixel and add up to the number of workers. " +
			"In programs whose workers come and go (OpenMP threads) only those that are there count. " +
			"By architecture, each has a part of its own, and only tasks that it can run are ready for it.",
		Open: openBreakdown,
	}))
}

// Colours of the parts: work recedes, what costs time stands out.
var (
	workColor     = scene.RGB(0x8fb8a8)
	overheadColor = scene.RGB(0xd55e00)
	idleColor     = scene.RGB(0xf6d58a)
)

// breakdownView stacks the parts of the workers' time.
type breakdownView struct {
	run     *trace.Run
	tasks   kit.Period         // from zero, or the first task, to the makespan
	whole   kit.Period         // what is broken down where no window is asked for
	facets  [][]breakdownCurve // what is drawn together: all, or each architecture by itself
	note    string
	waiting panels.Waiting
}

func openBreakdown(run *trace.Run, o *core.Options) (core.View, error) {
	all, unknown := breakdownCurves(run, o)
	if unknown > 0 && unknown == panels.CountedTasks(run, false) {
		return nil, &panels.Missing{Why: "the run does not tell when any task was ready: idleness and overhead cannot be told apart"}
	}
	if len(all) == 0 {
		return nil, &panels.Missing{Why: "no worker is known in this run"}
	}
	slices.SortFunc(all, func(a, b breakdownCurve) int { return kit.CompareArchs(a.arch, b.arch) })
	v := &breakdownView{run: run, tasks: kit.Period{From: 0, To: schedule.Makespan(run)}, facets: [][]breakdownCurve{all}, waiting: o.Breakdown.Waiting}
	v.whole = v.tasks
	if run.Meta.Lifetimes {
		v.whole.From, v.whole.To = breakdown.Recording(run)
	}
	if o.Breakdown.ByArch {
		v.facets = nil
		for i := range all {
			v.facets = append(v.facets, all[i:i+1])
		}
	}
	v.note = waitingNote(run, o.Breakdown.Waiting)
	if unknown > 0 {
		if v.note != "" {
			v.note += "; "
		}
		v.note += fmt.Sprintf("the ready times of %s tasks are not known", words.CountThin(int(unknown)))
	}
	return v, nil
}

// waitingNote says how tasks that wait are read, in runs of threads and others that tell of them.
func waitingNote(run *trace.Run, w panels.Waiting) string {
	switch {
	case !run.Meta.Lifetimes && run.Phase.Kind.Find(trace.PhaseResumable) == trace.None:
		return ""
	case w == panels.WaitingNotReady:
		return "tasks that wait for others which are done are not ready (waiting-ready off)"
	}
	return "tasks that wait for others which are done are ready (waiting-ready on)"
}

// facetsHeight is the natural height of several architectures.
const facetsHeight = 70

// Draw draws a window of the breakdown.
func (v *breakdownView) Draw(q core.Query) scene.Panel {
	facets := v.facets
	natural := float64(kit.CurveHeight)
	if len(facets) > 1 {
		natural = facetsHeight * float64(len(facets))
	}
	p := scene.Panel{ID: "breakdown", YLabel: "workers", Height: kit.HeightOr(q, natural), Note: v.note}
	g := kit.NewGrid(q.T0, q.T1, q.Width)
	var whole [3]float64
	counted := v.counted(q)
	share := p.Height / float64(len(facets))
	for i, curves := range facets {
		parts, workers := v.parts(curves, g)
		d := kit.Stack{Grid: g, Parts: parts, Axis: kit.NewAxis(0, workers, share-2, ""), Down: float32(share * float64(i))}
		p.Layers = append(p.Layers, d.Areas(false))
		if q.Body {
			continue
		}
		p.Left = append(p.Left, d.Axis.Labels(d.Down), facetName(curves, facets, d.Down, share))
		for _, c := range curves {
			work, _ := counted.MeanMost(c.work)
			over := c.meanOverhead(counted)
			whole[0], whole[1], whole[2] = whole[0]+work, whole[1]+over, whole[2]+max(0, c.there(counted)-work-over)
		}
	}
	if q.Body {
		return scene.Panel{ID: p.ID, Height: p.Height, Layers: p.Layers}
	}
	sum := whole[0] + whole[1] + whole[2]
	for n, part := range []kit.Stacked{{Label: "work", Color: workColor}, {Label: "overhead", Color: overheadColor}, {Label: "idleness", Color: idleColor}} {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: part.Label, Detail: words.PercentFine(whole[n] / sum), Color: part.Color})
	}
	return p
}

// counted is the part of a window whose time the legend divides. A window that
// shows all tasks is the whole run, with what threads did before the first task
// and after the last: the same as in reports and tables.
func (v *breakdownView) counted(q core.Query) kit.Period {
	if q.T0 <= v.tasks.From && q.T1 >= v.tasks.To {
		return v.whole
	}
	p := kit.Period{From: max(q.T0, v.whole.From), To: min(q.T1, v.whole.To)}
	if p.From >= p.To {
		return kit.Period{From: q.T0, To: q.T1}
	}
	return p
}

// facetName names a facet where there are several.
func facetName(curves []breakdownCurve, facets [][]breakdownCurve, down float32, height float64) scene.Layer {
	l := scene.Layer{Name: "facets", Unit: scene.Pixels}
	if len(facets) > 1 {
		l.Texts = append(l.Texts, scene.Text{X: -34, Y: down + float32(height/2), S: kit.ArchName(curves[0].arch), Size: 11, Color: scene.Ink, Anchor: scene.End})
	}
	return l
}

// parts are the means of the columns, summed over the curves.
func (v *breakdownView) parts(curves []breakdownCurve, g *kit.Grid) (parts []kit.Stacked, workers float64) {
	n := g.Columns()
	work, over, idle := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, c := range curves {
		workers += float64(c.workers)
		w, o := c.work.Reduce(g).Mean, c.overheads(g)
		for k := range work {
			work[k], over[k] = work[k]+w[k], over[k]+o[k]
			idle[k] += c.there(kit.Period{From: g.Edges[k], To: g.Edges[k+1]})
		}
	}
	for k := range idle {
		idle[k] = max(0, idle[k]-work[k]-over[k])
	}
	return []kit.Stacked{{Color: workColor, Mean: work}, {Color: overheadColor, Mean: over}, {Color: idleColor, Mean: idle}}, workers
}

// Data returns the parts of each worker in the window.
func (v *breakdownView) Data(q core.Query) numbers.Table {
	s := core.WholeRun()
	s.Waiting = v.waiting
	return core.NumbersOf("breakdown", v.run, s, q)
}

var _ core.Reader = (*breakdownView)(nil)

// At reads how many workers do what.
func (v *breakdownView) At(t int64) []core.Reading {
	var out []core.Reading
	for _, facet := range v.facets {
		work, over, workers := 0.0, 0.0, 0.0
		for _, c := range facet {
			work, over, workers = work+c.work.At(t), over+c.overheadAt(t), workers+c.thereAt(t)
		}
		prefix := ""
		if len(v.facets) > 1 {
			prefix = kit.ArchName(facet[0].arch) + " "
		}
		out = append(out, kit.Reading(prefix+"work", work, "workers", workColor), kit.Reading(prefix+"overhead", over, "workers", overheadColor),
			kit.Reading(prefix+"idleness", max(0, workers-work-over), "workers", idleColor))
	}
	return out
}
