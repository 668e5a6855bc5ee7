package tree

import (
	"cmp"
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// Life is when tree nodes were in memory: from their first task to the start of
// the task that cleans them, or to the end of their last task where there is
// none.
func (t *Tree) Life() (from, to []int64) {
	task := &t.run.Task
	roles := Roles(task.Kind.Dict)
	from, to = slices.Clone(t.Start), slices.Clone(t.End)
	cleaned := make([]bool, len(from))
	for i, node := range task.TreeNode {
		if node < 0 || task.Start[i] == trace.NoTime || !isCleanFront(roles, task, i) {
			continue
		}
		if !cleaned[node] || task.Start[i] > to[node] {
			to[node], cleaned[node] = max(task.Start[i], from[node]), true
		}
	}
	return from, to
}

// isCleanFront tells whether a task frees the whole node: "clean_front", not
// "clean_block", which frees one block of it.
func isCleanFront(roles []Role, t *trace.Tasks, i int) bool {
	return roleOf(roles, t.Kind.Index[i]) == Clean && holdsMemory(t.Kind.At(i))
}

// Active is the number of tree nodes in memory: of those with tasks of their
// own, and of pruned subtrees.
func (t *Tree) Active() (full, pruned interval.Steps) {
	from, to := t.Life()
	var spans [2]interval.Spans
	for i := range from {
		if t.Tasks[i] == 0 {
			continue
		}
		k := 0
		if t.Pruned[i] {
			k = 1
		}
		spans[k].Add(from[i], to[i])
	}
	return interval.Concurrency(spans[0]), interval.Concurrency(spans[1])
}

// MemorySource says where the memory of nodes is known from.
type MemorySource string

// Sources of the memory of nodes.
const (
	NoMemory      MemorySource = ""
	DeclaredBytes MemorySource = "declared by the solver"
	HandleBytes   MemorySource = "handles first written by the node's tasks"
)

// Memory is the memory of each node, bytes, and when it is taken and given
// back. qr_mumps declares it in the field for GFlop of the tasks that make and
// clean a node, in units of 2^10 MB (docs/design/methods.md, Elimination tree);
// otherwise it is the size of the handles that tasks of the node wrote first,
// until the node's end.
func (t *Tree) Memory() (bytes []float64, from, to []int64, source MemorySource) {
	from, to = t.Life()
	if bytes, ok := t.declared(from); ok {
		return bytes, from, to, DeclaredBytes
	}
	if bytes, ok := t.written(); ok {
		return bytes, from, to, HandleBytes
	}
	return nil, nil, nil, NoMemory
}

// declared reads what the tasks that make nodes declare, from whose start on it
// counts. It takes a task that cleans one to tell that field's meaning.
func (t *Tree) declared(from []int64) ([]float64, bool) {
	task := &t.run.Task
	if len(task.GFlop) == 0 {
		return nil, false
	}
	roles := Roles(task.Kind.Dict)
	bytes, cleans := make([]float64, len(t.Parent)), false
	for i, node := range task.TreeNode {
		if node < 0 || task.Start[i] == trace.NoTime || !(task.GFlop[i] > 0) || !holdsMemory(task.Kind.At(i)) {
			continue
		}
		if isCleanFront(roles, task, i) {
			cleans = true
			continue
		}
		bytes[node] += task.GFlop[i] * 1024 * 1e6
		from[node] = task.Start[i]
	}
	return bytes, cleans
}

// written sums the handles that tasks of each node were the first to write.
func (t *Tree) written() ([]float64, bool) {
	run := t.run
	if len(run.Access.Task) == 0 || len(run.Handle.Bytes) == 0 {
		return nil, false
	}
	first := make([]int32, len(run.Handle.Bytes))
	for i := range first {
		first[i] = trace.None
	}
	for i, h := range run.Access.Handle {
		task := run.Access.Task[i]
		if h < 0 || run.Task.TreeNode[task] < 0 || run.Task.Start[task] == trace.NoTime || !writes(run.Access.Mode.At(i)) {
			continue
		}
		if first[h] < 0 || cmp.Compare(run.Task.Start[task], run.Task.Start[first[h]]) < 0 {
			first[h] = task
		}
	}
	bytes, some := make([]float64, len(t.Parent)), false
	for h, task := range first {
		if task >= 0 && run.Handle.Bytes[h] > 0 {
			bytes[run.Task.TreeNode[task]] += float64(run.Handle.Bytes[h])
			some = true
		}
	}
	return bytes, some
}

func writes(mode string) bool { return len(mode) > 0 && mode != "R" && mode != "S" }

// MemoryCurve is the memory of all nodes together, MB (1e6 bytes), and how much
// of it belongs to nodes with tasks of their own and to whole subtrees, of
// which one task does all (Stanisic 2015, Figure 10).
func (t *Tree) MemoryCurve() (all, full, pruned interval.Steps, source MemorySource) {
	bytes, from, to, source := t.Memory()
	of := func(keep func(node int) bool) interval.Steps {
		var spans interval.Spans
		var weight []float64
		for i, b := range bytes {
			if b > 0 && from[i] != trace.NoTime && from[i] < to[i] && keep(i) {
				spans.Add(from[i], to[i])
				weight = append(weight, b/1e6)
			}
		}
		return interval.WeightedConcurrency(spans, weight)
	}
	all = of(func(int) bool { return true })
	if len(all.Time) == 0 {
		return all, all, all, NoMemory
	}
	return all, of(func(i int) bool { return !t.Pruned[i] }), of(func(i int) bool { return t.Pruned[i] }), source
}
