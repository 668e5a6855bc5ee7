package starpu

import (
	"bytes"
	"fmt"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

var treeEdge = assemble.Destination{Record: "edge of the tree", Table: "treenode"}

// readTree reads atree.dot, the elimination tree as qr_mumps draws it: lines
// "node17 -- node1", the parent first, among others that describe nodes.
func readTree(r *text.Reader, p *assemble.Parts, file string) error {
	lines, open, inside := make(assemble.Lines), braces{}, false
	err := r.Blocks(func(block []byte, line int64) error {
		for ; len(block) > 0; line++ {
			var l []byte
			l, block = text.Line(block)
			open.count(l)
			if l = bytes.TrimSpace(l); inAttributes(l, &inside) {
				lines[dotStructure]++
				continue
			}
			lines[treeLine(l, p, file, line)]++
		}
		return nil
	})
	open.note(p, file)
	p.AccountLines(file, lines)
	return p.Truncated(file, err)
}

// inAttributes reports whether a trimmed line is of the defaults of nodes or edges
// that span lines ("node [color=black," to "];"), and keeps whether the next may be.
func inAttributes(l []byte, inside *bool) bool {
	l = bytes.TrimRight(l, "; \t")
	was, ends := *inside && !bytes.Contains(l, []byte("--")), bytes.HasSuffix(l, []byte("]"))
	begins := false
	for _, word := range []string{"node", "edge", "graph"} {
		rest, ok := bytes.CutPrefix(l, []byte(word))
		begins = begins || ok && bytes.HasPrefix(bytes.TrimLeft(rest, " "), []byte("["))
	}
	*inside = (was || begins) && !ends
	return was || begins
}

// treeLine takes one trimmed line and says what it was.
func treeLine(l []byte, p *assemble.Parts, file string, line int64) assemble.Destination {
	from, to, edge := bytes.Cut(l, []byte("--"))
	if !edge {
		l := bytes.TrimSpace(bytes.TrimSuffix(l, []byte(";")))
		switch {
		case len(l) == 0 || l[0] == '#' || bytes.HasPrefix(l, []byte("//")):
			return dotBlank
		case isDotStructure(l) || l[0] == '{' && l[len(l)-1] == '}':
			return dotStructure
		}
		if _, ok := treeNumber(l); ok {
			return dotNode
		}
	}
	parent, ok1 := treeNumber(from)
	child, ok2 := treeNumber(to)
	if !edge || !ok1 || !ok2 {
		p.Log.Add(trace.Warning, file, line, "damaged-tree-line", fmt.Sprintf("found %.80q, wanted an edge nodeX -- nodeY: left out", l))
		return dotDamaged
	}
	p.Tree.Add(parent, child)
	return treeEdge
}

// treeNumber is the number in a node's name, "node17"; attributes in brackets may
// follow.
func treeNumber(name []byte) (int64, bool) {
	name, attributes, have := bytes.Cut(bytes.TrimRight(name, " \t;"), []byte("["))
	if have && !bytes.HasSuffix(attributes, []byte("]")) {
		return 0, false
	}
	name = bytes.Trim(name, " \t;\"")
	return text.Int(bytes.TrimLeft(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"))
}
