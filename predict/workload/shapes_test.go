package workload

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// kinds counts the tasks of each kind.
func kinds(g *Graph) map[string]int {
	n := make(map[string]int)
	for _, c := range g.Class {
		n[g.Classes[c].Kind]++
	}
	return n
}

func TestCountsOfTasks(t *testing.T) {
	const n = 7
	o := Tiled{Tiles: n}
	pairs, thirds := n*(n-1)/2, (n-1)*n*(2*n-1)/6
	check := func(name string, g *Graph, want map[string]int) {
		t.Helper()
		got := kinds(g)
		for kind, w := range want {
			if got[kind] != w {
				t.Errorf("%s: found %d tasks %s, want %d", name, got[kind], kind, w)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: found kinds %v, want %v", name, got, want)
		}
		if cap(g.Class) != len(g.Class) || cap(g.Handle) != len(g.Handle) {
			t.Errorf("%s: made room for %d tasks and %d accesses, has %d and %d", name, cap(g.Class), cap(g.Handle), len(g.Class), len(g.Handle))
		}
	}
	check("cholesky", must(t)(Cholesky(o)), map[string]int{"POTRF": n, "TRSM": pairs, "SYRK": pairs, "GEMM": n * (n - 1) * (n - 2) / 6})
	check("lu", must(t)(LU(o, false)), map[string]int{"GETRF": n, "TRSM_LL": pairs, "TRSM_RU": pairs, "GEMM": thirds})
	check("lu with pivot", must(t)(LU(o, true)), map[string]int{"GETRF_PIVOT": n, "PIVOT": n * (n - 1), "TRSM_LL": pairs, "TRSM_RU": pairs, "GEMM": thirds})
	check("qr", must(t)(QR(o, 0)), map[string]int{"GEQRT": n, "UNMQR": pairs, "TSQRT": pairs, "TSMQR": thirds})
	check("gemm", must(t)(Gemm(o, false)), map[string]int{"GEMM": n * n * n})
	check("stencil", must(t)(Stencil(o, 3)), map[string]int{"STENCIL": 3 * n * n})
	check("chain", must(t)(Chain(Shape{Tasks: 9})), map[string]int{"TASK": 9})
	check("independent", must(t)(Independent(Shape{Tasks: 9})), map[string]int{"TASK": 9})
	check("fork-join", must(t)(ForkJoin(Shape{Stages: 3, Width: 4})), map[string]int{"FORK": 1, "TASK": 12, "JOIN": 3})
}

// The operations of the tasks are those of the whole, up to lower orders.
func TestFlopsAddUp(t *testing.T) {
	const tiles, tile = 10, 100
	n := float64(tiles * tile)
	o := Tiled{Tiles: tiles, Tile: tile}
	for name, c := range map[string]struct {
		g    *Graph
		want float64
		off  float64 // share that tiling may add
	}{
		"cholesky": {must(t)(Cholesky(o)), n * n * n / 3, 0.01},
		"lu":       {must(t)(LU(o, false)), 2 * n * n * n / 3, 0.01},
		"gemm":     {must(t)(Gemm(o, false)), 2 * n * n * n, 0},
		// TSMQR does a quarter more than needed, and more for inner blocks.
		"qr": {must(t)(QR(o, 0)), 4 * n * n * n / 3, 0.15},
	} {
		sum := 0.0
		for _, class := range c.g.Class {
			sum += c.g.Classes[class].GFlop * 1e9
		}
		if off := sum/c.want - 1; off < -0.001 || off > c.off+1e-9 {
			t.Errorf("%s: found %g operations, want %g (%+.2f %%)", name, sum, c.want, 100*off)
		}
	}
}

// longest is the number of tasks on a longest path.
func longest(t *testing.T, g *Graph) int {
	t.Helper()
	d, err := Infer(g)
	if err != nil {
		t.Fatal(err)
	}
	depth := make([]int, d.Tasks)
	for v := range depth {
		for _, p := range d.Preds(int32(v)) {
			depth[v] = max(depth[v], depth[p])
		}
		depth[v]++
	}
	return slices.Max(depth)
}

func TestDepths(t *testing.T) {
	const n = 7
	o := Tiled{Tiles: n}
	for name, c := range map[string]struct {
		g    *Graph
		want int
	}{
		"cholesky":       {must(t)(Cholesky(o)), 3*n - 2},
		"lu":             {must(t)(LU(o, false)), 3*n - 2},
		"gemm":           {must(t)(Gemm(o, false)), n},
		"commuting gemm": {must(t)(Gemm(o, true)), 1},
		"stencil":        {must(t)(Stencil(o, 4)), 4},
		"chain":          {must(t)(Chain(Shape{Tasks: 9})), 9},
		"independent":    {must(t)(Independent(Shape{Tasks: 9})), 1},
		"fork-join":      {must(t)(ForkJoin(Shape{Stages: 3, Width: 4})), 7},
		"layered":        {must(t)(Layered(Shape{Stages: 5, Width: 4})), 5},
		"generated":      {must(t)(Generate(must(t)(Cholesky(o)), "INIT", time.Millisecond)), 3*n - 1},
	} {
		if got := longest(t, c.g); got != c.want {
			t.Errorf("%s: found a longest path of %d tasks, want %d", name, got, c.want)
		}
	}
}

func TestLayeredFollowsTheLayerBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Shape{Stages: rapid.IntRange(1, 5).Draw(t, "stages"), Width: rapid.IntRange(1, 9).Draw(t, "width"), Seed: rapid.Uint64().Draw(t, "seed")}
		o.Degree = rapid.Float64Range(1, float64(o.Width)).Draw(t, "degree")
		g, err := Layered(o)
		if err != nil {
			t.Fatal(err)
		}
		for v := range int32(g.Tasks()) {
			var after []int32
			for a := g.AccessAt[v] + 1; a < g.AccessAt[v+1]; a++ {
				after = append(after, g.Handle[a])
			}
			stage := int(v) / o.Width
			if stage > 0 && len(after) == 0 {
				t.Fatalf("task %d follows none", v)
			}
			for _, p := range after {
				if int(p)/o.Width != stage-1 {
					t.Fatalf("task %d of layer %d follows %d", v, stage, p)
				}
			}
			if slices.Sort(after); len(slices.Compact(after)) != len(after) {
				t.Fatalf("task %d follows a task twice", v)
			}
		}
	})
}

