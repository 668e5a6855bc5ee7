package finding

import (
	"strconv"
	"testing"

	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/trace"
)

// Ready tasks of other nodes are no fault of the scheduler: of two nodes with a
// worker each, one has all tasks but the first.
func TestTasksOfOtherNodes(t *testing.T) {
	b := &trace.Builder{}
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	var on []int32
	for n := range int32(2) {
		node := b.AddResource(root, trace.LevelNode, strconv.Itoa(int(n)), "", n, n)
		on = append(on, b.AddResource(node, trace.LevelWorker, strconv.Itoa(int(n))+"_CPU0", "cpu", n, n))
	}
	for i := range int64(5) {
		worker, start := on[0], max(0, i-1)*100
		if i == 0 {
			worker = on[1]
		}
		b.AddTask(trace.TaskRow{Key: strconv.Itoa(int(i)), Kind: "work", Worker: worker, Start: start, End: start + 100, Order: int32(i + 1), Iteration: -1})
	}
	run, err := b.Finish("")
	if err != nil {
		t.Fatal(err)
	}
	in := &Input{Run: run, Makespan: 400, Breakdown: breakdown.Compute(run, breakdown.Options{}), Bounds: &bound.Result{}}
	if f, found := overheads(in); found {
		t.Errorf("found %q, want nothing that a scheduler could have done", f.Title)
	}
	f, found := otherNodes(in)
	if want := "workers stood still 25 % of their time while only other nodes had ready tasks that they can run"; !found || f.Gain != 100 || f.Evidence["away_ns"] != int64(200) {
		t.Errorf("found %+v, want a gain of 100 ns and %q", f, want)
	}
}
