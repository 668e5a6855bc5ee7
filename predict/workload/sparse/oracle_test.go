package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"dagscope/predict/workload"
)

// drawMatrix draws a small matrix with any number of empty rows and columns,
// dense rows and columns, and missing rank. Entries near the diagonal make deep
// trees, those anywhere wide fronts.
func drawMatrix(random *rand.Rand) *Matrix {
	s := triplets{rows: random.IntN(80), cols: random.IntN(50)}
	if s.rows == 0 || s.cols == 0 {
		return s.matrix()
	}
	band := 1 + random.IntN(max(s.rows, s.cols))
	if random.IntN(2) == 0 {
		band = 1 + random.IntN(5)
	}
	for range random.IntN(4 * max(s.rows, s.cols)) {
		i := random.IntN(s.rows)
		j := i*s.cols/s.rows + random.IntN(band)
		s.add(int32(i), int32(j%s.cols))
	}
	if random.IntN(5) == 0 {
		s.cross(int32(random.IntN(s.rows)), int32(random.IntN(s.cols)))
	}
	return s.matrix()
}

// forSeeds runs a property for many sources of random numbers.
func forSeeds(t *testing.T, n uint64, property func(t *testing.T, random *rand.Rand)) {
	t.Helper()
	for seed := range n {
		property(t, rand.New(rand.NewPCG(seed, n)))
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

// cross fills a row and a column.
func (t *triplets) cross(row, col int32) {
	for j := range int32(t.cols) {
		t.add(row, j)
	}
	for i := range int32(t.rows) {
		t.add(i, col)
	}
}

// drawAnalysis draws a matrix, an order and block sizes.
func drawAnalysis(t *testing.T, random *rand.Rand) (*Matrix, *Analysis, []int32) {
	m := drawMatrix(random)
	tall, _ := m.Tall()
	perm := byWeight(nil, tall.Cols)
	if random.IntN(2) == 0 {
		random.Shuffle(len(perm), func(i, j int) { perm[i], perm[j] = perm[j], perm[i] })
	}
	o := Options{NB: 1 + random.IntN(12), IB: 1 + random.IntN(8)}
	a, err := Analyze(m, perm, o)
	if err != nil {
		t.Fatal(err)
	}
	return tall, a, perm
}

// filledRows eliminates columns of AᵀA in an order, as sets: by place the
// columns of the row of R, as places.
func filledRows(m *Matrix, order []int32) [][]bool {
	n, at := m.Cols, positions(order)
	r := make([][]bool, n)
	for k := range r {
		r[k] = make([]bool, n)
		r[k][k] = true
	}
	rows := m.Transpose()
	for i := range int32(m.Rows) {
		for _, a := range rows.Column(i) {
			for _, b := range rows.Column(i) {
				r[min(at[a], at[b])][max(at[a], at[b])] = true
			}
		}
	}
	for k := range n {
		for i := k + 1; i < n; i++ {
			for j := i; r[k][i] && j < n; j++ {
				r[i][j] = r[i][j] || r[k][j]
			}
		}
	}
	return r
}

func TestTreeAndCountsNaively(t *testing.T) {
	forSeeds(t, 400, func(t *testing.T, random *rand.Rand) {
		m, a, perm := drawAnalysis(t, random)
		r := filledRows(m, perm)
		for k, v := range perm {
			parent, count := none, int32(0)
			for j, full := range r[k] {
				if full {
					count++
				}
				if full && j > k && parent == none {
					parent = perm[j]
				}
			}
			if a.Parent[v] != parent || a.Count[v] != count {
				t.Errorf("column %d: parent %d, count %d, want %d, %d", v, a.Parent[v], a.Count[v], parent, count)
			}
		}
	})
}

// naiveFront is a front found the long way.
type naiveFront struct {
	columns, leftmost []int32 // leftmost column of each row
	stair             []int32
}

func TestFrontsNaively(t *testing.T) {
	forSeeds(t, 400, func(t *testing.T, random *rand.Rand) {
		m, a, _ := drawAnalysis(t, random)
		checkShape(t, m, a)
		r := filledRows(m, a.Order)
		naive := make([]naiveFront, len(a.Fronts))
		pivot := int32(0)
		taken := make([]bool, m.Rows)
		for f := range a.Fronts {
			naive[f] = naively(m, a, int32(f), pivot, r, naive, taken)
			pivot += a.Fronts[f].Pivots
			if got := a.FrontColumns(int32(f)); !slices.Equal(got, naive[f].columns) {
				t.Errorf("front %d has columns %v, want %v", f, got, naive[f].columns)
			}
			if got := a.FrontStair(int32(f)); !slices.Equal(got, naive[f].stair) || int(a.Fronts[f].Rows) != len(naive[f].leftmost) {
				t.Errorf("front %d has %d rows and stairs %v, want %d and %v", f, a.Fronts[f].Rows, got, len(naive[f].leftmost), naive[f].stair)
			}
			if got, want := a.Fronts[f].Flops, naiveFlops(&naive[f], a.IB); got != want {
				t.Errorf("front %d takes %d flops, want %d", f, got, want)
			}
		}
	})
}

// checkShape wants permutations, and all pivots and rows in fronts.
func checkShape(t *testing.T, m *Matrix, a *Analysis) {
	if err := checkPerm(a.Order, m.Cols); err != nil {
		t.Fatal("order:", err)
	}
	if err := checkPerm(a.RowOrder, m.Rows); err != nil {
		t.Fatal("order of rows:", err)
	}
	pivots, entries := int32(0), int64(0)
	for f := range a.Fronts {
		pivots += a.Fronts[f].Pivots
		entries += a.Fronts[f].Entries
		if p := a.Fronts[f].Parent; (p == none) != (f == len(a.Fronts)-1) || p != none && int(p) <= f {
			t.Errorf("front %d has parent %d", f, p)
		}
	}
	if int(pivots) != m.Cols || entries != m.Entries() {
		t.Errorf("%d pivots and %d entries, want %d and %d", pivots, entries, m.Cols, m.Entries())
	}
}

// naively makes a front from filled rows of R and lists of the leftmost column
// of each of its rows.
func naively(m *Matrix, a *Analysis, f, pivot int32, r [][]bool, fronts []naiveFront, taken []bool) (n naiveFront) {
	front := &a.Fronts[f]
	for j := range int32(m.Cols) {
		for k := pivot; k < pivot+front.Pivots; k++ {
			if r[k][j] {
				n.columns = append(n.columns, j)
				break
			}
		}
	}
	at, rows := positions(a.Order), m.Transpose()
	for i := range int32(m.Rows) {
		leftmost := int32(math.MaxInt32)
		for _, j := range rows.Column(i) {
			leftmost = min(leftmost, at[j])
		}
		if leftmost < pivot+front.Pivots && !taken[i] {
			taken[i] = true
			n.leftmost = append(n.leftmost, leftmost)
		}
	}
	for c := range f {
		if a.Fronts[c].Parent == f {
			for i := int(a.Fronts[c].Pivots); i < min(len(fronts[c].leftmost), len(fronts[c].columns)); i++ {
				n.leftmost = append(n.leftmost, fronts[c].columns[i])
			}
		}
	}
	for k, column := range n.columns {
		rows := sort.Search(len(n.leftmost), func(i int) bool { slices.Sort(n.leftmost); return n.leftmost[i] > column })
		n.stair = append(n.stair, int32(max(rows, min(k+1, len(n.leftmost)))))
	}
	return n
}

func naiveFlops(n *naiveFront, ib int) (flops int64) {
	steps := min(len(n.leftmost), len(n.columns))
	for j := 1; j <= steps; j += ib {
		k := min(ib, steps-j+1)
		h := float64(int(n.stair[j+k-2]) - j + 1)
		w := float64(k)
		if h >= w {
			flops = int64(float64(flops) + 2*w*w*(h-w/3))
		} else {
			flops = int64(float64(flops) + 2*h*h*(h-h/3) + h*(w-h)*3*h)
		}
		if right := float64(len(n.columns) - j - k + 1); right > 0 {
			flops = int64(float64(flops) + w*right*(4*h-w))
		}
	}
	return flops
}

// TestPruneNaively searches the layer with plain lists.
func TestPruneNaively(t *testing.T) {
	forSeeds(t, 400, func(t *testing.T, random *rand.Rand) {
		a := drawTree(random)
		workers := 1 + random.IntN(40)
		got, want := a.Prune(workers), naivePruning(a, workers)
		if !slices.Equal(got.Small, want) {
			t.Errorf("subtrees %v, want %v", got.Small, want)
		}
	})
}

// drawTree draws a tree of fronts with any work, in postorder, root last.
func drawTree(random *rand.Rand) *Analysis {
	n, decades := 1+random.IntN(200), float64(random.IntN(7)) // few decades: many ties
	a := &Analysis{Fronts: make([]Front, n)}
	open := []int32{} // roots of the forest so far
	for f := range int32(n) {
		take := len(open)
		if int(f) < n-1 {
			take = min(random.IntN(4), len(open))
		}
		for _, c := range open[len(open)-take:] {
			a.Fronts[c].Parent = f
			a.Fronts[f].Subtree += a.Fronts[c].Subtree
		}
		a.Fronts[f].Children = int32(take)
		open = append(open[:len(open)-take], f)
		a.Fronts[f].Parent = none
		a.Fronts[f].Flops = int64(math.Pow(10, decades*random.Float64())) * int64(random.IntN(3))
		a.Fronts[f].Subtree += a.Fronts[f].Flops
	}
	a.Flops = a.Fronts[n-1].Subtree
	return a
}

func naivePruning(a *Analysis, workers int) []int32 {
	type node struct {
		f    int
		work float64
	}
	children := make([][]int, len(a.Fronts))
	leavesInAll := 0
	for f := range a.Fronts {
		if p := a.Fronts[f].Parent; p != none {
			children[p] = append(children[p], f)
		}
		if len(children[f]) == 0 {
			leavesInAll++
		}
	}
	root, log := len(a.Fronts)-1, math.Log2(float64(workers))
	limit := int(math.Floor(float64(workers) * max(2, log*log)))
	var light []bool
	var layer []node
	for share, again := 0.01, true; again; {
		again, light, layer = false, make([]bool, len(a.Fronts)), nil
		heavy := func(f int) bool {
			w := float64(a.Fronts[f].Subtree)
			if w > share*float64(a.Flops) {
				layer = append(layer, node{f, w})
				return true
			}
			light[f] = true
			return false
		}
		heavy(root)
		stuck := 0
	search:
		for workers > 1 && len(layer) <= limit {
			sort.SliceStable(layer, func(i, j int) bool { return layer[i].work > layer[j].work })
			load := make([]float64, workers)
			for _, n := range layer {
				least := slices.Index(load, slices.Min(load))
				load[least] += n.work
			}
			if slices.Max(load) > 0 && slices.Min(load)/slices.Max(load) > 0.9 && len(layer) >= workers {
				break
			}
			for {
				if stuck == leavesInAll {
					break search
				}
				if stuck == len(layer) {
					if float64(len(layer)) < float64(workers)*max(2, log*log) {
						share /= 2
						again = share >= 1e-4
					}
					break search
				}
				found := false
				for _, c := range children[layer[stuck].f] {
					found = heavy(c) || found
				}
				if found {
					break
				}
				stuck++
			}
			layer[stuck] = layer[len(layer)-1]
			layer = layer[:len(layer)-1]
		}
	}
	for _, n := range layer {
		for _, c := range children[n.f] {
			light[c] = true
		}
	}
	small := make([]int32, len(a.Fronts))
	var mark func(f int, first int32)
	var first func(f int) int32
	first = func(f int) int32 {
		if len(children[f]) == 0 {
			return int32(f)
		}
		return first(children[f][0])
	}
	mark = func(f int, inside int32) {
		if small[f] = inside; inside == 0 && light[f] {
			small[f] = first(f) + 1
			inside = -small[f]
		}
		for _, c := range children[f] {
			mark(c, inside)
		}
	}
	mark(root, 0)
	return small
}

// TestProgramNaively checks what must hold for every program.
func TestProgramNaively(t *testing.T) {
	forSeeds(t, 400, func(t *testing.T, random *rand.Rand) {
		_, a, _ := drawAnalysis(t, random)
		p, err := a.Program(1 + random.IntN(9))
		if err != nil {
			t.Fatal(err)
		}
		checkCounts(t, p)
		checkMemory(t, p)
		checkFlops(t, p)
		checkChain(t, p)
	})
}

// checkChain looks for the longest chain along inferred dependencies.
func checkChain(t *testing.T, p *Program) {
	deps, err := workload.Infer(p.Graph)
	if err != nil {
		t.Fatal(err)
	}
	order, err := deps.Topological()
	if err != nil {
		t.Fatal(err)
	}
	end, longest := make([]int64, deps.Nodes()), int64(0)
	for _, v := range order {
		for _, u := range deps.Preds(v) {
			end[v] = max(end[v], end[u])
		}
		if int(v) < p.Graph.Tasks() {
			end[v] += p.Flops(v)
		}
		longest = max(longest, end[v])
	}
	if got := p.Chain(); got != longest {
		t.Errorf("a chain of %d flops, want %d", got, longest)
	}
}

// checkCounts counts tasks front by front.
func checkCounts(t *testing.T, p *Program) {
	want := [len(KindNames)]int{}
	for f := range int32(len(p.Fronts)) {
		front := &p.Fronts[f]
		if parent := front.Parent; parent == none || p.Small[parent] == 0 {
			want[Deactivate]++
		}
		if p.Small[f] > 0 {
			want[DoSubtree]++
		}
		if p.Small[f] != 0 {
			continue
		}
		want[Activate]++
		steps, cols := int(front.Steps()), int(front.Cols)
		if steps <= 0 {
			continue
		}
		nb := min(p.NB, cols)
		for k := 0; k < steps; k += nb {
			want[Panel]++
			for j := k + nb; j < cols; j += nb {
				want[Update]++
			}
		}
		if front.Parent == none || int(front.Pivots) >= int(front.Rows) {
			continue
		}
		for j := 0; j < cols; j += nb {
			if j+nb > int(front.Pivots) || j+nb >= cols && int(front.Pivots)%nb != 0 {
				want[Assemble]++
			}
		}
	}
	if got := p.KindCounts(); got != want {
		t.Errorf("%d tasks, want %d (%v)", got, want, KindNames)
	}
}

// checkMemory runs the tasks in order of submission: that is a sequential run.
func checkMemory(t *testing.T, p *Program) {
	now, peak, factors := int64(0), int64(0), int64(0)
	for task := range p.Graph.Tasks() {
		now += p.Graph.StartBytes[task]
		peak = max(peak, now)
		if now += p.Graph.EndBytes[task]; now < 0 {
			t.Errorf("task %d leaves %d bytes", task, now)
		}
	}
	for f := range p.Fronts {
		factors += p.Fronts[f].Allocated - p.Fronts[f].Freed
	}
	if now != factors || peak != p.Peak-p.matrixBytes() {
		t.Errorf("%d bytes in the end and %d at most, want %d and %d", now, peak, factors, p.Peak-p.matrixBytes())
	}
}

// checkFlops wants the work of the tasks to be that of the fronts, but for
// what is cut to integers, where inner blocks do not straddle panels.
func checkFlops(t *testing.T, p *Program) {
	sum, coefficients := int64(0), int64(0)
	for task := range int32(p.Graph.Tasks()) {
		sum += p.Flops(task)
		v := p.Parameters(task, nil)
		for _, x := range v {
			if x < 0 {
				t.Errorf("task %d has parameters %v", task, v)
			}
		}
		switch p.Kind(task) {
		case DoSubtree:
			coefficients += int64(v[2])
		case Activate:
			coefficients += int64(v[1])
		case Assemble:
			coefficients += int64(v[0])
		}
	}
	want := p.Entries
	for f := range p.Fronts {
		front := &p.Fronts[f]
		for i := front.Pivots; i < front.Steps(); i++ {
			want += int64(front.Cols - i)
		}
	}
	if coefficients != want {
		t.Errorf("%d coefficients are assembled, want %d", coefficients, want)
	}
	if exact := p.NB%p.IB == 0; exact && math.Abs(float64(sum-p.Analysis.Flops)) > float64(len(p.Columns)+p.Graph.Tasks()) {
		t.Errorf("%d flops in tasks, want %d", sum, p.Analysis.Flops)
	}
}

// TestTooMuch wants errors, not sums that overflow.
func TestTooMuch(t *testing.T) {
	n := int32(1 << 21)
	s := triplets{rows: int(n), cols: int(n)}
	s.cross(0, 0)
	if _, err := Analyze(s.matrix(), nil, Options{}); err == nil || !strings.Contains(err.Error(), "flops") {
		t.Errorf("error %v of a dense factorization of %d columns", err, n)
	}
	dense := triplets{rows: 40000, cols: 40000}
	for j := range int32(40000) {
		dense.add(j, j)
		dense.add(0, j)
	}
	a, err := Analyze(dense.matrix(), nil, Options{NB: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Program(1 << 10); err == nil || !strings.Contains(err.Error(), "tasks, want at most") {
		t.Errorf("error %v of too many tasks", err)
	}
}

func TestNoPanicOnAnyOptions(t *testing.T) {
	for _, o := range []Options{{NB: -1}, {IB: -3}, {MB: 64}, {NB: math.MaxInt32 + 1}} {
		if _, err := Analyze(&Matrix{ColAt: []int64{0}}, nil, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	for _, perm := range [][]int32{{0}, {0, 0}, {0, 2}, {-1, 0}} {
		if _, err := Analyze(&Matrix{Rows: 2, Cols: 2, ColAt: []int64{0, 0, 0}}, perm, Options{}); err == nil {
			t.Errorf("%v is accepted", perm)
		}
	}
	a, err := Analyze(&Matrix{Rows: 1, Cols: 1, ColAt: []int64{0, 1}, Row: []int32{0}}, nil, Options{NB: math.MaxInt32, IB: math.MaxInt32})
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Program(1)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(p.KindCounts()); got != "[1 1 0 0 0 2]" {
		t.Errorf("kinds %v of a 1 × 1 matrix for one worker", got)
	}
}
