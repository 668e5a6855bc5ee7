// Package arch holds the test that keeps the project's import arrows pointing
// downwards. It has no code of its own.
package arch

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layer says what the packages that match one of some patterns (divided by
// spaces) may import of this module. Patterns are package paths below the module;
// "x/..." matches everything below x, but not x itself. As what is imported, "."
// is what lies in the same folder of a wing, read/ompt and all below it, and "!x" is
// never allowed. The first
// row that matches a package rules it.
type layer struct {
	packages string
	may      []string
	why      string
}

// What a wing may import, for rows that share it. Inside internal/ folders the
// compiler keeps others out; tests may import what they like.
var (
	tools   = []string{"internal/..."}
	explain = []string{"trace", "internal/...", "explain/...", "!explain/query"}
	panels  = slices.Concat(explain, []string{"predict/perfmodel", "show/scene", "show/setting"})
	all     = []string{"trace", "trace/...", "internal/...", "read", "read/...", "explain/...", "predict/...", "diagnose/...", "show/...", "web"}
)

// layers is the architecture (docs/design/architecture.md). A package that no
// row names fails the test: say here where it belongs before it grows arrows of
// its own.
var layers = []layer{
	{"trace", nil, "the model is what everything else is written against"},
	{"trace/...", []string{"trace", "internal/heap", "internal/parallel", "internal/regular", "internal/wholefile"}, "a run directory and test data hold tables; they do not care who made or uses them"},
	{"internal/...", tools, "mathematics and tools know no trace: plain values in, plain values out"},
	{"read/record show/archive", []string{"internal/trusted", "internal/wholefile"}, "they know nothing of ours but how files become whole, and who could have put them there: programs and files, whatever is in them"},
	{"web", nil, "they know nothing of ours: programs and files, whatever is in them"},

	{"read/assemble read/format read/fxt read/pieces", []string{"trace", "internal/..."}, "pieces of a run, a row of the table, the container of raw events: whoever reads, they know no reader"},
	{"read/starpu", []string{"trace", "internal/...", "read/assemble", "read/paje", "."}, "a StarPU directory holds a Pajé trace; other readers stay unknown to it"},
	{"read/...", []string{"trace", "internal/...", "read/format", "read/assemble", "read/spans", "read/pieces", "."}, "readers do not know each other: a format can be replaced without touching the next"},
	{"read", []string{"trace", "trace/store", "internal/...", "read/..."}, "the table of formats knows every reader, and nobody below knows the table"},

	{"explain/query", []string{"trace", "internal/..."}, "SQL sees tables, wherever they are kept"},
	{"explain/numbers/panels", slices.Concat(explain, []string{"predict/perfmodel"}), "tables behind panels, computed without drawing; one of them says what fitted models expect of tasks"},
	{"explain/...", explain, "analyses are pure: no files, no SQL, no panels, no drawing"},

	{"predict/platform", tools, "machines, whatever runs on them"},
	{"predict/workload predict/workload/...", []string{"trace", "internal/...", "."}, "task graphs, wherever they run"},
	{"predict/plain", []string{"trace", "internal/...", "predict/workload"}, "the fast engine: workers that share a memory; it knows no machine and no models"},
	{"predict/starpu", []string{"trace", "internal/...", "predict/platform", "predict/workload"}, "the engine knows what tasks, machines and durations are, not where they come from"},
	{"predict/openmp", []string{"trace", "internal/..."}, "an OpenMP program out of its recording: the rules of the runtime, no machine and no models"},
	{"predict/...", []string{"trace", "internal/...", "explain/kind", "explain/bound", "predict/..."}, "predictions read and write no run directories and draw nothing"},

	{"diagnose/proof", slices.Concat(explain, []string{"diagnose/...", "predict/whatif", "predict/openmp"}), "the one conclusion that is simulated; the others stay small enough for pages that carry the server"},
	{"diagnose/...", slices.Concat(explain, []string{"diagnose/..."}), "conclusions order what analyses found; they do not draw and do not know where runs are kept"},

	{"show/setting", tools, "what values settings take, whoever has the settings"},
	{"show/scene", tools, "a drawing list knows no trace, so that every back-end can paint it"},
	{"show/render", []string{"show/scene"}, "back-ends paint scenes; they know no trace"},
	{"show/panel", []string{"."}, "the list of panels: importing it registers them all"},
	{"show/panel/core", panels, "what a panel is, whichever there are"},
	{"show/panel/paneltest", slices.Concat(panels, []string{"trace/tracetest", "show/panel/core"}), "opens panels on runs made for tests"},
	{"show/panel/kit show/panel/layout", slices.Concat(panels, []string{"show/panel/core", "show/panel/kit"}), "parts of drawings, and pages of them: they know panels by their declarations"},
	{"show/panel/...", slices.Concat(panels, []string{"show/panel/core", "show/panel/kit"}), "panels do not know each other: what two share sinks into the kit"},
	{"show/chart", slices.Concat(panels, []string{"predict/calibrate", "predict/campaign"}), "numbers become a scene; how it is painted is not their business"},
	{"show/figure", []string{"trace", "internal/yamlform", "explain/numbers/panels", "show/panel", "show/panel/core", "show/panel/layout", "show/setting", "show/scene"}, "what a figure is asked to be, in words; how it is drawn and where runs come from is others' business"},
	{"show/serve", slices.Concat(explain, []string{"diagnose/finding", "diagnose/report", "diagnose/symptom", "show/panel/core", "show/panel/layout", "show/figure", "show/setting", "show/render", "show/scene"}), "answers what the live view asks; it opens no files and knows no SQL, so that it also runs inside a browser"},

	{"cmd/dagscope", []string{"cli"}, "main and nothing else"},
	{"cmd/manpages", []string{"cli"}, "describes the command line"},
	{"cmd/engine", []string{"show/serve", "trace/store"}, "the server without a network: what pages carry must stay small"},
	{"cmd/conform", slices.Concat(all, []string{"cli"}), "tries verbs many times in one process, as a user would call them"},
	{"cli cmd/...", all, "verbs, and programs that measure the others, put the pieces together; logic belongs below them"},
}

func TestImportsPointDownwards(t *testing.T) {
	root, module := moduleRoot(t)
	for pkg, imports := range packageImports(t, root, module) {
		l, ok := layerOf(pkg)
		if !ok {
			t.Errorf("package %s is in no layer: add it to the table in internal/arch/imports_test.go", pkg)
			continue
		}
		for _, imported := range imports {
			if !l.allows(pkg, imported) {
				t.Errorf("%s imports %s, and may import only %q: %s", pkg, imported, l.may, l.why)
			}
		}
	}
}

// The table itself is tested on arrows that must never be allowed, so that a
// pattern written too wide is noticed.
func TestForbiddenArrows(t *testing.T) {
	for _, arrow := range [][2]string{
		{"trace", "internal/dag"},
		{"trace/store", "read"},
		{"internal/interval", "trace"},
		{"internal/text", "trace"},
		{"internal/dag", "read"},
		{"read/paje", "read/starpu"},
		{"read/starvz", "read/paje"},
		{"read/starpu", "read/starvz"},
		{"read/paje", "read"},
		{"read/taskcsv", "read"},
		{"read/format", "read/assemble"},
		{"read/fxt", "read/assemble"},
		{"read/fxt/decode", "read/starpu"},
		{"read/fxt/decode", "read/paje"},
		{"read", "explain/kind"},
		{"read", "show/panel"},
		{"read", "explain/index"},
		{"read/ompt", "read/starpu"},
		{"read/ompt/event", "read/fxt"},
		{"explain/bound", "show/panel"},
		{"explain/bound", "trace/store"},
		{"explain/kind", "predict/perfmodel"},
		{"explain/query", "trace/store"},
		{"explain/compare", "diagnose/finding"},
		{"predict/platform", "trace"},
		{"predict/starpu", "predict/starpu/policy"},
		{"predict/workload", "predict/starpu"},
		{"predict/openmp", "predict/workload"},
		{"predict/campaign", "trace/store"},
		{"predict/spec", "show/scene"},
		{"diagnose/report", "show/scene"},
		{"show/scene", "trace"},
		{"show/render", "trace"},
		{"show/panel/core", "show/render"},
		{"show/panel/core", "show/panel/kit"},
		{"show/panel/kit", "show/panel/spacetime"},
		{"show/panel/layout", "show/panel/spacetime"},
		{"show/panel/states", "show/panel/spacetime"},
		{"show/figure", "show/panel/spacetime"},
		{"show/serve", "show/panel/memory"},
		{"explain/numbers/panels", "show/panel/core"},
		{"show/chart", "show/render"},
		{"show/chart", "show/panel/core"},
		{"explain/index", "show/panel"},
		{"show/panel/decision", "diagnose/finding"},
		{"show/serve", "trace/store"},
		{"show/serve", "web"},
		{"show/serve", "explain/query"},
		{"show/panel/core", "explain/query"},
		{"explain/compare", "explain/query"},
		{"diagnose/finding", "explain/query"},
		{"cmd/dagscope", "trace"},
	} {
		l, ok := layerOf(arrow[0])
		if !ok {
			t.Errorf("no layer for %s", arrow[0])
		} else if l.allows(arrow[0], arrow[1]) {
			t.Errorf("the table allows %s to import %s", arrow[0], arrow[1])
		}
	}
}

func layerOf(pkg string) (layer, bool) {
	i := slices.IndexFunc(layers, func(l layer) bool { return matchesAny(strings.Fields(l.packages), pkg) })
	if i < 0 {
		return layer{}, false
	}
	return layers[i], true
}

// allows reports whether a package of the layer may import another.
func (l layer) allows(pkg, imported string) bool {
	for _, p := range l.may {
		if not, ok := strings.CutPrefix(p, "!"); ok && matches(not, imported) {
			return false
		}
	}
	return matchesAny(l.may, imported) || slices.Contains(l.may, ".") && folder(pkg) == folder(imported)
}

// folder is the folder of a wing that a package lies in: read/ompt for
// read/ompt/event.
func folder(pkg string) string {
	parts := strings.Split(pkg, "/")
	return strings.Join(parts[:min(2, len(parts))], "/")
}

func matchesAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, pkg) })
}

