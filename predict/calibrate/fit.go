package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/internal/stat"
	"dagscope/internal/words"
	"dagscope/predict/perfmodel"
)

// Weighting is how much measurements count.
type Weighting string

// Weightings.
const (
	Equal    Weighting = "equal"    // all with the same weight: long tasks decide
	Relative Weighting = "relative" // errors count as shares of the fitted time
	Observed Weighting = "observed" // errors count as shares of the measured time, as weights 1/t² do
	Given    Weighting = "given"    // by the column weight
)

// Weightings in the order of help texts.
var Weightings = []Weighting{Equal, Relative, Observed, Given}

// Options say how kernels are fitted.
type Options struct {
	Formulas  map[string]string // of kinds; that of "" for kinds that are not known
	Weights   Weighting         // "" for Given where all measurements of a kernel have a weight, else Equal
	Level     float64           // of intervals, 0 for 0.95
	Disturbed float64           // wall by CPU time above which measurements are left out; 0: none is
}

// Fit is the model of a kernel with what it was fitted to.
type Fit struct {
	Model    perfmodel.Model // Model.Fit reports how sure it is
	Formula  string
	Weights  Weighting
	Samples  *Samples  // it was fitted to
	Expected []float64 // of each, ns
	// VIF is how many times the variance of each coefficient is larger for its
	// term being close to a combination of the others; NaN for the constant.
	VIF         []float64
	Scale       float64 // of fits to shares of times, that makes the sum of what is expected that of what was measured
	MedianError float64 // median of |expected − measured| / measured
	R2Times     float64 // share of the variance of times explained, whatever the weights
	Left        int     // measurements left out as disturbed
	Contention  *Contention
}

// Codes of warnings beside those of perfmodel.
const (
	WarnDisturbed  = "disturbed"  // measurements that others took part of the processor from
	WarnContention = "contention" // the curve is not sure
)

const (
	significant  = 0.05
	conditionBad = 30 // Belsley, Kuh and Welsch: moderate to strong dependence
	vifBad       = 10 // Marquardt 1970
	few          = 10 // measurements beyond the coefficients
	shortest     = 1  // ns
)

// FitKernels fits a model to each kind of samples.
func FitKernels(all []*Samples, o Options) ([]*Fit, error) {
	if o.Weights != "" && !slices.Contains(Weightings, o.Weights) {
		return nil, fmt.Errorf("fit kernels: found weights %q, want one of %v", o.Weights, Weightings)
	}
	if o.Level == 0 {
		o.Level = 0.95
	}
	if !(o.Level > 0 && o.Level < 1) {
		return nil, fmt.Errorf("fit kernels: found level %g, want one between 0 and 1", o.Level)
	}
	var fits []*Fit
	for _, s := range all {
		f, err := fitKernel(s, &o)
		if err != nil {
			return nil, fmt.Errorf("fit %s: %w", s.Kind, err)
		}
		fits = append(fits, f)
	}
	if len(fits) == 0 {
		return nil, errors.New("fit kernels: found no measurement, want some")
	}
	slices.SortStableFunc(fits, func(a, b *Fit) int { return orderOf(a.Model.Kind) - orderOf(b.Model.Kind) })
	return fits, nil
}

// weights are those of a kernel's measurements.
func (o *Options) weights(s *Samples) Weighting {
	switch {
	case o.Weights != "":
		return o.Weights
	case s.Weight != nil && !slices.ContainsFunc(s.Weight, func(w float64) bool { return !(w >= 0) }):
		return Given
	}
	return Equal
}

// shares reports whether errors count as shares of times.
func (w Weighting) shares() bool { return w == Relative || w == Observed }

// orderOf is the place of a kernel in reports: known ones first.
func orderOf(kind string) int {
	if i := slices.IndexFunc(Kernels, func(k Kernel) bool { return k.Kind == kind }); i >= 0 {
		return i
	}
	return len(Kernels)
}

// SetOf are the models of fits, as a file of models holds them.
func SetOf(fits []*Fit) (*perfmodel.Set, error) {
	var models []perfmodel.Model
	for _, f := range fits {
		models = append(models, f.Model)
	}
	return perfmodel.NewSet(models)
}

func fitKernel(s *Samples, o *Options) (*Fit, error) {
	disturbed := s.DisturbedBeyond(disturbedBeyond)
	if kept := s.Undisturbed(o.Disturbed); o.Disturbed > 0 && kept.Len() > 0 {
		s, disturbed = kept, kept.DisturbedBeyond(max(o.Disturbed, disturbedBeyond))
	} // else all were disturbed: processor times are better than nothing
	f := &Fit{Samples: s, Left: s.Disturbed, Scale: 1}
	f.Model = perfmodel.Model{Kind: s.Kind, Arch: perfmodel.ArchOf(s.Arch), Device: perfmodel.Any, Method: perfmodel.Linear, Fit: &perfmodel.Fit{Rejected: s.Disturbed}}
	if disturbed > 0 {
		f.warn(WarnDisturbed, "%d of %d measurements took more than %g times the processor's time: others had it meanwhile", disturbed, s.Len(), disturbedBeyond)
	}
	f.Samples = f.Samples.medians()
	if err := f.regress(o); err != nil {
		return nil, err
	}
	f.summarize()
	return f, nil
}

