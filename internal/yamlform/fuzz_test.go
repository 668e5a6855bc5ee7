package yamlform

import (
	"strings"
	"testing"

	"dagscope/internal/budget"
)

// FuzzDecode reads YAML into a form with keys of all sorts: an error names the
// file, and aliases take no memory.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"a: 1\nlist: [1, 2]\nmap: {x: {a: 2}}\n", "a: &x 1\nlist: [*x, *x]\n", "map: &m {a: {map: *m}}\n", "a: !!int \"1\"\n---\nb: 2\n", "\"a\": |2-\n  x\n", "? a\n: <<: 1\n"} {
		f.Add(s)
	}
	type form struct {
		A    int             `yaml:"a"`
		Text string          `yaml:"text"`
		List []float64       `yaml:"list"`
		Map  map[string]form `yaml:"map"`
	}
	f.Fuzz(func(t *testing.T, text string) {
		budget.Watch(t)
		var into form
		if err := Decode("f.yaml", []byte(text), &into); err != nil && !strings.HasPrefix(err.Error(), "read f.yaml") {
			t.Errorf("error %q", err)
		}
		if _, err := Parse("f.yaml", []byte(text)); err != nil && !strings.HasPrefix(err.Error(), "read f.yaml") {
			t.Errorf("error %q", err)
		}
	})
}
