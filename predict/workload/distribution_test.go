package workload

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// naiveExecutee is where starpu_mpi_task_insert runs a task, step by step.
func naiveExecutee(g *Graph, t int, nodes int) int32 {
	writers := map[int32]bool{}
	bytes := make([]int64, nodes)
	for a := g.AccessAt[t]; a < g.AccessAt[t+1]; a++ {
		h, m := g.Handle[a], g.Mode[a]
		if m&Scratch != 0 {
			continue
		}
		if m&Write != 0 {
			writers[g.Owner[h]] = true
			bytes[g.Owner[h]] += g.Bytes[h]
		}
		if m&Read != 0 {
			bytes[g.Owner[h]] += g.Bytes[h]
		}
	}
	if len(writers) == 1 {
		for node := range writers {
			return node
		}
	}
	best := 0
	for i := range bytes {
		if bytes[i] > bytes[best] {
			best = i
		}
	}
	return int32(best)
}

// randomAccesses is a graph of tasks with any accesses to a few handles.
func randomAccesses(rng *rand.Rand) *Graph {
	g := &Graph{AccessAt: []int32{0}}
	for range 1 + rng.IntN(20) {
		g.Bytes = append(g.Bytes, int64(rng.IntN(4)))
	}
	modes := []Mode{Read, Write, ReadWrite, ReadWrite | Commute, ReadWrite | Scratch, Scratch}
	for range rng.IntN(60) {
		for range rng.IntN(5) {
			g.Handle = append(g.Handle, int32(rng.IntN(len(g.Bytes))))
			g.Mode = append(g.Mode, modes[rng.IntN(len(modes))])
		}
		g.Class = append(g.Class, 0)
		g.AccessAt = append(g.AccessAt, int32(len(g.Handle)))
	}
	return g
}

func TestDistributeRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		g, nodes := randomAccesses(rng), 1+rng.IntN(5)
		owner := make([]int32, len(g.Bytes))
		for i := range owner {
			owner[i] = int32(rng.IntN(nodes))
		}
		if err := Distribute(g, owner, nodes); err != nil {
			t.Fatal(err)
		}
		for i := range g.Tasks() {
			if want := naiveExecutee(g, i, nodes); g.Node[i] != want {
				t.Fatalf("found task %d on node %d, want %d", i, g.Node[i], want)
			}
		}
	}
}

func TestDistributeRefuses(t *testing.T) {
	g, err := Cholesky(Tiled{Tiles: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		owner []int32
		nodes int
		want  string
	}{
		{make([]int32, 5), 2, "owners of 5 pieces of data, want those of 6"},
		{[]int32{0, 0, 0, 2, 0, 0}, 2, "data 3 (2, 0) on node 2, want 0 to 1"},
		{[]int32{0, -1, 0, 0, 0, 0}, 2, "data 1 (1, 0) on node -1"},
		{make([]int32, 6), 0, "found 0 nodes"},
	} {
		err := Distribute(g, c.owner, c.nodes)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("found error %v, want %s", err, c.want)
		}
		if g.Owner != nil || g.Node != nil {
			t.Fatal("found a graph that was changed by an error")
		}
	}
}

func TestBlockCyclic(t *testing.T) {
	g, err := LU(Tiled{Tiles: 4}, false)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := BlockCyclic(g, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int32{0, 1, 2, 0, 3, 4, 5, 3, 0, 1, 2, 0, 3, 4, 5, 3}; !slices.Equal(owner, want) {
		t.Fatalf("found %v, want %v", owner, want)
	}
	g.HandleX[5] = None
	if _, err := BlockCyclic(g, 2, 3); err == nil || !strings.Contains(err.Error(), "without coordinates") {
		t.Fatalf("found error %v, want one about coordinates", err)
	}
}

func TestGrid(t *testing.T) {
	for nodes, want := range map[int][2]int{1: {1, 1}, 2: {1, 2}, 4: {2, 2}, 7: {1, 7}, 8: {2, 4}, 12: {3, 4}, 30: {5, 6}} {
		if p, q := Grid(nodes); p != want[0] || q != want[1] {
			t.Errorf("found %d × %d for %d nodes, want %v", p, q, nodes, want)
		}
	}
}
