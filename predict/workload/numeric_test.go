package workload

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// These tests run the graphs on numbers: tiles of one element, tasks in a random
// order that the dependencies allow. The result must be that of the algorithm.

// anyOrder draws an order of the nodes that respects the dependencies.
func (d *Deps) anyOrder(rng *rand.Rand) []int32 {
	missing := make([]int, d.Nodes())
	var ready, order []int32
	for v := range missing {
		missing[v] = len(d.Preds(int32(v)))
		if missing[v] == 0 {
			ready = append(ready, int32(v))
		}
	}
	for len(ready) > 0 {
		i := rng.IntN(len(ready))
		v := ready[i]
		ready[i] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, v)
		for _, s := range d.Succs(v) {
			if missing[s]--; missing[s] == 0 {
				ready = append(ready, s)
			}
		}
	}
	return order
}

// execute runs the tasks of a graph on one number (or more) per handle.
func execute(t *testing.T, g *Graph, data []float64, rng *rand.Rand, kernels map[string]func(x []*float64)) {
	t.Helper()
	d, err := Infer(g)
	if err != nil {
		t.Fatal(err)
	}
	order := d.anyOrder(rng)
	if len(order) != d.Nodes() {
		t.Fatalf("%s: only %d of %d nodes can be ordered", g.Name, len(order), d.Nodes())
	}
	for _, v := range order {
		if int(v) >= d.Tasks {
			continue
		}
		var x []*float64
		for a := g.AccessAt[v]; a < g.AccessAt[v+1]; a++ {
			x = append(x, &data[g.Handle[a]])
		}
		kernels[g.Classes[g.Class[v]].Kind](x)
	}
}

