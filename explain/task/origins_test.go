package task

import (
	"slices"
	"testing"

	"dagscope/explain/depend"
	"dagscope/trace/tracetest"
)

// Edges that leave a task are found among many blocks of edges as by looking
// through all.
func TestLeavingManyBlocks(t *testing.T) {
	run := tracetest.CholeskyTasks(20000, tracetest.Options{Nodes: 2, CPUs: 3, GPUs: 1, Without: tracetest.States | tracetest.Counters | tracetest.Accesses})
	x, err := New(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if edges := len(run.Dep.From); edges < 8<<edgeShift {
		t.Fatalf("found %d edges, want many blocks of them", edges)
	}
	want := make([][]int32, len(run.Task.Start))
	for e := range int32(len(run.Dep.From)) {
		for _, v := range []int32{x.origin(e), x.sender(e)} {
			if v >= 0 {
				want[v] = append(want[v], e)
			}
		}
	}
	for v := range want {
		if got := x.leaving(int32(v)); !slices.Equal(got, want[v]) {
			t.Fatalf("edges from task %d are %v, want %v", v, got, want[v])
		}
	}
}

// The index and its last dependencies work without the column of the tasks that
// edges lead to, which takes four bytes an edge.
func TestTargetsAreNotKept(t *testing.T) {
	run := tracetest.CholeskyTasks(500, tracetest.Options{})
	x, err := New(run, Options{Last: depend.Find(run)})
	if err != nil {
		t.Fatal(err)
	}
	for e, to := range run.Dep.To {
		if got := x.target(int32(e)); got != to {
			t.Fatalf("edge %d leads to %d, want %d", e, got, to)
		}
	}
	if x.run.Dep.To != nil || run.Dep.To == nil {
		t.Error("the index keeps the column dep.to, or took it from the run")
	}
}
