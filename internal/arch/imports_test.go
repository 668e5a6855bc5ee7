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

// layer says what the packages that match a pattern may import of this module.
// Patterns are package paths below the module; "x/..." matches everything
// below x, but not x itself. The first row that matches a package rules it.
type layer struct {
	packages string
	may      []string
	why      string
}

var mathematics = []string{"dag", "interval", "pyramid", "stat", "lp"}

// layers is the architecture. A package that no row names fails the test: say
// here where it belongs before it grows arrows of its own.
var layers = []layer{
	{"trace", nil, "the model is what everything else is written against"},
	{"trace/tracetest", []string{"trace"}, "test data knows the model only"},

	{"dag", nil, "mathematics knows no trace: plain slices in, plain slices out"},
	{"interval", nil, "mathematics knows no trace: plain slices in, plain slices out"},
	{"pyramid", nil, "mathematics knows no trace: plain slices in, plain slices out"},
	{"stat", nil, "mathematics knows no trace: plain slices in, plain slices out"},
	{"lp", nil, "mathematics knows no trace: plain slices in, plain slices out"},

	{"ingest/text", []string{"trace"}, "lines, fields and numbers: shared by readers, knows no format"},
	{"ingest/rec", []string{"trace", "ingest/text"}, "the syntax of record files, not their meaning"},
	{"ingest/fxt", []string{"trace", "ingest/text"}, "which events are in the file, not what they mean"},
	{"ingest/fxt/fxttest", []string{"ingest/fxt"}, "writes files for tests of whatever reads them"},
	{"ingest/fxt/show", []string{"ingest/fxt", "ingest/fxt/layout"}, "events as text; what happened is not its business"},
	{"ingest/fxt/layout", nil, "tables of what events mean; they read no trace"},
	{"ingest/assemble", []string{"trace", "dag", "ingest/text"}, "joins the pieces of a run, whatever files they came in"},
	{"ingest/spans", []string{"trace", "ingest/assemble"}, "changes of state become spans, whoever read them"},
	{"ingest/paje", []string{"trace", "ingest/text", "ingest/assemble", "ingest/spans"}, "reads one format; the syntax of others stays unknown to it"},
	{"ingest/fxt/decode", []string{"trace", "interval", "ingest/text", "ingest/assemble", "ingest/spans", "ingest/fxt", "ingest/fxt/layout", "internal/checksum"},
		"what happened, out of the container's events and the layouts' names"},
	{"ingest/starpu", []string{"trace", "dag", "ingest/text", "ingest/rec", "ingest/assemble", "ingest/paje"},
		"a StarPU directory holds a Pajé trace; other readers stay unknown to it"},
	{"ingest/ompt/event", nil, "what OpenMP runtimes report, whoever recorded it"},
	{"ingest/ompt/...", []string{"trace", "ingest/text", "ingest/ompt/..."}, "forms of the events, and what they mean: each can be replaced without the others"},
	{"ingest/ompt", []string{"trace", "ingest/text", "ingest/ompt/..."}, "joins the forms of the events to the replay that makes a run of them"},
	{"ingest/...", []string{"trace", "dag", "ingest/text", "ingest/rec", "ingest/assemble"},
		"readers do not know each other: a format can be replaced without touching the next"},
	{"ingest", []string{"trace", "ingest/..."}, "the registry knows every reader, and nobody below knows the registry"},

	{"store", []string{"trace"}, "a run directory holds tables; it does not care who made or uses them"},
	{"query", []string{"trace"}, "SQL sees tables, wherever they are kept"},

	{"analysis/...", slices.Concat([]string{"trace", "analysis/..."}, mathematics),
		"analyses are pure: no files, no panels, no drawing"},

	{"internal/yamlform", nil, "YAML with strict keys; what the keys mean is others' business"},
	{"internal/checksum", nil, "a checksum that models and task graphs share"},
	{"platform", []string{"internal/yamlform"}, "machines, whatever runs on them"},
	{"perfmodel", []string{"internal/checksum", "trace", "stat", "platform", "analysis/kind", "analysis/lane", "internal/yamlform"}, "how long kernels take; it knows no scheduler and no task graph"},
	{"workload/sparse/order", nil, "mathematics of sparse patterns: plain slices in, a permutation out"},
	{"workload/sparse", []string{"workload", "workload/sparse/order", "ingest/text"}, "task graphs of sparse factorizations; matrices are text files, read as all text is"},
	{"workload/...", []string{"trace", "dag", "workload"}, "task graphs, wherever they run"},
	{"workload", []string{"internal/checksum", "trace", "dag"}, "task graphs, wherever they run"},
	{"sim/policy", []string{"sim", "platform", "workload"}, "schedulers: they see the simulator, and it sees none of them"},
	{"sim/plain", []string{"trace", "workload"}, "the fast engine: workers that share a memory; it knows no machine and no models"},
	{"sim", []string{"trace", "platform", "workload"}, "the engine: it knows what tasks, machines and durations are, not where they come from"},
	{"simspec", []string{"trace", "platform", "perfmodel", "workload", "workload/...", "sim", "sim/plain", "sim/policy", "internal/yamlform"}, "what is to be simulated, in words"},

	{"calibrate/figure", []string{"calibrate", "perfmodel", "scene"}, "draws how well kernels are fitted; how it is painted is not its business"},
	{"calibrate", []string{"trace", "stat", "platform", "perfmodel", "workload/sparse", "ingest/text", "analysis/kind"}, "measures and fits kernels; tables are text files, read as all text is; it knows no scheduler and draws nothing"},
	{"campaign/chart", []string{"campaign", "scene"}, "draws tables of campaigns; how they are painted is not its business"},
	{"campaign", []string{"platform", "workload", "sim", "simspec", "trace", "stat", "analysis/bound"}, "many simulations and what came of them; it knows no run directories and draws nothing"},

	{"report", slices.Concat([]string{"trace", "analysis/..."}, mathematics),
		"the report orders what analyses found; it does not draw and does not know where runs are kept"},

	{"scene", nil, "a drawing list knows no trace, so that every back-end can paint it"},
	{"render/...", []string{"scene", "render"}, "back-ends paint scenes; they know no trace"},
	{"render", []string{"scene", "render/..."}, "back-ends paint scenes; they know no trace"},
	{"panel/...", slices.Concat([]string{"trace", "analysis/...", "scene", "panel", "panel/..."}, mathematics),
		"a panel turns numbers into a scene; how it is painted is not its business"},
	{"panel", slices.Concat([]string{"trace", "analysis/...", "scene", "panel/...", "perfmodel"}, mathematics),
		"a panel turns numbers into a scene; how it is painted is not its business"},

	{"elimtree", []string{"scene"}, "a tree as a drawing; it knows no matrices and no files"},
	{"heatmap", []string{"scene"}, "tables of measurements; it knows no traces and no files"},

	{"figconf", []string{"trace", "panel", "scene"},
		"what a figure is asked to be, in words; how it is drawn and where runs come from is others' business"},

	{"web", nil, "the built client, as files"},
	{"serve", slices.Concat([]string{"trace", "analysis/...", "report", "panel", "scene", "figconf", "render"}, mathematics),
		"answers what the live view asks; it knows no files, no network and no SQL, so that it also runs inside a browser"},

	{"collect/ompt", nil, "the recorder's sources, as files"},
	{"collect/ompt/bench", []string{"collect/ompt", "ingest/ompt", "analysis/breakdown", "interval", "trace"}, "measures the recorder inside programs, and what comes of it"},
	{"collect/launch", []string{"collect/ompt"}, "runs a program under the recorder; what is recorded is others' business"},

	{"archive", nil, "puts files together; what is in them is not its business"},
	{"cmd/engine", []string{"serve", "store"}, "the server without a network: what pages carry must stay small"},

	{"cli", []string{"trace", "trace/tracetest", "ingest", "store", "query", "analysis/...", "report", "figconf", "panel", "panel/...", "scene", "render", "render/...", "serve", "web", "archive", "heatmap", "elimtree",
		"ingest/fxt", "ingest/fxt/...", "ingest/ompt/...", "collect/ompt", "collect/launch", "platform", "perfmodel", "workload", "workload/sparse", "sim", "sim/policy", "simspec", "stat", "campaign", "campaign/chart", "calibrate", "calibrate/figure"},
		"verbs put the pieces together; logic belongs below them"},
	{"cmd/dagscope", []string{"cli"}, "main and nothing else"},

	{"internal/arch", nil, "this test"},
	{"bench", []string{"panel", "store", "trace", "trace/tracetest"}, "measures the built program from outside"},
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
			if !matchesAny(l.may, imported) {
				t.Errorf("%s imports %s, and may import only %q: %s", pkg, imported, l.may, l.why)
			}
		}
	}
}

