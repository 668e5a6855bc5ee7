package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/kind"
	"dagscope/explain/outlier"
	"dagscope/internal/stat"
	"dagscope/internal/words"
	"dagscope/predict/perfmodel"
	"dagscope/show/scene"
	"dagscope/trace"
)

// ModelShow is what the panel of models shows.
type ModelShow string

// What can be shown besides durations against work, which is "".
const (
	ShowObserved  ModelShow = "observed"  // durations against those that a model expects
	ShowResiduals ModelShow = "residuals" // their ratio
)

// ModelShows are the words for what can be shown, the usual one first.
var ModelShows = []string{"work", string(ShowObserved), string(ShowResiduals)}

// FitMethod is how a model is fitted.
type FitMethod = perfmodel.Method

// FitMethods are the ways to fit models, the usual one first.
var FitMethods = []string{string(perfmodel.Linear), string(perfmodel.Mean), string(perfmodel.History), string(perfmodel.NonLinear)}

// CheckFormula tells whether the terms of a regression can be read.
func CheckFormula(formula string) error {
	if formula == "" {
		return nil
	}
	return perfmodel.CheckFormula(formula)
}

var residualReads = joined(perfmodel.FitNeeds, []string{"task.key"})

// fitModels fits the models that calibrate would, and says what they expect of
// each task.
func fitModels(run *trace.Run, method FitMethod, formula string) (*perfmodel.Set, []float64, error) {
	models, err := perfmodel.FitModels([]*trace.Run{run}, perfmodel.FitOptions{Method: cmp.Or(method, perfmodel.Linear), Formula: formula})
	if err != nil {
		return nil, nil, &Missing{err.Error()}
	}
	return models, models.Fitted(run), nil
}

// Residual is a group of tasks with what a model expects of each, which is its Work.
type Residual struct {
	outlier.Model
	Ratio []float64 // of each task: its duration divided by what is expected
	Fit   *perfmodel.Model
}

// Residuals are the groups of tasks with what is expected of each. Tasks
// without a positive duration or expectation have no residual.
func Residuals(run *trace.Run, method FitMethod, formula string) ([]Residual, error) {
	models, expected, err := fitModels(run, method, formula)
	if err != nil {
		return nil, err
	}
	groups := kind.Group(run, kind.Options{Generation: true})
	durations := groups.Gather(kind.Durations(run))
	var facets []Residual
	for k := range groups.Len() {
		f := Residual{Model: outlier.Model{Kind: groups.Kind[k], Arch: groups.Arch[k], Node: trace.None}}
		for i, task := range groups.Tasks(k) {
			if d, e := durations[k][i], expected[task]; d > 0 && e > 0 {
				f.Task, f.Work, f.Duration = append(f.Task, task), append(f.Work, e), append(f.Duration, d)
			}
		}
		if len(f.Task) == 0 {
			continue
		}
		f.judge()
		f.Fit = modelOf(models, run.Task.Kind.Dict[f.Kind], perfmodel.ArchOf(kind.ArchName(run, f.Arch)))
		facets = append(facets, f)
	}
	if len(facets) == 0 {
		return nil, &Missing{"no task of the run has a duration that a model expects"}
	}
	return facets, nil
}

// modelOf is the model of a kind on an architecture, which was fitted to the
// tasks that ask for it.
func modelOf(s *perfmodel.Set, name, arch string) *perfmodel.Model {
	return &s.Models[slices.IndexFunc(s.Models, func(m perfmodel.Model) bool { return m.Kind == name && m.Arch == arch })]
}

// judge judges tasks by the quartiles of how long they took of what was expected
// (docs/design/methods.md, Outliers).
func (f *Residual) judge() {
	ratio := make([]float64, len(f.Task))
	for i, d := range f.Duration {
		ratio[i] = float64(d) / f.Work[i]
	}
	q := make([]float64, 2)
	stat.Quantiles(slices.Clone(ratio), []float64{0.25, 0.75}, q)
	reach := 1.5 * (q[1] - q[0])
	f.Side = make([]outlier.Side, len(ratio))
	for i, r := range ratio {
		switch {
		case r > q[1]+reach:
			f.Side[i] = outlier.Long
		case r < q[0]-reach:
			f.Side[i] = outlier.Short
		}
	}
	f.Ratio = ratio
}

// residualFacets are the groups of tasks with the values that are drawn of them.
func residualFacets(run *trace.Run, set Models) ([]modelFacet, error) {
	groups, err := Residuals(run, set.Fit, set.Formula)
	var facets []modelFacet
	for _, g := range groups {
		f := modelFacet{Model: g.Model, value: g.Ratio, fit: g.Fit}
		if set.Show == ShowObserved {
			f.value = each(f.Duration, func(d int64) float64 { return float64(d) })
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
		v.facets[i].y = newScale(low, high, !v.set.Linear)
	}
}

// axis is that of work, or of expected durations.
func (v *modelView) axis(width int) *scene.Axis {
	if v.show == "" {
		return v.x.axis(width, v.workLabel())
	}
	label := "expected duration"
	if !v.x.log {
		ticks, unit := scene.TimeTicks(v.x.low, v.x.high, float64(width), 11)
		return &scene.Axis{Min: v.x.low, Max: v.x.high, Label: label + " [" + unit + "]", Ticks: ticks}
	}
	return &scene.Axis{Min: v.x.low, Max: v.x.high, Label: label + " (logarithmic)", Ticks: scene.LogTicks(v.x.low, v.x.high, float64(width), 11, words.Tick)}
}

func (v *modelView) valueLabel() string {
	if v.show == ShowResiduals {
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

func (v *modelView) legend() []scene.LegendEntry {
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
	low, high := d.view.x.low, d.view.x.high
	if d.view.show == ShowObserved { // the diagonal, as far as the facet reaches
		low, high = max(low, d.view.x.at(d.facet.y.back(d.facet.y.low))), min(high, d.view.x.at(d.facet.y.back(d.facet.y.high)))
	}
	const steps = 40 // it bends where one axis is logarithmic
	for i := range steps + 1 {
		x := low + (high-low)*float64(i)/steps
		line.X, line.Y = append(line.X, x), append(line.Y, d.at(d.expectation(x, 1)))
	}
	return line
}

// expectation is the value of tasks at x that take so many times what is
// expected.
func (d *facetDrawing) expectation(x, ratio float64) float64 {
	if d.view.show == ShowObserved {
		return ratio * d.view.x.back(x)
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
	band, median = scene.Area{Color: faint(scene.Soft, 0x40)}, scene.Line{Color: scene.Soft, Width: 1}
	f := d.facet
	rows := make([]int, len(f.Work))
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(f.Work[a], f.Work[b]) })
	groups := min(mostSlices, len(rows)/leastSlice)
	for g := range groups {
		part := rows[g*len(rows)/groups : (g+1)*len(rows)/groups]
		x := d.view.x.at(f.Work[part[len(part)/2]])
		if len(band.X) > 0 && x <= band.X[len(band.X)-1] {
			continue
		}
		ratios := each(part, func(i int) float64 { return float64(f.Duration[i]) / f.Work[i] })
		var q [3]float64
		stat.Quantiles(ratios, []float64{0.25, 0.5, 0.75}, q[:])
		for k := range q {
			q[k] = d.expectation(x, q[k])
		}
		band.X, band.Y0, band.Y1 = append(band.X, x), append(band.Y0, d.at(q[2])), append(band.Y1, d.at(q[0]))
		median.X, median.Y = append(median.X, x), append(median.Y, d.at(q[1]))
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
