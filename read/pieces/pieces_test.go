package pieces

import (
	"slices"
	"testing"

	"dagscope/trace"
)

// TestFill has a task in one piece, one whose pieces touch and overlap on a worker
// and lie side by side on two, and one that did not run.
func TestFill(t *testing.T) {
	var b trace.Builder
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	node := b.AddResource(root, trace.LevelNode, "node", "", 0, trace.None)
	w0, w1 := b.AddResource(node, trace.LevelWorker, "w0", "cpu", 0, 0), b.AddResource(node, trace.LevelWorker, "w1", "cpu", 0, 1)
	for _, key := range []string{"1", "2", "3"} {
		b.AddTask(trace.TaskRow{Key: key, Kind: "k", Worker: trace.None, Start: trace.NoTime, End: trace.NoTime, Submit: trace.NoTime, Ready: trace.NoTime, Order: trace.None, Iteration: -1})
	}
	overlaps := Fill(&b, []Piece{
		{1, w1, 30, 40}, {1, w0, 0, 10}, {1, w0, 10, 20}, {1, w0, 15, 25}, {1, w0, 16, 24}, {0, w1, 0, 30},
	})
	if overlaps != 2 {
		t.Errorf("found %d overlaps, want 2", overlaps)
	}
	run, err := b.Finish("")
	if err != nil {
		t.Fatal(err)
	}
	k, s := &run.Task, &run.Segment
	if !slices.Equal(k.Start, []int64{0, 0, trace.NoTime}) || !slices.Equal(k.End, []int64{30, 40, trace.NoTime}) || !slices.Equal(k.Worker, []int32{w1, w0, trace.None}) {
		t.Errorf("found tasks from %v to %v on %v", k.Start, k.End, k.Worker)
	}
	if !slices.Equal(s.Task, []int32{1, 1, 1, 1}) || !slices.Equal(s.Start, []int64{0, 10, 20, 30}) || !slices.Equal(s.End, []int64{10, 20, 25, 40}) || !slices.Equal(s.Worker, []int32{w0, w0, w0, w1}) {
		t.Errorf("found pieces of %v from %v to %v on %v", s.Task, s.Start, s.End, s.Worker)
	}
}

func TestOfRuntime(t *testing.T) {
	for kind, want := range map[string]bool{"main": true, "killer": true, "../program": true, "main loop": false, "gemm": false} {
		if OfRuntime(kind) != want {
			t.Errorf("%s: found %t, want %t", kind, !want, want)
		}
	}
}
