package taskcsv

import (
	"slices"

	"dagscope/trace"
)

// tree adds the fronts that tasks work on. A front's parent is the front of the
// first task, on a front that the file comes to later, that waits for a task of
// this one: a front follows its children.
func (t *table) tree() {
	if t.front == nil {
		return
	}
	number := make(map[int64]int32) // by key, in the order of the file
	var keys []int64
	of := make([]int32, len(t.front))
	for i, key := range t.front {
		if of[i] = trace.None; key == noFront {
			continue
		}
		k, known := number[key]
		if !known {
			k = int32(len(keys))
			number[key] = k
			keys = append(keys, key)
		}
		of[i] = k
	}
	parent := t.parents(of, len(keys))
	// Parents come later in the file: backwards they come first.
	n := int32(len(keys))
	tree := &t.b.Run.TreeNode
	tree.Key, tree.Parent = make([]int64, n), make([]int32, n)
	for k, key := range keys {
		row := n - 1 - int32(k)
		tree.Key[row], tree.Parent[row] = key, trace.None
		if p := parent[k]; p >= 0 {
			tree.Parent[row] = n - 1 - p
		}
	}
	for i, k := range of {
		if k >= 0 {
			of[i] = n - 1 - k
		}
	}
	t.b.Run.Task.TreeNode = of
}

// parents of fronts, None for roots.
func (t *table) parents(of []int32, n int) []int32 {
	parent := slices.Repeat([]int32{trace.None}, n)
	d := &t.b.Run.Dep
	for i, to := range d.To {
		child, front := of[d.From[i]], of[to]
		if child >= 0 && front > child && parent[child] < 0 {
			parent[child] = front
		}
	}
	return parent
}
