package order

import (
	"math/rand/v2"
	"slices"
	"testing"
)

var methods = []struct {
	name string
	of   func(Pattern) []int32
	most float64 // fill against exact minimum degree, on average
}{{"natural", Natural, 10}, {"colamd", Colamd, 1.08}, {"amd", AMD, 1.02}, {"nd", NestedDissection, 1.02}}

func isPermutation(perm []int32, n int) bool {
	sorted := slices.Sorted(slices.Values(perm))
	return slices.Equal(sorted, ascending(n))
}

func TestOrderingsArePermutations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		rows, cols := r.IntN(60), r.IntN(60)
		p := randomPattern(r, rows, cols, r.IntN(200))
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		for _, m := range methods {
			perm := m.of(p)
			if !isPermutation(perm, cols) {
				t.Fatalf("%s of %+v: %v", m.name, p, perm)
			}
			if !slices.Equal(perm, m.of(p)) {
				t.Fatalf("%s is not the same twice", m.name)
			}
		}
	}
}

func TestOrderingsOfLargerMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, p := range []Pattern{
		randomPattern(r, 4000, 3000, 12000), randomPattern(r, 300, 5000, 9000), randomPattern(r, 20000, 1500, 40000),
		gridPattern(70, 60), gridPattern(3000, 1), randomPattern(r, 0, 1000, 0), randomPattern(r, 1, 2000, 3000),
	} {
		for _, m := range methods {
			if perm := m.of(p); !isPermutation(perm, p.Cols) {
				t.Errorf("%s of %d by %d: no permutation", m.name, p.Rows, p.Cols)
			}
		}
	}
}

func TestEmptyColumnsComeLast(t *testing.T) {
	p := patternOf(3, 5, [][2]int32{{0, 1}, {1, 1}, {1, 3}, {2, 3}})
	for _, m := range methods[1:3] {
		perm := m.of(p)
		if last := perm[2:]; !slices.Equal(slices.Sorted(slices.Values(last)), []int32{0, 2, 4}) {
			t.Errorf("%s: %v", m.name, perm)
		}
	}
}

// Small orderings are held against the minimum degree by which all of them
// order, computed exactly.
func TestFillAgainstExactMinimumDegree(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ours, exact := make([]int, len(methods)), 0
	for range 150 {
		cols := 5 + r.IntN(40)
		p := randomPattern(r, cols+r.IntN(30), cols, 60+r.IntN(60))
		best := entriesOfR(p, exactMinimumDegree(p))
		exact += best
		for k, m := range methods {
			entries := entriesOfR(p, m.of(p))
			ours[k] += entries
			if k > 0 && float64(entries) > 1.5*float64(best) {
				t.Errorf("%s: %d entries of R, exact minimum degree %d", m.name, entries, best)
			}
		}
	}
	for k, m := range methods {
		ratio := float64(ours[k]) / float64(exact)
		t.Logf("%s: %.3f times the entries of R of exact minimum degree", m.name, ratio)
		if ratio > m.most {
			t.Errorf("%s: %.3f times the entries of R of exact minimum degree, want at most %g", m.name, ratio, m.most)
		}
	}
}

// A tree needs no fill at all in the right order.
func TestNoFillInTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		var at [][2]int32
		n := 2 + r.IntN(300)
		for v := 1; v < n; v++ {
			at = append(at, [2]int32{int32(v), int32(v)}, [2]int32{int32(v), int32(r.IntN(v))})
		}
		p := patternOf(n, n, at)
		if got, want := entriesOfR(p, AMD(p)), 2*n-1; got != want {
			t.Errorf("AMD of a tree of %d: %d entries of R, want %d", n, got, want)
		}
	}
}

// Dissection beats the order by rows where it must: fill of a grid of n
// columns goes as n log n instead of n√n.
func TestDissectionOfGrid(t *testing.T) {
	p := gridPattern(40, 40)
	nd, amd, natural := entriesOfR(p, NestedDissection(p)), entriesOfR(p, AMD(p)), entriesOfR(p, Natural(p))
	if nd > natural/2 || float64(nd) > 1.1*float64(amd) {
		t.Errorf("entries of R: %d by dissection, %d by minimum degree, %d by rows", nd, amd, natural)
	}
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	for _, p := range []Pattern{
		{Rows: -1}, {Cols: 1, ColAt: []int64{0}}, {Rows: 1, Cols: 1, ColAt: []int64{0, 2}, Row: []int32{0}},
		{Rows: 2, Cols: 1, ColAt: []int64{0, 2}, Row: []int32{1, 0}}, {Rows: 2, Cols: 1, ColAt: []int64{0, 2}, Row: []int32{1, 1}},
		{Rows: 2, Cols: 1, ColAt: []int64{0, 1}, Row: []int32{2}}, {Rows: 2, Cols: 2, ColAt: []int64{0, 1, 0}, Row: []int32{1}},
	} {
		if p.Check() == nil {
			t.Errorf("no error for %+v", p)
		}
	}
	if err := (Pattern{}).Check(); err != nil {
		t.Error(err)
	}
}

func benchmark(b *testing.B, of func(Pattern) []int32) {
	p := gridPattern(200, 200)
	b.ReportAllocs()
	for b.Loop() {
		of(p)
	}
}

func BenchmarkColamd(b *testing.B)           { benchmark(b, Colamd) }
func BenchmarkAMD(b *testing.B)              { benchmark(b, AMD) }
func BenchmarkNestedDissection(b *testing.B) { benchmark(b, NestedDissection) }
