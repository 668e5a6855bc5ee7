package yamlform

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v4"
)

// An alias repeats what its anchor names, and that may hold aliases: nine lists of
// nine aliases each stand for 9^9 values in 300 bytes. The library counts what it
// makes into Go values, at sizes where gigabytes have gone, and counts nothing
// where a program goes through nodes itself.

// maxRepeated is how many values the aliases of a file may repeat.
const maxRepeated = 100_000

// Parse returns the value of the first document of a file as nodes, nil if there is
// none. It refuses files whose aliases repeat more than 100 000 values, or
// themselves: whoever goes through the nodes may follow every alias.
func Parse(file string, text []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	if err := CheckAliases(file, text); err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

// CheckAliases refuses a file as [Parse] does. What is no YAML is left to the
// reader of the file.
func CheckAliases(file string, text []byte) error {
	if !bytes.Contains(text, []byte("*")) { // no alias: most files
		return nil
	}
	root := rootOf(text)
	if root == nil {
		return nil
	}
	r := repeats{known: map[*yaml.Node]values{}, open: map[*yaml.Node]bool{}}
	if r.of(root); r.why != "" {
		return fmt.Errorf("read %s: %s", place(file, r.line), r.why)
	}
	return nil
}

// values counts those of a node, all below it included.
type values struct {
	all      int // with every alias followed
	repeated int // those below aliases
}

// repeats counts what aliases repeat, each node once.
type repeats struct {
	known map[*yaml.Node]values
	open  map[*yaml.Node]bool // being counted
	line  int                 // of the alias that is too much
	why   string
}

func (r *repeats) of(n *yaml.Node) values {
	if v, ok := r.known[n]; ok {
		return v
	}
	r.open[n] = true
	v := values{all: 1}
	for _, c := range n.Content {
		var of values
		if c.Kind == yaml.AliasNode {
			if r.open[c.Alias] {
				r.fail(c.Line, fmt.Sprintf("found the alias *%s inside of what it repeats", c.Value))
				return v
			}
			of = r.of(c.Alias)
			of.repeated = of.all
		} else {
			of = r.of(c)
		}
		v.all, v.repeated = v.all+of.all, v.repeated+of.repeated
		if v.repeated > maxRepeated {
			r.fail(c.Line, fmt.Sprintf("found aliases that repeat more than %d values, want fewer: write out what is meant", maxRepeated))
		}
		if r.why != "" {
			return v
		}
	}
	delete(r.open, n)
	r.known[n] = v
	return v
}

func (r *repeats) fail(line int, why string) {
	if r.why == "" {
		r.line, r.why = line, why
	}
}
