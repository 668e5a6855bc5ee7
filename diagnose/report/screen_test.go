package report_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/report"
	"dagscope/diagnose/verdict"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// warnings are those about the data.
func warnings(r *report.Report) string {
	var all []string
	for _, w := range r.DataWarnings {
		all = append(all, w.Text)
	}
	return strings.Join(all, "\n")
}

func text(t *testing.T, r *report.Report, o report.TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// No line is wider than the terminal, whatever its width and the names in the run,
// and nothing of the first screen is lost by wrapping.
func TestWidth(t *testing.T) {
	long := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 4, CPUs: 2, GPUs: 1})
	for i := range long.Task.Kind.Dict {
		long.Task.Kind.Dict[i] = strings.Repeat("kernel_with_a_name_as_long_as_a_path_", 5) + long.Task.Kind.Dict[i]
	}
	runs := map[string]*trace.Run{
		"n12": readRun(t, "sg-mirage-n12-dmdas"), "nodes": readRun(t, "nativempi-np2-n8-lws"), "long": long, "empty": {},
		strings.Repeat("name", 60): tracetest.Fork(3, 2), "random": tracetest.Random(3, 60),
	}
	blank := regexp.MustCompile(`\s+`)
	for name, run := range runs {
		r := report.Compute(name, run, report.Options{})
		wide := blank.ReplaceAllString(text(t, r, report.TextOptions{Width: 100_000}), "")
		for width := 60; width <= 200; width += 7 {
			for _, full := range []bool{false, true} {
				for i, line := range strings.Split(text(t, r, report.TextOptions{Width: width, Full: full}), "\n") {
					if n := utf8.RuneCountInString(line); n > width {
						t.Fatalf("%.20s, width %d, full %v: line %d has %d columns: %s", name, width, full, i+1, n, line)
					}
				}
			}
			if narrow := blank.ReplaceAllString(text(t, r, report.TextOptions{Width: width}), ""); width >= 120 && name == "n12" && narrow != wide {
				t.Errorf("width %d: found\n%s\nwant\n%s", width, narrow, wide)
			}
		}
	}
}

// The first screen of every run is one page, and its verdict two lines of 100 columns:
// made-up runs of several nodes with long names, bundled runs, and reference data.
func TestOnePage(t *testing.T) {
	cluster := tracetest.Cholesky(tracetest.Options{Tiles: 10, Nodes: 6, CPUs: 3, GPUs: 2})
	onePage(t, "cluster", cluster)
	for i := range cluster.Task.Kind.Dict {
		cluster.Task.Kind.Dict[i] += strings.Repeat("_of_a_library", 4)
	}
	for i := range cluster.Resource.Name.Dict {
		cluster.Resource.Name.Dict[i] += "_of_a_machine_far_away"
	}
	onePage(t, "long names", cluster)
	for seed := range uint64(10) {
		onePage(t, "random", tracetest.Random(seed, 80))
	}
	for _, pattern := range []string{"testdata/starpu/*", "testdata/starpu13/*"} {
		bundled, err := filepath.Glob(testenv.Repo(pattern))
		if err != nil || len(bundled) == 0 {
			t.Fatalf("found no runs at %s (%v)", pattern, err)
		}
		for _, path := range bundled {
			onePage(t, path, imported(t, path))
		}
	}
	for _, path := range testenv.References(t, "data/starpu/sgmpi-np[248]-*") {
		onePage(t, path, imported(t, path))
	}
}

// The same of all reference runs, and of the pairs with a known fault.
func TestOnePageOfAll(t *testing.T) {
	testenv.Slow(t)
	for _, pattern := range []string{"data/starpu/*-*", "data/ompt/traces/*/trace.csv.gz", "data/faults/*/faulty", "data/faults/*/healthy"} {
		for _, path := range testenv.References(t, pattern) {
			onePage(t, path, imported(t, path))
		}
	}
}

func imported(t *testing.T, path string) *trace.Run {
	t.Helper()
	run, err := read.Read(path, read.Options{})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return run
}