func TestLayeredHasItsDegree(t *testing.T) {
	for _, degree := range []float64{1, 2, 7.5, 50} {
		g := must(t)(Layered(Shape{Stages: 101, Width: 50, Degree: degree, Seed: 1}))
		got := float64(len(g.Handle)-g.Tasks()) / 5000
		if math.Abs(got-degree) > 0.03*degree {
			t.Errorf("found a mean degree of %g, want %g", got, degree)
		}
	}
}

func TestSpreadKeepsTheMean(t *testing.T) {
	o := Shape{Tasks: 20000, Duration: time.Millisecond, Spread: 0.5, Seed: 7}
	g := must(t)(Independent(o))
	sum, squares := 0.0, 0.0
	for _, f := range g.Factor {
		sum += f
		squares += math.Pow(math.Log(f)+0.125, 2)
	}
	n := float64(o.Tasks)
	if mean := sum / n; math.Abs(mean-1) > 0.02 {
		t.Errorf("found a mean of %g, want 1", mean)
	}
	if s := math.Sqrt(squares / n); math.Abs(s-0.5) > 0.02 {
		t.Errorf("found a spread of %g, want 0.5", s)
	}
	if again := must(t)(Independent(o)); !slices.Equal(g.Factor, again.Factor) {
		t.Error("equal seeds give other durations")
	}
}

func TestGenerate(t *testing.T) {
	g := must(t)(Cholesky(Tiled{Tiles: 4, NoDiagonalHints: true}))
	out := must(t)(Generate(g, "INIT", 2*time.Millisecond))
	if out.Tasks() != 30 || len(out.Hints) != 6 || g.Tasks() != 20 || g.Home[0] != 0 {
		t.Fatalf("found %d tasks and %d hints, want 30 and 6, the graph unchanged", out.Tasks(), len(out.Hints))
	}
	column := []int32{0, 1, 2, 3, 1, 2, 3, 2, 3, 3}
	for i, x := range column {
		c := out.Classes[out.Class[i]]
		if out.X[i] != x || out.Priority[i] != 12 || !c.Generation || c.Duration != 2e6 || out.Home[out.Handle[i]] != None {
			t.Errorf("task %d writes row %d with priority %d: %+v", i, out.X[i], out.Priority[i], c)
		}
	}
	for i, h := range g.Hints {
		if out.Hints[i].After != h.After+10 {
			t.Errorf("hint %d is after %d tasks, want %d", i, out.Hints[i].After, h.After+10)
		}
	}
	for i := range g.Tasks() {
		a, b := g.Handle[g.AccessAt[i]:g.AccessAt[i+1]], out.Handle[out.AccessAt[i+10]:out.AccessAt[i+11]]
		if !slices.Equal(a, b) || g.Class[i] != out.Class[i+10] {
			t.Errorf("task %d uses %v, want %v", i, b, a)
		}
	}
}

func TestGraphsOutOfRangeAreRefused(t *testing.T) {
	fails := func(name string, _ *Graph, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: found no error", name)
		}
	}
	check := func(name string, f func() (*Graph, error)) {
		g, err := f()
		fails(name, g, err)
	}
	check("no tiles", func() (*Graph, error) { return Cholesky(Tiled{}) })
	check("many tiles", func() (*Graph, error) { return LU(Tiled{Tiles: 5000}, false) })
	check("too many tiles for three accesses", func() (*Graph, error) { return LU(Tiled{Tiles: 1000}, false) })
	check("negative tile", func() (*Graph, error) { return Gemm(Tiled{Tiles: 2, Tile: -1}, false) })
	check("element", func() (*Graph, error) { return Gemm(Tiled{Tiles: 2, Element: 100}, false) })
	check("inner", func() (*Graph, error) { return QR(Tiled{Tiles: 2, Tile: 10}, 11) })
	check("sweeps", func() (*Graph, error) { return Stencil(Tiled{Tiles: 2}, 0) })
	check("many sweeps", func() (*Graph, error) { return Stencil(Tiled{Tiles: 1000}, 100000) })
	check("tasks", func() (*Graph, error) { return Chain(Shape{}) })
	check("many tasks", func() (*Graph, error) { return Independent(Shape{Tasks: math.MaxInt}) })
	check("width", func() (*Graph, error) { return ForkJoin(Shape{Stages: 1}) })
	check("stages", func() (*Graph, error) { return Layered(Shape{Stages: math.MaxInt32, Width: math.MaxInt32}) })
	check("degree", func() (*Graph, error) { return Layered(Shape{Stages: 2, Width: 2, Degree: 3}) })
	check("duration", func() (*Graph, error) { return Chain(Shape{Tasks: 1, Duration: -1}) })
	check("spread", func() (*Graph, error) { return Chain(Shape{Tasks: 1, Spread: math.NaN()}) })
	check("bytes", func() (*Graph, error) { return Chain(Shape{Tasks: 1, Bytes: -1}) })
}
