package panel

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/analysis/progress"
	"dagscope/interval"
	"dagscope/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "gflops",
		Doc: "Rate of work, the architectures stacked: how much of the machine's speed the application got, and from which " +
			"workers. Heights are time averages of each pixel.",
		Open: openGFlops,
	}))
}

// gflopsView stacks the rates of the workers of each architecture.
type gflopsView struct {
	run     *trace.Run
	options Curve
	archs   []string
	workers [][]interval.Steps // by architecture
	note    string
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
	note := sourceNote(source, "work that tasks declare")
	if of.ByNode {
		v := &curveView{numbers: "gflops", run: run, options: of, settings: wholeRun(), unit: "GFlop/s", many: "nodes", rates: true, note: note}
		v.settings.Source, v.settings.ByNode = of.Source, true
		v.add(progress.ByNode(series), o, nodeLabel)
		return v, nil
	}
	v := &gflopsView{run: run, options: of, note: note}
	for i := range series {
		v.add(&series[i])
	}
	return v, nil
}

// add puts the rate of a worker with those of its architecture; processors are
// at the bottom.
func (v *gflopsView) add(s *progress.Series) {
	arch := ""
	if s.Resource >= 0 {
		arch = v.run.Resource.Arch.At(int(s.Resource))
	}
	at, known := slices.BinarySearchFunc(v.archs, arch, compareArchs)
	if !known {
		v.archs = slices.Insert(v.archs, at, arch)
		v.workers = slices.Insert(v.workers, at, nil)
	}
	v.workers[at] = append(v.workers[at], s.Steps)
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
	for a, workers := range v.workers {
		means := make([][]float64, len(workers))
		parallel(len(workers), func(i int) {
			f := workers[i]
			if v.options.Step > narrowest(d.grid) {
				f = sliced(f, v.options.Step, q.T0, q.T1)
			}
			means[i] = reduce(f, d.grid).mean
		})
		part := stacked{label: archCount(v.archs[a], len(workers)), color: archColor(v.archs[a]).Mix(scene.White, 0.25), mean: make([]float64, d.grid.columns())}
		for _, m := range means {
			for k := range m {
				part.mean[k] += m[k]
			}
		}
		d.parts = append(d.parts, part)
	}
	return d
}

// Peak is the greatest mean of a pixel in a window.
func (v *gflopsView) Peak(q Query) float64 {
	d := v.reduce(q)
	return slices.Max(sumOf(d.parts, d.grid.columns()))
}

// Draw draws a window.
func (v *gflopsView) Draw(q Query) scene.Panel {
	d := v.reduce(q)
	sum := sumOf(d.parts, d.grid.columns())
	height, high := heightOr(q, curveHeight), slices.Max(sum)
	for _, top := range []float64{v.options.Top, q.Top} {
		if top > 0 {
			high = top
		}
	}
	d.axis = newAxis(0, high, height, "GFlop/s")
	for i := range d.parts {
		d.parts[i].detail = "mean " + amount(meanOf(d.parts[i].mean, d.grid), "GFlop/s")
	}
	return scene.Panel{ID: "gflops", Height: height, YLabel: d.axis.unit, Left: []scene.Layer{d.axis.labels(0)},
		Layers: []scene.Layer{d.axis.grid(q), d.areas(true)}, Legend: d.legend(),
		Note: fmt.Sprintf("mean %s, most %s; %s", d.axis.value(meanOf(sum, d.grid)), d.axis.value(slices.Max(sum)), v.note)}
}

// Data returns the means of the columns, or the slices that were asked for.
func (v *gflopsView) Data(q Query) Table {
	s := wholeRun()
	s.Source = v.options.Source
	s.Step = v.options.slice(q)
	return numbersOf("gflops", v.run, s, q)
}