func onePage(t *testing.T, name string, run *trace.Run) {
	t.Helper()
	r := report.Compute(filepath.Base(name), run, report.Options{})
	for width, most := range map[int]int{80: 48, 100: 40, 120: 40, 160: 40} {
		screen := text(t, r, report.TextOptions{Width: width, Run: "/scratch/of/a/user/runs/" + filepath.Base(name)})
		if n := strings.Count(screen, "\n"); n > most {
			t.Errorf("%s, %d columns: found %d lines, want %d at most:\n%s", name, width, n, most, screen)
		}
		if verdict, _, _ := strings.Cut(screen, "\n\n"); width >= 100 && strings.Count(verdict, "\n") > 2 {
			t.Errorf("%s, %d columns: the verdict has more than two lines:\n%s", name, width, verdict)
		}
	}
}

// Where there is no room, what a test has found keeps its advice longest, and what is
// left out is counted; --full has everything.
func TestFindingsThatDoNotFit(t *testing.T) {
	r := report.Compute("n12", readRun(t, "sg-mirage-n12-dmdas"), report.Options{})
	weak := r.Findings[0]
	strong := weak
	strong.Weak, strong.Severity, strong.Title, strong.Advice = false, finding.High, "something was found", "do "+strings.Repeat("this and ", 25)+"that"
	r.Findings = nil
	for i := range 7 {
		f := weak
		if i < 3 {
			f = strong
		}
		f.Title += strconv.Itoa(i)
		r.Findings = append(r.Findings, f)
	}
	screen := text(t, r, report.TextOptions{})
	if n := strings.Count(screen, "\n"); n > 40 {
		t.Errorf("found %d lines, want 40 at most", n)
	}
	if !strings.Contains(screen, "findings more (--full)") || strings.Count(screen, "Do this") == 0 || strings.Contains(screen, "Compare the bandwidth") {
		t.Errorf("found\n%s\nwant advice of what was found, and the rest counted", screen)
	}
	full := text(t, r, report.TextOptions{Full: true})
	for i := range 7 {
		if !strings.Contains(full, strconv.Itoa(i)+". ") || strings.Contains(full, "(--full)") {
			t.Errorf("--full lacks finding %d", i)
		}
	}
}

// Commands on the screen can be copied: they have the path that the user typed.
func TestCommandsNameTheRun(t *testing.T) {
	r := report.Compute("n12", readRun(t, "sg-mirage-n12-dmdas"), report.Options{})
	r.Findings[0].Advice = "see dagscope data RUN nodes"
	screen := text(t, r, report.TextOptions{Run: "'my $1 runs/n12.dsr'", Width: 200})
	for _, want := range []string{"dagscope report 'my $1 runs/n12.dsr' --full", "dagscope whatif 'my $1 runs/n12.dsr'", "dagscope data 'my $1 runs/n12.dsr' nodes"} {
		if !strings.Contains(screen, want) {
			t.Errorf("found\n%s\nwant %s", screen, want)
		}
	}
}

// Colours are added to the text and change nothing else but the squares of classes.
func TestColors(t *testing.T) {
	r := report.Compute("n12", readRun(t, "sg-mirage-n12-dmdas"), report.Options{})
	plain := text(t, r, report.TextOptions{})
	if strings.Contains(plain, "\x1b") {
		t.Error("found colours that nobody asked for")
	}
	colored := text(t, r, report.TextOptions{Colors: true, ClassColor: func(class string) (uint32, bool) { return 0x123456, class == "transfer" }})
	if !strings.Contains(colored, "\x1b[38;2;18;52;86m■\x1b[0m transfer ") || strings.Contains(colored, "■ compute") {
		t.Errorf("found\n%s\nwant a square before transfer alone", colored)
	}
	bare := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(colored, "")
	if got := strings.Replace(bare, "■", " ", -1); got != plain {
		t.Errorf("without colours found\n%s\nwant\n%s", got, plain)
	}
}

