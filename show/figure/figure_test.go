package figure

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/internal/budget"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/scene"
	"dagscope/trace/tracetest"
)

var update = flag.Bool("update", false, "rewrite the documentation")

// effect is what a piece of YAML does.
type effect struct {
	yaml string
	want func(s *Spec, o *core.Options) any
	is   any
}

// Every key of ours and StarVZ's, and what it does to a Spec: want is a piece of
// the printed Spec (options of panels as they get them), or "" for nothing.
var effects = []effect{
	{"title: A", func(s *Spec, _ *core.Options) any { return s.Title }, "A"},
	{"title: {text: B, active: no}", func(s *Spec, _ *core.Options) any { return fmt.Sprint(s.Title, s.TitleShown) }, "Bfalse"},
	{"limits: {start: 1.5, end: 20}", func(s *Spec, _ *core.Options) any { return [2]int64{s.From, s.To} }, [2]int64{1_500_000, 20_000_000}},
	{"base_size: 28", func(s *Spec, _ *core.Options) any { p, err := s.page(); return fmt.Sprint(p.zoom, err) }, "2 <nil>"},
	{"font_size: 16.5", func(s *Spec, _ *core.Options) any { p, err := s.page(); return fmt.Sprint(p.zoom, err) }, "2 <nil>"},
	{"size: column", func(s *Spec, _ *core.Options) any { p, err := s.page(); return fmt.Sprint(p, err) }, "{321 0 0.95} <nil>"},
	{"size: 254x127mm", func(s *Spec, _ *core.Options) any { p, err := s.page(); return fmt.Sprint(p, err) }, "{960 480 1} <nil>"},
	{"width: 600", func(s *Spec, _ *core.Options) any { p, _ := s.page(); return p.width }, 600},
	{"dpi: 300", func(s *Spec, _ *core.Options) any { return s.Scale() }, 3.125},
	{"size: column", func(s *Spec, _ *core.Options) any { return s.Scale() }, 3.125},
	{"size: 178x100mm", func(s *Spec, _ *core.Options) any { return s.Scale() }, 3.125},
	{"{size: page, dpi: 96}", func(s *Spec, _ *core.Options) any { return s.Scale() }, 1.0},
	{"size: slide", func(s *Spec, _ *core.Options) any { return s.Scale() }, 2.0},
	{"width: 600", func(s *Spec, _ *core.Options) any { return s.Scale() }, 2.0},
	{"outlines: TRUE", func(s *Spec, _ *core.Options) any { return s.Outlines }, true},
	{"theme: dark", func(s *Spec, _ *core.Options) any { return s.Theme }, "dark"},
	{"notes: never", func(s *Spec, _ *core.Options) any { return s.Notes }, layout.NotesNever},
	{"facets: columns", func(s *Spec, _ *core.Options) any { return s.Facets }, "columns"},
	{"{facets: grid, grid_columns: 3}", func(s *Spec, _ *core.Options) any { return fmt.Sprint(s.Facets, s.Across) }, "grid3"},
	{"align: progress", func(s *Spec, _ *core.Options) any { return s.Align }, layout.Alignment("progress")},
	{"facts: [idle]", func(s *Spec, _ *core.Options) any { return s.Facts }, []layout.Fact{layout.FactIdle}},
	{"runs: {names: [a, 7]}", func(s *Spec, _ *core.Options) any { return s.Names }, []string{"a", "7"}},
	{"panels: ['st:3', st]", func(s *Spec, _ *core.Options) any { ids, h, err := s.Choices(); return fmt.Sprint(ids, h, err) }, "[st st] [300 0] <nil>"},
	{"selected_nodes: [0, '2']", func(_ *Spec, o *core.Options) any { return o.Nodes }, []int32{0, 2}},
	{"vertical_lines: {x_list: [10, 20], color_list: red}\nmarks.labels: [a]", func(_ *Spec, o *core.Options) any {
		return fmt.Sprint(o.Marks[0].X, o.Marks[0].Label, o.Marks[1].Color.Hex(), o.Marks[1].Label)
	}, "1e+07a#ff0000"},
	{"vertical_lines: {active: FALSE, x_list: [10]}", func(_ *Spec, o *core.Options) any { return len(o.Marks) }, 0},
	{"app_tasks: {a.b: {color: '#102030'}}", func(s *Spec, _ *core.Options) any { return s.Coloring.Own["a.b"].Hex() }, "#102030"},
	{"palette: gray", func(s *Spec, _ *core.Options) any { return s.Coloring.Palette }, "gray"},
	{"source_colors: yes", func(s *Spec, _ *core.Options) any { return s.Coloring.Source }, true},
	{"rows: {workers: ['*CPU*', '!CPU3'], group: arch, order: idle, pin: [CUDA0], collapse: ['*/cpu'], fold: never}", func(_ *Spec, o *core.Options) any {
		return fmt.Sprint(o.Workers, o.Rows, o.SpaceTime.NoFold)
	}, "[*CPU* !CPU3] {arch idle [CUDA0]  [*/cpu]} true"},
	{"{focus: gemm, hide: [a, b]}", func(_ *Spec, o *core.Options) any { return fmt.Sprint(o.Focus, o.Hide) }, "[gemm] [a b]"},
	{"st: {labels: FIRST_LAST}", func(_ *Spec, o *core.Options) any { return o.Rows.Labels }, core.LabelFirstLast},
	{"st: {labels: ALL}", func(_ *Spec, o *core.Options) any { return o.Rows.Labels }, core.LabelAll},
	{"st: {alpha: 0.25}", func(_ *Spec, o *core.Options) any { return o.Fade }, 0.75},
	{"st: {alpha: 1}", func(_ *Spec, o *core.Options) any { return o.Fade }, -1.0},
	{"st: {outliers: FALSE, makespan: FALSE}", func(_ *Spec, o *core.Options) any {
		return o.SpaceTime.HideOutliers && o.SpaceTime.HideMakespan
	}, true},
	{"st: {chain: true}", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Chain }, true},
	{"st.idleness: FALSE", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Idle }, core.IdleNone},
	{"st.idleness: TRUE", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Idle }, core.IdleTasks},
	{"idle: both", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Idle }, core.IdleBoth},
	{"st: {abe: {active: TRUE}}", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Computed }, []core.BoundName{core.BoundABE}},
	{"bounds: [cpe, best]", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Computed }, []core.BoundName{core.BoundCPE, core.BoundBest}},
	{"bound: X=1.5", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Bounds }, []core.Bound{{Name: "X", NS: 1_500_000}}},
	{"st: {aggregation: {active: TRUE, step: 5, states: [dgemm]}}", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Aggregation },
		core.Aggregation{Mode: core.AggregateStatic, Step: 5_000_000, Kinds: []string{"dgemm"}}},
	{"st: {aggregation: {active: TRUE, method: dynamic, step: 5}}", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Aggregation },
		core.Aggregation{Mode: core.AggregateDynamic, Threshold: 5_000_000}},
	{"st: {aggregation: {active: FALSE, method: dynamic}}", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Aggregation.Mode }, core.AggregateNone},
	{"aggregation: {mode: nodes, kinds: [a], step: 1, threshold: 2, exclude: ['0_1']}", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Aggregation },
		core.Aggregation{Mode: core.AggregateNodes, Step: 1_000_000, Threshold: 2_000_000, Kinds: []string{"a"}, Exclude: []string{"0_1"}}},
	{"st: {tasks: {active: TRUE, list: [0_5], levels: 10}}", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Links },
		core.Links{Tasks: []string{"0_5"}, Levels: 10}},
	{"st: {tasks: {list: [0_5]}}", func(_ *Spec, o *core.Options) any { return len(o.SpaceTime.Links.Tasks) }, 0},
	{"links: {wait: 2.5}", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Links.Wait }, int64(2_500_000)},
	{"links: {tasks: [a], kinds: [b], dependencies: all, levels: source, merge: true, last_path: true, most: 9}", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Links },
		core.Links{Tasks: []string{"a"}, Kinds: []string{"b"}, Dependencies: core.DependenciesAll, Levels: core.ToSource, Merge: true, LastPath: true, Budget: 9}},
	{"kiteration: {middlelines: [0.5], pernode: TRUE}", func(_ *Spec, o *core.Options) any { return fmt.Sprint(o.Iterations.Middle, o.Iterations.ByNode) }, "[0.5] true"},
	{"iterations: {tasks: FALSE, borders: FALSE}", func(_ *Spec, o *core.Options) any { return o.Iterations },
		core.Iterations{HideTasks: true, HideBorders: true}},
	{"states: {tasks: FALSE, flush: FALSE, levels: comm}", func(_ *Spec, o *core.Options) any { return o.States },
		core.States{HideTasks: true, HideFlush: true, Levels: []string{"comm"}}},
	{"abe: {pernode: TRUE, durations: median, used_workers: TRUE}", func(_ *Spec, o *core.Options) any { return o.Area },
		core.AreaBound{ByNode: true, Durations: 1, UsedWorkers: true}},
	{"breakdown.waitingready: off", func(_ *Spec, o *core.Options) any { return o.Breakdown }, core.Breakdown{Waiting: panels.WaitingNotReady}},
	{"breakdown.perarch: TRUE", func(_ *Spec, o *core.Options) any { return o.Breakdown }, core.Breakdown{ByArch: true}},
	{"ready: {source: counters, total: TRUE}", func(_ *Spec, o *core.Options) any { return o.Ready }, core.Curve{Source: panels.FromCounters, Total: true}},
	{"submitted: {source: reconstructed, total: TRUE}", func(_ *Spec, o *core.Options) any { return o.Submitted }, core.Curve{Source: panels.Reconstructed, Total: true}},
	{"lackready.source: counters", func(_ *Spec, o *core.Options) any { return o.LackReady.Source }, panels.FromCounters},
	{"gflops: {source: counters, pernode: TRUE}", func(_ *Spec, o *core.Options) any { return o.GFlops }, core.Curve{Source: panels.FromCounters, ByNode: true}},
	{"usedmemory: {pernode: TRUE, total: TRUE}", func(_ *Spec, o *core.Options) any { return o.UsedMemory }, core.Curve{ByNode: true, Total: true}},
	{"bandwidth: {source: reconstructed, pernode: TRUE}", func(_ *Spec, o *core.Options) any { return o.Bandwidth }, core.Curve{Source: panels.Reconstructed, ByNode: true}},
	{"lackready: {threshold: 20, aggregation: 200}", func(_ *Spec, o *core.Options) any { return fmt.Sprint(o.LackReady.Threshold, o.LackReady.Step) }, "20 200000000"},
	{"ready: {step: 5, limit: 30}", func(_ *Spec, o *core.Options) any { return fmt.Sprint(o.Ready.Step, o.Ready.Top) }, "5000000 30"},
	{"submitted: {step: 5, limit: 30}", func(_ *Spec, o *core.Options) any { return fmt.Sprint(o.Submitted.Step, o.Submitted.Top) }, "5000000 30"},
	{"gflops: {step: 5, limit: 30}", func(_ *Spec, o *core.Options) any { return fmt.Sprint(o.GFlops.Step, o.GFlops.Top) }, "5000000 30"},
	{"usedmemory: {step: 5, limit: 30}", func(_ *Spec, o *core.Options) any { return fmt.Sprint(o.UsedMemory.Step, o.UsedMemory.Top) }, "5000000 30"},
	{"gpubandwidth: {step: 85, limit: 30, total: TRUE}", func(_ *Spec, o *core.Options) any {
		return fmt.Sprint(o.Bandwidth.Step, o.Bandwidth.Top, o.Bandwidth.Total)
	}, "85000000 30 true"},
	{"mpibandwidth: {step: 5, limit: 30, source: counters, total: TRUE}", func(_ *Spec, o *core.Options) any { return o.MPIBandwidth },
		core.Curve{Step: 5_000_000, Top: 30, Source: panels.FromCounters, Total: true}},
	{"mpiconcurrent: {step: 5, limit: 30, total: TRUE}", func(_ *Spec, o *core.Options) any { return o.MPIConcurrent },
		core.Curve{Step: 5_000_000, Top: 30, Total: true}},
	{"mpiconcurrentout: {step: 5, limit: 30}", func(_ *Spec, o *core.Options) any { return o.MPIConcurrent }, core.Curve{Step: 5_000_000, Top: 30}},
	{"commatrix: {between: memories, show: [delay], pernode: TRUE}", values("commatrix.between", "commatrix.show", "commatrix.pernode"), "memories [delay] true"},
	{"distribution.sent: FALSE", values("distribution.sent"), "false"},
	{"messages: {show: TRUE, from: 1, to: [2, 3], most: 9}", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Messages },
		core.Messages{Show: true, From: []int32{1}, To: []int32{2, 3}, Budget: 9}},
}

