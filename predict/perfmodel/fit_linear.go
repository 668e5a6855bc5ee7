package perfmodel

import (
	"math"
	"slices"

	"dagscope/internal/stat"
)

// The problem: durations as a sum of products of what is known of tasks, with
// how sure each coefficient is, also when terms hardly differ, for up to 1e7
// tasks (Stanisic 2015, section V).
//
// The approach: least squares by QR (stat.Regress). Terms that cannot be told
// from those before them are left out, with a warning, rather than given
// arbitrary coefficients. Relative errors are minimised by weights that are
// the inverse squares of the fitted durations, fitted again until they settle;
// weights of observed durations would favour tasks that were short by chance.
//
// What it does not do: choose terms. Which are wanted is known from the
// kernel's algorithm, and the table of the fit says which were not needed.

// linear is a regression on the terms of the formula.
func (f *fitter) linear() {
	products := f.terms()
	if products == nil {
		f.fallback("nothing that is known of the tasks differs: history")
		return
	}
	x := f.regressors(products)
	y := make([]float64, len(x.rows))
	for k, i := range x.rows {
		y[k] = float64(f.duration[i])
	}
	fit, err := x.fit(f, y)
	if err != nil {
		f.fallback("%v: history", err)
		return
	}
	f.m.Method = Linear
	f.m.Regression = &Regression{Parameters: f.names, Ranges: f.ranges(x), Floor: f.floor(x)}
	for j, p := range x.products {
		f.m.Regression.Terms = append(f.m.Regression.Terms, Term{fit.Coef[j], p})
	}
	f.describe(fit, x, func(p Product) string { return p.Named(f.names) })
	f.warnNegative(x)
}

// power is a product of powers of the formula's variables, fitted in
// logarithms. Its exponential is the median of durations: Duan's smearing
// factor (Duan 1983) makes a mean of it.
func (f *fitter) power() {
	var variables []Product
	for _, p := range f.terms() {
		for _, factor := range p {
			if one := (Product{{factor.Of, 1}}); !slices.ContainsFunc(variables, func(q Product) bool { return q[0].Of == factor.Of }) {
				variables = append(variables, one)
			}
		}
	}
	if variables == nil {
		f.fallback("nothing that is known of the tasks differs: history")
		return
	}
	x := f.regressors(append([]Product{nil}, variables...))
	y := x.logarithms(f.duration)
	fit, err := x.fit(f, y)
	if err != nil {
		f.fallback("%v: history", err)
		return
	}
	f.m.Method = NonLinear
	term := Term{Coef: math.Exp(fit.Coef[0]) * x.smearing(fit, f.duration)}
	for j, p := range x.products[1:] {
		term.Of = append(term.Of, Power{p[0].Of, fit.Coef[j+1]})
	}
	f.m.Regression = &Regression{Parameters: f.names, Terms: []Term{term}, Ranges: f.ranges(x), Floor: f.floor(x)}
	f.m.Fit.Log = true
	f.describe(fit, x, func(p Product) string {
		if len(p) == 0 {
			return "ln constant"
		}
		return "exponent of " + p.Named(f.names)
	})
}

// fallback uses the history where no regression can be fitted.
func (f *fitter) fallback(why string, about ...any) {
	f.warn(WarnFallback, why, about...)
	f.o.Method = History
	f.history()
}

// terms are those of the formula, or a constant with what tells most: GFlop,
// else bytes, where they are known of nearly all tasks and differ.
func (f *fitter) terms() []Product {
	if f.products != nil {
		return f.products
	}
	for _, v := range []Variable{GFlop, Bytes} {
		p := Product{{v, 1}}
		known, first, differs := 0, math.NaN(), false
		for _, x := range f.column(p) {
			if math.IsNaN(x) {
				continue
			}
			if known++; known == 1 {
				first = x
			}
			differs = differs || math.Abs(x-first) > 1e-6*math.Abs(first)
		}
		if differs && float64(known) >= 0.9*float64(len(f.duration)) {
			return []Product{nil, p}
		}
	}
	return nil
}

// ranges are where the variables of the terms lay.
func (f *fitter) ranges(x *regressors) []Range {
	var out []Range
	for _, p := range x.products {
		for _, factor := range p {
			if !slices.ContainsFunc(out, func(r Range) bool { return r.Of == factor.Of }) {
				out = append(out, f.rangeOf(factor.Of, x.rows))
			}
		}
	}
	slices.SortFunc(out, func(a, b Range) int { return int(a.Of - b.Of) })
	return out
}

func (f *fitter) rangeOf(v Variable, rows []int32) Range {
	r := Range{v, math.Inf(1), math.Inf(-1)}
	for _, i := range rows {
		t := f.task(int(i))
		value, _ := t.value(v)
		r.Min, r.Max = min(r.Min, value), max(r.Max, value)
	}
	return r
}

// floor is what a regression never goes below: a tenth of the shortest task.
func (f *fitter) floor(x *regressors) float64 {
	least := int64(math.MaxInt64)
	for _, i := range x.rows {
		least = min(least, f.duration[i])
	}
	return max(0.1*float64(least), shortestDuration)
}

// describe keeps the inference of a fit.
func (f *fitter) describe(fit *stat.Fit, x *regressors, name func(Product) string) {
	d := f.m.Fit
	d.Relative = f.o.Relative && f.o.Method == Linear
	d.Tasks, d.Sigma, d.Cond, d.R2, d.AdjR2 = fit.N, fit.Sigma, fit.Cond, fit.R2, fit.AdjR2
	for j, p := range x.products {
		low, high := fit.Confidence(j, f.o.Level)
		d.Coef = append(d.Coef, Coef{Term: name(p), Estimate: fit.Coef[j], StdErr: fit.StdErr[j], Low: low, High: high, T: fit.T[j], P: fit.P[j]})
		if len(p) > 0 && fit.P[j] > significant {
			f.warn(WarnNotSignificant, "%s: p %.2g, its coefficient may be 0", name(p), fit.P[j])
		}
	}
	if fit.Cond > conditionBad {
		f.warn(WarnConfounded, "condition %.0f, above %d: coefficients are not sure one by one, durations are as long as variables stay in their ranges", fit.Cond, conditionBad)
	}
	if fit.DF < fewTasks {
		f.warn(WarnFew, "%d measurements for %d coefficients", fit.N, len(fit.Coef))
	}
}

// warnNegative counts the tasks for which the terms add up to nothing.
func (f *fitter) warnNegative(x *regressors) {
	negative := 0
	for _, i := range x.rows {
		t := f.task(int(i))
		sum := 0.0
		for _, term := range f.m.Regression.Terms {
			v, _ := term.Of.at(&t)
			sum += term.Coef * v
		}
		if sum <= 0 {
			negative++
		}
	}
	if negative > 0 {
		f.warn(WarnNegative, "%d tasks would take less than no time: they take %.0f ns", negative, f.m.Regression.Floor)
	}
}
