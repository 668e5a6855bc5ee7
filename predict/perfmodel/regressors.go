package perfmodel

import (
	"errors"
	"math"
	"slices"

	"dagscope/internal/stat"
)

// regressors are the values of terms for the tasks that know them all.
type regressors struct {
	rows     []int32
	products []Product   // the constant, if there is one, first
	columns  [][]float64 // of all products, by row
}

func (f *fitter) regressors(products []Product) *regressors {
	all := make([][]float64, len(products))
	for j, p := range products {
		all[j] = f.column(p)
	}
	x := &regressors{products: products, columns: make([][]float64, len(products))}
	for i := range f.duration {
		if !slices.ContainsFunc(all, func(c []float64) bool { return math.IsNaN(c[i]) }) {
			x.rows = append(x.rows, int32(i))
		}
	}
	for j := range all {
		x.columns[j] = make([]float64, len(x.rows))
		for k, i := range x.rows {
			x.columns[j][k] = all[j][i]
		}
	}
	if f.m.Fit.Unknown = len(f.duration) - len(x.rows); f.m.Fit.Unknown > 0 {
		f.warn(WarnUnknown, "%d tasks lack a variable of the formula: left out", f.m.Fit.Unknown)
	}
	return x
}

// keep leaves only some rows.
func (x *regressors) keep(which func(k int) bool) {
	n := 0
	for k := range x.rows {
		if !which(k) {
			continue
		}
		x.rows[n] = x.rows[k]
		for _, c := range x.columns {
			c[n] = c[k]
		}
		n++
	}
	x.rows = x.rows[:n]
	for j := range x.columns {
		x.columns[j] = x.columns[j][:n]
	}
}

// logarithms takes those of all variables and durations, leaving out tasks
// that have none.
func (x *regressors) logarithms(duration []int64) (y []float64) {
	x.keep(func(k int) bool {
		return duration[x.rows[k]] > 0 && !slices.ContainsFunc(x.columns, func(c []float64) bool { return !(c[k] > 0) })
	})
	for j, p := range x.products {
		if len(p) > 0 {
			for k, v := range x.columns[j] {
				x.columns[j][k] = math.Log(v)
			}
		}
	}
	for _, i := range x.rows {
		y = append(y, math.Log(float64(duration[i])))
	}
	return y
}

// fit fits y to the terms that can be told apart, weighted and without
// outliers as the options say.
func (x *regressors) fit(f *fitter, y []float64) (*stat.Fit, error) {
	fit, err := x.independent(f, y)
	if err != nil {
		return nil, err
	}
	relative := f.o.Relative && f.o.Method != NonLinear // logarithms are relative by themselves
	if fit, err = x.weighted(fit, y, relative); err != nil || !f.o.Reject {
		return fit, err
	}
	// Outliers pull the fit towards them: what they are is judged again by each
	// fit without them, over all tasks.
	all, kept := *x, []bool(nil)
	for range rejections {
		usual := all.usual(fit, y, relative)
		if slices.Equal(usual, kept) {
			break
		}
		kept = usual
		var left []float64
		*x, left = all.only(kept, y)
		if fit, err = x.independent(f, left); err == nil {
			fit, err = x.weighted(fit, left, relative)
		}
		if err != nil {
			return nil, err
		}
		all.products, all.columns = x.products, all.columnsOf(x.products)
	}
	f.m.Fit.Rejected = len(all.rows) - len(x.rows)
	return fit, nil
}

// rejections is how often outliers are judged again.
const rejections = 10

// only are the rows that are kept, with their y.
func (x *regressors) only(kept []bool, y []float64) (regressors, []float64) {
	part := regressors{products: slices.Clone(x.products), columns: make([][]float64, len(x.columns))}
	part.rows = filter(x.rows, kept)
	for j, c := range x.columns {
		part.columns[j] = filter(c, kept)
	}
	return part, filter(y, kept)
}

func filter[T any](from []T, kept []bool) (out []T) {
	for k, v := range from {
		if kept[k] {
			out = append(out, v)
		}
	}
	return out
}

// columnsOf are the columns of some of the terms, which come in their order.
func (x *regressors) columnsOf(products []Product) (columns [][]float64) {
	for j, p := range x.products {
		if len(columns) < len(products) && slices.Equal(p, products[len(columns)]) {
			columns = append(columns, x.columns[j])
		}
	}
	return columns
}

var (
	errNoTask = errors.New("no task has all variables of the formula")
	errNoTerm = errors.New("no term of the formula differs between the tasks")
)

// independent leaves out terms that cannot be told from those before them.
func (x *regressors) independent(f *fitter, y []float64) (*stat.Fit, error) {
	if len(y) == 0 {
		return nil, errNoTask
	}
	if fit, err := x.regress(y, nil); err == nil || !errors.Is(err, stat.ErrDependent) {
		return fit, err
	}
	all := *x
	x.products, x.columns = nil, nil
	for j, p := range all.products {
		without := *x
		x.products, x.columns = append(x.products, p), append(x.columns, all.columns[j])
		if _, err := x.regress(y, nil); err != nil {
			f.warn(WarnLeftOut, "%s cannot be told from the other terms: left out", p)
			*x = without
		}
	}
	if len(x.products) == 0 || len(x.products) == 1 && len(x.products[0]) == 0 && len(all.products) > 1 {
		return nil, errNoTerm
	}
	return x.regress(y, nil)
}

// regress fits y to all terms; R² is about the mean if one is a constant.
func (x *regressors) regress(y, weights []float64) (*stat.Fit, error) {
	if len(x.products[0]) == 0 {
		return stat.Regress(x.columns[1:], true, y, weights)
	}
	return stat.Regress(x.columns, false, y, weights)
}

// rounds of weighting: the weights change by little after the first.
const rounds = 4

// weighted fits with errors relative to the fitted durations, those at least a
// hundredth of the mean, if that is wanted.
func (x *regressors) weighted(fit *stat.Fit, y []float64, relative bool) (*stat.Fit, error) {
	if !relative {
		return fit, nil
	}
	least := 0.01 * stat.Summarize(y).Mean
	weights := make([]float64, len(y))
	for range rounds {
		for k := range y {
			v := max(x.at(fit, k), least)
			weights[k] = 1 / (v * v)
		}
		var err error
		if fit, err = x.regress(y, weights); err != nil {
			return nil, err
		}
	}
	return fit, nil
}

// at is the fitted value of a row.
func (x *regressors) at(fit *stat.Fit, k int) float64 {
	v := 0.0
	for j, c := range x.columns {
		v += fit.Coef[j] * c[k]
	}
	return v
}

// usual tells which rows have residuals that lie near the quartiles.
func (x *regressors) usual(fit *stat.Fit, y []float64, relative bool) []bool {
	residual := make([]float64, len(y))
	for k := range y {
		fitted := x.at(fit, k)
		if residual[k] = y[k] - fitted; relative {
			residual[k] /= max(fitted, 1)
		}
	}
	q := make([]float64, 2)
	stat.Quantiles(slices.Clone(residual), []float64{0.25, 0.75}, q)
	low, high := q[0]-1.5*(q[1]-q[0]), q[1]+1.5*(q[1]-q[0])
	kept := make([]bool, len(y))
	for k, r := range residual {
		kept[k] = r >= low && r <= high
	}
	return kept
}

// smearing is the mean of the exponentials of residuals.
func (x *regressors) smearing(fit *stat.Fit, duration []int64) float64 {
	sum := 0.0
	for k, i := range x.rows {
		sum += float64(duration[i]) / math.Exp(x.at(fit, k))
	}
	return sum / float64(len(x.rows))
}
