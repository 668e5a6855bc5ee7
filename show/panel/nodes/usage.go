package nodes

import (
	"fmt"
	"maps"
	"slices"

	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "resourceusage", Time: true,
		Doc: "How many workers run tasks of each kind, stacked: the height is the number of active workers, the dashed line " +
			"how many there are. Heights are time averages of each pixel. The space under the line is idle; what the colours " +
			"show below a dip is the kind that the others wait for. By architecture, the active workers of each.",
		Open: openUsage,
	}))
}

// usageView stacks the numbers of workers that run something.
type usageView struct {
	run      *trace.Run
	options  core.Usage
	parts    []usagePart // bottom to top
	workers  int
	makespan int64
	hidden   int
}

// usagePart is a kind of tasks, or an architecture.
type usagePart struct {
	label, kind string
	color       scene.Color
	active      *kit.Compact
	total       int64 // ns
}

func openUsage(run *trace.Run, o *core.Options) (core.View, error) {
	v := &usageView{run: run, options: o.Usage, makespan: schedule.Makespan(run)}
	marked := make([]bool, len(run.Resource.Parent))
	for _, w := range kind.Workers(run) {
		if o.Selects(&run.Resource, w) {
			marked[w] = true
			v.workers++
		}
	}
	if v.workers == 0 {
		return nil, &panels.Missing{Why: "no worker is selected"}
	}
	v.find(o, marked)
	if len(v.parts) == 0 {
		return nil, &panels.Missing{Why: "no task of the application ran on a worker that is shown"}
	}
	return v, nil
}

// find gathers when workers ran what.
func (v *usageView) find(o *core.Options, marked []bool) {
	colors := o.Colors
	if colors == nil {
		colors = core.TaskColors([]*trace.Run{v.run}, false)
	}
	spans := map[string]*interval.Spans{}
	hidden := map[string]bool{}
	lanes := schedule.Select(v.run, o.Base.Laid(), schedule.Keep(v.run, false))
	for r := range marked {
		if !marked[r] {
			continue
		}
		for i, to := lanes.Of(int32(r)); i < to; i++ {
			name := v.run.Task.Kind.At(int(lanes.Task[i]))
			if o.Hides(name) {
				hidden[name] = true
				continue
			}
			label := v.labelOf(name, int32(r), colors)
			if spans[label] == nil {
				spans[label] = &interval.Spans{}
			}
			spans[label].Add(lanes.Start[i], lanes.End[i])
		}
	}
	v.hidden = len(hidden)
	v.stack(spans, colors, o)
}

const otherKinds = "other kinds"

// labelOf is what a piece counts for.
func (v *usageView) labelOf(kind string, worker int32, colors core.Colors) string {
	if v.options.ByArch {
		return v.run.Resource.Arch.At(int(worker))
	}
	if _, known := colors[kind]; !known {
		return otherKinds
	}
	return kind
}

// stack makes the parts, by name; what is not known by its colour is on top.
func (v *usageView) stack(spans map[string]*interval.Spans, colors core.Colors, o *core.Options) {
	labels := slices.SortedFunc(maps.Keys(spans), func(a, b string) int {
		if v.options.ByArch {
			return kit.CompareArchs(a, b)
		}
		switch {
		case a == b:
			return 0
		case a == otherKinds:
			return 1
		case b == otherKinds:
			return -1
		}
		return core.CompareNatural(a, b)
	})
	v.parts = make([]usagePart, len(labels))
	parallel.For(len(labels), func(i int) {
		p := usagePart{label: labels[i], kind: labels[i], active: kit.CompactConcurrency(*spans[labels[i]]), total: spans[labels[i]].Length()}
		switch {
		case v.options.ByArch:
			p.label, p.kind, p.color = kit.ArchName(labels[i]), "", kit.ArchColor(labels[i]).Mix(scene.White, 0.25)
		case labels[i] == otherKinds:
			p.kind, p.color = "", core.OtherColor
		default:
			p.color = o.ColorOf(colors, labels[i]).Mix(scene.White, o.Paleness())
		}
		v.parts[i] = p
	})
}

// Reduce is what a window shows.
func (v *usageView) Reduce(q core.Query, height float64) kit.Stack {
	d := kit.Stack{Grid: kit.NewGrid(q.T0, q.T1, q.Width), Axis: kit.NewAxis(0, float64(v.workers), height, "")}
	for _, p := range v.parts {
		active, detail := p.active, ""
		if v.options.Step > kit.Narrowest(d.Grid) {
			active = active.Sliced(v.options.Step, q.T0, q.T1)
		}
		if !q.Body {
			mean, _ := kit.Summary(v.makespan, q, p.active)
			detail = words.PercentFine(mean / float64(v.workers))
		}
		d.Parts = append(d.Parts, kit.Stacked{Label: p.label, Detail: detail, Color: p.color, Mean: active.Reduce(d.Grid).Mean})
	}
	return d
}

// Draw draws a window.
func (v *usageView) Draw(q core.Query) scene.Panel {
	height := kit.HeightOr(q, kit.CurveHeight)
	d := v.Reduce(q, height)
	y := d.Axis.Y(float64(v.workers))
	all := scene.Layer{Name: "workers", Lines: []scene.Line{{X: []float64{float64(q.T0), float64(q.T1)}, Y: []float32{y, y}, Color: scene.Soft, Width: 1, Dash: kit.ReferenceDash}}}
	p := scene.Panel{ID: "resourceusage", Height: height, Layers: []scene.Layer{d.Axis.Grid(q), d.Areas(true), all}}
	if q.Body {
		return p
	}
	p.YLabel, p.Left, p.Legend, p.Note = "workers", []scene.Layer{d.Axis.Labels(0)}, d.Legend(), v.note(q)
	for i := range p.Legend {
		p.Legend[i].Kind = v.parts[i].kind
	}
	return p
}

// note says how many workers are active.
func (v *usageView) note(q core.Query) string {
	mean := 0.0
	for _, p := range v.parts {
		part, _ := kit.Summary(v.makespan, q, p.active)
		mean += part
	}
	note := fmt.Sprintf("%s of %s active in the mean (%s)", kit.Number(mean), words.PluralThin(v.workers, "worker", "workers"), words.PercentFine(mean/float64(v.workers)))
	if v.hidden > 0 {
		note += "; " + words.PluralThin(v.hidden, "kind is", "kinds are") + " hidden"
	}
	return note
}

// At counts the workers that run each kind.
func (v *usageView) At(t int64) []core.Reading {
	var out []core.Reading
	sum := 0.0
	for _, p := range v.parts {
		n := kit.SlicedAt(p.active, t, v.options.Step)
		sum += n
		if n > 0 {
			out = append(out, kit.Reading(p.label, n, "workers", p.color))
		}
	}
	return append(out, kit.Reading("idle", float64(v.workers)-sum, "workers", scene.Lane))
}

// Data returns the means of the columns, or of the steps that were asked for.
func (v *usageView) Data(q core.Query) numbers.Table {
	s := core.WholeRun()
	s.Step = max(v.options.Step, kit.Narrowest(kit.NewGrid(q.T0, q.T1, q.Width)))
	return core.NumbersOf("resourceusage", v.run, s, q)
}

var _ core.Reader = (*usageView)(nil)
