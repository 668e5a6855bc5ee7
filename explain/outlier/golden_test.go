package outlier

import (
	"strings"
	"testing"

	"dagscope/explain/internal/golden"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

// long returns the keys of the tasks on the long side, of kinds that contain
// the text.
func long(run *trace.Run, r *Result, kind string) map[string]bool {
	keys := map[string]bool{}
	for _, i := range r.Long() {
		if strings.Contains(run.Task.Kind.At(int(i)), kind) {
			keys[run.Task.Key.At(int(i))] = true
		}
	}
	return keys
}

// compareKeys reports tasks in one set only.
func compareKeys(t *testing.T, got, want map[string]bool) {
	t.Helper()
	for key := range got {
		if !want[key] {
			t.Errorf("task %s is no outlier of the reference", key)
		}
	}
	for key := range want {
		if !got[key] {
			t.Errorf("task %s is not found", key)
		}
	}
}

// StarVZ's outliers: quartiles for dense kernels, and for sparse QR the log-log
// regression of the kernels that have "qrt" in their name.
func TestOutliersOfReferenceRuns(t *testing.T) {
	for name, c := range map[string]struct {
		path []string
		o    Options
		kind string
	}{
		"sg-mirage-n12-dmdas": {path: []string{"starpu", "sg-mirage-n12-dmdas"}},
		"sg-mirage-n60-dmdas": {path: []string{"starpu", "sg-mirage-n60-dmdas"}},
		"sgmpi-np4-n20-dmdas": {path: []string{"starvz", "sgmpi-np4-n20-dmdas", "raw"}},
		"lu_trace":            {path: []string{"starvz", "lu_trace", "raw"}, o: Options{Generation: true, Factor: 1}},
		"qr_trace":            {path: []string{"starvz", "qr_trace", "raw"}, kind: "qrt"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "sg-mirage-n60-dmdas" {
				testenv.Slow(t)
			}
			table := golden.CSV(t, "starvz", name, "outliers.csv")
			run, err := read.Read(golden.Path(t, c.path...), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{}
			for i := range table.Len() {
				want[table.Text(i, "JobId")] = true
			}
			c.o.Factor = 1 // StarVZ has none
			compareKeys(t, long(run, Compute(run, c.o), c.kind), want)
		})
	}
}

// The other regressions on sparse QR: StarVZ's counts by kernel.
func TestRegressionsOfSparseQR(t *testing.T) {
	table := golden.CSV(t, "starvz", "qr_trace", "regression_models.csv")
	run, err := read.Read(golden.Path(t, "starvz", "qr_trace", "raw"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]Method{"LR": Linear, "WLR": Weighted, "NLR": TwoThirds, "LR_LOG": LogLog}
	for i := range table.Len() {
		r := Compute(run, Options{Method: methods[table.Text(i, "model")], Factor: 1})
		for k, kind := range r.Groups.Kind {
			if !strings.HasSuffix(run.Task.Kind.Dict[kind], table.Text(i, "Value")) {
				continue
			}
			if got, want := r.Groups.Long[k], int64(table.Number(i, "outliers")); got != want {
				t.Errorf("%s of %s: %d outliers, want %d", table.Text(i, "model"), table.Text(i, "Value"), got, want)
			}
			if got, want := r.Groups.Fits[k][0].R2, table.Number(i, "r2"); got < want-1e-9 || got > want+1e-9 {
				t.Errorf("%s of %s: R² %v, want %v", table.Text(i, "model"), table.Text(i, "Value"), got, want)
			}
		}
	}
}

// Two behaviours of sparse QR: labels depend on where EM starts, so that only
// most of flexmix's outliers need to agree.
func TestMixtureOfSparseQR(t *testing.T) {
	table := golden.CSV(t, "starvz", "qr_trace", "flexmix_outliers.csv")
	run, err := read.Read(golden.Path(t, "starvz", "qr_trace", "raw"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for i := range table.Len() {
		if table.Text(i, "Outlier_FLEXMIX") == "TRUE" {
			want[table.Text(i, "JobId")] = true
		}
	}
	got := long(run, Compute(run, Options{Method: Mixture, Seed: 42, Factor: 1}), "qrt")
	both := 0
	for key := range got {
		if want[key] {
			both++
		}
	}
	t.Logf("%d outliers, flexmix has %d, %d in both", len(got), len(want), both)
	if 10*both < 8*len(want) || 10*both < 8*len(got) {
		t.Errorf("%d outliers, flexmix has %d, only %d in both", len(got), len(want), both)
	}
}
