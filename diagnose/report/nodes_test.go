package report_test

import (
	"slices"
	"testing"

	"dagscope/diagnose/report"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// Nodes that begin late are a branch of the progression; a run of one node has
// neither nodes nor a progression.
func TestProgressionOfLateNodes(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 12, Nodes: 6, CPUs: 2})
	late := []int32{2, 5}
	end := slices.Max(run.Task.End)
	for i, w := range run.Task.Worker {
		if w >= 0 && slices.Contains(late, run.Resource.Node[w]) {
			run.Task.Start[i], run.Task.End[i] = run.Task.Start[i]+end, run.Task.End[i]+end
		}
	}
	r := report.Compute("late", run, report.Options{})
	if len(r.Nodes) != 6 || r.Progression == nil {
		t.Fatalf("%d nodes, progression %v", len(r.Nodes), r.Progression)
	}
	var behind []int32
	for _, b := range r.Progression.Branches {
		if b.Apart > 0.5 && b.Behind {
			behind = append(behind, b.Nodes...)
		}
	}
	slices.Sort(behind)
	if behind = slices.Compact(behind); !slices.Equal(behind, late) {
		t.Errorf("behind are %v, want %v", behind, late)
	}
	for _, n := range r.Nodes {
		if n.ABE <= 0 || !(n.Gap > 0 && n.Gap < 1) {
			t.Errorf("node %d has bound %d and gap %g", n.Node, n.ABE, n.Gap)
		}
	}
	for _, one := range []*trace.Run{tracetest.Tiny(), {}} {
		if r := report.Compute("one", one, report.Options{}); r.Nodes != nil || r.Progression != nil {
			t.Errorf("a run of one node has nodes %v", r.Nodes)
		}
	}
}