// The table itself is tested on arrows that must never be allowed, so that a
// pattern written too wide is noticed.
func TestForbiddenArrows(t *testing.T) {
	for _, arrow := range [][2]string{
		{"trace", "dag"},
		{"interval", "trace"},
		{"dag", "ingest"},
		{"ingest/paje", "ingest/starpu"},
		{"ingest/starvz", "ingest/paje"},
		{"ingest/starpu", "ingest/starvz"},
		{"ingest/paje", "ingest"},
		{"ingest/fxt", "ingest/assemble"},
		{"ingest/fxt/layout", "ingest/fxt"},
		{"ingest/fxt/decode", "ingest/starpu"},
		{"ingest/fxt/decode", "ingest/paje"},
		{"analysis/bound", "panel"},
		{"analysis/bound", "store"},
		{"scene", "trace"},
		{"render", "trace"},
		{"panel", "render"},
		{"query", "store"},
		{"serve", "store"},
		{"serve", "query"},
		{"serve", "web"},
		{"cmd/dagscope", "trace"},
	} {
		l, ok := layerOf(arrow[0])
		if !ok {
			t.Errorf("no layer for %s", arrow[0])
		} else if matchesAny(l.may, arrow[1]) {
			t.Errorf("the table allows %s to import %s", arrow[0], arrow[1])
		}
	}
}

func layerOf(pkg string) (layer, bool) {
	i := slices.IndexFunc(layers, func(l layer) bool { return matches(l.packages, pkg) })
	if i < 0 {
		return layer{}, false
	}
	return layers[i], true
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
