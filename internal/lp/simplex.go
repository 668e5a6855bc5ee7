package lp

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// errStalled says that floating point came to no end: limit of pivots, or a
// basis that cannot be inverted.
var errStalled = errors.New("simplex made no progress")

const (
	pivotTolerance   = 1e-9  // smaller pivots are taken for zero
	costTolerance    = 1e-11 // reduced costs above −this are taken for optimal
	ratioTolerance   = 1e-11 // by how much a basic variable may pass zero in a step
	phase1Tolerance  = 1e-9  // what may remain infeasible
	refactorInterval = 40    // pivots between fresh inverses
	blandAfter       = 20    // degenerate pivots in a row before Bland's rule
)

// simplex is the state of the revised method: which variable is basic in each
// row, the inverse of their columns, and their values.
type simplex struct {
	*standard
	basis   []int
	inBasis []bool
	inverse *mat.Dense // B⁻¹
	xb      []float64
	y, w    []float64 // duals; entering column in terms of the basis
	pivots  int
	stuck   int // degenerate pivots in a row
}

// solveFloat solves in floating point; the result may be wrong, which its
// certificate shows.
func (p *Problem) solveFloat() (*Solution, error) {
	std := p.standardize()
	s := &simplex{standard: std, basis: std.basis, inBasis: make([]bool, len(std.cols)),
		y: make([]float64, std.m), w: make([]float64, std.m)}
	for _, j := range s.basis {
		s.inBasis[j] = true
	}
	if err := s.phases(); err != nil {
		return nil, err
	}
	xb, yb, err := s.polish()
	if err != nil {
		return nil, err
	}
	x, y := s.unscale(s.basis, xb, yb)
	return p.solution(x, y, s.pivots), nil
}

func (p *Problem) solution(x, y []float64, pivots int) *Solution {
	sol := &Solution{X: x, Y: y, Pivots: pivots, Certificate: p.Certify(x, y)}
	for j, c := range p.cost {
		sol.Objective += c * x[j]
	}
	return sol
}

// phases drives the artificial variables to zero, then minimises the cost.
func (s *simplex) phases() error {
	if err := s.refactor(); err != nil {
		return err
	}
	if len(s.cols) > s.real {
		phase1 := make([]float64, len(s.cols))
		for j := s.real; j < len(s.cols); j++ {
			phase1[j] = 1
		}
		if err := s.minimize(phase1, false); err != nil {
			return err
		}
		left := 0.0
		for i, j := range s.basis {
			if j >= s.real {
				left += math.Abs(s.xb[i])
			}
		}
		if left > phase1Tolerance {
			return ErrInfeasible
		}
	}
	return s.minimize(s.cost, true)
}

// minimize pivots until no reduced cost is negative. In the second phase basic
// artificial variables stay at zero: they leave as soon as a step would move
// them.
func (s *simplex) minimize(cost []float64, second bool) error {
	limit := s.pivots + 50*(s.m+len(s.cols)) + 200
	for ; s.pivots < limit; s.pivots++ {
		if s.pivots%refactorInterval == refactorInterval-1 {
			if err := s.refactor(); err != nil {
				return err
			}
		}
		s.duals(cost)
		enter := s.price(cost)
		if enter < 0 {
			return nil
		}
		s.column(enter)
		leave := s.ratio(second)
		if leave < 0 {
			return ErrUnbounded
		}
		s.pivot(enter, leave)
	}
	return errStalled
}

// duals computes y = c_B B⁻¹.
func (s *simplex) duals(cost []float64) {
	clear(s.y)
	for i, j := range s.basis {
		if c := cost[j]; c != 0 {
			for k, v := range s.inverse.RawRowView(i) {
				s.y[k] += c * v
			}
		}
	}
}

// price picks the variable to enter: the most negative reduced cost, or the
// first one while stuck (Bland's rule cannot cycle: Bland 1977). Artificial
// variables never come back.
func (s *simplex) price(cost []float64) int {
	enter, best := -1, -costTolerance
	for j := range s.real {
		if s.inBasis[j] {
			continue
		}
		d := cost[j]
		for _, e := range s.cols[j] {
			d -= s.y[e.row] * e.value
		}
		if d < best {
			enter, best = j, d
			if s.stuck > blandAfter {
				return enter
			}
		}
	}
	return enter
}

