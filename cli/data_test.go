package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"dagscope/diagnose/report"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/query"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/store"
	"dagscope/trace/tracetest"
)

var bundledRuns = []string{"sg-mirage-n12-dmdas", "native-chol-tiny", "nativempi-np2-n8-lws"}

// settingsFor are settings that lead through the code of a panel.
func settingsFor(n *panels.Numbers) []panels.Settings {
	plain := panels.Settings{From: trace.NoTime, To: trace.NoTime}
	all := []panels.Settings{plain}
	with := func(name string, change func(*panels.Settings)) {
		for _, taken := range n.Takes {
			if taken == name {
				s := plain
				change(&s)
				all = append(all, s)
			}
		}
	}
	with("from", func(s *panels.Settings) { s.From, s.To = 1e6, 5e6 })
	with("step", func(s *panels.Settings) { s.Step = 1e6 })
	with("raw", func(s *panels.Settings) { s.Raw = true })
	with("by-node", func(s *panels.Settings) { s.ByNode = true })
	with("total", func(s *panels.Settings) { s.Total = true })
	with("source", func(s *panels.Settings) { s.Source = panels.Reconstructed })
	with("durations", func(s *panels.Settings) { s.Durations = durationNames["model"] })
	with("durations", func(s *panels.Settings) { s.Durations = durationNames["median"]; s.UsedWorkers = true })
	with("count-generation", func(s *panels.Settings) { s.Generation = true })
	with("outliers-by-node", func(s *panels.Settings) { s.OutliersByNode, s.OutlierMethod = true, "log-log" })
	return all
}

// A run of which only the columns are loaded that a panel names gives the same
// numbers, or the same excuse, as the whole run.
func TestPanelsReadWhatTheyName(t *testing.T) {
	for _, name := range bundledRuns {
		whole, err := read.Read(filepath.Join("..", "testdata", "starpu", name), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "run.dsr")
		if err := store.Write(path, whole); err != nil {
			t.Fatal(err)
		}
		dir, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range panels.All() {
			for i, s := range settingsFor(&n) {
				part, err := dir.Load(n.Reads...)
				if err != nil {
					t.Fatalf("%s: %v", n.ID, err)
				}
				got, want := printed(t, &n, part, s), printed(t, &n, whole, s)
				if got != want {
					t.Errorf("%s, panel %s, settings %d: the numbers of what it reads are not those of the whole run\n%.300s\nwant\n%.300s",
						name, n.ID, i, got, want)
				}
			}
		}
	}
}

func printed(t *testing.T, n *panels.Numbers, run *trace.Run, s panels.Settings) string {
	table, err := n.Table(run, &s)
	if missing := (*panels.Missing)(nil); errors.As(err, &missing) {
		return missing.Why
	} else if err != nil && s.Durations == durationNames["model"] {
		return err.Error() // there are none
	} else if err != nil {
		t.Fatalf("%s: %v", n.ID, err)
	}
	var b bytes.Buffer
	if err := query.WriteCSV(&b, newTableRows(&table, false)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPrettyNumbers(t *testing.T) {
	table := numbers.Table{
		Columns: []numbers.Column{{Name: "start", Unit: "ns"}, {Name: "mean", Unit: "ns"}, {Name: "share"}, {Name: "rate", Unit: "MB/s"}, {Name: "n"}},
		Data: []any{
			[]int64{-1_500_000, 12_345_000, trace.NoTime},
			[]float64{1e6 / 3, 2e6, 0},
			[]float64{0.25, 0, 1},
			[]float64{123456.78, 0.5, 1.0 / 3},
			[]int32{7, trace.NoInt, -1},
		},
	}
	var b bytes.Buffer
	if err := query.WriteTable(&b, newTableRows(&table, true)); err != nil {
		t.Fatal(err)
	}
	want := `start (ms)  mean (ms)  share  rate (MB/s)   n
    -1.500   0.333333   0.25   123456.780   7
    12.345   2.000000   0.00        0.500   -
         -   0.000000   1.00        0.333  -1
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestDecimals(t *testing.T) {
	for n, want := range map[float64]int{0: 0, 5: 0, 0.5: 1, 0.25: 2, 100: 0, 1.0 / 3: 6, 12.34567899: 6, -0.000001: 6, 1e15: 0} {
		if got := decimals(n); got != want {
			t.Errorf("%v needs %d digits, want %d", n, got, want)
		}
	}
}

// Workers add up to nodes and to the run.
func TestBreakdownAddsUp(t *testing.T) {
	run, err := read.Read(filepath.Join("..", "testdata", "starpu", "nativempi-np2-n8-lws"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n, err := panels.Find("breakdown")
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for name, change := range map[string]func(*panels.Settings){
		"workers": func(*panels.Settings) {},
		"slices":  func(s *panels.Settings) { s.Step = 7_654_321 },
		"nodes":   func(s *panels.Settings) { s.ByNode = true },
		"run":     func(s *panels.Settings) { s.Total = true },
	} {
		s := panels.Settings{From: trace.NoTime, To: trace.NoTime}
		change(&s)
		table, err := n.Table(run, &s)
		if err != nil {
			t.Fatal(err)
		}
		var sum [5]int64
		for c := range sum {
			for _, v := range table.Data[5+c].([]int64) {
				sum[c] += v
			}
		}
		sums[name] = fmt.Sprint(sum)
	}
	for name, sum := range sums {
		if sum != sums["workers"] {
			t.Errorf("%s sum to %s, workers to %s", name, sum, sums["workers"])
		}
	}
}

// The area bounds of nodes by the conventions of StarVZ are those of the report
// by them, also where a node ran some kinds on one of its architectures
// only.
func TestNodesLikeStarVZ(t *testing.T) {
	n, err := panels.Find("nodes")
	if err != nil {
		t.Fatal(err)
	}
	bounds := func(run *trace.Run, s panels.Settings) (abe []float64) {
		table, err := n.Table(run, &s)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(table.Columns, func(c numbers.Column) bool { return c.Name == "abe" })
		for i := range table.Rows() {
			abe = append(abe, table.Value(at, i).(float64))
		}
		return abe
	}
	// CPUs run nothing but POTRF, but for some other tasks on node 0.
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 2, CPUs: 2, GPUs: 1})
	cpu := slices.IndexFunc(run.Task.Worker, func(w int32) bool {
		return w >= 0 && run.Resource.Node[w] == 0 && run.Resource.Arch.At(int(w)) == "cpu"
	})
	for i, w := range run.Task.Worker {
		if w >= 0 && run.Resource.Node[w] == 0 && i%5 == 0 {
			run.Task.Worker[i] = run.Task.Worker[cpu]
		}
	}
	used, starvz := bounds(run, panels.Settings{UsedWorkers: true, Generation: true}), bounds(run, panels.Settings{StarVZ: true, Generation: true})
	if math.Abs(starvz[0]-used[0]) > 1 || starvz[1] < used[1]*1.01 {
		t.Errorf("found bounds %.0f by StarVZ and %.0f of used workers, want a difference in node 1 alone", starvz, used)
	}
	var o report.Options
	report.LikeStarVZ(run, &o)
	for i, node := range report.Compute("run", run, o).Nodes {
		if math.Abs(float64(node.ABE)-starvz[i]) > 1 {
			t.Errorf("node %d: found a bound of %.0f ns, the report has %d", i, starvz[i], node.ABE)
		}
	}
}
