package lp

import "math"

// standard is a problem as equations A x = b, b ≥ 0, with slack and artificial
// variables appended and rows, columns, right-hand side and costs scaled by
// powers of two, which changes no digit.
type standard struct {
	m          int
	structural int // variables of the problem
	real       int // with slacks; artificial variables follow
	cols       [][]entry
	cost       []float64
	rhs        []float64
	basis      []int // starting basis: a slack or an artificial per row
	rowScale   []float64
	colScale   []float64 // of structural variables
	rhsScale   float64
	costScale  float64
}

// standardize scales the problem and brings it into equation form.
func (p *Problem) standardize() *standard {
	s := &standard{m: len(p.rhs), structural: len(p.cost)}
	s.equilibrate(p)
	s.rhsScale, s.costScale = 1, 1
	top, topCost := 0.0, 0.0
	for i, b := range p.rhs {
		top = max(top, math.Abs(b*s.rowScale[i]))
	}
	for j, c := range p.cost {
		topCost = max(topCost, math.Abs(c*s.colScale[j]))
	}
	if top > 0 {
		s.rhsScale = power2(1 / top)
	}
	if topCost > 0 {
		s.costScale = power2(1 / topCost)
	}
	sign := make([]float64, s.m)
	s.rhs, s.basis = make([]float64, s.m), make([]int, s.m)
	for i, b := range p.rhs {
		sign[i] = 1
		if b < 0 || b == 0 && p.sense[i] == GE {
			sign[i] = -1
		}
		s.rhs[i] = b * s.rowScale[i] * s.rhsScale * sign[i]
	}
	for j, col := range p.cols {
		var c []entry
		for _, e := range col {
			c = append(c, entry{e.row, e.value * s.rowScale[e.row] * s.colScale[j] * sign[e.row]})
		}
		s.append(c, p.cost[j]*s.colScale[j]*s.costScale)
	}
	s.addSlacks(p.sense, sign)
	for i := range sign {
		s.rowScale[i] *= sign[i] // so that unscaling y restores the sign
	}
	return s
}

func (s *standard) append(col []entry, cost float64) int {
	s.cols = append(s.cols, col)
	s.cost = append(s.cost, cost)
	return len(s.cols) - 1
}

// addSlacks turns inequalities into equations and gives each row a starting
// basic variable: its slack where that is positive, else an artificial one.
func (s *standard) addSlacks(sense []Sense, sign []float64) {
	for i := range s.basis {
		s.basis[i] = -1
		if sense[i] == EQ {
			continue
		}
		v := -float64(sense[i]) * sign[i] // +1 for ≤ on a non-negative side
		j := s.append([]entry{{i, v}}, 0)
		if v > 0 {
			s.basis[i] = j
		}
	}
	s.real = len(s.cols)
	for i, j := range s.basis {
		if j < 0 {
			s.basis[i] = s.append([]entry{{i, 1}}, 0)
		}
	}
}

// equilibrate finds row and column scales that bring the entries near 1:
// geometric means of the extremes in turn (Curtis and Reid's aim, by the cheap
// iteration), then columns to a largest entry near 1.
func (s *standard) equilibrate(p *Problem) {
	s.rowScale, s.colScale = ones(len(p.rhs)), ones(len(p.cost))
	for range 8 {
		lo, hi := fill(len(p.rhs), math.Inf(1)), make([]float64, len(p.rhs))
		for j, col := range p.cols {
			for _, e := range col {
				a := math.Abs(e.value) * s.colScale[j]
				lo[e.row], hi[e.row] = min(lo[e.row], a), max(hi[e.row], a)
			}
		}
		for i := range lo {
			if hi[i] > 0 {
				s.rowScale[i] = 1 / (math.Sqrt(lo[i]) * math.Sqrt(hi[i]))
			}
		}
		for j, col := range p.cols {
			l, h := math.Inf(1), 0.0
			for _, e := range col {
				a := math.Abs(e.value) * s.rowScale[e.row]
				l, h = min(l, a), max(h, a)
			}
			if h > 0 {
				s.colScale[j] = 1 / (math.Sqrt(l) * math.Sqrt(h))
			}
		}
	}
	for i, v := range s.rowScale {
		s.rowScale[i] = power2(v)
	}
	for j, v := range s.colScale {
		s.colScale[j] = power2(v)
	}
}

// power2 is the power of two nearest to v > 0 in ratio.
func power2(v float64) float64 {
	frac, exp := math.Frexp(v)
	if frac > math.Sqrt2/2 {
		exp++
	}
	return math.Ldexp(1, exp-1)
}

func ones(n int) []float64 { return fill(n, 1) }

func fill(n int, v float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// unscale turns values of basic variables and scaled duals into those of the
// problem as given.
func (s *standard) unscale(basis []int, xb, yb []float64) (x, y []float64) {
	x, y = make([]float64, s.structural), make([]float64, s.m)
	for i, j := range basis {
		if j < s.structural {
			x[j] = max(0, xb[i]) * s.colScale[j] / s.rhsScale
		}
	}
	for i := range y {
		y[i] = yb[i] * s.rowScale[i] / s.costScale
	}
	return x, y
}
