// Package tree answers: which part of the elimination tree of a sparse
// factorization was worked on when, by how much of the machine, and what did it
// hold in memory meanwhile (docs/design/methods.md, Elimination tree)?
//
// The problem: tasks of a sparse factorization work on nodes (fronts) of a tree;
// parallelism comes from the tree as well as from inside its nodes, and changes
// from the first to the second as the root comes near. A view by worker does
// not show that.
//
// The approach: the run names the tree node of each task. The pieces of tasks
// of a node, as intervals, are the load of that node; sums over nodes of equal
// depth and over slices of time follow by integration, which is exact.
//
// What it does not do: predict the load of a node, or say which order of the
// nodes would have been better.
package tree

import (
	"errors"
	"slices"

	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Needs names the columns that this package reads. task.gflop may be absent.
var Needs = append([]string{"treenode", "task.tree_node", "task.kind", "task.gflop", "access", "handle.bytes"}, schedule.Needs...)

// ErrNone says that no task names a tree node.
var ErrNone = errors.New("no task of the run names a node of an elimination tree")

// Tree is the elimination tree with what ran on its nodes. Slices have an entry
// per row of run.TreeNode.
type Tree struct {
	Parent []int32 // as in the run
	Depth  []int32 // 0 for roots
	Order  []int32 // nodes in postorder, children by their number
	Tasks  []int32 // tasks of the application that ran
	Pruned []bool  // only whole subtrees ran there, each as one task
	Start  []int64 // first start of a task, NoTime if none ran
	End    []int64 // last end
	GFlop  []float64

	Workers int              // that tasks of the run can use
	Compute []interval.Spans // pieces of tasks that compute, by node
	Rest    []interval.Spans // pieces of those that make, fill and clean nodes
	// tasks behind the pieces of Compute and Rest
	computeTask, restTask [][]int32

	run *trace.Run
}

// New reads the tree of a run.
func New(run *trace.Run) (*Tree, error) {
	n := len(run.TreeNode.Key)
	if n == 0 || !slices.ContainsFunc(run.Task.TreeNode, func(r int32) bool { return r >= 0 }) {
		return nil, ErrNone
	}
	t := &Tree{run: run, Parent: run.TreeNode.Parent, Depth: make([]int32, n), Tasks: make([]int32, n), Pruned: make([]bool, n),
		Start: make([]int64, n), End: make([]int64, n), GFlop: make([]float64, n), Workers: len(kind.Workers(run)),
		Compute: make([]interval.Spans, n), Rest: make([]interval.Spans, n), computeTask: make([][]int32, n), restTask: make([][]int32, n)}
	for i, p := range t.Parent { // parents first
		if p >= 0 {
			t.Depth[i] = t.Depth[p] + 1
		}
	}
	t.postorder()
	t.addTasks()
	return t, nil
}

// Key is the number of a node as the application prints it.
func (t *Tree) Key(node int32) int64 { return t.run.TreeNode.Key[node] }

// postorder visits children before their parents without recursion: a tree may
// be a chain of a million nodes.
func (t *Tree) postorder() {
	children := make([][]int32, len(t.Parent))
	var stack []int32
	for i, p := range slices.Backward(t.Parent) {
		if p >= 0 {
			children[p] = append(children[p], int32(i))
		} else {
			stack = append(stack, int32(i))
		}
	}
	for _, c := range children {
		slices.SortFunc(c, func(a, b int32) int { return compareKeys(t.Key(a), t.Key(b)) })
	}
	for len(stack) > 0 { // parents before children, last child first: turned round at the end
		node := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		t.Order = append(t.Order, node)
		stack = append(stack, children[node]...)
	}
	slices.Reverse(t.Order)
}

func compareKeys(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// addTasks deals the pieces of tasks out to their nodes, in order of start.
func (t *Tree) addTasks() {
	task := &t.run.Task
	keep := schedule.Keep(t.run, true)
	for i := range t.Start {
		t.Start[i], t.End[i] = trace.NoTime, trace.NoTime
	}
	roles := Roles(task.Kind.Dict)
	computes := make([]bool, len(t.Parent))
	for i, node := range task.TreeNode {
		if node < 0 || !keep(i) {
			continue
		}
		t.cover(node, task.Start[i], task.End[i])
		switch roleOf(roles, task.Kind.Index[i]) {
		case Compute:
			computes[node] = true
			if len(task.GFlop) > 0 && task.GFlop[i] > 0 {
				t.GFlop[node] += task.GFlop[i]
			}
		case Subtree:
			t.Pruned[node] = true
		}
	}
	for i := range t.Pruned {
		t.Pruned[i] = t.Pruned[i] && !computes[i]
	}
	t.addPieces(roles, keep)
}

// cover counts a task of a node.
func (t *Tree) cover(node int32, start, end int64) {
	if t.Tasks[node]++; t.Tasks[node] == 1 {
		t.Start[node], t.End[node] = start, end
		return
	}
	t.Start[node], t.End[node] = min(t.Start[node], start), max(t.End[node], end)
}

func (t *Tree) addPieces(roles []Role, keep func(int) bool) {
	task := &t.run.Task
	laid := schedule.Build(t.run, func(i int) bool { return task.TreeNode[i] >= 0 && keep(i) })
	for _, k := range interval.Order(laid.Start) {
		row := laid.Task[k]
		node := task.TreeNode[row]
		spans, rows := &t.Rest[node], &t.restTask[node]
		if r := roleOf(roles, task.Kind.Index[row]); r == Compute || r == Subtree {
			spans, rows = &t.Compute[node], &t.computeTask[node]
		}
		spans.Add(laid.Start[k], laid.End[k])
		*rows = append(*rows, row)
	}
}

// At is the task of a node that runs at an instant, the last started of
// several, computing ones first; trace.None if none does.
func (t *Tree) At(node int32, at int64) int32 {
	for k, spans := range []*interval.Spans{&t.Compute[node], &t.Rest[node]} {
		rows := [][]int32{t.computeTask[node], t.restTask[node]}[k]
		for i, start := range slices.Backward(spans.Start) {
			if start <= at && at < spans.End[i] {
				return rows[i]
			}
		}
	}
	return trace.None
}

// ComputeTasks are the tasks behind the pieces of Compute of a node.
func (t *Tree) ComputeTasks(node int32) []int32 { return t.computeTask[node] }
