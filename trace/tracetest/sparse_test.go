package tracetest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dagscope/trace"
)

// Sparse runs are valid schedules: no task starts before its predecessors end,
// and no worker runs two at once; every node has tasks.
func TestSparse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := Sparse(SparseOptions{Seed: rapid.Uint64().Draw(t, "seed"), Workers: rapid.IntRange(1, 9).Draw(t, "workers"),
			Depth: rapid.IntRange(1, 4).Draw(t, "depth"), Slow: 0.1})
		task := &run.Task
		for i, from := range run.Dep.From {
			if to := run.Dep.To[i]; task.Start[to] < task.End[from] {
				t.Fatalf("task %d starts at %d, before %d ends at %d", to, task.Start[to], from, task.End[from])
			}
		}
		last := map[int32]int64{}
		order := make([]int, len(task.Start))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return int(task.Start[a] - task.Start[b]) })
		for _, i := range order {
			if end, ok := last[task.Worker[i]]; ok && task.Start[i] < end {
				t.Fatalf("task %d starts while worker %d is busy", i, task.Worker[i])
			}
			last[task.Worker[i]] = task.End[i]
		}
		seen := map[int32]bool{}
		for i, node := range task.TreeNode {
			seen[node] = true
			if int64(uint32(task.Tag[i])) != run.TreeNode.Key[node] {
				t.Fatalf("the tag of task %d names another node", i)
			}
		}
		if seen[trace.None] || len(seen) != len(run.TreeNode.Key) || len(run.Counter.Task) != 2*len(task.Start) {
			t.Fatalf("%d of %d nodes have tasks, %d counters of %d tasks", len(seen), len(run.TreeNode.Key), len(run.Counter.Task), len(task.Start))
		}
	})
}
