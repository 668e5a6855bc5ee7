package read_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

var updateSparse = flag.Bool("update-sparse", false, "write testdata/synthetic/sparse-qr again")

var sparseDir = filepath.Join("..", "testdata", "synthetic", "sparse-qr")

// sparseFiles are the files that StarPU and qr_mumps would leave of a synthetic
// sparse factorization: no real one with an atree.dot and counters is at hand.
func sparseFiles(run *trace.Run) map[string][]byte {
	var tasks, tree, papi bytes.Buffer
	t := &run.Task
	ms := func(ns int64) string { return fmt.Sprintf("%d.%06d", ns/1e6, ns%1e6) }
	before := make([][]int32, len(t.Start))
	for i, to := range run.Dep.To {
		before[to] = append(before[to], run.Dep.From[i])
	}
	for i := range t.Start {
		fmt.Fprintf(&tasks, "Name: %s\nJobId: %s\nSubmitOrder: %d\nPriority: 0\nTag: %x\nWorkerId: %d\nMemoryNode: 0\nSubmitTime: %s\nStartTime: %s\nEndTime: %s\n",
			t.Kind.At(i), t.Key.At(i), i, t.Tag[i], run.Resource.Index[t.Worker[i]], ms(t.Submit[i]), ms(t.Start[i]), ms(t.End[i]))
		if !math.IsNaN(t.GFlop[i]) {
			fmt.Fprintf(&tasks, "GFlop: %.6f\n", t.GFlop[i])
		}
		for k, from := range before[i] {
			fmt.Fprintf(&tasks, "%s%s", []string{"DependsOn: ", " "}[min(k, 1)], t.Key.At(int(from)))
		}
		if len(before[i]) > 0 {
			tasks.WriteByte('\n')
		}
		tasks.WriteString("MPIRank: -1\n\n")
	}
	tree.WriteString("graph G {\nnode [color=black,\nfillcolor=white, shape=circle,\nstyle=filled\n];\n")
	for i, parent := range run.TreeNode.Parent {
		fmt.Fprintf(&tree, "node%d [label=\"node %[1]d\"];\n", run.TreeNode.Key[i])
		if parent >= 0 {
			fmt.Fprintf(&tree, "node%d -- node%d\n", run.TreeNode.Key[parent], run.TreeNode.Key[i])
		}
	}
	tree.WriteString("}\n")
	for i, task := range run.Counter.Task {
		fmt.Fprintf(&papi, "JobId: %s\nEvent: %s\nValue: %d\n\n", t.Key.At(int(task)), run.Counter.Event.At(i), run.Counter.Value[i])
	}
	return map[string][]byte{"tasks.rec": tasks.Bytes(), "atree.dot": tree.Bytes(), "papi.rec": papi.Bytes()}
}

// The bundled files of a sparse factorization are what the generator makes,
// and reading them gives it back: tree, tree nodes of tasks, counters.
func TestSparseFiles(t *testing.T) {
	want := tracetest.Sparse(tracetest.SparseOptions{Seed: 3, Depth: 5, Slow: 0.02})
	for name, text := range sparseFiles(want) {
		file := filepath.Join(sparseDir, name)
		if *updateSparse {
			if err := os.MkdirAll(sparseDir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		stored, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(stored, text) {
			t.Errorf("%s is not what the generator makes: go test ./read -run Sparse -update-sparse", file)
		}
	}
	got, err := read.Read(sparseDir, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Task.Start) != len(want.Task.Start) || len(got.TreeNode.Key) != len(want.TreeNode.Key) || len(got.Counter.Value) != len(want.Counter.Value) {
		t.Fatalf("read %d tasks, %d nodes, %d counters, want %d, %d, %d", len(got.Task.Start), len(got.TreeNode.Key), len(got.Counter.Value),
			len(want.Task.Start), len(want.TreeNode.Key), len(want.Counter.Value))
	}
	up := func(run *trace.Run, node int32) int64 {
		if p := run.TreeNode.Parent[node]; p >= 0 {
			return run.TreeNode.Key[p]
		}
		return -1
	}
	for i := range want.Task.Start {
		g, w := got.Task.TreeNode[i], want.Task.TreeNode[i]
		if got.Task.Start[i] != want.Task.Start[i] || got.TreeNode.Key[g] != want.TreeNode.Key[w] || up(got, g) != up(want, w) {
			t.Fatalf("task %d starts at %d on node %d", i, got.Task.Start[i], got.TreeNode.Key[g])
		}
	}
	for i, v := range want.Counter.Value {
		if got.Counter.Value[i] != v || got.Counter.Event.At(i) != want.Counter.Event.At(i) || got.Counter.Task[i] != want.Counter.Task[i] {
			t.Fatalf("counter %d is %d", i, got.Counter.Value[i])
		}
	}
}
