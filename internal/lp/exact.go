package lp

import "math/big"

// exactLimit is the largest tableau, in entries, that rational numbers are
// tried on.
const exactLimit = 20_000

// SolveExact solves in rational numbers with Bland's rule (Bland 1977): always
// right, never cycles, slow. Errors are ErrInfeasible and ErrUnbounded. The
// solution is rounded to float64 only at the end.
func (p *Problem) SolveExact() (*Solution, error) {
	s := p.standardize()
	t := newTableau(s)
	if len(s.cols) > s.real {
		phase1 := make([]float64, len(s.cols))
		for j := s.real; j < len(s.cols); j++ {
			phase1[j] = 1
		}
		t.price(phase1)
		if !t.minimize(len(s.cols)) || t.objective.Sign() != 0 {
			return nil, ErrInfeasible
		}
		t.expel(s.real)
	}
	t.price(s.cost)
	if !t.minimize(s.real) {
		return nil, ErrUnbounded
	}
	xb, yb := t.values(s)
	x, y := s.unscale(t.basis, xb, yb)
	sol := p.solution(x, y, t.pivots)
	sol.Exact = true
	return sol, nil
}

// tableau is the full simplex tableau. Its last m columns start as the unit
// matrix, so that they hold B⁻¹.
type tableau struct {
	a         [][]*big.Rat
	b         []*big.Rat
	reduced   []*big.Rat
	objective *big.Rat // minus the value
	basis     []int
	pivots    int
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

func newTableau(s *standard) *tableau {
	n := len(s.cols)
	t := &tableau{basis: append([]int(nil), s.basis...), b: make([]*big.Rat, s.m), a: make([][]*big.Rat, s.m)}
	for i := range t.a {
		t.b[i] = rat(s.rhs[i])
		t.a[i] = zeros(n + s.m)
		t.a[i][n+i] = rat(1)
	}
	for j, col := range s.cols {
		for _, e := range col {
			t.a[e.row][j] = rat(e.value)
		}
	}
	return t
}

func zeros(n int) []*big.Rat {
	z := make([]*big.Rat, n)
	for i := range z {
		z[i] = new(big.Rat)
	}
	return z
}

// price computes reduced costs and objective of the current basis.
func (t *tableau) price(cost []float64) {
	t.reduced, t.objective = zeros(len(cost)+len(t.a)), new(big.Rat)
	for j, c := range cost {
		t.reduced[j] = rat(c)
	}
	for i, j := range t.basis {
		c := rat(cost[j])
		if c.Sign() != 0 {
			subtract(t.reduced, t.a[i], c)
			t.objective.Sub(t.objective, new(big.Rat).Mul(c, t.b[i]))
		}
	}
}

// subtract takes f times row from target.
func subtract(target, row []*big.Rat, f *big.Rat) {
	var m big.Rat
	for k, v := range row {
		if v.Sign() != 0 {
			target[k].Sub(target[k], m.Mul(f, v))
		}
	}
}

// minimize pivots by Bland's rule among the first n variables; false if
// unbounded.
func (t *tableau) minimize(n int) bool {
	for {
		enter := -1
		for j := 0; j < n && enter < 0; j++ {
			if t.reduced[j].Sign() < 0 {
				enter = j
			}
		}
		if enter < 0 {
			return true
		}
		leave := t.ratio(enter)
		if leave < 0 {
			return false
		}
		t.pivot(enter, leave)
	}
}

func (t *tableau) ratio(enter int) int {
	leave, best := -1, new(big.Rat)
	for i := range t.a {
		if t.a[i][enter].Sign() <= 0 {
			continue
		}
		r := new(big.Rat).Quo(t.b[i], t.a[i][enter])
		if c := r.Cmp(best); leave < 0 || c < 0 || c == 0 && t.basis[i] < t.basis[leave] {
			leave, best = i, r
		}
	}
	return leave
}

func (t *tableau) pivot(enter, leave int) {
	t.pivots++
	inv := new(big.Rat).Inv(t.a[leave][enter])
	for _, v := range t.a[leave] {
		if v.Sign() != 0 {
			v.Mul(v, inv)
		}
	}
	t.b[leave].Mul(t.b[leave], inv)
	for i := range t.a {
		if f := new(big.Rat).Set(t.a[i][enter]); i != leave && f.Sign() != 0 {
			subtract(t.a[i], t.a[leave], f)
			t.b[i].Sub(t.b[i], new(big.Rat).Mul(f, t.b[leave]))
		}
	}
	f := new(big.Rat).Set(t.reduced[enter])
	subtract(t.reduced, t.a[leave], f)
	t.objective.Sub(t.objective, new(big.Rat).Mul(f, t.b[leave]))
	t.basis[leave] = enter
}

// expel pivots artificial variables (numbers from structural on), all zero now, out
// of the basis; a row where that is impossible is redundant and stays inert.
func (t *tableau) expel(structural int) {
	for i, j := range t.basis {
		if j < structural {
			continue
		}
		for k := range structural {
			if t.a[i][k].Sign() != 0 {
				t.pivot(k, i)
				break
			}
		}
	}
}

// values returns the basic values, and the duals, which the reduced costs of
// the unit columns hold with opposite sign.
func (t *tableau) values(s *standard) (xb, yb []float64) {
	for i := range t.b {
		x, _ := t.b[i].Float64()
		y, _ := t.reduced[len(s.cols)+i].Float64()
		xb, yb = append(xb, x), append(yb, -y)
	}
	return xb, yb
}
