package starpu

import (
	"bytes"
	"fmt"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// readDot reads dag.dot, the task graph as StarPU draws it
// (docs/design/starpu.md, Task graph): one statement a line, edges of quoted
// names, nodes with a label and a colour. It is no parser of the DOT language:
// statements that share a line or span lines are logged, not understood. Node
// colours become those of the kinds unless one kind has several, as when StarPU
// colours by worker.
func readDot(r *text.Reader, p *assemble.Parts, file string) error {
	d := dotReader{parts: p, file: file, edges: p.EdgeRows(), lines: make(assemble.Lines), colors: make(map[string]string)}
	err := r.Blocks(func(block []byte, line int64) error {
		for ; len(block) > 0; line++ {
			var l []byte
			l, block = text.Line(block)
			d.braces.count(l)
			d.lines[d.read(bytes.TrimSpace(l), line)]++
		}
		return nil
	})
	d.edges.Close()
	d.keepColors()
	d.braces.note(p, file)
	p.AccountLines(file, d.lines)
	return p.Truncated(file, err)
}

type dotReader struct {
	parts  *assemble.Parts
	file   string
	edges  *assemble.EdgeRows
	lines  assemble.Lines
	names  [][]byte
	colors map[string]string
	mixed  bool // a kind has several colours
	braces braces
}

// braces are those that are open in a graph: without the last one the file is cut
// off.
type braces struct {
	open  int
	begun bool
}

// count takes a line: braces end the lines that open groups, and are alone on
// those that close them.
func (b *braces) count(l []byte) {
	switch l = bytes.TrimRight(bytes.TrimSpace(l), ";"); {
	case bytes.HasSuffix(l, []byte("{")):
		b.open, b.begun = b.open+1, true
	case bytes.HasPrefix(l, []byte("}")):
		b.open--
	}
}

// note logs a graph that does not end.
func (b *braces) note(p *assemble.Parts, file string) {
	if b.open > 0 {
		p.Log.Add(trace.Warning, file, 0, "graph-without-end", "found no closing brace of the graph, wanted one: the file is cut off")
	} else if !b.begun {
		p.Log.Add(trace.Warning, file, 0, "no-graph", "found no graph, wanted one in braces: the file may be cut off")
	}
}

var (
	dotEdge      = assemble.Destination{Record: "edge", Table: "dep"}
	dotTie       = assemble.Destination{Record: "tag of a task", Table: "definition"}
	dotNode      = assemble.Destination{Record: "node", Table: "definition"}
	dotSource    = assemble.Destination{Record: "source position", Table: "log"}
	dotStructure = assemble.Destination{Record: "structure", Table: "definition"}
	dotBlank     = assemble.Destination{Record: "blank or comment", Table: "definition"}
	dotDamaged   = assemble.Destination{Record: "damaged line", Table: "log"}
)

// read takes one trimmed line and says what it was.
func (d *dotReader) read(l []byte, line int64) assemble.Destination {
	l = bytes.TrimSpace(bytes.TrimSuffix(l, []byte(";")))
	switch {
	case len(l) == 0 || l[0] == '#' || bytes.HasPrefix(l, []byte("//")):
		return dotBlank
	case isDotStructure(l):
		return dotStructure
	}
	d.names = d.names[:0]
	for {
		name, rest, ok := dotName(l)
		if !ok {
			return d.damaged(line, l)
		}
		d.names = append(d.names, name)
		l = bytes.TrimLeft(rest, " \t")
		if !bytes.HasPrefix(l, []byte("->")) {
			break
		}
		l = bytes.TrimLeft(l[2:], " \t")
	}
	if len(l) > 0 && (l[0] != '[' || l[len(l)-1] != ']') {
		return d.damaged(line, l)
	}
	if len(d.names) > 1 {
		if d.edges.Chain(d.names) {
			return dotTie
		}
		return dotEdge
	}
	return d.node(l, line)
}

func (d *dotReader) damaged(line int64, found []byte) assemble.Destination {
	d.parts.Log.Add(trace.Warning, d.file, line, "damaged-dot-line",
		fmt.Sprintf("found %.80q, wanted an edge, a node or a subgraph: left out", found))
	return dotDamaged
}

// isDotStructure recognises what groups nodes and sets defaults: graphs,
// braces, "color=black".
func isDotStructure(l []byte) bool {
	if string(l) == "}" || l[len(l)-1] == '{' {
		return true
	}
	key, _, ok := bytes.Cut(l, []byte("="))
	if !ok {
		key, _, ok = bytes.Cut(l, []byte("[")) // node [shape=box]
		key = bytes.TrimSpace(key)
		return ok && (string(key) == "node" || string(key) == "edge" || string(key) == "graph")
	}
	key = bytes.TrimSpace(key)
	for _, c := range key {
		if c|0x20-'a' >= 26 && c != '_' {
			return false
		}
	}
	return len(key) > 0
}

// dotName cuts a name off a statement, quoted or not.
func dotName(l []byte) (name, rest []byte, ok bool) {
	if len(l) > 0 && l[0] == '"' {
		end := bytes.IndexByte(l[1:], '"')
		if end < 1 {
			return nil, nil, false
		}
		return l[1 : end+1], l[end+2:], true
	}
	n := 0
	for n < len(l) && (l[n]|0x20-'a' < 26 || l[n]-'0' < 10 || l[n] == '_') {
		n++
	}
	return l[:n], l[n:], n > 0
}

// node keeps the colour of a task's kind. Positions in source files are in
// tasks.rec too.
func (d *dotReader) node(attributes []byte, line int64) assemble.Destination {
	label, hasLabel := dotAttribute(attributes, "label=")
	color, hasColor := dotAttribute(attributes, "fillcolor=")
	if hasLabel && hasColor && bytes.HasPrefix(d.names[0], []byte("task_")) && isColor(color) {
		if old, ok := d.colors[string(label)]; !ok {
			d.colors[string(label)] = string(color)
		} else if old != string(color) {
			d.mixed = true
		}
	}
	if _, ok := dotAttribute(attributes, "href="); ok && !hasLabel {
		d.parts.Log.Add(trace.Info, d.file, line, "source-position-not-kept", "source positions are taken from tasks.rec")
		return dotSource
	}
	return dotNode
}

// dotAttribute finds key"value" in a list of attributes.
func dotAttribute(l []byte, key string) ([]byte, bool) {
	for from := 0; ; {
		at := bytes.Index(l[from:], []byte(key))
		if at < 0 {
			return nil, false
		}
		at += from
		from = at + len(key)
		if at > 0 && l[at-1] != ' ' && l[at-1] != ',' && l[at-1] != '[' {
			continue // the end of another key
		}
		value := l[from:]
		if len(value) == 0 || value[0] != '"' {
			continue
		}
		if end := bytes.IndexByte(value[1:], '"'); end >= 0 {
			return value[1 : end+1], true
		}
	}
}

func isColor(b []byte) bool {
	if len(b) != 7 || b[0] != '#' {
		return false
	}
	_, ok := text.Hex(b[1:])
	return ok
}

func (d *dotReader) keepColors() {
	if d.mixed || len(d.colors) == 0 {
		return
	}
	if d.parts.Colors == nil {
		d.parts.Colors = make(map[string]string)
	}
	for kind, color := range d.colors {
		if _, ok := d.parts.Colors[kind]; !ok {
			d.parts.Colors[kind] = color
		}
	}
}