// values are those of keys, as recipes have them.
func values(names ...string) func(*Spec, *core.Options) any {
	return func(s *Spec, _ *core.Options) any {
		var all []any
		for _, k := range allKeys() {
			if slices.Contains(names, k.Name) {
				all = append(all, k.get(s))
			}
		}
		return strings.TrimSpace(fmt.Sprintln(all...))
	}
}

// tested tells keys that effects or TestPanelKeys set.
var tested = map[string]bool{"ready.lack_ready.active": true}

func TestKeys(t *testing.T) {
	for _, c := range effects {
		s := Default()
		notices, err := s.Parse("f.yaml", []byte(c.yaml))
		if err != nil || len(notices) > 0 {
			t.Errorf("%s: %v, %v", c.yaml, notices, err)
			continue
		}
		o, err := s.PanelOptions(nil)
		if err != nil {
			t.Errorf("%s: %v", c.yaml, err)
			continue
		}
		if got := c.want(s, o); !reflect.DeepEqual(got, c.is) {
			t.Errorf("%s gave %v, want %v", c.yaml, got, c.is)
		}
		for _, f := range s.changed(t) {
			tested[f] = true
		}
	}
	for _, name := range []string{"title", "title.active", "st.idleness", "st.abe.active", "vertical_lines.active", "st.labels", "app_tasks.*.color"} {
		tested[name] = true // set above, to what is the default or said by another key
	}
	for _, k := range Keys() {
		suffix := k.Name[strings.LastIndex(k.Name, ".")+1:]
		if k.Void == "" && !tested[k.Name] && !slices.Contains([]string{"active", "height", "legend"}, suffix) {
			t.Errorf("key %s is not tested", k.Name)
		}
	}
}

