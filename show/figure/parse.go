package figure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"dagscope/internal/yamlform"
)

// Notice is something in a file that has no effect.
type Notice struct {
	Line int
	Text string
}

// Parse sets the keys that a YAML file has. Nested mappings and dotted names
// are the same; an outer `default:` is passed over, as in StarVZ's files. The
// notices are about keys without effect; the error names file, line, what was
// found and what was wanted, for each key that is wrong.
func (s *Spec) Parse(file string, text []byte) ([]Notice, error) {
	root, err := yamlform.Parse(file, text)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, nil // an empty file
	}
	p := &parser{spec: s, keys: allKeys(), file: file, seen: map[string]int{}}
	p.mapping("", root, 0)
	slices.SortStableFunc(p.notices, func(a, b Notice) int { return a.Line - b.Line })
	return p.notices, errors.Join(p.errs...)
}

// Set sets a key from the command line, where lists have commas ("\," is one in an item).
func (s *Spec) Set(name, value string) error {
	k, ok := find(allKeys(), name)
	switch {
	case !ok:
		return fmt.Errorf("found unknown key %q%s", name, suggest(allKeys(), name))
	case k.Void != "":
		return fmt.Errorf("%s has no meaning here: %s", name, k.Void)
	}
	var v any = value
	if k.typ.List {
		v = []any{}
		for _, item := range splitList(value) {
			if item = strings.TrimSpace(item); item != "" {
				v = append(v.([]any), item)
			}
		}
	}
	if err := k.set(s, name, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// splitList cuts at commas, but not at "\,": a comma in a name.
func splitList(value string) []string {
	var items []string
	from := 0
	for i := 0; i < len(value); i++ {
		switch {
		case value[i] == '\\' && i+1 < len(value) && value[i+1] == ',':
			value = value[:i] + value[i+1:] // the comma is stepped over
		case value[i] == ',':
			items = append(items, value[from:i])
			from = i + 1
		}
	}
	return append(items, value[from:])
}

type parser struct {
	spec    *Spec
	keys    []Key
	file    string
	seen    map[string]int // line of a key
	notices []Notice
	errs    []error
}

func (p *parser) fail(line int, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d: %w", p.file, line, fmt.Errorf(format, args...)))
}

func (p *parser) note(line int, format string, args ...any) {
	p.notices = append(p.notices, Notice{line, fmt.Sprintf(format, args...)})
}

// deepest is the depth of nesting beyond which a file is not one of ours.
const deepest = 20

// mapping goes through a mapping whose keys begin with a prefix.
func (p *parser) mapping(prefix string, n *yaml.Node, depth int) {
	n = resolved(n)
	if n.Kind != yaml.MappingNode || depth > deepest {
		p.fail(n.Line, "found %s, want a mapping of keys to values", found(valueOf(n, 0)))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolved(n.Content[i+1])
		name := prefix + key.Value
		if prefix == "" && key.Value == "default" && value.Kind == yaml.MappingNode {
			p.mapping("", value, depth+1)
			continue
		}
		p.entry(name, key.Line, value, depth)
	}
}

func (p *parser) entry(name string, line int, value *yaml.Node, depth int) {
	k, ok := find(p.keys, name)
	switch {
	case value.Kind == yaml.MappingNode && prefixOfSome(p.keys, name+"."):
		p.mapping(name+".", value, depth+1)
	case ok:
		p.set(k, name, line, value)
	case isNull(value) && prefixOfSome(p.keys, name+"."): // "memory:" with nothing below
	default:
		p.note(line, "unknown key %s%s", name, suggest(p.keys, name))
	}
}

func (p *parser) set(k Key, name string, line int, value *yaml.Node) {
	if before, twice := p.seen[name]; twice {
		p.fail(line, "%s is set twice, on line %d already", name, before)
		return
	}
	p.seen[name] = line
	v := valueOf(value, 0)
	if k.Void != "" {
		if off, err := asBool(v); v != nil && (err != nil || off) { // what is switched off has no effect to miss
			p.note(line, "%s has no meaning here: %s", name, k.Void)
		}
		return
	}
	if v == nil || notAvailable(v) && !k.text && !k.typ.List {
		return // keeps the default, as in StarVZ
	}
	if err := k.set(p.spec, name, v); err != nil {
		p.fail(value.Line, "%s: %w", name, err)
	}
}

// notAvailable reports whether a value is R's word for none.
func notAvailable(v any) bool { return v == "NA" || v == ".na" || v == "NULL" }

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func resolved(n *yaml.Node) *yaml.Node {
	for range deepest {
		if n.Kind != yaml.AliasNode {
			break
		}
		n = n.Alias
	}
	return n
}

// numeral is a number as it was written: where a text is wanted that counts, as
// for the key of a task, "0_5051".
type numeral struct {
	value float64
	text  string
}

// valueOf turns a node into nil, bool, numeral, string, []any or map[string]any.
func valueOf(n *yaml.Node, depth int) any {
	n = resolved(n)
	switch n.Kind {
	case yaml.MappingNode:
		return map[string]any{}
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			if depth > deepest {
				break
			}
			list = append(list, valueOf(item, depth+1))
		}
		return list
	}
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		if i, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64); err == nil {
			return numeral{float64(i), n.Value}
		}
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return numeral{f, n.Value}
		}
	}
	return n.Value
}

// find finds a key by its name; a star in a key's name stands for anything.
func find(keys []Key, name string) (Key, bool) {
	for _, k := range keys {
		head, tail, star := strings.Cut(k.Name, "*")
		if k.Name == name || star && strings.HasPrefix(name, head) && strings.HasSuffix(name, tail) && len(name) > len(head)+len(tail) {
			return k, true
		}
	}
	return Key{}, false
}

// prefixOfSome reports whether some key's name begins so.
func prefixOfSome(keys []Key, prefix string) bool {
	return slices.ContainsFunc(keys, func(k Key) bool {
		head, _, star := strings.Cut(k.Name, "*")
		return strings.HasPrefix(k.Name, prefix) || star && strings.HasPrefix(prefix, head)
	})
}

// suggest names the known key that is most like one, if any is.
func suggest(keys []Key, name string) string {
	best, least := "", len(name)/3+2
	for _, k := range keys {
		if k.Void != "" {
			continue
		}
		d := distance(strings.ToLower(name), k.Name)
		if strings.HasSuffix(k.Name, "."+name) { // the end of a name
			d = 1
		}
		if d < least {
			best, least = k.Name, d
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + best + "?"
}

// distance is the number of letters to insert, remove or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := before
			if a[i] != b[j] {
				d = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
