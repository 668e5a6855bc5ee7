package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/report"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// read imports a bundled run.
func readRun(t testing.TB, name string) *trace.Run {
	t.Helper()
	run, err := read.Read(filepath.Join("../../testdata/starpu", name), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it); found:\n%s", path, got)
	}
}

// TestGolden holds the whole answer on real runs in each form.
func TestGolden(t *testing.T) {
	for _, name := range []string{"sg-mirage-n12-dmdas", "native-chol-tiny", "native-chol-n10-dmdas", "nativempi-np2-n8-lws"} {
		t.Run(name, func(t *testing.T) {
			r := report.Compute(name, readRun(t, name), report.Options{})
			var text, md, page bytes.Buffer
			if err := r.WriteText(&text, report.TextOptions{Full: true}); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", text.Bytes())
			var first bytes.Buffer
			if err := r.WriteText(&first, report.TextOptions{Width: 80}); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".first.txt", first.Bytes())
			if name != "native-chol-tiny" {
				return
			}
			if err := r.WriteMarkdown(&md, "figure.svg"); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".md", md.Bytes())
			if err := r.WriteHTML(&page, []byte(`<?xml version="1.0"?><svg id="figure"></svg>`)); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".html", page.Bytes())
			j, err := json.MarshalIndent(r, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".json", append(j, '\n'))
		})
	}
}

// TestContract: the keys that others rely on are there, under these names.
func TestContract(t *testing.T) {
	r := report.Compute("n12", readRun(t, "sg-mirage-n12-dmdas"), report.Options{})
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"makespan_ns", "tasks", "kinds.kind", "kinds.arch", "kinds.count", "kinds.mean_ns", "kinds.median_ns", "kinds.p95_ns",
		"kinds.total_ns", "workers.name", "workers.node", "workers.arch", "workers.tasks", "workers.busy_ns",
		"workers.idle_share", "workers.runtime_idle_share", "bounds.abe_ns", "bounds.abe_per_node.node",
		"bounds.abe_per_node.abe_ns", "bounds.cpe_ns", "bounds.cpe_tasks", "bounds.cpb_ns", "bounds.cpb_tasks",
		"bounds.head_tail_ns", "bounds.mixed_ns", "bounds.best.name", "bounds.best.ns", "abe_solution.node",
		"abe_solution.arch", "abe_solution.kind", "abe_solution.tasks_ideal", "abe_solution.tasks_actual", "outliers.kind",
		"outliers.arch", "outliers.node", "outliers.count", "outliers.threshold_ns", "verdict.rule", "verdict.text", "verdict.evidence.makespan_ns", "screen.id", "screen.lines", "breakdown.work_ns",
		"breakdown.idleness_ns", "breakdown.overhead_ns", "breakdown.per_worker", "last_path", "findings.id",
		"findings.severity", "findings.title", "findings.gain_ns", "findings.evidence", "findings.panel",
		"efficiency.makespan_ns", "efficiency.useful_ns", "efficiency.parallel_efficiency", "efficiency.distribution",
		"efficiency.allocation", "efficiency.load_balance", "efficiency.communication_efficiency", "efficiency.missing",
		"efficiency.types.load_ns",
		"findings.advice", "importlog.severity", "importlog.code", "importlog.count", "importlog.first",
	} {
		if !has(doc, strings.Split(path, ".")) {
			t.Errorf("the report has no %s", path)
		}
	}
}

// has looks up a path, in the first element of arrays.
func has(v any, path []string) bool {
	if list, ok := v.([]any); ok && len(path) > 0 {
		return len(list) > 0 && has(list[0], path)
	}
	if len(path) == 0 {
		return true
	}
	object, ok := v.(map[string]any)
	if !ok {
		return false
	}
	next, ok := object[path[0]]
	return ok && has(next, path[1:])
}

// TestAnchors: figures of docs/design/methods.md, Bounds and Dependencies on
// the hybrid run.
func TestAnchors(t *testing.T) {
	r := report.Compute("n12", readRun(t, "sg-mirage-n12-dmdas"), report.Options{})
	for what, pair := range map[string][2]int64{
		"makespan": {r.Makespan, 448183420},
		"ABE":      {r.Bounds.ABE, 347626312},
		"CPE":      {r.Bounds.CPE, 151161237},
		"CPB":      {r.Bounds.CPB, 218313883},
		"tasks":    {int64(r.Tasks), 364},
		"path":     {int64(len(r.LastPath)), 19},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: found %d, wanted %d", what, pair[0], pair[1])
		}
	}
	if r.LastPath[0] != "621" || r.LastPath[18] != "27" {
		t.Errorf("found last path %v, wanted 621 … 27", r.LastPath)
	}
}

