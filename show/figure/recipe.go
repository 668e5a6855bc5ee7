package figure

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"dagscope/internal/yamlform"
	"dagscope/show/scene"
)

// A recipe is a YAML file, a line a key: what made the figure, the runs with
// their checksums, and every key that is not as by default. It is pure ASCII,
// which all formats keep as it is. Read as a configuration it sets the same
// keys.

// Input is a run of a recipe.
type Input struct {
	Path   string
	SHA256 string
}

// Recipe names of lines that are no keys.
const (
	recipeTool   = "dagscope"
	recipeFormat = "format"
	recipeRun    = "run" // followed by its number
)

// Fields writes the recipe of a figure in a format, made by a version of the
// program.
func (s *Spec) Fields(version, format string, runs []Input) []scene.Field {
	fields := []scene.Field{{Name: recipeTool, Value: scalar(version)}, {Name: recipeFormat, Value: scalar(format)}}
	for i, r := range runs {
		fields = append(fields, scene.Field{Name: recipeRun + strconv.Itoa(i+1),
			Value: fmt.Sprintf("{path: %s, sha256: %s}", scalar(r.Path), scalar(r.SHA256))})
	}
	usual := Default()
	for _, k := range allKeys() {
		switch {
		case k.Void != "":
		case k.each != nil:
			k.each(s, func(name string, v any) { fields = append(fields, scene.Field{Name: scalar(name), Value: scalar(v)}) })
		case k.get != nil:
			if v := k.get(s); v != nil && !reflect.DeepEqual(v, k.get(usual)) {
				fields = append(fields, scene.Field{Name: k.Name, Value: scalar(v)})
			}
		}
	}
	return fields
}

// scalar writes a value as YAML on one line of ASCII.
func scalar(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		if plain(v) {
			return v
		}
		return strconv.QuoteToASCII(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = scalar(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	panic(fmt.Sprintf("figure: recipe value of type %T", v))
}

// plain reports whether a text is the same in YAML without quotes: words that
// begin with a letter, and none that mean something else.
func plain(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !(r >= '0' && r <= '9') && !strings.ContainsRune("._-/", r)) {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "null", "y", "n", ".inf", ".nan":
		return false
	}
	return true
}

// Made is what a recipe says besides keys.
type Made struct {
	Version string
	Format  string
	Runs    []Input
}

// ParseRecipe sets the keys of a recipe and returns the rest. file is the
// figure that it was in.
func (s *Spec) ParseRecipe(file, text string) (*Made, error) {
	if err := yamlform.CheckAliases("the recipe in "+file, []byte(text)); err != nil {
		return nil, err
	}
	var lines map[string]yaml.Node
	if err := yaml.Unmarshal([]byte(text), &lines); err != nil {
		return nil, fmt.Errorf("read the recipe in %s: %w", file, err)
	}
	m := &Made{}
	p := &parser{spec: s, keys: allKeys(), file: "recipe in " + file, seen: map[string]int{}}
	for i := 1; ; i++ {
		name := recipeRun + strconv.Itoa(i)
		n, ok := lines[name]
		if !ok {
			break
		}
		var r struct{ Path, SHA256 string }
		if err := n.Decode(&r); err != nil {
			return nil, fmt.Errorf("read the recipe in %s: %s: %w", file, name, err)
		}
		m.Runs = append(m.Runs, Input(r))
		delete(lines, name)
	}
	for name, to := range map[string]*string{recipeTool: &m.Version, recipeFormat: &m.Format} {
		n := lines[name]
		*to = n.Value
		delete(lines, name)
	}
	if m.Version == "" || len(m.Runs) == 0 {
		return nil, fmt.Errorf("read the recipe in %s: found no version or no run: it was made by an older dagscope", file)
	}
	for name, n := range lines {
		p.entry(name, n.Line, &n, 0)
	}
	for _, n := range p.notices {
		p.errs = append(p.errs, errors.New(n.Text+": made by another version of dagscope"))
	}
	return m, errors.Join(p.errs...)
}

// CheckRun compares a run with what a recipe says of it.
func (m *Made) CheckRun(i int, path, sum string) error {
	if want := m.Runs[i].SHA256; sum != want {
		return fmt.Errorf("run %s is not what the figure was made of: found checksum %.12s, want %.12s of %s",
			path, sum, want, filepath.Base(m.Runs[i].Path))
	}
	return nil
}
