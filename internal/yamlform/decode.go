// Package yamlform decodes the project's own YAML forms: strict keys, and
// errors that name file and line, what was found and what was wanted.
package yamlform

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Decode fills out, a pointer to a struct, from the only document of a file. Keys that
// the struct has no field for are errors, as are keys that come twice.
func Decode(file string, text []byte, out any) error {
	err := yaml.Load(text, out, yaml.WithKnownFields(true))
	if err == nil {
		return nil
	}
	var all *yaml.LoadErrors
	var one *yaml.LoadError
	switch {
	case errors.As(err, &all):
		keys := map[string][]string{}
		collect(reflect.TypeOf(out), keys)
		var errs []error
		for _, e := range all.Errors {
			errs = append(errs, fmt.Errorf("read %s: %s", place(file, e.Mark.Line), plain(e.Message, keys)))
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
	keys := map[string][]string{}
	collect(reflect.TypeOf(out), keys)
	var errs []error
	for _, e := range all.Errors {
		errs = append(errs, errors.New(plain(e.Message, keys)))
	}
	return errors.Join(errs...)
}

func place(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// plain says what the decoder means in the words of the form.
func plain(message string, keys map[string][]string) string {
	var key, value string
	if _, err := fmt.Sscanf(message, "field %s not found in type", &key); err == nil {
		_, typ, _ := strings.Cut(message, " not found in type ")
		return fmt.Sprintf("found unknown key %q, want one of %s", key, strings.Join(keys[typ], ", "))
	}
	if _, err := fmt.Sscanf(message, "cannot construct !!%s", &value); err == nil {
		found, wanted, _ := strings.Cut(strings.TrimPrefix(message, "cannot construct !!"), " into ")
		return fmt.Sprintf("found %s, want %s", found, kinds(wanted))
	}
	if strings.Contains(message, "no documents") {
		return "found nothing, want keys"
	}
	return message
}

// kinds names types as a user of the form does.
func kinds(wanted string) string {
	switch {
	case strings.HasPrefix(wanted, "[]"):
		return "a list"
	case strings.HasPrefix(wanted, "int"), strings.HasPrefix(wanted, "uint"):
		return "a whole number"
	case strings.HasPrefix(wanted, "float"):
		return "a number"
	case wanted == "bool":
		return "true or false"
	case wanted == "string":
		return "a text"
	}
	return "keys with values"
}

// collect lists the keys of all struct types below a type, by its name.
func collect(t reflect.Type, keys map[string][]string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
		collect(t.Elem(), keys)
	case reflect.Struct:
		if _, seen := keys[t.String()]; seen {
			return
		}
		keys[t.String()] = nil
		var names []string
		for i := range t.NumField() {
			f := t.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			collect(f.Type, keys)
			if options == "inline" {
				names = append(names, keys[f.Type.String()]...)
			} else if name != "" && name != "-" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		keys[t.String()] = names
	}
}