// column computes w = B⁻¹ a_j.
func (s *simplex) column(j int) {
	clear(s.w)
	if s.m == 0 {
		return
	}
	inverse := s.inverse.RawMatrix()
	for _, e := range s.cols[j] {
		for i := range s.w {
			s.w[i] += inverse.Data[i*inverse.Stride+e.row] * e.value
		}
	}
}

// ratio picks the row whose basic variable reaches zero first: among those that
// do so within a hair the largest pivot (Harris 1973), or the smallest variable
// while stuck. −1 if none does.
func (s *simplex) ratio(second bool) int {
	step := math.Inf(1)
	for i, w := range s.w {
		if second && s.basis[i] >= s.real && math.Abs(w) > pivotTolerance {
			return i
		}
		if w > pivotTolerance {
			step = min(step, (max(0, s.xb[i])+ratioTolerance)/w)
		}
	}
	leave := -1
	for i, w := range s.w {
		if w <= pivotTolerance || max(0, s.xb[i]) > step*w {
			continue
		}
		better := leave < 0 || w > s.w[leave]
		if leave >= 0 && s.stuck > blandAfter {
			better = s.basis[i] < s.basis[leave]
		}
		if better {
			leave = i
		}
	}
	return leave
}

// pivot exchanges the basic variable of a row and updates B⁻¹ and x_B.
func (s *simplex) pivot(enter, leave int) {
	w := s.w[leave]
	step := max(0, s.xb[leave]) / w
	if s.basis[leave] >= s.real {
		step = max(0, step)
	}
	if step > ratioTolerance {
		s.stuck = 0
	} else {
		s.stuck++
	}
	row := s.inverse.RawRowView(leave)
	for k := range row {
		row[k] /= w
	}
	for i, f := range s.w {
		if i == leave || f == 0 {
			continue
		}
		s.xb[i] -= step * f
		target := s.inverse.RawRowView(i)
		for k, v := range row {
			target[k] -= f * v
		}
	}
	s.xb[leave] = step
	s.inBasis[s.basis[leave]], s.inBasis[enter] = false, true
	s.basis[leave] = enter
}

// basisMatrix holds the columns of the basic variables.
func (s *simplex) basisMatrix() *mat.Dense {
	b := mat.NewDense(s.m, s.m, nil)
	for i, j := range s.basis {
		for _, e := range s.cols[j] {
			b.Set(e.row, i, e.value)
		}
	}
	return b
}

// refactor computes B⁻¹ and x_B afresh, which ends the growth of rounding.
func (s *simplex) refactor() error {
	if s.m == 0 {
		return nil
	}
	if s.inverse == nil {
		s.inverse = new(mat.Dense)
	}
	if err := s.inverse.Inverse(s.basisMatrix()); singular(err) {
		return errStalled
	}
	s.xb = make([]float64, s.m)
	for i := range s.xb {
		for k, v := range s.inverse.RawRowView(i) {
			s.xb[i] += v * s.rhs[k]
		}
	}
	return nil
}

// polish solves the final basis by LU with one step of refinement each way:
// B x_B = b and Bᵀ y = c_B.
func (s *simplex) polish() (xb, yb []float64, err error) {
	if s.m == 0 {
		return nil, nil, nil
	}
	b := s.basisMatrix()
	var lu mat.LU
	lu.Factorize(b)
	cb := make([]float64, s.m)
	for i, j := range s.basis {
		cb[i] = s.cost[j]
	}
	if xb, err = refined(&lu, b, s.rhs, false); err != nil {
		return nil, nil, err
	}
	yb, err = refined(&lu, b, cb, true)
	return xb, yb, err
}

func refined(lu *mat.LU, b *mat.Dense, rhs []float64, transposed bool) ([]float64, error) {
	n := len(rhs)
	var x, residual, correction mat.VecDense
	if err := lu.SolveVecTo(&x, transposed, mat.NewVecDense(n, rhs)); singular(err) {
		return nil, errStalled
	}
	var a mat.Matrix = b
	if transposed {
		a = b.T()
	}
	residual.MulVec(a, &x)
	residual.SubVec(mat.NewVecDense(n, rhs), &residual)
	if err := lu.SolveVecTo(&correction, transposed, &residual); singular(err) {
		return nil, errStalled
	}
	x.AddVec(&x, &correction)
	return x.RawVector().Data, nil
}

// singular tells a matrix without an inverse from one that is merely badly
// conditioned, for which the certificate decides.
func singular(err error) bool {
	var cond mat.Condition
	if errors.As(err, &cond) {
		return math.IsInf(float64(cond), 1)
	}
	return err != nil
}