func matches(pattern, pkg string) bool {
	if parent, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(pkg, parent)
	}
	return pattern == pkg
}

// packageImports returns, for every package of the module that has code
// besides tests, the packages of the module that this code imports.
func packageImports(t *testing.T, root, module string) map[string][]string {
	t.Helper()
	imports := make(map[string][]string)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		own, err := importsOf(path, module)
		pkg := filepath.ToSlash(dir)
		imports[pkg] = append(imports[pkg], own...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(imports) == 0 {
		t.Fatalf("found no packages below %s", root)
	}
	return imports
}

func importsOf(path, module string) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return nil, fmt.Errorf("read imports of %s: %w", path, err)
	}
	var own []string
	for _, s := range f.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("read imports of %s: %w", path, err)
		}
		if rest, ok := strings.CutPrefix(p, module+"/"); ok {
			own = append(own, rest)
		}
	}
	return own, nil
}

// moduleRoot finds go.mod above the test and the module's name in it.
func moduleRoot(t *testing.T) (root, module string) {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		data, err := os.ReadFile(filepath.Join(root, "go.mod"))
		if err == nil {
			first, _, _ := strings.Cut(string(data), "\n")
			return root, strings.TrimSpace(strings.TrimPrefix(first, "module"))
		}
		if parent := filepath.Dir(root); parent == root {
			t.Fatal("no go.mod above the test")
		} else {
			root = parent
		}
	}
}
