package order

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomWeighted is a graph with random weights of vertices and edges.
func randomWeighted(r *rand.Rand, n, edges int) *weighted {
	between := map[[2]int32]int32{}
	for range edges {
		if a, b := int32(r.IntN(n)), int32(r.IntN(n)); a != b {
			w := int32(1 + r.IntN(5))
			between[[2]int32{a, b}], between[[2]int32{b, a}] = w, w
		}
	}
	g := &weighted{at: []int{0}}
	for a := range int32(n) {
		for b := range int32(n) {
			if w := between[[2]int32{a, b}]; w > 0 {
				g.adj, g.edge = append(g.adj, b), append(g.edge, w)
			}
		}
		g.at = append(g.at, len(g.adj))
		g.weight = append(g.weight, int32(1+r.IntN(4)))
		g.total += int64(g.weight[a])
	}
	return g
}

// checkCut says what a cut has got wrong.
func checkCut(t *testing.T, c *cut) {
	t.Helper()
	var weight [3]int64
	for v, s := range c.where {
		weight[s] += int64(c.g.weight[v])
		for _, u := range c.g.of(int32(v)) {
			if s+c.where[u] == 1 {
				t.Fatalf("vertices %d and %d are on two sides", v, u)
			}
		}
	}
	if weight != c.weight {
		t.Fatalf("weights %v, want %v", c.weight, weight)
	}
}

func checkGains(t *testing.T, c *cut) {
	t.Helper()
	for to := range uint8(2) {
		for k, v := range c.gain[to].item {
			want := int64(c.g.weight[v])
			for _, u := range c.g.of(v) {
				if c.where[u] == 1-to {
					want -= int64(c.g.weight[u])
				}
			}
			if c.gain[to].gain[v] != want || c.gain[to].at[v] != int32(k) || c.where[v] != separator {
				t.Fatalf("vertex %d at %d gains %d by going to %d, want %d", v, k, c.gain[to].gain[v], to, want)
			}
		}
	}
}

func TestMovesKeepGainsAndCanBeUndone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		n := 3 + r.IntN(40)
		by := chance(r.Uint64())
		c := newCut(randomWeighted(r, n, 3*n), make([]uint8, n))
		c.begin(&by, both)
		for range n / 4 {
			if v := int32(r.IntN(n)); c.where[v] == 0 {
				c.pull(v)
			}
		}
		c.begin(&by, both)
		before := slices.Clone(c.where)
		for range n {
			if v, to := c.choose(); v >= 0 {
				c.move(v, to)
			}
			checkCut(t, c)
			checkGains(t, c)
		}
		c.undo(0)
		checkCut(t, c)
		if !slices.Equal(before, c.where) {
			t.Fatalf("undone %v, want %v", c.where, before)
		}
	}
}

func TestSeparatorsSeparate(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 40 {
		n := 2 + r.IntN(600)
		g := randomWeighted(r, n, 2*n)
		by := chance(r.Uint64())
		checkCut(t, newCut(g, separate(g, &by)))
	}
}

// The lightest separator that leaves both sides balanced, by trying all.
func TestSeparatorsOfSmallGraphsAreAlmostBest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	ours, best := 0.0, 0.0
	for range 60 {
		g := randomWeighted(r, 9, 12)
		by := chance(r.Uint64())
		c := newCut(g, separate(g, &by))
		ours += badness(c.weight)
		best += badness(lightest(g).weight)
	}
	t.Logf("separators are %.3f times as bad as the best", ours/best)
	if ours < best || ours > 1.2*best {
		t.Errorf("separators are %.3f times as bad as the best", ours/best)
	}
}

func lightest(g *weighted) *cut {
	where := make([]uint8, g.n())
	best := newCut(g, bytesOf(separator, g.n()))
	for {
		c := newCut(g, slices.Clone(where))
		if separates(c) && c.better(c.weight, best.weight) {
			best = c
		}
		k := 0
		for ; k < len(where) && where[k] == separator; k++ {
			where[k] = 0
		}
		if k == len(where) {
			return best
		}
		where[k]++
	}
}

func bytesOf(v uint8, n int) []uint8 {
	s := make([]uint8, n)
	for i := range s {
		s[i] = v
	}
	return s
}

func separates(c *cut) bool {
	for v, s := range c.where {
		for _, u := range c.g.of(int32(v)) {
			if s+c.where[u] == 1 {
				return false
			}
		}
	}
	return true
}

// A coarser graph weighs the same, and its edges are the sums of those between
// its vertices.
func TestCoarserGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 50 {
		n := 2 + r.IntN(60)
		g := randomWeighted(r, n, 3*n)
		by := chance(r.Uint64())
		small, in := coarser(g, 6, &by)
		want := map[[2]int32]int32{}
		weight := make([]int32, small.n())
		for v := range int32(n) {
			weight[in[v]] += g.weight[v]
			for k, u := range g.of(v) {
				if in[u] != in[v] {
					want[[2]int32{in[v], in[u]}] += g.edges(v)[k]
				}
			}
		}
		got := map[[2]int32]int32{}
		for v := range int32(small.n()) {
			for k, u := range small.of(v) {
				got[[2]int32{v, u}] += small.edges(v)[k]
			}
		}
		if !slices.Equal(weight, small.weight) || slices.Max(weight) > 6 || small.total != g.total || len(got) != len(small.adj) {
			t.Fatalf("weights %v, want %v", small.weight, weight)
		}
		if len(got) != len(want) {
			t.Fatalf("%d edges, want %d", len(got), len(want))
		}
		for e, w := range want {
			if got[e] != w {
				t.Fatalf("edge %v weighs %d, want %d", e, got[e], w)
			}
		}
	}
}

func TestComponents(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	g := randomWeighted(r, 200, 120)
	of := repeat(-1, g.n())
	for k, set := range g.components() {
		for _, v := range set {
			if of[v] >= 0 {
				t.Fatalf("vertex %d is in two components", v)
			}
			of[v] = int32(k)
		}
	}
	for v, k := range of {
		for _, u := range g.of(int32(v)) {
			if k < 0 || of[u] != k {
				t.Fatalf("neighbours %d and %d are in components %d and %d", v, u, k, of[u])
			}
		}
	}
}
