package tree

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"dagscope/internal/interval"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// grow makes a run of random tasks that work on a random tree.
func grow(rng *rand.Rand, nodes, tasks int) *trace.Run {
	run := tracetest.Random(rng.Uint64(), tasks)
	for i := range nodes {
		parent := trace.None
		if i > 0 && rng.IntN(8) > 0 {
			parent = rng.Int32N(int32(i))
		}
		run.TreeNode.Key = append(run.TreeNode.Key, int64(2*nodes-i))
		run.TreeNode.Parent = append(run.TreeNode.Parent, parent)
	}
	run.Task.TreeNode = make([]int32, len(run.Task.Start))
	for i := range run.Task.TreeNode {
		run.Task.TreeNode[i] = rng.Int32N(int32(nodes)+1) - 1
	}
	return run
}

// The usage of slices must be what clipping every piece of every task gives.
func TestUsageIsIntegration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		run := grow(rng, rapid.IntRange(1, 20).Draw(t, "nodes"), rapid.IntRange(1, 60).Draw(t, "tasks"))
		tree, err := New(run)
		if err != nil {
			return // no task on any node
		}
		end := int64(1)
		for _, e := range run.Task.End {
			end = max(end, e)
		}
		cut := interval.Slices{From: end / 7, To: end - end/9, Step: rapid.Int64Range(max(1, end/50), end).Draw(t, "step")}
		want := naiveUsage(run, cut)
		u := tree.ByNode(cut, interval.ExistingPart)
		for i, node := range u.Of {
			key := [2]int{int(node), int(u.Slice[i])}
			if math.Abs(u.Busy[i]-want[key]) > 1e-6 {
				t.Fatalf("node %d slice %d: %g ns, want %g", node, key[1], u.Busy[i], want[key])
			}
			delete(want, key)
		}
		for key, v := range want {
			if v > 0 {
				t.Fatalf("%v has %g ns, none found", key, v)
			}
		}
		checkSums(t, tree, cut, u)
	})
}

func naiveUsage(run *trace.Run, cut interval.Slices) map[[2]int]float64 {
	want := map[[2]int]float64{}
	segments := map[int32]bool{}
	add := func(node int32, start, end int64) {
		for s := range cut.Len() {
			from, to := cut.Bounds(s)
			want[[2]int{int(node), s}] += float64(max(0, min(end, to)-max(start, from)))
		}
	}
	for i, task := range run.Segment.Task {
		segments[task] = true
		if n := run.Task.TreeNode[task]; n >= 0 && !run.Task.Internal[task] {
			add(n, run.Segment.Start[i], run.Segment.End[i])
		}
	}
	for i, n := range run.Task.TreeNode {
		if n >= 0 && run.Task.Start[i] != trace.NoTime && !segments[int32(i)] && !run.Task.Internal[i] {
			add(n, run.Task.Start[i], run.Task.End[i])
		}
	}
	return want
}

// checkSums: nodes, rows and depths share the same work.
func checkSums(t *rapid.T, tree *Tree, cut interval.Slices, u *Usage) {
	sum := func(u *Usage) (s float64) {
		for _, b := range u.Busy {
			s += b
		}
		return s
	}
	all := sum(u)
	rows := tree.Rows(Postorder, int32(rapid.IntRange(0, 3).Draw(t, "cut")))
	for name, got := range map[string]float64{"depths": sum(tree.ByDepth(cut, interval.ExistingPart, false)),
		"StarVZ's depths": sum(tree.ByDepth(cut, interval.FullStep, true)), "rows": sum(tree.ByRow(rows, cut, interval.ExistingPart))} {
		if math.Abs(got-all) > 1e-3 {
			t.Fatalf("%s have %g ns of work, nodes %g", name, got, all)
		}
	}
	if d := Compare(tree, tree, cut); d.Sum[len(d.Sum)-1] != 0 {
		t.Fatalf("a run differs from itself by %g ns", d.Sum[len(d.Sum)-1])
	}
}

// Postorder: every node after all of its descendants, each once.
func TestPostorder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		run := grow(rng, rapid.IntRange(1, 40).Draw(t, "nodes"), 20)
		tree, err := New(run)
		if err != nil {
			return
		}
		at := make(map[int32]int)
		for i, node := range tree.Order {
			at[node] = i
		}
		if len(at) != len(tree.Parent) {
			t.Fatalf("%d of %d nodes are in the order", len(at), len(tree.Parent))
		}
		for node, parent := range tree.Parent {
			if parent >= 0 && at[int32(node)] > at[parent] {
				t.Fatalf("node %d comes after its parent %d", node, parent)
			}
		}
	})
}

func TestWithoutTree(t *testing.T) {
	if _, err := New(tracetest.Tiny()); err != ErrNone {
		t.Errorf("a run without a tree gives %v", err)
	}
}

