package progress

import (
	"maps"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "gflops", Time: true,
		Doc: "Rate of work, the architectures stacked: how much of the machine's speed the application got, and from which " +
			"workers. Heights are time averages of each pixel.",
		Open: openGFlops,
	}))
}

// gflopsView stacks the rates of the workers of each architecture.
type gflopsView struct {
	run      *trace.Run
	options  core.Curve
	archs    []string
	rates    []*kit.Compact // of each architecture, all its workers together
	peaks    *kit.Peaks     // of their sum
	note     string
	counted  bool // by the runtime: a counter that is read often has rates that nobody reached
	makespan int64
}

func openGFlops(run *trace.Run, o *core.Options) (core.View, error) {
	of := o.GFlops
	series, source, err := panels.GFlopSeries(run, of.Source, false)
	if err != nil {
		return nil, err
	}
	series = slices.DeleteFunc(series, func(s progress.Series) bool { return kit.Zero(s.Steps) || !o.ShowsNode(s.Node) })
	if len(series) == 0 {
		return nil, &panels.Missing{Why: "the trace's counters of GFlop/s are always 0"}
	}
	note := kit.MetricNote(run, source, progress.GFlopsMetric, "work that tasks declare")
	if of.ByNode {
		v := &kit.Curves{Numbers: "gflops", Run: run, Options: of, Settings: core.WholeRun(), Unit: "GFlop/s", Many: "nodes", Rates: true, Note: note}
		v.Settings.Source, v.Settings.ByNode = of.Source, true
		v.Add(progress.ByNode(series), o, kit.NodeLabel)
		return v, nil
	}
	v := &gflopsView{run: run, options: of, note: note, counted: source == panels.FromCounters, makespan: schedule.Makespan(run)}
	v.Add(series)
	return v, nil
}

// Add sums the rates of workers by architecture; processors are at the bottom.
func (v *gflopsView) Add(series []progress.Series) {
	of := map[string][]interval.Steps{}
	for i := range series {
		arch := ""
		if r := series[i].Resource; r >= 0 {
			arch = v.run.Resource.Arch.At(int(r))
		}
		of[arch] = append(of[arch], series[i].Steps)
	}
	v.archs = slices.SortedFunc(maps.Keys(of), kit.CompareArchs)
	var rates []interval.Steps
	for _, arch := range v.archs {
		rates = append(rates, kit.SumSteps(of[arch]))
	}
	v.rates = make([]*kit.Compact, len(rates))
	parallel.For(len(rates), func(i int) { v.rates[i] = kit.NewCompact(rates[i]) })
	v.peaks = kit.NewPeaks(v.rates, kit.SumSteps(rates))
}

func (v *gflopsView) Reduce(q core.Query) kit.Stack {
	d := kit.Stack{Grid: kit.NewGrid(q.T0, q.T1, q.Width)}
	for a, f := range v.rates {
		f = v.cut(f, q)
		detail := ""
		if !q.Body {
			mean, _ := kit.Summary(v.makespan, q, f)
			detail = "mean " + kit.Amount(mean, "GFlop/s")
		}
		d.Parts = append(d.Parts, kit.Stacked{Label: kit.ArchName(v.archs[a]), Detail: detail,
			Color: kit.ArchColor(v.archs[a]).Mix(scene.White, 0.25), Mean: f.Reduce(d.Grid).Mean})
	}
	return d
}

// cut makes slices of a rate where they were asked for.
func (v *gflopsView) cut(f *kit.Compact, q core.Query) *kit.Compact {
	if v.cuts(q) {
		return f.Sliced(v.options.Step, q.T0, q.T1)
	}
	return f
}

func (v *gflopsView) cuts(q core.Query) bool {
	return v.options.Step > kit.Narrowest(kit.NewGrid(q.T0, q.T1, q.Width))
}

// MeanMost is the mean of all rates together while the run ran, and the
// greatest in the window.
func (v *gflopsView) MeanMost(q core.Query) (mean, most float64) {
	cut := &kit.Peaks{}
	for _, f := range v.rates {
		f = v.cut(f, q)
		part, _ := kit.Summary(v.makespan, q, f)
		mean, cut.Parts = mean+part, append(cut.Parts, f)
	}
	if v.cuts(q) {
		return mean, cut.Sweep(kit.Period{From: q.T0, To: q.T1})
	}
	return mean, v.peaks.Within(kit.Period{From: q.T0, To: q.T1})
}

// Peak is the greatest mean of a pixel in a window: what is drawn, and less
// than the greatest rate where that lasts less than a pixel.
func (v *gflopsView) Peak(q core.Query) float64 {
	d := v.Reduce(q)
	return slices.Max(kit.SumOf(d.Parts, d.Grid.Columns()))
}

// Draw draws a window.
func (v *gflopsView) Draw(q core.Query) scene.Panel {
	d := v.Reduce(q)
	height, high := kit.HeightOr(q, kit.CurveHeight), slices.Max(kit.SumOf(d.Parts, d.Grid.Columns()))
	for _, top := range []float64{v.options.Top, q.Top} {
		if top > 0 {
			high = top
		}
	}
	d.Axis = kit.NewAxis(0, high, height, "GFlop/s")
	if q.Body {
		return scene.Panel{ID: "gflops", Height: height, Layers: []scene.Layer{d.Axis.Grid(q), d.Areas(true)}}
	}
	mean, most := v.MeanMost(q)
	note := "mean " + d.Axis.Value(mean)
	if !v.counted {
		note += ", most " + d.Axis.Value(most)
	}
	return scene.Panel{ID: "gflops", Height: height, YLabel: d.Axis.Unit, Left: []scene.Layer{d.Axis.Labels(0)},
		Layers: []scene.Layer{d.Axis.Grid(q), d.Areas(true)}, Legend: d.Legend(),
		Note: note + "; " + v.note}
}

// Data returns the means of the columns, or the slices that were asked for.
func (v *gflopsView) Data(q core.Query) numbers.Table {
	s := core.WholeRun()
	s.Source = v.options.Source
	s.Step = kit.SliceStep(&v.options, q)
	return core.NumbersOf("gflops", v.run, s, q)
}

var _ core.Reader = (*gflopsView)(nil)

// At reads the rate of each architecture and of all.
func (v *gflopsView) At(t int64) []core.Reading {
	var out []core.Reading
	sum := 0.0
	for a, f := range v.rates {
		rate := kit.SlicedAt(f, t, v.options.Step)
		sum += rate
		out = append(out, kit.Reading(kit.ArchName(v.archs[a]), rate, "GFlop/s", kit.ArchColor(v.archs[a])))
	}
	if len(out) > 1 {
		out = append(out, kit.Reading("all", sum, "GFlop/s", scene.None))
	}
	return out
}
