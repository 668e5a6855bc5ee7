package trace

import (
	"slices"
	"testing"
)

// DeriveReady takes the latest of submission and ends of predecessors, but
// nothing behind the start.
func TestDeriveReady(t *testing.T) {
	var b Builder
	root := b.AddResource(None, LevelCluster, "root", "", None, None)
	node := b.AddResource(root, LevelNode, "node", "", 0, 0)
	w := b.AddResource(node, LevelWorker, "w", "", 0, 0)
	for i, c := range []struct{ start, end, submit int64 }{{10, 20, 5}, {30, 40, NoTime}, {35, 50, 33}, {45, 60, NoTime}, {70, 80, NoTime}} {
		b.AddTask(TaskRow{Key: string(rune('a' + i)), Kind: "k", Worker: w, Start: c.start, End: c.end, Submit: c.submit, Ready: NoTime, Order: int32(i), Iteration: -1})
	}
	b.AddDep(0, 1, None)
	b.AddDep(0, 2, None)
	b.AddDep(2, 3, None) // ends after the start: another clock
	b.DeriveReady()
	if want := []int64{5, 20, 33, 45, NoTime}; !slices.Equal(b.Run.Task.Ready, want) {
		t.Errorf("found ready times %d, want %d", b.Run.Task.Ready, want)
	}
	if b.Run.Meta.Derived["task.ready"] == "" {
		t.Error("found no note that ready times are derived")
	}
}
