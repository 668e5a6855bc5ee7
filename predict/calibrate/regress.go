package calibrate

import (
	"errors"
	"math"
	"slices"

	"dagscope/internal/stat"
	"dagscope/predict/perfmodel"
)

// terms are what a duration is a sum of.
type terms struct {
	names    []string
	products []perfmodel.Product // the constant, if there is one, first
}

func (t *terms) constant() bool { return len(t.products) > 0 && len(t.products[0]) == 0 }

// name is how a variable is called.
func (t *terms) name(v perfmodel.Variable) string {
	return perfmodel.Product{{Of: v, Exponent: 1}}.Named(t.names)
}

// column is a variable of all measurements.
func (t *terms) column(s *Samples, v perfmodel.Variable) []float64 {
	switch i := int(v - perfmodel.Parameter); {
	case v == perfmodel.GFlop && s.GFlop != nil:
		return s.GFlop
	case i >= 0 && i < len(t.names):
		return s.param(t.names[i])
	}
	return unknown(s.Len())
}

// columns are the terms of all measurements.
func (t *terms) columns(s *Samples) [][]float64 {
	out := make([][]float64, len(t.products))
	for j, p := range t.products {
		c := slices.Repeat([]float64{1}, s.Len())
		for _, power := range p {
			for i, v := range t.column(s, power.Of) {
				c[i] *= math.Pow(v, power.Exponent)
			}
		}
		out[j] = c
	}
	return out
}

// ranges are where the variables of the terms lay.
func (t *terms) ranges(s *Samples) (out []perfmodel.Range) {
	for _, p := range t.products {
		for _, power := range p {
			if !slices.ContainsFunc(out, func(r perfmodel.Range) bool { return r.Of == power.Of }) {
				c := t.column(s, power.Of)
				out = append(out, perfmodel.Range{Of: power.Of, Min: slices.Min(c), Max: slices.Max(c)})
			}
		}
	}
	slices.SortFunc(out, func(a, b perfmodel.Range) int { return int(a.Of - b.Of) })
	return out
}

// design is a regression to be made. Terms are as different in size as 1 and
// NB³·BK: stat.Regress reflects columns (Householder), for which their scale
// makes no difference, where normal equations would lose all digits.
type design struct {
	columns    [][]float64
	y, weights []float64
}

// regress fits y to the columns; R² is about the mean if one is a constant.
func (d *design) regress(constant bool) (*stat.Fit, error) {
	if constant {
		return stat.Regress(d.columns[1:], true, d.y, d.weights)
	}
	return stat.Regress(d.columns, false, d.y, d.weights)
}

// at is the fitted value of a measurement.
func (d *design) at(fit *stat.Fit, i int) float64 {
	v := 0.0
	for j, c := range d.columns {
		v += fit.Coef[j] * c[i]
	}
	return v
}

// setWeights gives the weights that do not depend on a fit.
func (d *design) setWeights(s *Samples, w Weighting) error {
	for i := range d.weights {
		d.weights[i] = 1
		switch w {
		case Observed:
			v := max(s.Time[i], shortest)
			d.weights[i] = 1 / (v * v)
		case Given:
			if s.Weight == nil || !(s.Weight[i] >= 0) {
				return errors.New("found measurements without weight, want a column of weights, at least 0")
			}
			d.weights[i] = s.Weight[i]
		}
	}
	return nil
}

// rounds of weighting: the weights change by little after the first.
const rounds = 4

// reweighted fits with errors relative to the fitted durations, those at least
// a hundredth of the mean, if that is wanted. Weights of measured durations
// would favour tasks that were short by chance.
func (d *design) reweighted(fit *stat.Fit, w Weighting, constant bool) (*stat.Fit, error) {
	if w != Relative {
		return fit, nil
	}
	least := max(0.01*stat.Summarize(d.y).Mean, shortest)
	for range rounds {
		for i := range d.y {
			v := max(d.at(fit, i), least)
			d.weights[i] = 1 / (v * v)
		}
		var err error
		if fit, err = d.regress(constant); err != nil {
			return nil, err
		}
	}
	return fit, nil
}

// scale makes the sum of what is expected, never below the floor, that of what
// was measured: weighted fits are biased low on totals, and a makespan is made
// of totals. The sum grows with the scale, so that halving finds it.
func (d *design) scale(fit *stat.Fit, floor float64) float64 {
	fitted := make([]float64, len(d.y))
	for i := range fitted {
		fitted[i] = d.at(fit, i)
	}
	wanted := stat.Sum(d.y)
	sum := func(scale float64) (s float64) {
		for _, v := range fitted {
			s += max(scale*v, floor)
		}
		return s
	}
	low, high := 0.0, 1.0
	for ; sum(high) < wanted; high *= 2 {
		if high > 1e6 {
			return 1 // nothing above the floor to be scaled
		}
	}
	if sum(low) >= wanted {
		return 1
	}
	for range 200 {
		if mid := low + (high-low)/2; sum(mid) < wanted {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// inflation is the variance inflation factor of each column: 1/(1 − R²) of its
// own regression on the others (Belsley 1980); NaN of the constant.
func (d *design) inflation(constant bool) []float64 {
	out := make([]float64, len(d.columns))
	first := 0
	if constant {
		out[0], first = math.NaN(), 1
	}
	for j := first; j < len(d.columns); j++ {
		out[j] = 1
		others := slices.Concat(d.columns[first:j], d.columns[j+1:])
		if len(others) == 0 {
			continue
		}
		switch fit, err := stat.Regress(others, constant, d.columns[j], d.weights); {
		case err != nil:
			out[j] = math.NaN()
		default:
			out[j] = 1 / (1 - fit.R2)
		}
	}
	return out
}