// Names cannot bring sequences of their own into a coloured report.
func TestColorsOfNames(t *testing.T) {
	run := tracetest.Fork(3, 2)
	for i := range run.Task.Kind.Dict {
		run.Task.Kind.Dict[i] = "\x1b[31mred"
	}
	got := text(t, report.Compute("\x1b]0;title\a", run, report.Options{}), report.TextOptions{Colors: true, Full: true})
	if strings.Contains(got, "\x1b[31m") || strings.Contains(got, "\x1b]") {
		t.Errorf("found %q", got)
	}
}

// Where a part of the run is missing, what would be of the whole is withheld.
func TestIncompleteRuns(t *testing.T) {
	for _, c := range []struct {
		severity trace.Severity
		code     string
		forbids  bool
	}{
		{trace.Warning, "missing-rank", true}, {trace.Error, "truncated-file", true}, {trace.Error, "events-lost", true},
		{trace.Error, "bad-number", false}, {trace.Info, "empty-file", false}, {trace.Warning, "half-link", false}, {trace.Info, "missing-rank", false},
	} {
		run := readRun(t, "sg-mirage-n12-dmdas")
		run.Log.AddN(c.severity, "trace", 7, c.code, "what happened", 3)
		r := report.Compute("run", run, report.Options{})
		screen := text(t, r, report.TextOptions{})
		if found := r.Verdict.Rule == verdict.Incomplete; found != c.forbids || found != (len(r.Findings) == 0) {
			t.Errorf("%s %s: verdict %q, %d findings", c.severity, c.code, r.Verdict.Text, len(r.Findings))
		}
		for _, what := range []string{"lower bound", "Efficiencies"} {
			if strings.Contains(screen, what) == c.forbids {
				t.Errorf("%s %s: %s on the first screen is %v:\n%s", c.severity, c.code, what, !c.forbids, screen)
			}
		}
		message := "trace:7: what happened (3 times)"
		if c.code == "missing-rank" { // no file lacks it
			message = "run: what happened;"
		}
		if named := strings.Contains(screen, message); named != (c.severity == trace.Error || c.forbids) {
			t.Errorf("%s %s: named on the first screen is %v:\n%s", c.severity, c.code, named, screen)
		}
	}
}

// All forms say the same: the sentences and cells of the screen in JSON are those
// of the text, of the page and of Markdown.
func TestFormsAgree(t *testing.T) {
	r := report.Compute("n12", readRun(t, "sg-mirage-n12-dmdas"), report.Options{})
	j, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Verdict struct{ Text string }
		Screen  []report.Block
	}
	if err := json.Unmarshal(j, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Screen) < 5 || doc.Screen[0].Lines[0] != doc.Verdict.Text {
		t.Fatalf("found screen %+v", doc.Screen)
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page, nil); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(page.String(), "<details>")
	screen := strings.Join(strings.Fields(text(t, r, report.TextOptions{Width: 100_000})), " ")
	for _, b := range doc.Screen {
		cells := slices.Concat(append(b.Rows, b.Lines, b.After)...)
		for _, cell := range cells {
			if !strings.Contains(screen, strings.Join(strings.Fields(cell), " ")) {
				t.Errorf("the text lacks %q", cell)
			}
			if !strings.Contains(first, cell) {
				t.Errorf("the page lacks %q", cell)
			}
		}
	}
}

// At most seven findings are listed, notes last.
func TestFindingsAreFew(t *testing.T) {
	for seed := range uint64(30) {
		r := report.Compute("random", tracetest.Random(seed, 80), report.Options{})
		note := false
		for _, f := range r.Findings {
			if note && f.Severity != finding.Note {
				t.Errorf("seed %d: %s comes after a note", seed, f.ID)
			}
			note = note || f.Severity == finding.Note
		}
		if len(r.Findings) > finding.Most {
			t.Errorf("seed %d: %d findings", seed, len(r.Findings))
		}
	}
}

