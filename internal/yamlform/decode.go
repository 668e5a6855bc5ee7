// Package yamlform decodes the project's own YAML files: strict keys, and
// errors that name file and line, what was found and what was wanted.
//
// The library says where something is wrong (the mark of its [yaml.LoadError]);
// what is wrong there follows from the node at that mark and the Go type that it
// was to fill, not from the library's message.
package yamlform

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Decode fills out, a pointer to a struct, from the only document of a file. Keys that
// the struct has no field for are errors, as are keys that come twice and aliases
// that repeat too much ([CheckAliases]).
func Decode(file string, text []byte, out any) error {
	if err := CheckAliases(file, text); err != nil {
		return err
	}
	err := yaml.Load(text, out, yaml.WithKnownFields(true))
	if err == nil {
		return nil
	}
	var all *yaml.LoadErrors
	var one *yaml.LoadError
	switch {
	case errors.As(err, &all):
		root := rootOf(text)
		if root == nil {
			return fmt.Errorf("read %s: found nothing, want keys", file)
		}
		wrong := mistakesIn(root, out)
		var errs []error
		for _, e := range all.Errors {
			errs = append(errs, fmt.Errorf("read %s: %s", place(file, e.Mark.Line), wrong.text(e)))
		}
		return errors.Join(errs...)
	case errors.As(err, &one):
		return fmt.Errorf("read %s: found no YAML: %s", place(file, one.Mark.Line), one.Message)
	}
	return fmt.Errorf("read %s: %w", file, err)
}

// DecodeNode fills out, a pointer to a struct, from a part of a file, as Decode
// does: for types that read themselves. Errors have no place: Decode adds it.
func DecodeNode(n *yaml.Node, out any) error {
	err := n.Load(out, yaml.WithKnownFields(true))
	var all *yaml.LoadErrors
	if !errors.As(err, &all) {
		return err
	}
	wrong := mistakesIn(n, out)
	var errs []error
	for _, e := range all.Errors {
		errs = append(errs, errors.New(wrong.text(e)))
	}
	return errors.Join(errs...)
}

// rootOf is the value of the first document, nil if there is none.
func rootOf(text []byte) *yaml.Node {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) == 0 {
		return nil
	}
	return doc.Content[0]
}

func place(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// position is where a node begins.
type position struct{ line, column int }

// mistakes says what is wrong at each node at which the library may find
// something wrong itself: an unknown key, or a value of another type. What a
// type that reads itself finds wrong is in its own words.
type mistakes map[position]string

func mistakesIn(n *yaml.Node, out any) mistakes {
	m := mistakes{}
	m.find(n, reflect.TypeOf(out))
	return m
}

func (m mistakes) text(e *yaml.LoadError) string {
	if text, ok := m[position{e.Mark.Line, e.Mark.Column}]; ok {
		return text
	}
	return e.Message
}

// find notes what may be wrong of a node that fills a type, and below it.
func (m mistakes) find(n *yaml.Node, t reflect.Type) {
	for t.Kind() == reflect.Pointer && !readsItself(t) {
		t = t.Elem()
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if readsItself(t) || t.Kind() == reflect.Interface {
		return
	}
	switch {
	case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		m.fields(n, t)
	case t.Kind() == reflect.Map && n.Kind == yaml.MappingNode:
		for i := 1; i < len(n.Content); i += 2 {
			m.find(n.Content[i], t.Elem())
		}
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			m.find(c, t.Elem())
		}
	default:
		m[position{n.Line, n.Column}] = fmt.Sprintf("found %s, want %s", shown(n), wanted(t))
	}
}

// fields notes the keys that a struct does not have.
func (m mistakes) fields(n *yaml.Node, t reflect.Type) {
	known := map[string]reflect.Type{}
	keys(t, known)
	var names []string
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if field, ok := known[key.Value]; ok {
			m.find(n.Content[i+1], field)
		} else {
			m[position{key.Line, key.Column}] = fmt.Sprintf("found unknown key %q, want one of %s", key.Value, strings.Join(names, ", "))
		}
	}
}

// keys lists the keys of a struct with the types of their values.
func keys(t reflect.Type, known map[string]reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case options == "inline" && f.Type.Kind() == reflect.Struct:
			keys(f.Type, known)
		case name != "" && name != "-":
			known[name] = f.Type
		}
	}
}

var (
	unmarshaler     = reflect.TypeFor[yaml.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t.Implements(unmarshaler) || p.Implements(unmarshaler) || t.Implements(textUnmarshaler) || p.Implements(textUnmarshaler)
}

// shown is a value in a message: its YAML type, and the beginning of a scalar.
func shown(n *yaml.Node) string {
	typ := strings.TrimPrefix(n.ShortTag(), "!!")
	if n.Kind != yaml.ScalarNode {
		return typ
	}
	value := n.Value
	if len(value) > 10 {
		value = value[:7] + "..."
	}
	return typ + " `" + value + "`"
}

// wanted names a type as a user of the file does.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	}
	return "keys with values"
}
