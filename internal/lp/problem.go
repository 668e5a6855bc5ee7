// Package lp solves the small linear programs of the makespan bounds
// (docs/design/methods.md, Bounds) and proves each answer: a [Solution] carries
// primal and dual values whose feasibility and gap are checked afterwards on
// the numbers as given.
//
// The problem: hundreds of rows and columns at most, few entries a column, but
// coefficients that span eight decades (kernels from 100 ns to 10 s), many
// ties and degenerate vertices. Solvers that work on the numbers as given
// return wrong optima without a word.
//
// The approach: rows and columns are scaled by powers of two (exact), a revised
// simplex with a dense inverse finds the optimal basis, the basis is solved
// anew with an LU decomposition and refined, and the result is unscaled and
// certified. Should the certificate fail, the program is solved once more in
// rational numbers, which cannot fail but is slow.
//
// What it does not do: integers, upper bounds on variables, sparse or large
// programs (1e4 rows), warm starts.
package lp

import (
	"errors"
	"math"
)

// Sense is the relation of a row to its right-hand side.
type Sense int8

// Senses of a row.
const (
	LE Sense = iota - 1 // a·x ≤ b
	EQ                  // a·x = b
	GE                  // a·x ≥ b
)

var (
	// ErrInfeasible says that no x satisfies the rows.
	ErrInfeasible = errors.New("linear program has no solution")
	// ErrUnbounded says that the objective falls without limit.
	ErrUnbounded = errors.New("linear program is unbounded")
	// ErrUncertified says that no solution could be proved optimal to
	// [Tolerance] and the program is too large for rational numbers.
	ErrUncertified = errors.New("linear program could not be solved to a certified optimum")
)

// Problem is: minimise c·x subject to rows of a·x ≤, =, ≥ b and x ≥ 0. The
// zero value is empty. Build it with Var, Row and Set.
type Problem struct {
	cost  []float64
	sense []Sense
	rhs   []float64
	cols  [][]entry // one per variable
}

type entry struct {
	row   int
	value float64
}

// Var adds a variable x ≥ 0 with a cost and returns its number.
func (p *Problem) Var(cost float64) int {
	p.cost = append(p.cost, cost)
	p.cols = append(p.cols, nil)
	return len(p.cost) - 1
}

// Row adds a constraint without coefficients and returns its number.
func (p *Problem) Row(s Sense, rhs float64) int {
	p.sense = append(p.sense, s)
	p.rhs = append(p.rhs, rhs)
	return len(p.rhs) - 1
}

// Set adds a to the coefficient of variable v in a row.
func (p *Problem) Set(row, v int, a float64) {
	for i, e := range p.cols[v] {
		if e.row == row {
			p.cols[v][i].value += a
			return
		}
	}
	if a != 0 {
		p.cols[v] = append(p.cols[v], entry{row, a})
	}
}

// Solution is an optimal point with its proof.
type Solution struct {
	Objective   float64   // c·x
	X           []float64 // one per variable, ≥ 0
	Y           []float64 // dual value of each row
	Certificate Certificate
	Pivots      int
	Exact       bool // found in rational numbers
}

// Tolerance is what every part of a certificate keeps to.
const Tolerance = 1e-9

// Certificate measures how far x and y are from proving each other optimal, all
// relative to the sizes of the terms that were added up, and these taken for
// at least [noise] of a unit after scaling.
type Certificate struct {
	Primal float64 // largest violation of a row or of x ≥ 0
	Dual   float64 // largest negative reduced cost or wrong sign of y
	Gap    float64 // |c·x − b·y|
}

// noise keeps the rounding of what should be zero from being compared with
// itself.
const noise = 1e-4

// Holds tells whether the certificate proves optimality.
func (c Certificate) Holds() bool {
	return c.Primal <= Tolerance && c.Dual <= Tolerance && c.Gap <= Tolerance
}

// Certify checks a point x and dual values y against the problem as given.
func (p *Problem) Certify(x, y []float64) Certificate {
	unit := p.standardize()
	c := Certificate{}
	ax, size := make([]float64, len(p.rhs)), make([]float64, len(p.rhs))
	primal, dual := 0.0, 0.0
	for j, col := range p.cols {
		reduced, scale := p.cost[j], math.Abs(p.cost[j])
		for _, e := range col {
			ax[e.row] += e.value * x[j]
			size[e.row] += math.Abs(e.value * x[j])
			reduced -= e.value * y[e.row]
			scale += math.Abs(e.value * y[e.row])
		}
		c.Dual = worse(c.Dual, -reduced, max(scale, noise/(unit.colScale[j]*unit.costScale)))
		c.Primal = worse(c.Primal, -x[j], max(math.Abs(x[j]), noise*unit.colScale[j]/unit.rhsScale))
		primal += p.cost[j] * x[j]
	}
	for i, b := range p.rhs {
		d := ax[i] - b
		rowScale := math.Abs(unit.rowScale[i])
		if p.sense[i] == EQ {
			d = -math.Abs(d)
		} else {
			d *= float64(p.sense[i])
			c.Dual = worse(c.Dual, -y[i]*float64(p.sense[i]), max(math.Abs(y[i]), noise*rowScale/unit.costScale))
		}
		c.Primal = worse(c.Primal, -d, max(size[i]+math.Abs(b), noise/(rowScale*unit.rhsScale)))
		dual += b * y[i]
	}
	c.Gap = worse(0, math.Abs(primal-dual), max(math.Abs(primal), math.Abs(dual), noise/(unit.costScale*unit.rhsScale)))
	return c
}

// worse is the larger of a violation so far and a new one relative to scale.
// NaN is as bad as can be.
func worse(so, violation, scale float64) float64 {
	switch {
	case math.IsNaN(violation) || math.IsNaN(scale):
		return math.Inf(1)
	case violation <= 0:
		return so
	}
	return max(so, violation/scale)
}

// Solve returns a certified optimal solution, ErrInfeasible, ErrUnbounded or
// ErrUncertified.
func (p *Problem) Solve() (*Solution, error) {
	s, err := p.solveFloat()
	if err == nil && s.Certificate.Holds() {
		return s, nil
	}
	if len(p.rhs)*(len(p.cost)+2*len(p.rhs)) > exactLimit {
		if err == nil || errors.Is(err, errStalled) {
			err = ErrUncertified
		}
		return nil, err
	}
	return p.SolveExact()
}