// Shares of places are shares: amounts with both signs name no place with more
// than all of them, or less than half.
func TestPlaces(t *testing.T) {
	share := regexp.MustCompile(`-?\d+ %`)
	for seed := range uint64(30) {
		r := report.Compute("random", tracetest.Random(seed, 80), report.Options{})
		for _, b := range r.Screen {
			if b.ID != "chain" && b.ID != "idle" {
				continue
			}
			for _, row := range b.Rows {
				for _, found := range share.FindAllString(row[3], -1) {
					if n, err := strconv.Atoi(strings.TrimSuffix(found, " %")); err != nil || n < 50 || n > 100 {
						t.Errorf("seed %d: %s names %s", seed, row[0], row[3])
					}
				}
			}
		}
	}
}

// Of a program without explicit tasks the screen has what its threads did.
func TestNoExplicitTasks(t *testing.T) {
	b := &trace.Builder{}
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	node := b.AddResource(root, trace.LevelNode, "0", "", 0, 0)
	for i := range int64(2) {
		w := b.AddResource(node, trace.LevelWorker, "T"+strconv.Itoa(int(i)), "cpu", 0, int32(i))
		b.AddTask(trace.TaskRow{Key: strconv.Itoa(int(i)), Kind: "implicit task", Worker: w, Start: 0, End: 1e6 * (1 + i), Submit: 0, Ready: 0, Iteration: -1, Internal: true})
	}
	b.Run.Meta.Lifetimes, b.Run.Meta.Horizon = true, 2e6
	run, err := b.Finish("")
	if err != nil {
		t.Fatal(err)
	}
	r := report.Compute("implicit", run, report.Options{})
	screen := text(t, r, report.TextOptions{})
	if r.Verdict.Rule != verdict.NoTasks || !strings.Contains(screen, "no explicit task ran") || !strings.Contains(screen, "Time of all workers") {
		t.Errorf("found verdict %+v and\n%s", r.Verdict, screen)
	}
}

// A task that the area bound puts on the slow architecture too costs nothing there;
// what is more than the bound has is named.
func TestSlowerThanTheAreaBound(t *testing.T) {
	run := func(onCPU int) *trace.Run {
		b := &trace.Builder{}
		root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
		node := b.AddResource(root, trace.LevelNode, "0", "", 0, 0)
		gpu := b.AddResource(node, trace.LevelWorker, "CUDA0", "cuda", 0, 0)
		cpu := b.AddResource(node, trace.LevelWorker, "CPU0", "cpu", 0, 1)
		add := func(key int, kind string, w int32, start, end int64) {
			b.AddTask(trace.TaskRow{Key: strconv.Itoa(key), Kind: kind, Worker: w, Start: start * 1e6, End: end * 1e6, Submit: 0, Ready: 0, Iteration: -1})
			if key > 0 {
				b.AddDep(0, int32(key), trace.None)
			}
		}
		// B, 20 ms; after 10 ms more 11 times A, 1 ms on the GPU and 10 ms on the CPU:
		// the area bound puts 2.8 of them there.
		add(0, "B", gpu, 0, 20)
		at := map[int32]int64{gpu: 30, cpu: 30}
		for i := range 11 {
			w, d := gpu, int64(1)
			if i < onCPU {
				w, d = cpu, 10
			}
			add(i+1, "A", w, at[w], at[w]+d)
			at[w] += d
		}
		run, err := b.Finish("")
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	for onCPU, want := range map[int]bool{1: false, 2: false, 5: true} {
		r := report.Compute("run", run(onCPU), report.Options{})
		e := r.Verdict.Evidence
		if named := e["cost"] == "slower-architecture" || e["second"] == "slower-architecture"; named != want {
			t.Errorf("%d tasks on the slow CPU: named is %v, want %v: %v", onCPU, named, want, e)
		}
		if lost := r.Chain.Classes["slower-architecture"]; lost != int64(onCPU)*9e6 {
			t.Errorf("%d tasks on the slow CPU: the chain has %d ns of them, want all", onCPU, lost)
		}
	}
}
