package perfmodel

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// regressions reads the three regressions and keeps the one that StarPU would
// use: multi-linear, else a·x^b + c, else alpha·x^beta with x the bytes. Those
// that it was not sure of are left out.
func (p *starpuParser) regressions(m *Model) error {
	sums, err := p.next("a regression", 9)
	if err != nil {
		return err
	}
	linear, err := numbers(sums.fields[:9])
	if err != nil {
		return err
	}
	abc, err := p.next("a non-linear regression", 3)
	if err != nil {
		return err
	}
	power, err := numbers(abc.fields[:3])
	if err != nil {
		return err
	}
	multi, err := p.multilinear(m.Arch != "")
	if err != nil {
		return err
	}
	n, least, most := linear[6], linear[7], linear[8]
	within := []Range{{Bytes, least, most}}
	sure := n >= leastMeasurements && least < math.Floor(9*most/10)
	switch {
	case multi != nil:
		m.Regression = multi
	case sure && finite(power...):
		m.Regression = &Regression{Terms: []Term{{1e3 * power[0], Product{{Bytes, power[1]}}}, {1e3 * power[2], nil}}, Ranges: within, Strict: true}
	case sure && finite(linear[4:6]...):
		m.Regression = &Regression{Terms: []Term{{1e3 * linear[4], Product{{Bytes, linear[5]}}}}, Ranges: within, Strict: true}
	}
	return nil
}

// multilinear reads the coefficients of a multi-linear regression, which come
// with their number; nil if there are none, or not all are known.
func (p *starpuParser) multilinear(wanted bool) (*Regression, error) {
	l, err := p.next("a multiple regression", 1)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(l.fields[0], 10, 16)
	if err != nil {
		return nil, fmt.Errorf("found %q, want the number of coefficients", l.fields[0])
	}
	if n == 0 || !wanted {
		return nil, nil
	}
	coefficients, err := numbers(l.fields[1:])
	if err != nil || len(coefficients) != int(n) {
		return nil, cmp.Or(err, fmt.Errorf("found %d coefficients, want %d", len(coefficients), n))
	}
	if !finite(coefficients...) {
		return nil, nil
	}
	return p.combine(coefficients, l.comment)
}

// combine gives coefficients their terms.
func (p *starpuParser) combine(coefficients []float64, comment string) (*Regression, error) {
	formula := p.formula
	if formula == "" {
		formula = formulaOf(comment)
	}
	products, err := ParseFormula(formula)
	if err == nil && len(products) != len(coefficients) {
		err = fmt.Errorf("found %d terms in %q, want %d", len(products), formula, len(coefficients))
	}
	if err != nil {
		return nil, fmt.Errorf("found a multi-linear model whose terms only the program knows (%.80q), want its formula: %w", comment, err)
	}
	r := &Regression{}
	for i, c := range coefficients {
		r.Terms = append(r.Terms, Term{1e3 * c, products[i]})
	}
	return r, nil
}

// formulaOf reads the terms that newer files name in the comment before the
// coefficients: "# n intercept P0^2*P1 …", from parameter 0.
func formulaOf(comment string) string {
	_, terms, ok := strings.Cut(comment, "intercept")
	if !ok {
		return ""
	}
	fields := strings.Fields(terms)
	for i, f := range fields {
		factors := strings.Split(f, "*")
		for j, factor := range factors {
			name, power, raised := strings.Cut(factor, "^")
			digits, named := strings.CutPrefix(name, "P")
			n, err := strconv.Atoi(digits)
			if !named || err != nil || n < 0 || n >= mostParameters {
				return ""
			}
			if factors[j] = (Parameter + Variable(n)).String(); raised {
				factors[j] += "^" + power
			}
		}
		fields[i] = strings.Join(factors, "*")
	}
	return strings.Join(append([]string{"1"}, fields...), " + ")
}
