package panels

import (
	"math"

	"dagscope/explain/numbers"
	"dagscope/explain/outlier"
	"dagscope/explain/tree"
	"dagscope/trace"
)

var TreeReads = Joined(tree.Needs, outlier.Needs, []string{"resource.name", "task.key"})

// TreeOf reads the tree; a [Missing] says how to trace one.
func TreeOf(run *trace.Run) (*tree.Tree, error) {
	t, err := tree.New(run)
	if err != nil {
		return nil, &Missing{"not in this run: an elimination tree (treenode, task.tree_node): put the solver's atree.dot or atree.csv beside " +
			"the trace before importing it; tasks name their node by the lower 32 bits of their tag"}
	}
	return t, nil
}

var treeNumbers = []Numbers{
	{
		ID: "tree", Title: "Elimination tree",
		Doc: "The nodes of the elimination tree of a sparse factorization in postorder, those on which a task ran in the window, " +
			"with what they took altogether. Pruned are nodes of which one task did a whole subtree.",
		Needs: []string{"task.start"}, Reads: TreeReads, Takes: taking("from", "to"),
		Columns: []numbers.Column{{Name: "tree_node", Doc: "number as the application prints it"},
			{Name: "parent", Doc: "that of its parent, none for a root"},
			{Name: "depth", Doc: "0 for a root"}, {Name: "pruned", Doc: "stands for a whole subtree"},
			{Name: "tasks", Doc: "number of tasks"},
			startColumn, endColumn, {Name: "compute", Unit: "ns", Doc: "time that workers computed on it"},
			{Name: "assembly", Unit: "ns", Doc: "time that they made, filled and cleaned it"},
			{Name: "gflop", Unit: "GFlop", Doc: "work of the computing tasks, as declared"},
			{Name: "memory", Unit: "MB", Doc: "that it held, none where not known"}},
		Compute: treeRows,
	},
	{
		ID: "treeusage", Title: "Usage by the elimination tree",
		Doc: "What share of the machine computed on which node of the elimination tree, slice by slice (100 ms unless a step is " +
			"given); of slices in which nothing did there is no row. By total, one row for each depth in the tree instead; " +
			"by --starvz, leaves count at the depth of their parents there, as in StarVZ.",
		Needs: []string{"task.start"}, Reads: TreeReads, Takes: taking("from", "to", "step", "full-step", "total", "starvz"),
		Columns: []numbers.Column{{Name: "tree_node", Doc: "number as the application prints it, none for a depth"},
			{Name: "depth", Doc: "0 for a root"}, fromColumn, untilColumn,
			{Name: "busy", Unit: "ns", Doc: "time that workers computed there"}, {Name: "share", Unit: "%", Doc: "of all workers"}},
		Compute: treeUsageRows,
	},
}

func treeRows(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	t, err := TreeOf(run)
	if err != nil {
		return nil, err
	}
	bytes, _, _, _ := t.Memory()
	var rows []int32
	for _, node := range t.Order {
		if t.Tasks[node] > 0 && t.Start[node] < to && t.End[node] > from {
			rows = append(rows, node)
		}
	}
	key := Each(rows, t.Key)
	parent := Each(rows, func(n int32) int64 {
		if p := t.Parent[n]; p >= 0 {
			return t.Key(p)
		}
		return trace.NoTime
	})
	memory := Each(rows, func(n int32) float64 {
		if bytes == nil {
			return math.NaN()
		}
		return bytes[n] / 1e6
	})
	compute := Each(rows, func(n int32) int64 { return t.Compute[n].Length() })
	rest := Each(rows, func(n int32) int64 { return t.Rest[n].Length() })
	return []any{key, parent, At(t.Depth, rows), At(t.Pruned, rows), At(t.Tasks, rows), At(t.Start, rows), At(t.End, rows), compute, rest,
		At(t.GFlop, rows), memory}, nil
}

const treeStep = 100e6

func treeUsageRows(run *trace.Run, s *Settings) ([]any, error) {
	t, err := TreeOf(run)
	if err != nil {
		return nil, err
	}
	cut, err := s.slices(run, fixed(treeStep))
	if err != nil {
		return nil, err
	}
	var u *tree.Usage
	if s.Total {
		u = t.ByDepth(cut, s.divisor(), s.StarVZ)
	} else {
		u = t.ByNode(cut, s.divisor())
	}
	n := len(u.Of)
	key, depth, from, to := make([]int64, n), make([]int32, n), make([]int64, n), make([]int64, n)
	for i, of := range u.Of {
		if key[i], depth[i] = trace.NoTime, of; !s.Total {
			key[i], depth[i] = t.Key(of), t.Depth[of]
		}
		from[i], to[i] = cut.Bounds(int(u.Slice[i]))
	}
	return []any{key, depth, from, to, Each(u.Busy, func(b float64) int64 { return int64(b) }), Each(u.Share, func(v float64) float64 { return 100 * v })}, nil
}
