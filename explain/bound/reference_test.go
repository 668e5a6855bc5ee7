package bound

import (
	"math"
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
