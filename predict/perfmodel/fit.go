package perfmodel

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/internal/parallel"
	"dagscope/trace"
)

// FitOptions say how models are fitted.
type FitOptions struct {
	Method Method // of all kinds, "" for History
	// Formula are the terms of regressions ([ParseFormula]), "" for what tells
	// most: the GFlop of tasks, else their bytes. Formulas are those of kinds.
	// Parameters that have names in the runs may be called by them.
	Formula  string
	Formulas map[string]string
	// Relative makes errors count by their share of the duration rather than
	// in nanoseconds, so that short tasks count like long ones.
	Relative bool
	// Reject leaves out tasks beyond the quartiles by 1.5 times their distance
	// (docs/design/methods.md, Outliers): durations of tasks with equal data, or
	// residuals.
	Reject   bool
	ByDevice bool    // a model for each GPU
	Level    float64 // of intervals, 0 for 0.95
}

// Fit is how a model was fitted, and how well.
type Fit struct {
	Tasks    int // that it was fitted to
	Rejected int // outliers
	Unknown  int // tasks that lack a variable of the formula

	Relative  bool // errors counted by their share of the duration: Sigma is such a share
	Log       bool // fitted in logarithms: coefficients are ln ns and exponents, R² is of logarithms
	Coef      []Coef
	Sigma     float64 // residual standard error, ns; of Relative a share, of Log of logarithms
	R2, AdjR2 float64
	Cond      float64 // condition number of the terms, scaled to equal length
	RelError  float64 // mean of |fitted − observed| / observed over the tasks
	Bias      float64 // mean fitted over mean observed duration, less 1
	Warnings  []Warning
	Observed  float64 // mean duration, ns
	Deviation float64 // of durations, ns
}

// Coef is a coefficient of a regression with its inference.
type Coef struct {
	Term      string
	Estimate  float64 // ns, or in logarithms
	StdErr    float64
	Low, High float64 // of the interval at the level that was asked for
	T, P      float64
}

// Warning is something to know before a model is believed.
type Warning struct{ Code, Text string }

// Codes of warnings.
const (
	WarnNotSignificant = "not-significant" // a term may as well have no influence
	WarnConfounded     = "confounded"      // terms cannot be told apart
	WarnLeftOut        = "left-out"        // a term is constant, or a combination of others
	WarnFallback       = "fallback"        // the method could not be used
	WarnFew            = "few"             // too few tasks to be sure
	WarnNegative       = "negative"        // the regression is below zero for some tasks
	WarnUnknown        = "unknown"         // tasks without the data that the model needs
)

const (
	significant  = 0.05
	conditionBad = 30 // Belsley, Kuh and Welsch: moderate to strong dependence
	fewTasks     = 10 // StarPU's own minimum
)

// FitModels fits a model for each kind and architecture of runs.
func FitModels(runs []*trace.Run, o FitOptions) (*Set, error) {
	o.Method, o.Level = cmp.Or(o.Method, History), cmp.Or(o.Level, 0.95)
	if !slices.Contains(Methods, o.Method) {
		return nil, fmt.Errorf("fit models: found method %q, want one of %v", o.Method, Methods)
	}
	if !(o.Level > 0 && o.Level < 1) {
		return nil, fmt.Errorf("fit models: found level %g, want one between 0 and 1", o.Level)
	}
	all := observe(runs, o.ByDevice)
	if len(all) == 0 {
		return nil, fmt.Errorf("fit models: found no task that ran, want one")
	}
	fitters := make([]*fitter, len(all))
	for i, group := range all {
		formula := o.Formula
		if own, ok := o.Formulas[group.kind]; ok {
			formula = own
		}
		f := &fitter{observations: group, o: o, m: Model{Kind: group.kind, Arch: group.arch, Device: group.device, Fit: &Fit{}}}
		if formula != "" {
			var err error
			if f.products, err = ParseNamedFormula(formula, group.names); err != nil {
				return nil, fmt.Errorf("fit models of %s: %w", group.kind, err)
			}
		}
		fitters[i] = f
	}
	parallel.For(len(fitters), func(i int) { fitters[i].fit() })
	models := make([]Model, len(fitters))
	for i, f := range fitters {
		models[i] = f.m
	}
	return NewSet(models)
}

// Methods are the ways to fit, in the order of help texts.
var Methods = []Method{Mean, History, Linear, NonLinear, Sample}

// fitter makes the model of a group.
type fitter struct {
	*observations
	o        FitOptions
	products []Product // nil for what tells most
	m        Model
}

func (f *fitter) fit() {
	f.summarize()
	switch f.o.Method {
	case Mean:
		f.mean()
	case History, Sample:
		f.history()
	case Linear:
		f.linear()
	case NonLinear:
		f.power()
	}
	f.judge()
	if f.m.Fit.Tasks < fewTasks && !slices.Contains(f.warned(), WarnFew) {
		f.warn(WarnFew, "fitted to fewer than %d tasks", fewTasks)
	}
}

func (f *fitter) warn(code, text string, about ...any) {
	f.m.Fit.Warnings = append(f.m.Fit.Warnings, Warning{code, fmt.Sprintf(text, about...)})
}

// judge compares the model's durations with those that it was made of.
func (f *fitter) judge() {
	relative, fitted, observed, n, counted := 0.0, 0.0, 0.0, 0, 0
	for i, d := range f.duration {
		t := f.task(i)
		ns, ok := f.m.Duration(&t)
		if !ok {
			continue
		}
		n++
		fitted, observed = fitted+ns, observed+float64(d)
		if d > 0 {
			relative += math.Abs(ns-float64(d)) / float64(d)
			counted++
		}
	}
	if counted > 0 {
		f.m.Fit.RelError = relative / float64(counted)
	}
	if n > 0 && observed > 0 {
		f.m.Fit.Bias = fitted/observed - 1
	}
}

// warned are the codes of the warnings so far.
func (f *fitter) warned() (codes []string) {
	for _, w := range f.m.Fit.Warnings {
		codes = append(codes, w.Code)
	}
	return codes
}
