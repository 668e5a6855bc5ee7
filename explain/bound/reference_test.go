package bound

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/explain/internal/golden"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

// reference values of a run in ms, 0 where none is known. The longest paths are
// those of docs/design/methods.md, Bounds and of an independent program;
// StarVZ's own CPB starts from one task and is too small.
type reference struct {
	path                        []string
	abe, starvz, cpe, cpb, span float64
}

var references = map[string]reference{
	"sg-mirage-n12-dmdas": {[]string{"starpu", "sg-mirage-n12-dmdas"}, 347.626312, 373.039, 151.161237, 218.313883, 448.183},
	"sg-mirage-n30-dmdas": {[]string{"starpu", "sg-mirage-n30-dmdas"}, 3866.607, 3866.607, 0, 2021.261, 4196.478},
	"sg-mirage-n60-dmdas": {[]string{"starpu", "sg-mirage-n60-dmdas"}, 30895.124, 30895.124, 787.176, 5397.310, 31366.294},
	"sgmpi-np4-n20-dmdas": {[]string{"starvz", "sgmpi-np4-n20-dmdas", "raw"}, 403.476127, 403.476, 0, 257.479, 864.736},
	"sgmpi-np8-n40-dmdas": {[]string{"starpu", "sgmpi-np8-n40-dmdas"}, 1185.576, 1239.269, 0, 941.346, 2777.000},
	"lu_trace":            {[]string{"starvz", "lu_trace", "raw"}, 271.028, 279.577, 0, 863.640, 1350.060},
	"qr_trace":            {[]string{"starvz", "qr_trace", "raw"}, 12016.899, 12016.899, 0, 7503.892, 13339.121},
}

