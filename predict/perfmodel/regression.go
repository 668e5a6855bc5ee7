package perfmodel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Variable is something known of a task that durations may depend on.
type Variable int32

// Variables; from Parameter on come the parameters p1, p2, …
const (
	GFlop Variable = iota
	Bytes
	Parameter
)

const mostParameters = 64

func (v Variable) String() string {
	switch v {
	case GFlop:
		return "gflop"
	case Bytes:
		return "bytes"
	}
	return "p" + strconv.Itoa(int(v-Parameter)+1)
}

// parseVariable reads gflop, bytes, p1, p2, … or one of the names of the
// parameters.
func parseVariable(s string, names []string) (Variable, error) {
	if i := slices.Index(names, s); i >= 0 {
		return Parameter + Variable(i), nil
	}
	switch s {
	case "gflop":
		return GFlop, nil
	case "bytes":
		return Bytes, nil
	}
	if digits, ok := strings.CutPrefix(s, "p"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= mostParameters {
			return Parameter + Variable(n-1), nil
		}
	}
	if len(names) > 0 {
		return 0, fmt.Errorf("found %q, want gflop, bytes, p1 to p%d or one of %s", s, mostParameters, strings.Join(names, ", "))
	}
	return 0, fmt.Errorf("found %q, want gflop, bytes or p1 to p%d", s, mostParameters)
}

// value is what a task has of a variable, false if it is not known. Without
// GFlop, a task whose parameters are known does no work: a front of one column.
func (t *Task) value(v Variable) (float64, bool) {
	switch v {
	case GFlop:
		return t.GFlop, t.GFlop > 0 || len(t.Parameters) > 0
	case Bytes:
		return float64(t.Bytes), t.Bytes > 0
	}
	if i := int(v - Parameter); i < len(t.Parameters) {
		v := t.Parameters[i]
		return v, v == v // NaN is not known
	}
	return 0, false
}

// Power is a variable to some power.
type Power struct {
	Of       Variable
	Exponent float64
}

// Product is a product of powers; the empty product is 1.
type Product []Power

func (p Product) String() string { return p.Named(nil) }

// Named is the product with parameters called by their names.
func (p Product) Named(names []string) string {
	if len(p) == 0 {
		return "1"
	}
	var parts []string
	for _, f := range p {
		s := f.Of.name(names)
		if f.Exponent != 1 {
			s += "^" + strconv.FormatFloat(f.Exponent, 'g', -1, 64)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "*")
}

// at is the product for a task, false where a variable is not known.
func (p Product) at(t *Task) (float64, bool) {
	product := 1.0
	for _, f := range p {
		v, ok := t.value(f.Of)
		if !ok {
			return 0, false
		}
		product *= power(v, f.Exponent)
	}
	return product, true
}

// power is v^e, quickly for the exponents of most formulas.
func power(v, e float64) float64 {
	switch e {
	case 1:
		return v
	case 2:
		return v * v
	case 3:
		return v * (v * v)
	}
	return math.Pow(v, e)
}

// Term is a product with its coefficient, ns.
type Term struct {
	Coef float64
	Of   Product
}

// Range is where a variable lay when a model was fitted.
type Range struct {
	Of       Variable
	Min, Max float64
}

// Regression is a duration as a sum of terms.
type Regression struct {
	Parameters []string // names of p1, p2, …; nil: they have none
	Terms      []Term
	Ranges     []Range
	// Strict refuses tasks that lie a tenth outside of the ranges, as StarPU
	// does; otherwise they are extrapolated.
	Strict bool
	Floor  float64 // ns: shorter durations are never told
}

// At is the duration of a task, ns, false where a variable is not known or
// the task lies outside of a strict regression's ranges.
func (r *Regression) At(t *Task) (ns float64, ok bool) {
	t = t.ordered(r.Parameters)
	if r.Strict && r.Outside(t) != "" {
		return 0, false
	}
	for i := range r.Terms {
		x, ok := r.Terms[i].Of.at(t)
		if !ok {
			return 0, false
		}
		ns += r.Terms[i].Coef * x
	}
	if math.IsNaN(ns) || math.IsInf(ns, 0) {
		return 0, false
	}
	return max(ns, r.Floor), true
}

// Outside says which variable of a task is unknown or lies outside of what the
// regression was fitted to, "" for none. Strict regressions allow a tenth.
func (r *Regression) Outside(t *Task) string {
	t = t.ordered(r.Parameters)
	slack := 0.0
	if r.Strict {
		slack = 0.1
	}
	for _, g := range r.Ranges {
		v, ok := t.value(g.Of)
		if !ok {
			return fmt.Sprintf("%s is not known, and the duration depends on it", g.Of.name(r.Parameters))
		}
		if v < g.Min*(1-slack) || v > g.Max*(1+slack) {
			return fmt.Sprintf("%s is %g, extrapolated from %g to %g", g.Of.name(r.Parameters), v, g.Min, g.Max)
		}
	}
	return ""
}

// ParseFormula reads the terms of a linear model: products of powers with plus
// signs between them, such as "p1^3 + p1^2*p2", with a constant unless one of
// the terms is 0.
func ParseFormula(s string) ([]Product, error) { return ParseNamedFormula(s, nil) }

// ParseNamedFormula is [ParseFormula] where p1, p2, … may also be called by
// names.
func ParseNamedFormula(s string, names []string) ([]Product, error) {
	products := []Product{nil}
	for part := range strings.SplitSeq(s, "+") {
		switch part = strings.TrimSpace(part); part {
		case "0":
			products = slices.DeleteFunc(products, func(p Product) bool { return len(p) == 0 })
			continue
		case "1":
			continue
		}
		p, err := parseProduct(part, names)
		if err != nil {
			return nil, fmt.Errorf("read formula %q: %w", s, err)
		}
		if products = append(products, p); len(products) > mostParameters {
			return nil, fmt.Errorf("read formula: found more than %d terms", mostParameters)
		}
	}
	if len(products) == 0 {
		return nil, fmt.Errorf("read formula %q: found no term, want one", s)
	}
	return products, nil
}

func parseProduct(s string, names []string) (Product, error) {
	var p Product
	for factor := range strings.SplitSeq(s, "*") {
		name, power, raised := strings.Cut(strings.TrimSpace(factor), "^")
		v, err := parseVariable(strings.TrimSpace(name), names)
		if err != nil {
			return nil, err
		}
		exponent := 1.0
		if raised {
			if exponent, err = strconv.ParseFloat(strings.TrimSpace(power), 64); err != nil || math.IsNaN(exponent) || math.Abs(exponent) > 100 {
				return nil, fmt.Errorf("found power %q, want a number up to 100", power)
			}
		}
		p = append(p, Power{v, exponent})
	}
	if len(p) > mostParameters {
		return nil, fmt.Errorf("found a product of %d factors, want %d at most", len(p), mostParameters)
	}
	return p, nil
}

// CheckFormula tells whether the terms of a regression can be read if all names
// in it are those of parameters.
func CheckFormula(s string) error {
	_, err := ParseNamedFormula(s, NamesIn(s))
	return err
}

// NamesIn are the names of parameters in a formula, in order.
func NamesIn(s string) (names []string) {
	for _, name := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("+*^ \t", r) }) {
		if validName(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
