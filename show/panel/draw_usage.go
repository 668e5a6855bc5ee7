package panel

import (
	"fmt"
	"maps"
	"slices"

	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
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
	options  Usage
	parts    []usagePart // bottom to top
	workers  int
	makespan int64
	hidden   int
}

// usagePart is a kind of tasks, or an architecture.
type usagePart struct {
	label, kind string
	color       scene.Color
	active      *compact
	total       int64 // ns
}

func openUsage(run *trace.Run, o *Options) (View, error) {
	v := &usageView{run: run, options: o.Usage, makespan: schedule.Makespan(run)}
	marked := make([]bool, len(run.Resource.Parent))
	for _, w := range kind.Workers(run) {
		if o.selects(&run.Resource, w) {
			marked[w] = true
			v.workers++
		}
	}
	if v.workers == 0 {
		return nil, &Missing{"no worker is selected"}
	}
	v.find(o, marked)
	if len(v.parts) == 0 {
		return nil, &Missing{"no task of the application ran on a worker that is shown"}
	}
	return v, nil
}

// find gathers when workers ran what.
func (v *usageView) find(o *Options, marked []bool) {
	colors := o.Colors
	if colors == nil {
		colors = TaskColors([]*trace.Run{v.run}, false)
	}
	spans := map[string]*interval.Spans{}
	hidden := map[string]bool{}
	lanes := schedule.Select(v.run, o.Base.laid(), schedule.Keep(v.run, false))
	for r := range marked {
		if !marked[r] {
			continue
		}
		for i, to := lanes.Of(int32(r)); i < to; i++ {
			name := v.run.Task.Kind.At(int(lanes.Task[i]))
			if o.hides(name) {
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
func (v *usageView) labelOf(kind string, worker int32, colors Colors) string {
	if v.options.ByArch {
		return v.run.Resource.Arch.At(int(worker))
	}
	if _, known := colors[kind]; !known {
		return otherKinds
	}
	return kind
}

// stack makes the parts, by name; what is not known by its colour is on top.
func (v *usageView) stack(spans map[string]*interval.Spans, colors Colors, o *Options) {
	labels := slices.SortedFunc(maps.Keys(spans), func(a, b string) int {
		if v.options.ByArch {
			return compareArchs(a, b)
		}
		switch {
		case a == b:
			return 0
		case a == otherKinds:
			return 1
		case b == otherKinds:
			return -1
		}
		return compareNatural(a, b)
	})
	v.parts = make([]usagePart, len(labels))
	parallel.For(len(labels), func(i int) {
		p := usagePart{label: labels[i], kind: labels[i], active: compactConcurrency(*spans[labels[i]]), total: spans[labels[i]].Length()}
		switch {
		case v.options.ByArch:
			p.label, p.kind, p.color = archName(labels[i]), "", archColor(labels[i]).Mix(scene.White, 0.25)
		case labels[i] == otherKinds:
			p.kind, p.color = "", otherColor
		default:
			p.color = o.colorOf(colors, labels[i]).Mix(scene.White, o.paleness())
		}
		v.parts[i] = p
	})
}

// reduce is what a window shows.
func (v *usageView) reduce(q Query, height float64) stackDrawing {
	d := stackDrawing{grid: newGrid(q.T0, q.T1, q.Width), axis: newAxis(0, float64(v.workers), height, "")}
	for _, p := range v.parts {
		active, detail := p.active, ""
		if v.options.Step > narrowest(d.grid) {
			active = active.sliced(v.options.Step, q.T0, q.T1)
		}
		if !q.Body {
			mean, _ := summary(v.makespan, q, p.active)
			detail = words.PercentFine(mean / float64(v.workers))
		}
		d.parts = append(d.parts, stacked{label: p.label, detail: detail, color: p.color, mean: active.reduce(d.grid).mean})
	}
	return d
}

// Draw draws a window.
func (v *usageView) Draw(q Query) scene.Panel {
	height := heightOr(q, curveHeight)
	d := v.reduce(q, height)
	y := d.axis.y(float64(v.workers))
	all := scene.Layer{Name: "workers", Lines: []scene.Line{{X: []float64{float64(q.T0), float64(q.T1)}, Y: []float32{y, y}, Color: scene.Soft, Width: 1, Dash: referenceDash}}}
	p := scene.Panel{ID: "resourceusage", Height: height, Layers: []scene.Layer{d.axis.grid(q), d.areas(true), all}}
	if q.Body {
		return p
	}
	p.YLabel, p.Left, p.Legend, p.Note = "workers", []scene.Layer{d.axis.labels(0)}, d.legend(), v.note(q)
	for i := range p.Legend {
		p.Legend[i].Kind = v.parts[i].kind
	}
	return p
}

// note says how many workers are active.
func (v *usageView) note(q Query) string {
	mean := 0.0
	for _, p := range v.parts {
		part, _ := summary(v.makespan, q, p.active)
		mean += part
	}
	note := fmt.Sprintf("%s of %s active in the mean (%s)", number(mean), words.PluralThin(v.workers, "worker", "workers"), words.PercentFine(mean/float64(v.workers)))
	if v.hidden > 0 {
		note += "; " + words.PluralThin(v.hidden, "kind is", "kinds are") + " hidden"
	}
	return note
}

// At counts the workers that run each kind.
func (v *usageView) At(t int64) []Reading {
	var out []Reading
	sum := 0.0
	for _, p := range v.parts {
		n := slicedAt(p.active, t, v.options.Step)
		sum += n
		if n > 0 {
			out = append(out, reading(p.label, n, "workers", p.color))
		}
	}
	return append(out, reading("idle", float64(v.workers)-sum, "workers", scene.Lane))
}

// Data returns the means of the columns, or of the steps that were asked for.
func (v *usageView) Data(q Query) numbers.Table {
	s := wholeRun()
	s.Step = max(v.options.Step, narrowest(newGrid(q.T0, q.T1, q.Width)))
	return numbersOf("resourceusage", v.run, s, q)
}

var _ Reader = (*usageView)(nil)