func TestBoundsOfReferenceRuns(t *testing.T) {
	for name, want := range references {
		t.Run(name, func(t *testing.T) {
			if name == "sg-mirage-n60-dmdas" || name == "sgmpi-np8-n40-dmdas" {
				testenv.Slow(t)
			}
			run, err := read.Read(golden.Path(t, want.path...), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			// StarVZ counts the generation of LU's input, but not in the makespan.
			starvz := compute(t, run, Options{UsedWorkers: true, LocalPairs: true, Generation: name == "lu_trace"})
			r := compute(t, run, Options{})
			near(t, "makespan", float64(r.Makespan), want.span)
			near(t, "area bound", r.Area.Time, want.abe)
			near(t, "area bound as StarVZ counts", starvz.Area.Time, want.starvz)
			near(t, "critical path", r.CPE.Time, want.cpe)
			near(t, "observed path", starvz.CPB.Time, want.cpb)
			if name != "sg-mirage-n30-dmdas" && name != "sgmpi-np8-n40-dmdas" { // of these there are StarVZ's summaries only
				comparePerNode(t, name, starvz.PerNode)
			}
			t.Logf("%+v, %+v, best %+v of %d", r.HeadTail, r.Mixed, r.Best, r.Makespan)
		})
	}
}

// near allows half of the last digit that the reference gives: 1e-3 ms, or
// 1e-6 where there are more.
func near(t *testing.T, what string, ns, ms float64) {
	t.Helper()
	digit := 1e-3
	if math.Abs(ms*1e3-math.Round(ms*1e3)) > 1e-6 {
		digit = 1e-6
	}
	if ms != 0 && math.Abs(ns/1e6-ms) > 0.51*digit {
		t.Errorf("%s is %.9f ms, want %v", what, ns/1e6, ms)
	}
}

// comparePerNode reads StarVZ's bound of each node. Forbidding pairs by a
// duration of 1e10 costs it some digits.
func comparePerNode(t *testing.T, name string, got []Area) {
	table := golden.CSV(t, "starvz", name, "abe_per_node.csv")
	if table.Len() != len(got) {
		t.Fatalf("%d nodes, want %d", len(got), table.Len())
	}
	for i, a := range got {
		if want := table.Number(i, "Result"); int32(table.Number(i, "Node")) != a.Node || math.Abs(a.Time/1e6-want) > 1e-7*want {
			t.Errorf("node %d: %.9f ms, want %v of node %v", a.Node, a.Time/1e6, want, table.Text(i, "Node"))
		}
	}
}

// The solution of StarVZ's program on n12, which is unique: how many tasks of
// each kind go where.
func TestSolutionOfReferenceRun(t *testing.T) {
	table := golden.CSV(t, "starvz", "sg-mirage-n12-dmdas", "abe_solution.csv")
	run, err := read.Read(golden.Path(t, "starpu", "sg-mirage-n12-dmdas"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := compute(t, run, Options{UsedWorkers: true}).Area
	at := func(kind, arch string) int {
		for i := range a.Kind {
			if run.Task.Kind.Dict[a.Kind[i]] == kind && run.Resource.Arch.Dict[a.Arch[i]] == arch {
				return i
			}
		}
		return int(trace.None)
	}
	arch := map[string]string{"CPU": "cpu", "CUDA": "cuda"}
	for row := range table.Len() {
		i, got := at(table.Text(row, "Value"), arch[table.Text(row, "ResourceType")]), 0.0
		estimated := table.Text(row, "Estimation") == "TRUE"
		if i >= 0 && estimated {
			got = a.Ideal[i]
		} else if i >= 0 {
			got = float64(a.Actual[i])
		}
		if want := table.Number(row, "Count"); math.Abs(got-want) > 1e-5 {
			t.Errorf("%s on %s (solution %v): %v tasks, want %v", table.Text(row, "Value"), table.Text(row, "ResourceType"), estimated, got, want)
		}
	}
}

// Models of several hosts next to a trace: those of its own hold, with and
// without the option, and the same as if they were the only ones.
func TestModelsOfSeveralHosts(t *testing.T) {
	models, err := filepath.Glob(filepath.Join(golden.Path(t, "starpu", "perfmodels"), "sampling", "codelets", "45", "chol_model_*"))
	if err != nil || len(models) == 0 {
		t.Fatalf("found %d models, %v", len(models), err)
	}
	imported := func(keep func(host string) bool) *trace.Run {
		dir := t.TempDir()
		link := func(from, to string) {
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(from, to); err != nil {
				t.Fatal(err)
			}
		}
		files, err := filepath.Glob(filepath.Join(golden.Path(t, "starpu", "sg-mirage-n12-dmdas"), "*.*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			link(file, filepath.Join(dir, filepath.Base(file)))
		}
		for _, file := range models {
			if _, host, _ := strings.Cut(filepath.Base(file), "."); keep(host) {
				link(file, filepath.Join(dir, "sampling", "codelets", "45", filepath.Base(file)))
			}
		}
		run, err := read.Read(dir, read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	all := imported(func(string) bool { return true })
	own := imported(func(host string) bool { return host == "mirage" })
	with, alone := compute(t, all, Options{Duration: Model}), compute(t, own, Options{Duration: Model})
	if with.Best != alone.Best || with.Area.Time != alone.Area.Time {
		t.Errorf("models of all hosts give %+v, those of mirage %+v", with.Best, alone.Best)
	}
	near(t, "area bound with models", with.Area.Time, 273.072)
	near(t, "best bound with models", with.Best.Time, 298.021)
	seen := compute(t, all, Options{})
	near(t, "area bound with the placements seen", seen.Area.Time, 347.626312)
	if seen.WithModels == nil || seen.WithModels.Host != "mirage" || seen.Conditional() || seen.Lower().Time >= seen.Best.Time {
		t.Errorf("with the models of mirage the bounds are %+v, without %+v", seen.WithModels, seen.Best)
	}
	others := imported(func(host string) bool { return host != "mirage" })
	if _, err := Compute(others, Options{Duration: Model}); err == nil || !strings.Contains(err.Error(), "attila") {
		t.Errorf("models of other hosts: %v", err)
	}
}

// Runs of one graph with different schedulers share a bound, made of all the
// placements that any of them tried.
func TestRunsOfOneGraphShareBounds(t *testing.T) {
	var runs []*trace.Run
	for _, name := range []string{"sg-mirage-n12-dmdas", "sg-mirage-n12-dmda", "sg-mirage-n12-lws"} {
		run, err := read.Read(golden.Path(t, "starpu", name), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	if why := Poolable(runs, Options{}); why != "" {
		t.Fatal(why)
	}
	results, err := Common(runs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	own := compute(t, runs[0], Options{})
	for i, r := range results {
		if r.Best != results[0].Best || r.Conditional() || r.Best.Time > float64(r.Makespan) {
			t.Errorf("run %d has %+v, conditional %v, makespan %d", i, r.Best, r.Conditional(), r.Makespan)
		}
	}
	if results[0].Best.Time > 300e6 || own.Best.Time < 366e6 || !own.Conditional() {
		t.Errorf("shared %+v, own %+v", results[0].Best, own.Best)
	}
}

// On several nodes the owner decides; the bound of the distribution is that of
// the node with most work or above, and below the makespan.
func TestDistributionOfReferenceRuns(t *testing.T) {
	for _, name := range []string{"sgmpi-np2-n8-dmdas", "sgmpi-np4-n20-dmdas", "sgmpi-np8-n40-dmdas"} {
		if name == "sgmpi-np8-n40-dmdas" {
			testenv.Slow(t)
		}
		run, err := read.Read(golden.Path(t, "starpu", name), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := compute(t, run, Options{})
		d := r.Distribution
		if d == nil || d.Owned != 1 || d.Network.Source != NetworkFitted {
			t.Fatalf("%s: %+v", name, d)
		}
		most := 0.0
		for _, a := range r.PerNode {
			most = max(most, a.Time)
		}
		if d.Area.Time != most || d.Best.Time < most || d.CPE.Time <= r.CPE.Time || d.Best.Time > float64(r.Makespan) || d.Cost(r) <= 0 {
			t.Errorf("%s: %+v with %v on the node with most work, makespan %d", name, d.Best, most, r.Makespan)
		}
		t.Logf("%s: area %.3f, path %.3f, head–tail %.3f, any %.3f, makespan %.3f ms; %+v", name, d.Area.Time/1e6, d.CPE.Time/1e6, d.HeadTail.Time/1e6,
			r.Best.Time/1e6, float64(r.Makespan)/1e6, d.Network)
	}
}
