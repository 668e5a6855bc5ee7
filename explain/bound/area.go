package bound

import (
	"fmt"
	"math"

	"dagscope/internal/lp"
)

// Allocation is an optimal solution of the area program (Garcia Pinto 2018,
// equations 5.2 to 5.5) with its proof: no schedule of these tasks ends before
// Dual, and Tasks, which ignores dependencies and splits tasks, ends at Time.
// The two agree to 1e-9.
type Allocation struct {
	Time  float64     // ns
	Dual  float64     // ns, a lower bound of Time made from Price alone
	Tasks [][]float64 // [kind][architecture] n_{t,r}
	Price []float64   // of a worker's time by architecture: Σ N_r·Price_r = 1
}

// Area solves the area program for count[k] tasks of each kind, which may be
// fractions (docs/design/methods.md, Bounds): minimise T subject to Σ_r n_{t,r}
// = N_t and Σ_t n_{t,r}·w_{t,r} ≤ T·N_r.
func (c *Costs) Area(count []float64) (*Allocation, error) {
	p := program{costs: c}
	for k, n := range count {
		if n > 0 {
			p.classes = append(p.classes, class{kind: int32(k), count: n})
		}
	}
	s, err := p.solve()
	if err != nil {
		return nil, fmt.Errorf("compute area bound: %w", err)
	}
	a := &Allocation{Time: s.time, Dual: s.dual, Price: s.price, Tasks: make([][]float64, len(c.Kind))}
	for k := range a.Tasks {
		a.Tasks[k] = make([]float64, len(c.Arch))
	}
	for i, cl := range p.classes {
		copy(a.Tasks[cl.kind], s.tasks[i])
	}
	return a, nil
}

// class is a set of tasks of one kind that the program treats alike: they lie
// on the same chosen paths. Sharing one set of variables loses nothing, since
// averaging an optimal solution over a class keeps it optimal.
type class struct {
	kind  int32
	count float64
	paths []int32 // chosen paths that all of its tasks lie on
}

// program is the area program with paths: none for the area bound, some for
// the mixed bound.
type program struct {
	costs   *Costs
	classes []class
	paths   int
}

// solution of a program, proved by prices: of a worker's time for each
// architecture, and of each path's length.
type solution struct {
	time, dual float64
	tasks      [][]float64 // [class][architecture]
	price      []float64
	pathPrice  []float64
}

// solve solves and proves. The proof does not rely on the solver: any prices
// ≥ 0 with Σ N_r·price_r + Σ pathPrice = 1 give the lower bound
// Σ_c N_c · min_r w_{c,r}·(price_r + Σ pathPrice of c's paths).
func (p *program) solve() (*solution, error) {
	if len(p.classes) == 0 {
		return &solution{price: make([]float64, len(p.costs.Arch))}, nil
	}
	if len(p.costs.Arch) == 1 && p.paths == 0 {
		return p.oneArch()
	}
	q, variables := p.linear()
	s, err := q.Solve()
	if err != nil {
		return nil, err
	}
	archs := len(p.costs.Arch)
	out := &solution{price: prices(s.Y[:archs]), pathPrice: prices(s.Y[archs : archs+p.paths])}
	out.tasks = make([][]float64, len(p.classes))
	for i, c := range p.classes {
		out.tasks[i] = shares(variables[i], s.X, c.count)
	}
	out.time = p.longest(out.tasks)
	p.normalize(out)
	out.dual = p.value(out)
	if out.time-out.dual > lp.Tolerance*out.time {
		return nil, fmt.Errorf("%w: %v ns against a dual value of %v ns", lp.ErrUncertified, out.time, out.dual)
	}
	return out, nil
}

// linear states the program: rows of architectures, paths, classes; variable 0
// is T. Forbidden pairs have no variable (−1).
func (p *program) linear() (*lp.Problem, [][]int) {
	q := new(lp.Problem)
	t := q.Var(1)
	for _, n := range p.costs.Workers {
		q.Set(q.Row(lp.LE, 0), t, -float64(n))
	}
	for range p.paths {
		q.Set(q.Row(lp.LE, 0), t, -1)
	}
	variables := make([][]int, len(p.classes))
	for i, c := range p.classes {
		row := q.Row(lp.EQ, c.count)
		variables[i] = make([]int, len(p.costs.Arch))
		for r, w := range p.costs.Duration[c.kind] {
			variables[i][r] = -1
			if math.IsInf(w, 1) {
				continue
			}
			v := q.Var(0)
			variables[i][r] = v
			q.Set(row, v, 1)
			q.Set(r, v, w)
			for _, path := range c.paths {
				q.Set(len(p.costs.Arch)+int(path), v, w)
			}
		}
	}
	return q, variables
}

// oneArch needs no program: all the work on all the workers.
func (p *program) oneArch() (*solution, error) {
	s := &solution{price: []float64{1 / float64(p.costs.Workers[0])}}
	for _, c := range p.classes {
		s.tasks = append(s.tasks, []float64{c.count})
	}
	s.time = p.longest(s.tasks)
	s.dual = s.time
	if math.IsInf(s.time, 1) {
		return nil, lp.ErrInfeasible
	}
	return s, nil
}

// shares reads a class's variables and makes them sum to count to the last
// digit.
func shares(variables []int, x []float64, count float64) []float64 {
	n, sum := make([]float64, len(variables)), 0.0
	for r, v := range variables {
		if v >= 0 {
			n[r] = max(0, x[v])
			sum += n[r]
		}
	}
	for r := range n {
		n[r] *= count / sum
	}
	return n
}

// longest is the T that an allocation needs.
func (p *program) longest(tasks [][]float64) float64 {
	load, length := make([]float64, len(p.costs.Arch)), make([]float64, p.paths)
	for i, c := range p.classes {
		for r, n := range tasks[i] {
			if n == 0 {
				continue
			}
			work := n * p.costs.Duration[c.kind][r]
			load[r] += work
			for _, path := range c.paths {
				length[path] += work
			}
		}
	}
	t := 0.0
	for r, l := range load {
		t = max(t, l/float64(p.costs.Workers[r]))
	}
	for _, l := range length {
		t = max(t, l)
	}
	return t
}

// prices turns dual values of ≤ rows into prices.
func prices(y []float64) []float64 {
	z := make([]float64, len(y))
	for i, v := range y {
		z[i] = max(0, -v)
	}
	return z
}

// normalize makes the prices feasible.
func (p *program) normalize(s *solution) {
	sum := 0.0
	for r, z := range s.price {
		sum += z * float64(p.costs.Workers[r])
	}
	for _, u := range s.pathPrice {
		sum += u
	}
	if sum == 0 {
		return // no work at all
	}
	for r := range s.price {
		s.price[r] /= sum
	}
	for i := range s.pathPrice {
		s.pathPrice[i] /= sum
	}
}

// value is the lower bound that prices prove.
func (p *program) value(s *solution) float64 {
	total := 0.0
	for _, c := range p.classes {
		onPaths := 0.0
		for _, path := range c.paths {
			onPaths += s.pathPrice[path]
		}
		cheapest := math.Inf(1)
		for r, w := range p.costs.Duration[c.kind] {
			if !math.IsInf(w, 1) {
				cheapest = min(cheapest, w*(s.price[r]+onPaths))
			}
		}
		total += c.count * cheapest
	}
	return total
}
