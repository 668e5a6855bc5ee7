package lp

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// min −3x −5y with x ≤ 4, 2y ≤ 12, 3x + 2y ≤ 18: the optimum is (2, 6), −36.
func TestTextbook(t *testing.T) {
	var p Problem
	x, y := p.Var(-3), p.Var(-5)
	p.Set(p.Row(LE, 4), x, 1)
	p.Set(p.Row(LE, 12), y, 2)
	r := p.Row(LE, 18)
	p.Set(r, x, 3)
	p.Set(r, y, 2)
	s, err := p.Solve()
	if err != nil {
		t.Fatal(err)
	}
	if s.Objective != -36 || s.X[x] != 2 || s.X[y] != 6 || s.Exact {
		t.Errorf("got %+v", s)
	}
	if s.Y[0] != 0 || math.Abs(s.Y[1]+1.5) > 1e-12 || math.Abs(s.Y[2]+1) > 1e-12 {
		t.Errorf("dual values are %v, want 0 −1.5 −1", s.Y)
	}
}

func TestNoSolution(t *testing.T) {
	var p Problem
	x := p.Var(1)
	p.Set(p.Row(GE, 2), x, 1)
	p.Set(p.Row(LE, 1), x, 1)
	if _, err := p.Solve(); !errors.Is(err, ErrInfeasible) {
		t.Errorf("contradiction: %v", err)
	}
	var q Problem
	x = q.Var(-1)
	q.Set(q.Row(GE, 2), x, 1)
	if _, err := q.Solve(); !errors.Is(err, ErrUnbounded) {
		t.Errorf("no limit: %v", err)
	}
	var free Problem
	free.Var(1)
	if s, err := free.Solve(); err != nil || s.Objective != 0 {
		t.Errorf("no rows: %v %v", s, err)
	}
	var empty Problem
	empty.Row(EQ, 1)
	if _, err := empty.Solve(); !errors.Is(err, ErrInfeasible) {
		t.Errorf("0 = 1: %v", err)
	}
}

// Beale's example cycles for ever under the largest-coefficient rule with
// careless ties.
func TestBealeDoesNotCycle(t *testing.T) {
	var p Problem
	for _, c := range []float64{-0.75, 150, -0.02, 6} {
		p.Var(c)
	}
	for _, row := range [][5]float64{{0.25, -60, -0.04, 9, 0}, {0.5, -90, -0.02, 3, 0}, {0, 0, 1, 0, 1}} {
		r := p.Row(LE, row[4])
		for j := range 4 {
			p.Set(r, j, row[j])
		}
	}
	s, err := p.Solve()
	if err != nil || math.Abs(s.Objective+0.05) > 1e-12 {
		t.Errorf("got %+v, %v, want −0.05", s, err)
	}
}

// A certificate must notice a point that is feasible but not optimal, and dual
// values that do not prove anything.
func TestCertifyNotices(t *testing.T) {
	var p Problem
	x := p.Var(1)
	p.Set(p.Row(GE, 2), x, 1)
	for _, c := range []struct {
		x, y  float64
		holds bool
	}{{2, 1, true}, {2.000001, 1, false}, {2, 1.000001, false}, {1.999999, 1, false}, {2, -1, false}, {math.NaN(), 1, false}} {
		if got := p.Certify([]float64{c.x}, []float64{c.y}); got.Holds() != c.holds {
			t.Errorf("x=%v y=%v: %+v", c.x, c.y, got)
		}
	}
}

// enumerate is the oracle: every basis of the equation form, solved directly.
func enumerate(p *Problem) (best float64, feasible bool) {
	m, n := len(p.rhs), len(p.cost)
	a := mat.NewDense(m, n+m, nil)
	for j, col := range p.cols {
		for _, e := range col {
			a.Set(e.row, j, e.value)
		}
	}
	var usable []int
	for j := range n {
		usable = append(usable, j)
	}
	for i, s := range p.sense {
		if s != EQ {
			a.Set(i, n+i, -float64(s))
			usable = append(usable, n+i)
		}
	}
	best = math.Inf(1)
	choose(usable, m, nil, func(basis []int) {
		b := mat.NewDense(m, m, nil)
		for k, j := range basis {
			for i := range m {
				b.Set(i, k, a.At(i, j))
			}
		}
		if math.Abs(mat.Det(b)) < 1e-6 {
			return
		}
		var x mat.VecDense
		if x.SolveVec(b, mat.NewVecDense(m, p.rhs)) != nil {
			return
		}
		value := 0.0
		for k, j := range basis {
			if x.AtVec(k) < -1e-9 {
				return
			}
			if j < n {
				value += p.cost[j] * x.AtVec(k)
			}
		}
		best, feasible = min(best, value), true
	})
	return best, feasible
}

