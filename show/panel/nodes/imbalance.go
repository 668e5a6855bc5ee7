package nodes

import (
	"fmt"
	"math"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "imbalance", Time: true,
		Doc: "How evenly the workers were used in each step, a hundredth of the makespan unless set. Percentage: 0 when all are " +
			"used alike, 1 when one does everything. Time: the part of the step that the most used worker worked beyond the " +
			"mean, which perfect balance would save. Deviation and mean are of the utilisation. Above with all workers alike, " +
			"below with workers weighed by their speed on one kind of tasks, and against the area bound of what was done in " +
			"the step: only this knows that a GPU should be given what it is good at.",
		Open: openImbalance,
	}))
}

// imbalanceView draws metrics over time, a part of the body for each weights.
type imbalanceView struct {
	run     *trace.Run
	options core.Imbalance
	cut     interval.Slices
	facets  []imbalanceFacet
	kind    string // that stands for power
}

// imbalanceFacet are the metrics by some weights.
type imbalanceFacet struct {
	weights panels.ImbalanceWeights
	metrics []imbalanceCurve
}

// imbalanceCurve is one metric, NaN where it does not exist.
type imbalanceCurve struct {
	label string
	color scene.Color
	value []float64
}

const (
	imbalanceFacetHeight = 96
	imbalanceGap         = 8 // below each part
)

func openImbalance(run *trace.Run, o *core.Options) (core.View, error) {
	v := &imbalanceView{run: run, options: o.Imbalance}
	end := schedule.Makespan(run)
	if end <= 0 {
		return nil, panels.NothingRan
	}
	if v.cut = (interval.Slices{To: end, Step: v.options.Step}); v.cut.Step <= 0 {
		v.cut.Step = panels.Part(panels.ImbalanceSlices)(0, end)
	}
	if v.cut.Len() > mostImbalanceSlices {
		v.cut.Step = panels.Part(mostImbalanceSlices)(0, end)
	}
	how := utilization.SliceOptions{Nodes: o.Nodes, Lanes: o.Base.Laid(), StarVZ: v.options.StarVZ}
	weights := v.options.Weights
	if weights == nil {
		weights = panels.AllImbalanceWeights()
	}
	for _, w := range weights {
		m, err := panels.ImbalanceOf(run, v.cut, how, w, v.options.Kind)
		if err != nil {
			return nil, err
		}
		v.facets = append(v.facets, imbalanceFacet{w, curvesOf(m)})
	}
	if k, err := panels.PowerKind(run, how, v.options.Kind); err == nil {
		v.kind = run.Task.Kind.Dict[k]
	}
	return v, nil
}

// mostImbalanceSlices bounds the linear programs that are solved on opening.
const mostImbalanceSlices = 20_000

func curvesOf(m *utilization.Metrics) []imbalanceCurve {
	return []imbalanceCurve{{"percentage", kit.SeriesColors[1], m.Percent}, {"time", kit.SeriesColors[0], m.Time},
		{"deviation", kit.SeriesColors[3], m.SD}, {"mean", kit.SeriesColors[7], m.Mean}}
}

// Draw draws a window.
func (v *imbalanceView) Draw(q core.Query) scene.Panel {
	n := float64(len(v.facets))
	p := scene.Panel{ID: "imbalance", Height: kit.HeightOr(q, max(kit.CurveHeight, imbalanceFacetHeight*n))}
	share := p.Height / n
	for i, f := range v.facets {
		down := float32(share * float64(i))
		axis := kit.NewAxis(0, v.Top(), share-imbalanceGap, "")
		grid := axis.Grid(q)
		for k := range grid.Lines {
			grid.Lines[k].Y[0], grid.Lines[k].Y[1] = grid.Lines[k].Y[0]+down, grid.Lines[k].Y[1]+down
		}
		p.Layers = append(p.Layers, grid, v.lines(f, q, &axis, down))
		if q.Body {
			continue
		}
		p.Left = append(p.Left, shareTicks(&axis, down), v.facetName(f, down, share))
	}
	if q.Body {
		return p
	}
	p.Legend, p.Note = v.Legend(q), v.note()
	return p
}

func (v *imbalanceView) Top() float64 {
	if v.options.Top > 0 {
		return v.options.Top
	}
	return 1
}

// shareTicks writes values from 0 to 1 left of a facet.
func shareTicks(a *kit.YAxis, down float32) scene.Layer {
	l := scene.Layer{Name: "ticks", Unit: scene.Pixels}
	for _, t := range scene.YTicks(a.Low, a.High, float64(a.Bottom-a.Top), 22) {
		l.Texts = append(l.Texts, scene.Text{X: -kit.LabelAway, Y: down + a.Y(t.At), S: t.Label, Size: kit.TickSize, Color: scene.Soft, Anchor: scene.End})
	}
	return l
}