// near compares matrices.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9*math.Max(1, math.Abs(want[i])) {
			t.Fatalf("%s: element %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}

// wellConditioned draws a matrix with a heavy diagonal.
func wellConditioned(n int, rng *rand.Rand) []float64 {
	a := make([]float64, n*n)
	for i := range a {
		a[i] = rng.Float64() - 0.5
	}
	for i := range n {
		a[i*n+i] += float64(n)
	}
	return a
}

func multiply(a, b []float64, n int) []float64 {
	c := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range n {
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	return c
}

func transpose(a []float64, n int) []float64 {
	b := make([]float64, n*n)
	for i := range n {
		for j := range n {
			b[j*n+i] = a[i*n+j]
		}
	}
	return b
}

const side = 6 // of the matrices

func must(t *testing.T) func(g *Graph, err error) *Graph {
	return func(g *Graph, err error) *Graph {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
}

func TestCholeskyFactorizes(t *testing.T) {
	g := must(t)(Cholesky(Tiled{Tiles: side}))
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m := wellConditioned(side, rng)
		spd := multiply(m, transpose(m, side), side)
		data := make([]float64, len(g.Bytes))
		for h := range data {
			data[h] = spd[int(g.HandleX[h])*side+int(g.HandleY[h])]
		}
		execute(t, g, data, rng, map[string]func(x []*float64){
			"POTRF": func(x []*float64) { *x[0] = math.Sqrt(*x[0]) },
			"TRSM":  func(x []*float64) { *x[1] /= *x[0] },
			"SYRK":  func(x []*float64) { *x[1] -= *x[0] * *x[0] },
			"GEMM":  func(x []*float64) { *x[2] -= *x[0] * *x[1] },
		})
		l := make([]float64, side*side)
		for h, v := range data {
			l[int(g.HandleX[h])*side+int(g.HandleY[h])] = v
		}
		near(t, "L·Lᵀ", multiply(l, transpose(l, side), side), spd)
	}
}

func TestLUFactorizes(t *testing.T) {
	for _, pivot := range []bool{false, true} {
		g := must(t)(LU(Tiled{Tiles: side}, pivot))
		rng := rand.New(rand.NewPCG(3, 1))
		a := wellConditioned(side, rng)
		data := slices.Clone(a)
		getrf := func([]*float64) {}
		execute(t, g, data, rng, map[string]func(x []*float64){
			"GETRF": getrf, "GETRF_PIVOT": getrf, "PIVOT": getrf,
			"TRSM_LL": func(x []*float64) { *x[1] /= *x[0] },
			"TRSM_RU": func([]*float64) {},
			"GEMM":    func(x []*float64) { *x[2] -= *x[0] * *x[1] },
		})
		l, u := make([]float64, side*side), make([]float64, side*side)
		for i := range side {
			l[i*side+i] = 1
			copy(l[i*side:i*side+i], data[i*side:])
			copy(u[i*side+i:(i+1)*side], data[i*side+i:])
		}
		near(t, "L·U", multiply(l, u, side), a)
	}
}

// Rows are exchanged only when it is known which.
func TestLUExchangesAfterFactorization(t *testing.T) {
	g := must(t)(LU(Tiled{Tiles: side}, true))
	d, err := Infer(g)
	if err != nil {
		t.Fatal(err)
	}
	exchanges := 0
	for v := range int32(d.Tasks) {
		if g.Classes[g.Class[v]].Kind != "PIVOT" {
			continue
		}
		exchanges++
		if !slices.ContainsFunc(d.Preds(v), func(p int32) bool {
			return g.Classes[g.Class[p]].Kind == "GETRF_PIVOT" && g.Iteration[p] == g.Iteration[v]
		}) {
			t.Errorf("exchange %d follows %v, want the factorization of its diagonal tile", v, d.Preds(v))
		}
	}
	if exchanges != side*(side-1) {
		t.Errorf("found %d exchanges, want %d", exchanges, side*(side-1))
	}
}

// A transformation of tiles of one element is a rotation; its angle is kept.
func TestQRFactorizes(t *testing.T) {
	g := must(t)(QR(Tiled{Tiles: side}, 0))
	rng := rand.New(rand.NewPCG(4, 1))
	a := wellConditioned(side, rng)
	data := append(slices.Clone(a), make([]float64, side*side)...)
	rotate := func(top, below *float64, angle float64) {
		s, c := math.Sincos(angle)
		*top, *below = c**top+s**below, c**below-s**top
	}
	execute(t, g, data, rng, map[string]func(x []*float64){
		"GEQRT": func(x []*float64) {},
		"UNMQR": func(x []*float64) {},
		"TSQRT": func(x []*float64) {
			*x[2] = math.Atan2(*x[1], *x[0])
			rotate(x[0], x[1], *x[2])
		},
		"TSMQR": func(x []*float64) { rotate(x[0], x[1], *x[3]) },
	})
	r := make([]float64, side*side)
	for i := range side {
		copy(r[i*side+i:(i+1)*side], data[i*side+i:])
	}
	near(t, "Rᵀ·R", multiply(transpose(r, side), r, side), multiply(transpose(a, side), a, side))
}

func TestGemmMultiplies(t *testing.T) {
	for _, commute := range []bool{false, true} {
		g := must(t)(Gemm(Tiled{Tiles: side}, commute))
		rng := rand.New(rand.NewPCG(5, 1))
		a, b := wellConditioned(side, rng), wellConditioned(side, rng)
		data := slices.Concat(a, b, make([]float64, side*side))
		execute(t, g, data, rng, map[string]func(x []*float64){
			"GEMM": func(x []*float64) { *x[2] += *x[0] * *x[1] },
		})
		near(t, "A·B", data[2*side*side:], multiply(a, b, side))
	}
}

func TestStencilSweeps(t *testing.T) {
	const sweeps = 5
	g := must(t)(Stencil(Tiled{Tiles: side}, sweeps))
	rng := rand.New(rand.NewPCG(6, 1))
	want := wellConditioned(side, rng)
	data := append(slices.Clone(want), make([]float64, side*side)...)
	execute(t, g, data, rng, map[string]func(x []*float64){
		"STENCIL": func(x []*float64) {
			sum := 0.0
			for _, v := range x[1:] {
				sum += *v
			}
			*x[0] = sum / 5
		},
	})
	for range sweeps {
		want = sweep(want)
	}
	near(t, "stencil", data[sweeps%2*side*side:], want)
}

// sweep computes one sweep in the plain way.
func sweep(old []float64) []float64 {
	out := make([]float64, len(old))
	at := func(i, j int) float64 {
		if i < 0 || j < 0 || i >= side || j >= side {
			return 0
		}
		return old[i*side+j]
	}
	for i := range side {
		for j := range side {
			out[i*side+j] = (at(i, j) + at(i-1, j) + at(i+1, j) + at(i, j-1) + at(i, j+1)) / 5
		}
	}
	return out
}