// changed are the keys that a recipe of the spec names.
func (s *Spec) changed(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, f := range s.Fields("1", "svg", nil) {
		names = append(names, strings.Trim(f.Name, `"`))
	}
	return names
}

// Panels are switched, sized and stripped of legends one by one; those that do
// not exist say so.
func TestPanelKeys(t *testing.T) {
	for _, p := range starvzPanels {
		s := Default()
		notices, err := s.Parse("f.yaml", fmt.Appendf(nil, "%s.active: TRUE\n%[1]s.height: 2\n%[1]s.legend: no\n", p.key))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := core.Find(p.id); err != nil {
			if len(notices) != 2 || notices[0].Line != 1 || !strings.Contains(notices[0].Text, "no panel") {
				t.Errorf("%s: notices %v", p.key, notices)
			}
			continue
		}
		ids, heights, err := s.Choices()
		if err != nil || !slices.Contains(ids, p.id) || heights[slices.Index(ids, p.id)] != 200 || !slices.Equal(s.hidden(), []string{p.id}) {
			t.Errorf("%s gave %v %v, hidden %v, %v", p.key, ids, heights, s.hidden(), err)
		}
	}
	s := Default()
	if _, err := s.Parse("f.yaml", []byte("st.active: no")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Choices(); err == nil || !strings.Contains(err.Error(), "switched off") {
		t.Errorf("no panel at all gave %v", err)
	}
}

// Keys of StarVZ without meaning here say why; switched off they say nothing.
func TestVoidKeys(t *testing.T) {
	n := 0
	for _, k := range Keys() {
		if k.Void == "" {
			continue
		}
		n++
		name := strings.ReplaceAll(k.Name, "*", "x")
		for value, want := range map[string]int{"5": 1, "TRUE": 1, "FALSE": 0, "~": 0} {
			notices, err := Default().Parse("f.yaml", fmt.Appendf(nil, "\n%s: %s\n", name, value))
			if err != nil || len(notices) != want || want == 1 && (notices[0].Line != 2 || !strings.Contains(notices[0].Text, k.Void)) {
				t.Errorf("%s: %s gave %v, %v", name, value, notices, err)
			}
		}
	}
	if n < 60 {
		t.Errorf("only %d keys of StarVZ without meaning", n)
	}
}

func TestUnknownKeys(t *testing.T) {
	for yaml, want := range map[string]string{
		"st:\n  alhpa: 1":       "2 unknown key st.alhpa, did you mean st.alpha?",
		"limit: {start: 3}":     "1 unknown key limit, did you mean",
		"\nabe.active: 1":       "2 unknown key abe.active, did you mean st.abe.active?",
		"completely_else: [1]":  "1 unknown key completely_else",
		"default:\n  pallet: 3": "2 unknown key pallet, did you mean palette?",
	} {
		notices, err := Default().Parse("f.yaml", []byte(yaml))
		if err != nil || len(notices) != 1 || !strings.HasPrefix(fmt.Sprint(notices[0].Line, " ", notices[0].Text), want) {
			t.Errorf("%q gave %v, %v, want %q", yaml, notices, err, want)
		}
	}
}

func TestWrongValues(t *testing.T) {
	for yaml, want := range map[string]string{
		"st:\n  alpha: high":                   `f.yaml:2: st.alpha: found "high", want a number above 0, at most 1`,
		"panels: [st, nonsense]":               `f.yaml:1: panels: find panel: found "nonsense", want one of`,
		"panels: ['st:x']":                     `found height "x"`,
		"limits: 5":                            "limits",
		"st.active: maybe":                     `f.yaml:1: st.active: found "maybe", want true or false`,
		"size: 3mm":                            `found size "3mm"`,
		"vertical_lines.x_list: [1, a]":        `found "a", want a list of ms`,
		"vertical_lines.color_list: [reddish]": `found colour "reddish"`,
		"st.alpha: 1\nst: {alpha: 0.5}":        "f.yaml:2: st.alpha is set twice, on line 1 already",
		"- a":                                  "found a list, want a mapping",
		"a: [":                                 "read f.yaml",
		"align: middle":                        `found "middle", want one of none, start, end, progress, iteration`,
		"facts: [idle, tempo]":                 `found "tempo", want one of`,
		"selected_nodes: [first]":              `found "first", want a list of node numbers`,
		"st.labels: {a: 1}":                    "found a mapping, want one of ALL",
		"rows.collapse: ['[']":                 "syntax error in pattern",
		"rows.workers: ['[']":                  "syntax error in pattern",
		"ready.step: -3":                       "found -3, want ms above 0",
	} {
		s := Default()
		notices, err := s.Parse("f.yaml", []byte(yaml))
		if err == nil && len(notices) == 1 {
			err = fmt.Errorf("%s", notices[0].Text)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gave %v, want %q", yaml, err, want)
		}
	}
}

// A recipe read back gives the same recipe, whatever was set.
func TestRecipeRoundTrip(t *testing.T) {
	for _, c := range effects {
		s := Default()
		if _, err := s.Parse("f.yaml", []byte(c.yaml)); err != nil {
			t.Fatal(err)
		}
		runs := []Input{{Path: "dir/ü run.dsr", SHA256: "12ab"}, {Path: "b: {c}", SHA256: "true"}}
		text := recipe(s, runs)
		again := Default()
		made, err := again.ParseRecipe("f.svg", text)
		if err != nil {
			t.Errorf("%s: %v\n%s", c.yaml, err, text)
			continue
		}
		if got := recipe(again, made.Runs); got != text || made.Version != "1" || made.Format != "pdf" {
			t.Errorf("%s: recipe\n%sbecame\n%s", c.yaml, text, got)
		}
		for _, r := range text {
			if r > '~' {
				t.Fatalf("recipe of %s is not ASCII: %q", c.yaml, text)
			}
		}
	}
	if _, err := Default().ParseRecipe("f.svg", "dagscope: \"1\"\nrun1: {path: a, sha256: b}\nfuture: 1\n"); err == nil {
		t.Error("a recipe with a key of the future was taken")
	}
	if _, err := Default().ParseRecipe("f.svg", "made by: dagscope"); err == nil {
		t.Error("a recipe without runs was taken")
	}
}

func recipe(s *Spec, runs []Input) string {
	var b strings.Builder
	for _, f := range s.Fields("1", "pdf", runs) {
		fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Value)
	}
	return b.String()
}