func (v *imbalanceView) facetName(f imbalanceFacet, down float32, height float64) scene.Layer {
	l := scene.Layer{Name: "facets", Unit: scene.Pixels}
	if len(v.facets) > 1 {
		l.Texts = append(l.Texts, scene.Text{X: -34, Y: down + float32(height/2), S: string(f.weights), Size: 11, Color: scene.Ink, Anchor: scene.End})
	}
	return l
}

// lines go through the middles of the steps, and stop where a metric does not
// exist.
func (v *imbalanceView) lines(f imbalanceFacet, q core.Query, a *kit.YAxis, down float32) scene.Layer {
	l := scene.Layer{Name: string(f.weights)}
	first, last := v.Within(q)
	for _, c := range f.metrics {
		line := scene.Line{Color: c.color, Width: 1.3}
		flush := func() {
			if len(line.X) > 0 {
				l.Lines = append(l.Lines, line)
			}
			line.X, line.Y = nil, nil
		}
		for k := first; k < last; k++ {
			if math.IsNaN(c.value[k]) {
				flush()
				continue
			}
			from, to := v.cut.Bounds(k)
			line.X, line.Y = append(line.X, float64(from+to)/2), append(line.Y, down+a.Y(c.value[k]))
		}
		flush()
	}
	return l
}

// Within are the steps [first, last) that a window shows, and one more on each
// side, where its lines lead.
func (v *imbalanceView) Within(q core.Query) (first, last int) {
	n := v.cut.Len()
	first = int(min(max(q.T0/v.cut.Step-1, 0), int64(n)))
	last = int(min(max(q.T1/v.cut.Step+2, 0), int64(n)))
	return first, max(first, last)
}

// Legend names the metrics with their means over the window, of the first
// facet.
func (v *imbalanceView) Legend(q core.Query) []scene.LegendEntry {
	var out []scene.LegendEntry
	first, last := v.Within(q)
	for m, c := range v.facets[0].metrics {
		detail := ""
		for _, f := range v.facets {
			if detail != "" {
				detail += " / "
			}
			detail += meanKnown(f.metrics[m].value[first:last])
		}
		out = append(out, scene.LegendEntry{Label: c.label, Detail: "mean " + detail, Color: c.color, Swatch: scene.Stroke})
	}
	return out
}

// meanKnown is the mean of the values that exist, as a text.
func meanKnown(values []float64) string {
	sum, n := 0.0, 0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return "–"
	}
	return words.Number(sum/float64(n), 2)
}

func (v *imbalanceView) note() string {
	note := "steps of " + words.Duration(v.cut.Step)
	for _, f := range v.facets {
		if f.weights == panels.PowerImbalance && v.kind != "" {
			note += fmt.Sprintf("; power of workers by their speed on %s", v.kind)
		}
	}
	if v.options.Step > 0 && v.options.Step < v.cut.Step {
		note += "; shorter ones would be too many"
	}
	if v.options.StarVZ {
		note += "; by StarVZ's conventions"
	}
	return note
}

// At reads the metrics of the step around an instant.
func (v *imbalanceView) At(t int64) []core.Reading {
	if t < v.cut.From || t >= v.cut.To {
		return nil
	}
	var out []core.Reading
	for _, f := range v.facets {
		for _, c := range f.metrics {
			r := core.Reading{Label: string(f.weights) + " " + c.label, Value: "none", Color: c.color}
			if value := c.value[v.cut.At(t)]; !math.IsNaN(value) {
				r.Value = kit.Exactly(value)
			}
			out = append(out, r)
		}
	}
	return out
}

// Data returns the metrics of the steps of the run.
func (v *imbalanceView) Data(core.Query) numbers.Table {
	n, err := panels.Find("imbalance")
	if err != nil {
		panic(err) // registered in this package
	}
	var weights trace.Strings
	var start, end []int64
	metrics := make([][]float64, 4)
	for _, f := range v.facets {
		for k := range v.cut.Len() {
			from, to := v.cut.Bounds(k)
			weights.Append(string(f.weights))
			start, end = append(start, from), append(end, to)
		}
		for m, c := range f.metrics {
			metrics[m] = append(metrics[m], c.value...)
		}
	}
	return numbers.Table{Columns: n.Columns, Data: []any{&weights, start, end, metrics[0], metrics[1], metrics[2], metrics[3]}}
}

var _ core.Reader = (*imbalanceView)(nil)
