package models

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/numbers/panels"
	"dagscope/explain/outlier"
	"dagscope/internal/stat"
	"dagscope/internal/words"
	"dagscope/predict/perfmodel"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

// residualFacets are the groups of tasks with the values that are drawn of them.
func residualFacets(run *trace.Run, set core.Models) ([]modelFacet, error) {
	groups, err := panels.Residuals(run, set.Fit, set.Formula)
	var facets []modelFacet
	for _, g := range groups {
		f := modelFacet{Model: g.Model, value: g.Ratio, fit: g.Fit}
		if set.Show == core.ShowObserved {
			f.value = panels.Each(f.Duration, func(d int64) float64 { return float64(d) })
		}
		facets = append(facets, f)
	}
	return facets, err
}

// shareScale gives all facets one scale of ratios, so that kinds can be compared:
// from a half to twice at least.
func (v *modelView) shareScale() {
	low, high := 0.5, 2.0
	for i := range v.facets {
		low, high = min(low, slices.Min(v.facets[i].value)), max(high, slices.Max(v.facets[i].value))
	}
	for i := range v.facets {
		v.facets[i].y = kit.NewScale(low, high, !v.set.Linear)
	}
}

// Axis is that of work, or of expected durations.
func (v *modelView) Axis(width int) *scene.Axis {
	if v.show == "" {
		return v.x.Axis(width, v.workLabel())
	}
	label := "expected duration"
	if !v.x.Log {
		ticks, unit := scene.TimeTicks(v.x.Low, v.x.High, float64(width), 11)
		return &scene.Axis{Min: v.x.Low, Max: v.x.High, Label: label + " [" + unit + "]", Ticks: ticks}
	}
	return &scene.Axis{Min: v.x.Low, Max: v.x.High, Label: label + " (logarithmic)", Ticks: scene.LogTicks(v.x.Low, v.x.High, float64(width), 11, words.Tick)}
}

func (v *modelView) valueLabel() string {
	if v.show == core.ShowResiduals {
		return "duration / expected"
	}
	return "duration"
}

// method names the way lines or models are fitted.
func (v *modelView) method() string {
	if v.show == "" {
		return string(cmp.Or(v.set.Method, outlier.LogLog)) + " regression"
	}
	text := "models: " + string(cmp.Or(v.set.Fit, perfmodel.Linear))
	if v.set.Formula != "" {
		text += " on " + v.set.Formula
	}
	return text
}

func (v *modelView) Legend() []scene.LegendEntry {
	if v.show == "" {
		return []scene.LegendEntry{{Label: "fit", Color: scene.Ink, Swatch: scene.Stroke}, {Label: "95 % of new tasks", Color: scene.Soft.Mix(scene.White, 0.75)}}
	}
	return []scene.LegendEntry{{Label: "as expected", Color: scene.Ink, Swatch: scene.Stroke}, {Label: "median, quartiles", Color: scene.Soft.Mix(scene.White, 0.75)}}
}

// guides are the lines that points are looked at by.
func (d *facetDrawing) guides() scene.Layer {
	if d.view.show == "" {
		return d.lines()
	}
	band, median := d.quartiles()
	return scene.Layer{Name: "fit", Areas: []scene.Area{band}, Lines: []scene.Line{d.asExpected(), median}}
}

// asExpected is where tasks are that take what is expected of them.
func (d *facetDrawing) asExpected() scene.Line {
	line := scene.Line{Color: scene.Ink, Width: 1.2}
	low, high := d.view.x.Low, d.view.x.High
	if d.view.show == core.ShowObserved { // the diagonal, as far as the facet reaches
		low, high = max(low, d.view.x.At(d.facet.y.Back(d.facet.y.Low))), min(high, d.view.x.At(d.facet.y.Back(d.facet.y.High)))
	}
	const steps = 40 // it bends where one axis is logarithmic
	for i := range steps + 1 {
		x := low + (high-low)*float64(i)/steps
		line.X, line.Y = append(line.X, x), append(line.Y, d.At(d.expectation(x, 1)))
	}
	return line
}

// expectation is the value of tasks at x that take so many times what is
// expected.
func (d *facetDrawing) expectation(x, ratio float64) float64 {
	if d.view.show == core.ShowObserved {
		return ratio * d.view.x.Back(x)
	}
	return ratio
}

// Residuals of a good model scatter about the line everywhere: the median and
// the quartiles of neighbouring tasks show where they do not.

// mostSlices is the number of groups of neighbouring tasks, leastSlice how many
// tasks each has at least.
const (
	mostSlices = 16
	leastSlice = 20
)

// quartiles are those of groups of tasks of similar expected duration, and
// their medians.
func (d *facetDrawing) quartiles() (band scene.Area, median scene.Line) {
	band, median = scene.Area{Color: kit.Faint(scene.Soft, 0x40)}, scene.Line{Color: scene.Soft, Width: 1}
	f := d.facet
	rows := make([]int, len(f.Work))
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(f.Work[a], f.Work[b]) })
	groups := min(mostSlices, len(rows)/leastSlice)
	for g := range groups {
		part := rows[g*len(rows)/groups : (g+1)*len(rows)/groups]
		x := d.view.x.At(f.Work[part[len(part)/2]])
		if len(band.X) > 0 && x <= band.X[len(band.X)-1] {
			continue
		}
		ratios := panels.Each(part, func(i int) float64 { return float64(f.Duration[i]) / f.Work[i] })
		var q [3]float64
		stat.Quantiles(ratios, []float64{0.25, 0.5, 0.75}, q[:])
		for k := range q {
			q[k] = d.expectation(x, q[k])
		}
		band.X, band.Y0, band.Y1 = append(band.X, x), append(band.Y0, d.At(q[2])), append(band.Y1, d.At(q[0]))
		median.X, median.Y = append(median.X, x), append(median.Y, d.At(q[1]))
	}
	return band, median
}

// fitFacts tell how good the model of the facet is.
func (d *facetDrawing) fitFacts() string {
	m := d.facet.fit
	text := fmt.Sprintf(" · %s · n %s, relative error %s %%", m.Method, words.CountThin(len(d.facet.Task)), words.Number(100*m.Fit.RelError, 1))
	if len(m.Fit.Coef) > 0 && !math.IsNaN(m.Fit.AdjR2) {
		text += ", adjusted R² " + words.Number(m.Fit.AdjR2, 3)
	}
	if n := len(m.Fit.Warnings); n > 0 {
		text += " · " + m.Fit.Warnings[0].Code
		if n > 1 {
			text += fmt.Sprintf(" and %d more", n-1)
		}
	}
	return text
}
