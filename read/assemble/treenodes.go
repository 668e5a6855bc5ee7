package assemble

import (
	"fmt"
	"slices"

	"dagscope/trace"
)

// TreeEdges are the edges of the elimination tree of a sparse factorization, by
// the numbers that the application gives its nodes.
type TreeEdges struct {
	Parent, Child []int64
}

// Add adds an edge.
func (e *TreeEdges) Add(parent, child int64) {
	e.Parent, e.Child = append(e.Parent, parent), append(e.Child, child)
}

// addTreeNodes makes the table of tree nodes, parents first, and gives each
// task the node that its tag names: qr_mumps writes the number of the front
// into the lower half of the tag (docs/design/methods.md, Elimination tree).
func (a *assembler) addTreeNodes() {
	e := a.orientedTree()
	parent := map[int64]int64{}
	doubled := 0
	for i, child := range e.Child {
		if _, known := parent[child]; known || child == e.Parent[i] {
			doubled++
			continue
		}
		parent[child] = e.Parent[i]
	}
	a.log(trace.Warning, "tree-node-with-parents", "a node of the elimination tree has several parents, or is its own: the first was kept", doubled)
	rows := a.addTreeRows(e, parent)
	a.in.Tree = TreeEdges{}
	if len(rows) > 0 {
		a.joinTree(rows)
	}
}

// orientedTree turns edges round that were written from the child to the
// parent: then some child has several parents, and no parent has.
func (a *assembler) orientedTree() TreeEdges {
	e := a.in.Tree
	if repeats(e.Child) && !repeats(e.Parent) {
		a.log(trace.Info, "tree-turned-round", "the edges of the elimination tree go from child to parent", 1)
		return TreeEdges{Parent: e.Child, Child: e.Parent}
	}
	return e
}

func repeats(keys []int64) bool {
	sorted := slices.Sorted(slices.Values(keys))
	return len(slices.Compact(sorted)) < len(keys)
}

// addTreeRows adds the nodes level by level from the roots, those of a level by
// number. Nodes on a cycle are reached from no root: they are left out.
func (a *assembler) addTreeRows(e TreeEdges, parent map[int64]int64) map[int64]int32 {
	all := slices.Sorted(slices.Values(slices.Concat(e.Parent, e.Child)))
	all = slices.Compact(all)
	children, level := map[int64][]int64{}, []int64{}
	for _, key := range all {
		if p, ok := parent[key]; ok {
			children[p] = append(children[p], key)
		} else {
			level = append(level, key)
		}
	}
	rows, t := map[int64]int32{}, &a.out.TreeNode
	for len(level) > 0 {
		var next []int64
		for _, key := range level {
			up := trace.None
			if p, ok := parent[key]; ok {
				up = rows[p]
			}
			rows[key] = int32(len(t.Key))
			t.Key, t.Parent = append(t.Key, key), append(t.Parent, up)
			next = append(next, children[key]...)
		}
		level = next
	}
	a.log(trace.Warning, "tree-cycle", "nodes of the elimination tree are their own ancestors: left out", len(all)-len(rows))
	return rows
}

// joinTree finds the tree node of each task.
func (a *assembler) joinTree(rows map[int64]int32) {
	t := &a.out.Task
	t.TreeNode = make([]int32, len(t.Start))
	found := 0
	for i := range t.TreeNode {
		t.TreeNode[i] = trace.None
		if i >= len(t.Tag) || t.Tag[i] == 0 {
			continue
		}
		if row, ok := rows[int64(uint32(t.Tag[i]))]; ok {
			t.TreeNode[i] = row
			found++
		}
	}
	if found == 0 {
		t.TreeNode = nil
	}
	a.log(trace.Info, "tree-nodes", fmt.Sprintf("the tags of tasks name nodes of the elimination tree: %d of %d tasks", found, len(t.Start)), 1)
}
