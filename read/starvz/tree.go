package starvz

import (
	"dagscope/internal/text"
	"dagscope/read/assemble"
)

// readTree reads atree.csv: Node is the parent of DependsOn.
func readTree(in *input, r *text.Reader, file string) error {
	var parent, child int
	bind := func(t *table) { parent, child = t.column("Node"), t.column("DependsOn") }
	return in.each(r, file, bind, func(t *table) assemble.Destination {
		up, ok1 := text.Int(t.field(parent))
		down, ok2 := text.Int(t.field(child))
		if !ok1 || !ok2 {
			return t.damaged("Node and DependsOn, numbers of tree nodes")
		}
		in.p.Tree.Add(up, down)
		return assemble.Destination{Record: "edge of the tree", Table: "treenode"}
	})
}