// disturbedBeyond is the usual limit of wall by CPU time.
const disturbedBeyond = 1.05

func (f *Fit) warn(code, text string, about ...any) {
	f.Model.Fit.Warnings = append(f.Model.Fit.Warnings, perfmodel.Warning{Code: code, Text: fmt.Sprintf(text, about...)})
}

// formula is what durations of a kind depend on.
func (o *Options) formula(s *Samples) string {
	if own, ok := o.Formulas[s.Kind]; ok {
		return own
	}
	if k := kernelOf(s.Kind); k != nil {
		return k.Formula
	}
	if usual, ok := o.Formulas[""]; ok {
		return usual
	}
	if s.GFlop != nil {
		return "gflop"
	}
	return "1"
}

// regress fits the terms of the formula, those that can be distinguished. Without
// any, the mean remains.
func (f *Fit) regress(o *Options) error {
	f.Formula, f.Weights = o.formula(f.Samples), o.weights(f.Samples)
	products, err := perfmodel.ParseNamedFormula(f.Formula, f.names(f.Formula))
	if err != nil {
		return err
	}
	t := &terms{names: f.names(f.Formula), products: products}
	f.known(t)
	if len(t.products) == 0 {
		f.mean()
		return nil
	}
	d := &design{columns: t.columns(f.Samples), y: f.Samples.Time, weights: make([]float64, f.Samples.Len())}
	if err := d.setWeights(f.Samples, f.Weights); err != nil {
		return err
	}
	fit, err := f.independent(t, d)
	if err != nil {
		f.warn(perfmodel.WarnFallback, "%v: the mean of all", err)
		f.mean()
		return nil
	}
	if fit, err = d.reweighted(fit, f.Weights, t.constant()); err != nil {
		return err
	}
	f.keep(fit, t, d, o)
	return nil
}

