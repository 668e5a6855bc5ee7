package yamlform

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

type size float64

func (s *size) UnmarshalYAML(n *yaml.Node) error {
	if _, err := fmt.Sscanf(n.Value, "%g MiB", (*float64)(s)); err != nil {
		return fmt.Errorf("found %q, want a size", n.Value)
	}
	return nil
}

type inner struct {
	Size size   `yaml:"size"`
	On   bool   `yaml:"on"`
	Name string `yaml:"name"`
}

type form struct {
	Count int     `yaml:"count"`
	Parts []inner `yaml:"parts"`
	also  `yaml:",inline"`
}

type also struct {
	By   map[string]*inner `yaml:"by"`
	Mode mode              `yaml:"mode"`
	Rate *float64          `yaml:"rate"`
}

type mode string

func TestErrorsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "read f.yaml: found nothing, want keys",
		"count: [":                        "read f.yaml:2: found no YAML",
		"cuont: 1":                        `read f.yaml:1: found unknown key "cuont", want one of by, count, mode, parts, rate`,
		"# a comment\n":                   "read f.yaml: found nothing, want keys",
		"by: {a: {size: 1 MiB, of: 3}}":   `read f.yaml:1: found unknown key "of", want one of name, on, size`,
		"by:\n  a: 3\n":                   "read f.yaml:2: found int `3`, want keys with values",
		"mode: [1]":                       "read f.yaml:1: found seq, want a text",
		"rate: very fast indeed":          "read f.yaml:1: found str `very fa...`, want a number",
		"parts:\n  count: 3\n":            "read f.yaml:2: found map, want a list",
		"x: &x {of: 1}\nparts: [*x]\n":    "read f.yaml:1: found unknown key \"x\", want one of by, count, mode, parts, rate\nread f.yaml:1: found unknown key \"of\", want one of name, on, size",
		"count: 1\n---\ncount: 2\n":       "read f.yaml",
		"by: {a: {on: 1}, a: {on: true}}": `read f.yaml:1: mapping key "a" already defined at line 1`,

		"count: x\n":                   "read f.yaml:1: found str `x`, want a whole number",
		"parts: 3\n":                   "read f.yaml:1: found int `3`, want a list",
		"count: 1\ncount: 2\n":         `read f.yaml:2: mapping key "count" already defined at line 1`,
		"parts:\n- {size: 3 KiB}\n":    `read f.yaml:2: found "3 KiB", want a size`,
		"parts:\n- {on: 1}\n- {of: 2}": "read f.yaml:2: found int `1`, want true or false\nread f.yaml:3: found unknown key \"of\", want one of name, on, size",
	} {
		err := Decode("f.yaml", []byte(text), &form{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
	var f form
	if err := Decode("f.yaml", []byte("count: 2\nparts: [{size: 3 MiB, name: a}]\n"), &f); err != nil || f.Count != 2 || f.Parts[0].Size != 3 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestPlaces(t *testing.T) {
	l := NewLines("f.yaml", []byte("count: 1\nparts:\n- size: 1 MiB\n  name: a\n- {size: 2 MiB}\n"))
	for want, path := range map[string][]any{
		"f.yaml:1": {},
		"f.yaml:3": {"parts", 0, "size"},
		"f.yaml:4": {"parts", 0, "name"},
		"f.yaml:5": {"parts", 1, "name", 7},
	} {
		if got := l.Place(path...); got != want {
			t.Errorf("%v is at %s, want %s", path, got, want)
		}
	}
	if got := NewLines("f", nil).Place("a"); got != "f" {
		t.Errorf("nothing is at %s", got)
	}
}
