package layout

import (
	"slices"
	"testing"

	"dagscope/show/panel/core"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// What is asked for and not there is named with what there is.
func TestUnmatched(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 4, Nodes: 2, CPUs: 2, GPUs: 1})
	key := run.Task.Key.At(0)
	o := &core.Options{Nodes: []int32{0, 7}, Workers: []string{"*CPU*", "ZZZ*"}}
	o.SpaceTime.Links = core.Links{Tasks: []string{key, "nosuch"}, Kinds: []string{"NOPE"}}
	o.SpaceTime.Aggregation = core.Aggregation{Mode: core.AggregateStatic, Kinds: []string{"POTRF", "NOPE"}, Exclude: []string{"nosuch"}}
	last := run.Task.Key.At(len(run.Task.Start) - 1)
	workers := several("worker", (&unmatched{runs: []*trace.Run{run}}).workers())
	want := []string{"found no node 7: there is 0, 1", "found no worker ZZZ*: " + workers,
		"found no kind NOPE: there is GEMM, POTRF, SYRK, TRSM",
		"found no task nosuch: the keys of tasks are like " + key + " and " + last}
	if got := Unmatched([]*trace.Run{run}, o, true); !slices.Equal(got, want) {
		t.Errorf("found %q\nwant %q", got, want)
	}
	if got := Unmatched([]*trace.Run{run}, o, false); !slices.Equal(got, want[:2]) {
		t.Errorf("without the space-time panel: %q", got)
	}
}