// names are those of the parameters that a formula may use: of known kernels
// all, whether they were measured or not, so that p1, p2, … are those of the
// workload.
func (f *Fit) names(formula string) []string {
	var names []string
	if k := kernelOf(f.Samples.Kind); k != nil {
		names = slices.Clone(k.Parameters)
	}
	for _, name := range append(slices.Clone(f.Samples.Names), perfmodel.NamesIn(formula)...) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// known leaves out terms with variables that no measurement has, and then
// measurements that lack one.
func (f *Fit) known(t *terms) {
	t.products = slices.DeleteFunc(t.products, func(p perfmodel.Product) bool {
		for _, power := range p {
			c := t.column(f.Samples, power.Of)
			if !slices.ContainsFunc(c, func(v float64) bool { return !math.IsNaN(v) }) {
				f.warn(perfmodel.WarnUnknown, "%s is not known of any measurement: without %s", t.name(power.Of), p.Named(t.names))
				return true
			}
		}
		return false
	})
	if len(t.products) == 1 && len(t.products[0]) == 0 {
		t.products = nil
		return
	}
	all := t.columns(f.Samples)
	has := func(i int) bool {
		return !slices.ContainsFunc(all, func(c []float64) bool { return math.IsNaN(c[i]) || math.IsInf(c[i], 0) })
	}
	before := f.Samples.Len()
	f.Samples = f.Samples.only(has)
	if f.Model.Fit.Unknown = before - f.Samples.Len(); f.Model.Fit.Unknown > 0 {
		f.warn(perfmodel.WarnUnknown, "%d measurements lack a variable of the formula: left out", f.Model.Fit.Unknown)
	}
	if f.Samples.Len() == 0 {
		t.products = nil
	}
}

// mean is the model of kernels of which nothing else is known.
func (f *Fit) mean() {
	m := stat.Summarize(f.Samples.Time)
	f.Model.Method, f.Model.Mean, f.Model.Count = perfmodel.Mean, max(m.Mean, shortest), int64(m.N)
	if m.SD > 0 {
		f.Model.Deviation = m.SD
	}
	f.Model.Fit.Tasks = m.N
	f.Expected = slices.Repeat([]float64{f.Model.Mean}, m.N)
}

// independent fits the terms that can be told from those before them; the
// others are left out.
func (f *Fit) independent(t *terms, d *design) (*stat.Fit, error) {
	fit, err := d.regress(t.constant())
	if err == nil || !errors.Is(err, stat.ErrDependent) {
		return fit, err
	}
	all, columns := t.products, d.columns
	t.products, d.columns = nil, nil
	for j, p := range all {
		t.products, d.columns = append(t.products, p), append(d.columns, columns[j])
		if _, err := d.regress(t.constant()); err != nil {
			f.warn(perfmodel.WarnLeftOut, "%s cannot be told from the other terms: left out", p.Named(t.names))
			t.products, d.columns = t.products[:len(t.products)-1], d.columns[:len(d.columns)-1]
		}
	}
	if len(t.products) == 0 {
		return nil, errors.New("no term differs between the measurements")
	}
	return d.regress(t.constant())
}

// keep makes the model of a fit.
func (f *Fit) keep(fit *stat.Fit, t *terms, d *design, o *Options) {
	r := &perfmodel.Regression{Parameters: t.names, Floor: max(0.1*slices.Min(d.y), shortest)}
	if f.Weights.shares() {
		f.Scale = d.scale(fit, r.Floor)
	}
	for j, p := range t.products {
		r.Terms = append(r.Terms, perfmodel.Term{Coef: f.Scale * fit.Coef[j], Of: p})
	}
	r.Ranges = t.ranges(f.Samples)
	f.Model.Regression, f.Model.Count = r, int64(fit.N)
	for i := range d.y {
		f.Expected = append(f.Expected, max(f.Scale*d.at(fit, i), r.Floor))
	}
	f.VIF = d.inflation(t.constant())
	f.describe(fit, t, d, o)
}

// describe keeps the inference of a fit, and warns.
func (f *Fit) describe(fit *stat.Fit, t *terms, d *design, o *Options) {
	m := f.Model.Fit
	m.Relative = f.Weights.shares()
	m.Tasks, m.Sigma, m.Cond, m.R2, m.AdjR2 = fit.N, fit.Sigma, fit.Cond, fit.R2, fit.AdjR2
	for j, p := range t.products {
		low, high := fit.Confidence(j, o.Level)
		m.Coef = append(m.Coef, perfmodel.Coef{Term: p.Named(t.names), Estimate: f.Scale * fit.Coef[j], StdErr: f.Scale * fit.StdErr[j],
			Low: f.Scale * low, High: f.Scale * high, T: fit.T[j], P: fit.P[j]})
		if len(p) > 0 && fit.P[j] > significant {
			f.warn(perfmodel.WarnNotSignificant, "%s: p %.2g, its coefficient may be 0", p.Named(t.names), fit.P[j])
		}
	}
	f.warnConfounded(fit, t)
	if fit.DF < few {
		f.warn(perfmodel.WarnFew, "%d measurements for %d coefficients", fit.N, len(fit.Coef))
	}
	negative := 0
	for i := range d.y {
		if d.at(fit, i) <= 0 {
			negative++
		}
	}
	if negative > 0 {
		f.warn(perfmodel.WarnNegative, "%d measurements would take less than no time: %s is told instead", negative, words.Brief(f.Model.Regression.Floor))
	}
}

// warnConfounded names the terms that cannot be distinguished for sure.
func (f *Fit) warnConfounded(fit *stat.Fit, t *terms) {
	var which []string
	for j, v := range f.VIF {
		if v > vifBad {
			which = append(which, fmt.Sprintf("%s (VIF %.0f)", t.products[j].Named(t.names), v))
		}
	}
	switch {
	case which != nil:
		f.warn(perfmodel.WarnConfounded, "%s vary together: their coefficients are not sure one by one, durations are as long as parameters stay in their ranges", strings.Join(which, ", "))
	case fit.Cond > conditionBad:
		f.warn(perfmodel.WarnConfounded, "condition %.0f, above %d: coefficients are not sure one by one, durations are as long as parameters stay in their ranges", fit.Cond, conditionBad)
	}
}

// summarize compares what is expected with what was measured.
func (f *Fit) summarize() {
	time := f.Samples.Time
	m := stat.Summarize(time)
	f.Model.Fit.Observed = m.Mean
	if m.SD > 0 {
		f.Model.Fit.Deviation = m.SD
	}
	var errs []float64
	for i, t := range time {
		if t > 0 {
			errs = append(errs, math.Abs(f.Expected[i]-t)/t)
		}
	}
	f.R2Times = f.explained(m.Mean)
	f.Model.Fit.RelError = stat.Summarize(errs).Mean
	f.MedianError = stat.Quantile(errs, 0.5)
	f.Model.Fit.Bias = stat.Sum(f.Expected)/stat.Sum(time) - 1
}

// explained is 1 less the squares of what is left over those about the mean;
// NaN where all times are equal.
func (f *Fit) explained(mean float64) float64 {
	left, all := 0.0, 0.0
	for i, t := range f.Samples.Time {
		left += (t - f.Expected[i]) * (t - f.Expected[i])
		all += (t - mean) * (t - mean)
	}
	if all == 0 {
		return math.NaN()
	}
	return 1 - left/all
}

// medians takes, of the measurements of each point of a design, the median.
func (s *Samples) medians() *Samples {
	if s.Point == nil {
		return s
	}
	rows := map[float64][]int{}
	for i, p := range s.Point {
		if !math.IsNaN(p) {
			rows[p] = append(rows[p], i)
		}
	}
	kept := make([]bool, s.Len())
	for i, p := range s.Point {
		kept[i] = math.IsNaN(p)
	}
	for _, group := range rows {
		slices.SortStableFunc(group, func(a, b int) int { return compare(s.Time[a], s.Time[b]) })
		kept[group[(len(group)-1)/2]] = true
	}
	return s.only(func(i int) bool { return kept[i] })
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
