package dag

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type edges struct {
	n        int
	from, to []int32
}

// drawGraph draws a tiny acyclic graph whose nodes are shuffled, so that edges
// go to larger and smaller nodes, with rows to leave out and parallel edges.
func drawGraph(t *rapid.T) edges {
	n := rapid.IntRange(0, 8).Draw(t, "nodes")
	name := make([]int32, n)
	for i, p := range rapid.Permutation(identity(n)).Draw(t, "names") {
		name[i] = p
	}
	e := edges{n: n}
	if n == 0 {
		return e
	}
	for range rapid.IntRange(0, 16).Draw(t, "edges") {
		a := rapid.IntRange(-1, n-1).Draw(t, "a")
		b := rapid.IntRange(0, n-1).Draw(t, "b")
		if a == b {
			continue
		}
		if a < 0 {
			e.from, e.to = append(e.from, None), append(e.to, name[b])
			continue
		}
		e.from, e.to = append(e.from, name[min(a, b)]), append(e.to, name[max(a, b)])
	}
	return e
}

func drawWeights(t *rapid.T, n int, label string) []int64 {
	w := make([]int64, n)
	for i := range w {
		w[i] = rapid.Int64Range(0, 5).Draw(t, label)
	}
	return w
}

func mustOrder(t interface{ Fatalf(string, ...any) }, g *Graph) []int32 {
	order, err := g.Topological()
	if err != nil {
		t.Fatalf("acyclic graph: %v", err)
	}
	return order
}

func TestBuildKeepsEveryEdgeOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawGraph(t)
		g := Build(e.n, e.from, e.to)
		var preds []int32
		var succs, pairs [][2]int32
		for v := range int32(e.n) {
			for i, row := range g.PredEdges(v) {
				if e.from[row] != g.Preds(v)[i] || e.to[row] != v {
					t.Fatalf("predecessor %d of %d is row %d: %d -> %d", g.Preds(v)[i], v, row, e.from[row], e.to[row])
				}
				preds = append(preds, row)
			}
			for _, w := range g.Succs(v) {
				succs = append(succs, [2]int32{v, w})
			}
		}
		var want []int32
		for i, u := range e.from {
			if u >= 0 {
				want, pairs = append(want, int32(i)), append(pairs, [2]int32{u, e.to[i]})
			}
		}
		slices.Sort(preds)
		if !slices.Equal(preds, want) || g.Edges() != len(want) {
			t.Fatalf("rows by destination %v, count %d, want %v", preds, g.Edges(), want)
		}
		slices.SortStableFunc(pairs, func(x, y [2]int32) int { return int(x[0] - y[0]) })
		if !slices.Equal(succs, pairs) {
			t.Fatalf("edges by origin %v, want %v", succs, pairs)
		}
	})
}

func TestTopologicalPutsEveryNodeAfterItsPredecessors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawGraph(t)
		order := mustOrder(t, Build(e.n, e.from, e.to))
		at := make(map[int32]int)
		for i, v := range order {
			at[v] = i
		}
		if len(at) != e.n || len(order) != e.n {
			t.Fatalf("order %v of %d nodes", order, e.n)
		}
		for i, u := range e.from {
			if u >= 0 && at[u] >= at[e.to[i]] {
				t.Fatalf("%d -> %d but order %v", u, e.to[i], order)
			}
		}
	})
}

func TestTopologicalNamesACycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawGraph(t)
		if e.n == 0 {
			return
		}
		ring := rapid.Permutation(identity(e.n)).Draw(t, "ring")[:rapid.IntRange(1, e.n).Draw(t, "length")]
		for i, v := range ring {
			e.from, e.to = append(e.from, v), append(e.to, ring[(i+1)%len(ring)])
		}
		_, err := Build(e.n, e.from, e.to).Topological()
		var cycle *CycleError
		if !errors.As(err, &cycle) || len(cycle.Nodes) == 0 {
			t.Fatalf("ring %v: %v", ring, err)
		}
		for i, u := range cycle.Nodes {
			if v := cycle.Nodes[(i+1)%len(cycle.Nodes)]; !hasEdge(e, u, v) {
				t.Fatalf("cycle %v has no edge %d -> %d", cycle.Nodes, u, v)
			}
		}
	})
}

func hasEdge(e edges, u, v int32) bool {
	for i := range e.from {
		if e.from[i] == u && e.to[i] == v {
			return true
		}
	}
	return false
}

// walks calls f with every path of the graph, as input rows, first node first.
func walks(e edges, f func(nodes, rows []int32)) {
	var extend func(nodes, rows []int32)
	extend = func(nodes, rows []int32) {
		f(nodes, rows)
		for i, u := range e.from {
			if u == nodes[len(nodes)-1] {
				extend(append(slices.Clone(nodes), e.to[i]), append(slices.Clone(rows), int32(i)))
			}
		}
	}
	for v := range int32(e.n) {
		extend([]int32{v}, nil)
	}
}

func TestLongestPathAgainstAllPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawGraph(t)
		g := Build(e.n, e.from, e.to)
		order := mustOrder(t, g)
		weight, edge := drawWeights(t, e.n, "weight"), drawWeights(t, len(e.from), "edge weight")
		if rapid.Bool().Draw(t, "nodes only") {
			clear(edge)
			if p := g.LongestPath(order, weight); !slices.Equal(p.Nodes, g.LongestPathEdges(order, weight, edge).Nodes) {
				t.Fatalf("zero edges change the path %v", p)
			}
		}
		sum := func(nodes, rows []int32) (s int64) {
			for _, v := range nodes {
				s += weight[v]
			}
			for _, r := range rows {
				s += edge[r]
			}
			return s
		}
		var longest int64
		walks(e, func(nodes, rows []int32) { longest = max(longest, sum(nodes, rows)) })
		p := g.LongestPathEdges(order, weight, edge)
		if p.Length != longest || sum(p.Nodes, p.Edges) != longest {
			t.Fatalf("path %+v weighs %d, longest is %d", p, sum(p.Nodes, p.Edges), longest)
		}
		for i, r := range p.Edges {
			if e.from[r] != p.Nodes[i] || e.to[r] != p.Nodes[i+1] {
				t.Fatalf("path %+v: row %d is %d -> %d", p, r, e.from[r], e.to[r])
			}
		}
	})
}

func TestLevelsAgainstAllPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawGraph(t)
		g := Build(e.n, e.from, e.to)
		order := mustOrder(t, g)
		weight, edge := drawWeights(t, e.n, "weight"), []int64(nil)
		if rapid.Bool().Draw(t, "edges weigh") {
			edge = drawWeights(t, len(e.from), "edge weight")
		}
		top, tail := make([]int64, e.n), make([]int64, e.n)
		walks(e, func(nodes, rows []int32) {
			var sum int64
			for _, v := range nodes {
				sum += weight[v]
			}
			for _, row := range rows {
				if edge != nil {
					sum += edge[row]
				}
			}
			first, last := nodes[0], nodes[len(nodes)-1]
			top[last] = max(top[last], sum-weight[last])
			tail[first] = max(tail[first], sum-weight[first])
		})
		if got := g.TopLevelsEdges(order, weight, edge); !slices.Equal(got, top) {
			t.Fatalf("top levels %v, want %v", got, top)
		}
		if got := g.TailsEdges(order, weight, edge); !slices.Equal(got, tail) {
			t.Fatalf("tails %v, want %v", got, tail)
		}
	})
}

func TestLongestPathTiesGoToTheSmallerNode(t *testing.T) {
	g := Build(5, []int32{2, 1, 3, 3}, []int32{3, 3, 4, 0})
	p := g.LongestPath(mustOrder(t, g), []int64{1, 1, 1, 1, 1})
	if want := []int32{1, 3, 0}; !slices.Equal(p.Nodes, want) || p.Length != 3 {
		t.Fatalf("path %+v, want nodes %v", p, want)
	}
}

func TestSetsAgainstRelabelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 9
		sets, naive := NewSets(n), identity(n)
		for range rapid.IntRange(0, 12).Draw(t, "unions") {
			a := rapid.Int32Range(0, n-1).Draw(t, "a")
			b := rapid.Int32Range(0, n-1).Draw(t, "b")
			from, to := max(naive[a], naive[b]), min(naive[a], naive[b])
			if sets.Union(a, b) != (from != to) {
				t.Fatalf("union of %d and %d", a, b)
			}
			for i, s := range naive {
				if s == from {
					naive[i] = to
				}
			}
		}
		for v := range int32(n) {
			if sets.Find(v) != naive[v] {
				t.Fatalf("set of %d is %d, want %d", v, sets.Find(v), naive[v])
			}
		}
	})
}

// BenchmarkTenMillion is the scale the package is for: 1e7 nodes, 3e7 edges.
func BenchmarkTenMillion(b *testing.B) {
	const n = 10_000_000
	r := rand.New(rand.NewPCG(1, 2))
	from, to := make([]int32, 0, 3*n), make([]int32, 0, 3*n)
	weight := make([]int64, n)
	for v := range int32(n) {
		weight[v] = r.Int64N(1000)
		for range min(3, v) {
			from, to = append(from, max(0, v-1-r.Int32N(100_000))), append(to, v)
		}
	}
	b.ResetTimer()
	for range b.N {
		g := Build(n, from, to)
		order, err := g.Topological()
		if err != nil {
			b.Fatal(err)
		}
		g.LongestPath(order, weight)
		g.TopLevels(order, weight)
		g.Tails(order, weight)
	}
}
