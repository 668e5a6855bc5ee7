package tree

import (
	"math"
	"testing"

	"dagscope/explain/internal/golden"
	"dagscope/internal/interval"
	"dagscope/read"
)

// StarVZ's utilisation of the tree of qr_mumps's run, slices of 100 ms. Its
// rows of pruned nodes hold the sum over the pruned nodes of the same parent.
func TestUsageOfReferenceRun(t *testing.T) {
	run, err := read.Read(golden.Path(t, "starvz", "qr_trace", "raw"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Workers != 10 || len(tree.Depth) != 261 {
		t.Fatalf("%d workers, %d nodes", tree.Workers, len(tree.Depth))
	}
	const step = 100e6
	cut := interval.Slices{From: 0, To: 13400e6, Step: step}
	t.Run("node", func(t *testing.T) { checkNodes(t, tree, cut) })
	t.Run("depth", func(t *testing.T) { checkDepths(t, tree, cut) })
}

func checkNodes(t *testing.T, tree *Tree, cut interval.Slices) {
	row := map[int64]int32{}
	for i := range tree.Depth {
		row[tree.Key(int32(i))] = int32(i)
	}
	type place struct {
		node  int32
		slice int64
	}
	got, total := map[place]float64{}, 0.0
	u := tree.ByNode(cut, interval.ExistingPart)
	for i, node := range u.Of {
		total += u.Busy[i]
		p := place{node, int64(u.Slice[i])}
		if tree.Pruned[node] {
			p.node = -1 - tree.Parent[node]
		}
		got[p] += u.Busy[i] / 1e6
	}
	table := golden.CSV(t, "starvz", "qr_trace", "atree_util_node.csv")
	checked, seen := 0, map[place]bool{}
	for i := range table.Len() {
		at := table.Number(i, "Slice")
		if math.Mod(at, 100) != 0 {
			continue // where the node ends: StarVZ closes with a row of 0
		}
		node := row[int64(table.Number(i, "ANode"))]
		p := place{node, int64(at / 100)}
		if tree.Pruned[node] {
			p.node = -1 - tree.Parent[node]
		}
		if want := table.Number(i, "Value"); math.Abs(got[p]-want) > 1e-6 {
			t.Fatalf("node %d at %g ms: %g ms of work, want %g", tree.Key(node), at, got[p], want)
		}
		seen[p] = true
		checked++
	}
	for p := range got {
		if !seen[p] && got[p] > 0 {
			t.Errorf("the reference has no load of %v", p)
		}
	}
	t.Logf("%d values equal, %g ms of work", checked, total/1e6)
}

// StarVZ gives leaves the depth of their parents, and divides the last slice by
// the whole step.
func checkDepths(t *testing.T, tree *Tree, cut interval.Slices) {
	u := tree.ByDepth(cut, interval.FullStep, true)
	got := map[[2]int]float64{}
	for i, depth := range u.Of {
		got[[2]int{int(depth), int(u.Slice[i])}] = 100 * u.Share[i]
	}
	table := golden.CSV(t, "starvz", "qr_trace", "atree_util_depth.csv")
	checked := 0
	for i := range table.Len() {
		at := table.Number(i, "Slice")
		if math.Mod(at, 100) != 0 {
			continue
		}
		key := [2]int{int(table.Number(i, "Depth")), int(at / 100)}
		if want := table.Number(i, "Value1"); math.Abs(got[key]-want) > 1e-6 {
			t.Errorf("depth %d at %g ms: %g %%, want %g", key[0], at, got[key], want)
		}
		checked++
	}
	t.Logf("%d values equal", checked)
}