// Arbitrary files are refused or read, never worse.
func FuzzParse(f *testing.F) {
	for _, c := range effects {
		f.Add(c.yaml)
	}
	f.Add("a: &a [*a]\n")
	f.Add("default: &d\n  default: *d\n")
	f.Fuzz(func(t *testing.T, text string) {
		budget.Watch(t)
		s := Default()
		if _, err := s.Parse("f.yaml", []byte(text)); err != nil {
			return
		}
		if _, err := s.PanelOptions(nil); err != nil {
			return
		}
		again := Default()
		if _, err := again.ParseRecipe("x", recipe(s, []Input{{"a", "b"}})); err != nil {
			t.Fatalf("%q: %v\n%s", text, err, recipe(s, []Input{{"a", "b"}}))
		}
	})
}

// Flags do what their keys do.
func TestSet(t *testing.T) {
	s := Default()
	for name, value := range map[string]string{"panels": "st:2,st", "limits.start": "-1.5", "rows.pin": `CPU1, CPU\,2`, "title.text": "a, b", "st.outliers": "false"} {
		if err := s.Set(name, value); err != nil {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
	if fmt.Sprint(s.Panels, s.From, s.Options.Rows.Pin, " ", s.Title, " ", s.Options.SpaceTime.HideOutliers) != "[st:2 st] -1500000 [CPU1 CPU,2] a, b true" {
		t.Errorf("set %+v", s)
	}
	for name, want := range map[string]string{"titel.text": "did you mean title.text?", "st.cpb": "no meaning here"} {
		if err := s.Set(name, "1"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The figure that a spec describes has its panels, window and recipe.
func TestFigure(t *testing.T) {
	s := Default()
	if _, err := s.Parse("f.yaml", []byte("panels: ['st:2']\nlimits.end: 1\ntitle: T\nsize: column\ntheme: dark\n")); err != nil {
		t.Fatal(err)
	}
	run := tracetest.Tiny()
	f, err := s.Figure([]layout.Source{{Name: "a", Run: run}, {Name: "b", Run: run}}, func(shown *Spec) []scene.Field {
		return shown.Fields("1", "svg", nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	if f.Title != "T" || len(f.Panels) != 2 || f.T1 != 1e6 || f.Width != 321 || f.Theme == nil || f.Panels[0].Height != 200 {
		t.Errorf("figure %+v", f)
	}
	if len(f.Panels[0].Facts) == 0 || len(f.Panels[0].Legend) > 0 || len(f.Heads) == 0 || len(f.Heads[0].Legend) == 0 {
		t.Errorf("facts %v, legends %v and %v", f.Panels[0].Facts, f.Panels[0].Legend, f.Heads)
	}
}

// docs/plot.md lists every key; -update writes them.
func TestDocs(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "plot.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := withKeys(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if got == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the keys are: go test ./show/figure -run Docs -update", file)
	}
	if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// R's words: NA keeps the default, and its colours have names.
func TestWordsOfR(t *testing.T) {
	s := Default()
	notices, err := s.Parse("r.yaml", []byte("limits: {end: NA}\nst: {aggregation: {step: NA}}\napp_tasks: {GEMM: {color: peachpuff3}}\n"))
	if err != nil || len(notices) > 0 {
		t.Fatal(notices, err)
	}
	if want := Default(); s.To != want.To || s.StarVZ.Step != 0 {
		t.Errorf("NA changed the end to %d, the step to %d", s.To, s.StarVZ.Step)
	}
	if got := s.Coloring.Own["GEMM"].Hex(); got != "#ccae94" {
		t.Errorf("peachpuff3 is %s", got)
	}
}

// 300 bytes of aliases stand for 9^9 panels.
func TestAliasesAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := range 8 {
		fmt.Fprintf(&text, "a%d: &a%[1]d [%s]\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 9), ","))
	}
	text.WriteString("panels: *a8\n")
	_, err := Default().Parse("f.yaml", []byte(text.String()))
	_, again := Default().ParseRecipe("f.svg", text.String())
	for _, err := range []error{err, again} {
		if err == nil || !strings.Contains(err.Error(), "aliases that repeat more than 100000 values") {
			t.Errorf("a file that stands for 9^9 panels: %v", err)
		}
	}
	s := Default()
	if _, err := s.Parse("f.yaml", []byte("kinds: &k [a, b]\nst: {labels: ALL}\naggregation: {kinds: *k}\n")); err != nil {
		t.Error(err)
	}
}