func choose(from []int, k int, chosen []int, visit func([]int)) {
	if k == 0 {
		visit(chosen)
		return
	}
	for i := 0; i+k <= len(from); i++ {
		choose(from[i+1:], k-1, append(chosen, from[i]), visit)
	}
}

// Small integer programs: whatever Solve says must be what trying every vertex
// says. A budget row keeps them bounded. Small integers make ties, parallel
// rows and degenerate vertices common.
func TestSolveEqualsEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Problem
		n, m := rapid.IntRange(1, 4).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "m")
		small := rapid.IntRange(-3, 3)
		budget := p.Row(LE, 20)
		for range n {
			p.Set(budget, p.Var(float64(small.Draw(t, "cost"))), 1)
		}
		for range m {
			r := p.Row(Sense(rapid.IntRange(-1, 1).Draw(t, "sense")), float64(small.Draw(t, "rhs")))
			for j := range n {
				p.Set(r, j, float64(small.Draw(t, "a")))
			}
		}
		exact, exactErr := p.SolveExact()
		s, err := p.Solve()
		if (err == nil) != (exactErr == nil) {
			t.Fatalf("floating point says %v, rational numbers %v", err, exactErr)
		}
		want, feasible := enumerate(&p)
		if exactErr != nil {
			if feasible {
				t.Fatalf("%v, but a vertex has the value %v", exactErr, want)
			}
			return
		}
		if math.Abs(s.Objective-exact.Objective) > 1e-9 || !s.Certificate.Holds() {
			t.Fatalf("objective %v, rational numbers say %v, %+v", s.Objective, exact.Objective, s.Certificate)
		}
		// Dependent rows leave enumeration without a basis; else it must agree.
		if feasible && math.Abs(s.Objective-want) > 1e-9 {
			t.Fatalf("objective %v, best vertex %v", s.Objective, want)
		}
	})
}

// area is the program of the area bound (docs/design/methods.md, Bounds) with
// hard numbers: counts up to 1e6, durations from 1e2 to 1e10 ns, forbidden
// pairs, ties, and rows and columns that say nothing.
func area(rng *rand.Rand, kinds, archs int, ties bool) *Problem {
	p := new(Problem)
	t := p.Var(1)
	var capacity []int
	for range archs {
		r := p.Row(LE, 0)
		p.Set(r, t, -float64(1+rng.IntN(64)))
		capacity = append(capacity, r)
	}
	for range kinds {
		count := float64(1 + rng.IntN(1_000_000))
		row := p.Row(EQ, count)
		again := p.Row(GE, count) // redundant
		scale := math.Pow(10, 2+8*rng.Float64())
		first := rng.IntN(archs)
		for r := range archs {
			if r != first && rng.IntN(3) == 0 {
				continue
			}
			v := p.Var(0)
			w := scale * (1 + 30*rng.Float64())
			if ties {
				w = scale * float64(1+rng.IntN(2))
			}
			p.Set(row, v, 1)
			p.Set(again, v, 1)
			p.Set(capacity[r], v, w)
		}
	}
	p.Var(0) // a column of zeros
	p.Row(GE, 0)
	return p
}

func TestHardAreaPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	exactly := 0
	for i := range 300 {
		p := area(rng, 1+rng.IntN(8), 1+rng.IntN(4), i%2 == 0)
		s, err := p.Solve()
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		if s.Exact {
			exactly++
		}
		if i%10 != 0 {
			continue
		}
		want, err := p.SolveExact()
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.Objective-want.Objective) > 1e-12*want.Objective {
			t.Errorf("case %d: %.17g, rational numbers say %.17g", i, s.Objective, want.Objective)
		}
	}
	if exactly > 0 {
		t.Errorf("%d of 300 programs needed rational numbers", exactly)
	}
}

func TestLargeAreaProgram(t *testing.T) {
	p := area(rand.New(rand.NewPCG(3, 4)), 100, 4, false)
	s, err := p.Solve()
	if err != nil || s.Exact {
		t.Fatalf("%+v, %v", s, err)
	}
	t.Logf("%d rows, %d variables: %d pivots, %+v", len(p.rhs), len(p.cost), s.Pivots, s.Certificate)
}

func BenchmarkArea(b *testing.B) {
	for _, size := range []struct {
		name         string
		kinds, archs int
	}{{"4x2", 4, 2}, {"20x3", 20, 3}, {"100x4", 100, 4}} {
		p := area(rand.New(rand.NewPCG(3, 4)), size.kinds, size.archs, false)
		b.Run(size.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Solve(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
