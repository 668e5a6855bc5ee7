package report_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/report"
	"dagscope/diagnose/verdict"
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

// The first screen of bundled runs is one page.
func TestOnePage(t *testing.T) {
	for _, name := range []string{"sg-mirage-n12-dmdas", "native-chol-tiny", "native-chol-n10-dmdas", "nativempi-np2-n8-lws"} {
		screen := text(t, report.Compute(name, readRun(t, name), report.Options{}), report.TextOptions{Width: 100})
		if n := strings.Count(screen, "\n"); n > 45 {
			t.Errorf("%s: the first screen has %d lines", name, n)
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
		if named := strings.Contains(screen, "trace:7: what happened (3 times)"); named != (c.severity == trace.Error || c.forbids) {
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
