package panel

import (
	"maps"
	"slices"
	"strings"

	"dagscope/explain/numbers"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "gflops", Time: true,
		Doc: "Rate of work, the architectures stacked: how much of the machine's speed the application got, and from which " +
			"workers. Heights are time averages of each pixel.",
		Open: openGFlops,
	}))
}

// gflopsView stacks the rates of the workers of each architecture.
type gflopsView struct {
	run      *trace.Run
	options  Curve
	archs    []string
	rates    []*compact // of each architecture, all its workers together
	peaks    *peaks     // of their sum
	note     string
	counted  bool // by the runtime: a counter that is read often has rates that nobody reached
	makespan int64
}

func openGFlops(run *trace.Run, o *Options) (View, error) {
	of := o.GFlops
	series, source, err := gflopSeries(run, of.Source, false)
	if err != nil {
		return nil, err
	}
	series = slices.DeleteFunc(series, func(s progress.Series) bool { return zero(s.Steps) || !o.showsNode(s.Node) })
	if len(series) == 0 {
		return nil, &Missing{"the trace's counters of GFlop/s are always 0"}
	}
	note := metricNote(run, source, progress.GFlopsMetric, "work that tasks declare")
	if of.ByNode {
		v := &curveView{numbers: "gflops", run: run, options: of, settings: wholeRun(), unit: "GFlop/s", many: "nodes", rates: true, note: note}
		v.settings.Source, v.settings.ByNode = of.Source, true
		v.add(progress.ByNode(series), o, nodeLabel)
		return v, nil
	}
	v := &gflopsView{run: run, options: of, note: note, counted: source == FromCounters, makespan: schedule.Makespan(run)}
	v.add(series)
	return v, nil
}

// add sums the rates of workers by architecture; processors are at the bottom.
func (v *gflopsView) add(series []progress.Series) {
	of := map[string][]interval.Steps{}
	for i := range series {
		arch := ""
		if r := series[i].Resource; r >= 0 {
			arch = v.run.Resource.Arch.At(int(r))
		}
		of[arch] = append(of[arch], series[i].Steps)
	}
	v.archs = slices.SortedFunc(maps.Keys(of), compareArchs)
	var rates []interval.Steps
	for _, arch := range v.archs {
		rates = append(rates, sumSteps(of[arch]))
	}
	v.rates = make([]*compact, len(rates))
	parallel.For(len(rates), func(i int) { v.rates[i] = newCompact(rates[i]) })
	v.peaks = newPeaks(v.rates, sumSteps(rates))
}

// compareArchs puts processors first.
func compareArchs(a, b string) int {
	if x, y := archRank(a), archRank(b); x != y {
		return x - y
	}
	return strings.Compare(a, b)
}

func (v *gflopsView) reduce(q Query) stackDrawing {
	d := stackDrawing{grid: newGrid(q.T0, q.T1, q.Width)}
	for a, f := range v.rates {
		f = v.cut(f, q)
		detail := ""
		if !q.Body {
			mean, _ := summary(v.makespan, q, f)
			detail = "mean " + amount(mean, "GFlop/s")
		}
		d.parts = append(d.parts, stacked{label: archName(v.archs[a]), detail: detail,
			color: archColor(v.archs[a]).Mix(scene.White, 0.25), mean: f.reduce(d.grid).mean})
	}
	return d
}

// cut makes slices of a rate where they were asked for.
func (v *gflopsView) cut(f *compact, q Query) *compact {
	if v.cuts(q) {
		return f.sliced(v.options.Step, q.T0, q.T1)
	}
	return f
}

func (v *gflopsView) cuts(q Query) bool {
	return v.options.Step > narrowest(newGrid(q.T0, q.T1, q.Width))
}

// meanMost is the mean of all rates together while the run ran, and the
// greatest in the window.
func (v *gflopsView) meanMost(q Query) (mean, most float64) {
	cut := &peaks{}
	for _, f := range v.rates {
		f = v.cut(f, q)
		part, _ := summary(v.makespan, q, f)
		mean, cut.parts = mean+part, append(cut.parts, f)
	}
	if v.cuts(q) {
		return mean, cut.sweep(period{q.T0, q.T1})
	}
	return mean, v.peaks.within(period{q.T0, q.T1})
}

// Peak is the greatest mean of a pixel in a window: what is drawn, and less
// than the greatest rate where that lasts less than a pixel.
func (v *gflopsView) Peak(q Query) float64 {
	d := v.reduce(q)
	return slices.Max(sumOf(d.parts, d.grid.columns()))
}

// Draw draws a window.
func (v *gflopsView) Draw(q Query) scene.Panel {
	d := v.reduce(q)
	height, high := heightOr(q, curveHeight), slices.Max(sumOf(d.parts, d.grid.columns()))
	for _, top := range []float64{v.options.Top, q.Top} {
		if top > 0 {
			high = top
		}
	}
	d.axis = newAxis(0, high, height, "GFlop/s")
	if q.Body {
		return scene.Panel{ID: "gflops", Height: height, Layers: []scene.Layer{d.axis.grid(q), d.areas(true)}}
	}
	mean, most := v.meanMost(q)
	note := "mean " + d.axis.value(mean)
	if !v.counted {
		note += ", most " + d.axis.value(most)
	}
	return scene.Panel{ID: "gflops", Height: height, YLabel: d.axis.unit, Left: []scene.Layer{d.axis.labels(0)},
		Layers: []scene.Layer{d.axis.grid(q), d.areas(true)}, Legend: d.legend(),
		Note: note + "; " + v.note}
}

// Data returns the means of the columns, or the slices that were asked for.
func (v *gflopsView) Data(q Query) numbers.Table {
	s := wholeRun()
	s.Source = v.options.Source
	s.Step = sliceStep(&v.options, q)
	return numbersOf("gflops", v.run, s, q)
}

var _ Reader = (*gflopsView)(nil)