// TestSectionsWithoutData: what cannot be computed is absent and explained.
func TestSectionsWithoutData(t *testing.T) {
	run, err := read.Read("../../testdata/starpu/native-chol-tiny/paje.trace", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := report.Compute("alone", run, report.Options{})
	if r.LastPath != nil || r.Delays != nil || r.Bounds.CPE != 0 || r.Bounds.Best.Name != "abe" {
		t.Errorf("found a last path %v, delays %v, CPE %d, best %v without a graph", r.LastPath, r.Delays, r.Bounds.CPE, r.Bounds.Best)
	}
	if len(r.Problems) != 1 || !strings.HasPrefix(r.Problems[0], "dependencies: ") {
		t.Errorf("found problems %q, wanted one about dependencies", r.Problems)
	}
	empty := report.Compute("empty", &trace.Run{}, report.Options{})
	if len(empty.Problems) != 1 || empty.Findings != nil || empty.Kinds != nil {
		t.Errorf("found %+v for a run without tasks", empty)
	}
}

// small builds a run on two workers: tasks are {start, end, submit} on worker 0.
func small(t *testing.T, tasks [][3]int64, deps [][2]int32) *trace.Run {
	t.Helper()
	var b trace.Builder
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	node := b.AddResource(root, trace.LevelNode, "program", "", 0, trace.None)
	w := b.AddResource(node, trace.LevelWorker, "CPU0", "cpu", 0, 0)
	b.AddResource(node, trace.LevelWorker, "CPU1", "cpu", 0, 1)
	for i, s := range tasks {
		b.AddTask(trace.TaskRow{
			Key: string(rune('1' + i)), Kind: "K", Worker: w, Start: s[0], End: s[1], Submit: s[2], Ready: trace.NoTime,
			Order: int32(i), Iteration: -1,
		})
	}
	for _, d := range deps {
		b.AddDep(d[0], d[1], trace.None)
	}
	run, err := b.Finish("")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestUnknownReadiness: without ready times idleness is not told from overhead.
func TestUnknownReadiness(t *testing.T) {
	run := small(t, [][3]int64{{0, 10, trace.NoTime}, {90, 100, trace.NoTime}}, nil)
	r := report.Compute("unknown", run, report.Options{})
	if r.Breakdown != nil || !strings.Contains(strings.Join(r.Problems, "\n"), "breakdown: no ready time") {
		t.Errorf("found breakdown %+v, problems %q", r.Breakdown, r.Problems)
	}
	if text := warnings(r); !strings.Contains(text, "ready times (") {
		t.Errorf("found warnings %q, want one about ready times", text)
	}
}

// TestCyclicGraph: the area bound needs no graph; paths and delays do.
func TestCyclicGraph(t *testing.T) {
	run := small(t, [][3]int64{{0, 10, 0}, {10, 20, 0}, {20, 30, 0}}, [][2]int32{{0, 1}, {1, 2}, {2, 1}})
	r := report.Compute("cyclic", run, report.Options{})
	if r.Bounds == nil || r.Bounds.ABE != 15 || r.Bounds.CPE != 0 || r.LastPath != nil || r.Delays != nil {
		t.Errorf("found bounds %+v, last path %v, delays %v", r.Bounds, r.LastPath, r.Delays)
	}
	if len(r.Problems) != 1 || !strings.HasPrefix(r.Problems[0], "dependencies: ") {
		t.Errorf("found problems %q", r.Problems)
	}
}

// TestLateSubmission: a chain that waits for its submission is told apart from
// one that waits for workers.
func TestLateSubmission(t *testing.T) {
	late := small(t, [][3]int64{{0, 10, 0}, {100, 110, 100}, {200, 210, 200}}, [][2]int32{{0, 1}, {1, 2}})
	found := map[string]int64{}
	for _, f := range report.Compute("late", late, report.Options{}).Findings {
		found[f.ID] = f.Gain
	}
	if found["late-submission"] != 90+90 {
		t.Errorf("found findings %v, wanted late-submission with 180", found)
	}
}

// TestGains: estimates that leave durations alone never exceed the gap to the
// best bound, none exceeds the makespan, the largest comes first.
func TestGains(t *testing.T) {
	for seed := range uint64(40) {
		r := report.Compute("random", tracetest.Random(seed, 60), report.Options{})
		for i, f := range r.Findings {
			limit := r.Makespan
			if !slices.Contains([]string{"outliers", "slow-worker", "disturbance", "oversubscription", "forbidden-placement", "work-inflation", "too-fine", "too-coarse", "little-parallelism", "load-imbalance", "serial-creator"}, f.ID) {
				limit = max(0, r.Makespan-r.Bounds.Best.NS)
			}
			if 100*f.Gain < r.Makespan && f.Severity != finding.Note {
				t.Errorf("seed %d: %s gains %d of %d", seed, f.ID, f.Gain, r.Makespan)
			}
			if f.Gain < 0 || f.Gain > limit {
				t.Errorf("seed %d: %s gains %d, wanted 0 to %d", seed, f.ID, f.Gain, limit)
			}
			if before := r.Findings[max(i-1, 0)]; f.Gain > before.Gain && f.Weak == before.Weak && f.Severity != finding.Note {
				t.Errorf("seed %d: %s comes after a smaller gain", seed, f.ID)
			}
		}
	}
}

// TestFindingsOnTheHybridRun: what a person sees in this run is said.
func TestFindingsOnTheHybridRun(t *testing.T) {
	r := report.Compute("n12", readRun(t, "sg-mirage-n12-dmdas"), report.Options{})
	found := map[string]finding.Finding{}
	for _, f := range r.Findings {
		found[f.ID] = f
	}
	if n := found["unused-workers"].Evidence["count"]; n != 7 {
		t.Errorf("found %v unused workers, wanted 7", n)
	}
	if _, ok := found["outliers"]; ok {
		t.Error("3 µs of an outlier are a finding")
	}
	if f := found["transfer-waits"]; f.Gain != r.Chain.Classes["transfer"]+r.Chain.Classes["transfer-contention"] {
		t.Errorf("found transfers of %d ns, want those of the chain", f.Gain)
	}
}

// TestLikeStarVZ: the switch counts what StarVZ counts (data/starvz: golden.json).
func TestLikeStarVZ(t *testing.T) {
	for _, c := range []struct {
		path  string
		tasks int
		abe   float64 // ms
	}{
		{"lu_trace/raw", 268, 279.577085368387},
		{"qr_trace/raw", 4838, 12016.8992741959},
		{"sgmpi-np4-n20-dmdas/raw", 1540, 403.476127000137},
	} {
		run, err := read.Read(testenv.Reference(t, "data/starvz", c.path), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var o report.Options
		report.LikeStarVZ(run, &o)
		r := report.Compute(c.path, run, o)
		if rel := float64(r.Bounds.ABE)/1e6/c.abe - 1; r.Tasks != c.tasks || rel > 1e-5 || rel < -1e-5 {
			t.Errorf("%s: found %d tasks and ABE %d ns, wanted %d and %g ms", c.path, r.Tasks, r.Bounds.ABE, c.tasks, c.abe)
		}
		for _, k := range r.Kinds {
			if strings.HasPrefix(k.Kind, "lapack_") {
				t.Errorf("%s: kind %s keeps its prefix", c.path, k.Kind)
			}
		}
	}
}

// The parts of the section on tasking fit together.
func TestTasking(t *testing.T) {
	r := report.Compute("n10", readRun(t, "native-chol-n10-dmdas"), report.Options{})
	x := r.Tasking
	if x == nil || x.Work == 0 || x.Span != r.Bounds.CPB || x.Workers != len(r.Workers) {
		t.Fatalf("tasking %+v, want a span of %d", x, r.Bounds.CPB)
	}
	chain := int64(0)
	for _, u := range x.SpanUses {
		chain += u.Work
	}
	if chain != x.Span || x.Below < 0 || x.Below > x.Span {
		t.Errorf("the longest chain is made of %d, %d of it below all workers, want %d", chain, x.Below, x.Span)
	}
	if x.Creation == nil || x.Creation.Kinds[0].Tasks != int64(r.Tasks) || len(x.Start) == 0 || x.Start[0].Tasks != int64(r.Tasks) {
		t.Errorf("creation %+v and start %+v of %d tasks", x.Creation, x.Start, r.Tasks)
	}
}

// Few workers have a table of who took tasks from whom, many have not.
func TestMigrationTable(t *testing.T) {
	text := func(pairs ...report.TaskMove) string {
		var b bytes.Buffer
		r := report.Report{Run: "r", Tasks: 1, Tasking: &report.Tasking{Migration: &report.TaskMigration{Tasks: 9, Pairs: pairs}}}
		if err := r.WriteText(&b, report.TextOptions{Full: true}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := text(report.TaskMove{Thief: "T1", Victim: "T0", Tasks: 1200}, report.TaskMove{Thief: "T10", Victim: "T1", Tasks: 3})
	for _, line := range []string{"  ran on     T0  T1  T10\n", "  T1      1 200   –    –\n", "  T10         –   3    –\n"} {
		if !strings.Contains(got, line) {
			t.Errorf("found no line %q in\n%s", line, got)
		}
	}
	var many []report.TaskMove
	for i := range 9 {
		many = append(many, report.TaskMove{Thief: string(rune('a' + i)), Victim: "z", Tasks: 1})
	}
	if got := text(many...); strings.Contains(got, "ran on") {
		t.Errorf("a table of ten workers:\n%s", got)
	}
}