// A node made, worked on and cleaned: it is active, and its memory taken,
// between the first and the last.
func TestMemoryOfNodes(t *testing.T) {
	run := tracetest.Chain(4)
	task := &run.Task
	task.Kind = trace.Strings{}
	for _, k := range []string{"init_front", "lapack_geqrt", "clean_front", "do_subtree"} {
		task.Kind.Append(k)
	}
	run.TreeNode = trace.TreeNodes{Key: []int64{7, 5}, Parent: []int32{-1, 0}}
	task.TreeNode, task.GFlop = []int32{0, 0, 0, 1}, []float64{0.5, 3, 0.5, 0.25}
	tree, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Pruned[0] || !tree.Pruned[1] || tree.GFlop[0] != 3 || tree.GFlop[1] != 0 {
		t.Errorf("pruned %v, GFlop %v", tree.Pruned, tree.GFlop)
	}
	full, pruned := tree.Active()
	if full.Time[0] != task.Start[0] || full.Time[1] != task.Start[2] || pruned.Time[0] != task.Start[3] || pruned.Time[1] != task.End[3] {
		t.Errorf("active at %v and %v", full, pruned)
	}
	memory, nodes, subtrees, source := tree.MemoryCurve()
	if nodes.Value[0] != 512*1.0 || nodes.Time[1] != task.Start[2] || subtrees.Time[0] != task.Start[3] || subtrees.Value[0] != 256*1.0 {
		t.Errorf("memory of nodes %v, of subtrees %v", nodes, subtrees)
	}
	if source != DeclaredBytes || memory.Time[0] != task.Start[0] || memory.Value[0] != 512*1.0 || memory.Time[1] != task.Start[2] {
		t.Errorf("memory %v %s", memory, source)
	}
	rows := tree.Rows(Postorder, 0)
	if len(rows.Node) != 1 || rows.Of[1] != 0 {
		t.Errorf("rows %+v", rows)
	}
	if tree.At(0, task.Start[1]) != 1 || tree.At(1, task.Start[1]) != trace.None {
		t.Error("the wrong task runs")
	}
}

// A node that is cleaned twice is in memory until the second time, whatever the
// order of the tasks.
func TestLifeEndsWithTheLastCleaning(t *testing.T) {
	for _, kinds := range [][]string{{"init_front", "clean_front", "lapack_geqrt", "clean_front"}, {"init_front", "lapack_geqrt", "clean_front", "clean_front"}} {
		run := tracetest.Chain(4)
		run.Task.Kind = trace.Strings{}
		for _, k := range kinds {
			run.Task.Kind.Append(k)
		}
		run.TreeNode = trace.TreeNodes{Key: []int64{7}, Parent: []int32{-1}}
		run.Task.TreeNode = []int32{0, 0, 0, 0}
		tree, err := New(run)
		if err != nil {
			t.Fatal(err)
		}
		if _, to := tree.Life(); to[0] != run.Task.Start[3] {
			t.Errorf("%v: until %d, want %d", kinds, to[0], run.Task.Start[3])
		}
	}
}

// Each row's Up is the row of the first ancestor that has tasks, found by
// walking; no node is in a row deeper than the cut, and each with tasks in one.
func TestRowsOfAncestors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		run := grow(rng, rapid.IntRange(1, 40).Draw(t, "nodes"), 30)
		tree, err := New(run)
		if err != nil {
			return
		}
		for i := range tree.Pruned {
			tree.Pruned[i] = rng.IntN(3) == 0 && tree.Tasks[i] > 0
		}
		cut := int32(rapid.IntRange(0, 4).Draw(t, "cut"))
		rows := tree.Rows(rapid.SampledFrom([]RowOrder{Postorder, ByStart, ByLevel}).Draw(t, "order"), cut)
		for row, node := range rows.Node {
			want := int32(-1)
			for p := tree.Parent[node]; p >= 0; p = tree.Parent[p] {
				if rows.Of[p] >= 0 && rows.Of[p] != int32(row) {
					want = rows.Of[p]
					break
				}
			}
			if rows.Up[row] != want {
				t.Fatalf("row %d is below row %d, want %d", row, rows.Up[row], want)
			}
			if cut > 0 && tree.Depth[node] > cut {
				t.Fatalf("row %d is of a node of depth %d, below %d", row, tree.Depth[node], cut)
			}
		}
		for node, tasks := range tree.Tasks {
			if (rows.Of[node] >= 0) != (tasks > 0) {
				t.Fatalf("node %d with %d tasks is in row %d", node, tasks, rows.Of[node])
			}
		}
	})
}

func BenchmarkTree(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	run := grow(rng, 20_000, 500_000)
	cut := interval.Slices{To: run.Meta.Horizon, Step: max(run.Meta.Horizon/400, 1)}
	for b.Loop() {
		tree, err := New(run)
		if err != nil {
			b.Fatal(err)
		}
		tree.ByRow(tree.Rows(Postorder, 0), cut, interval.ExistingPart)
	}
}
