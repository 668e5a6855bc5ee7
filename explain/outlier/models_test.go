package outlier

import (
	"math"
	"strings"
	"testing"

	"dagscope/explain/internal/golden"
	"dagscope/read"
	"dagscope/trace"
)

func qr(t *testing.T) *trace.Run {
	t.Helper()
	run, err := read.Read(golden.Path(t, "starvz", "qr_trace", "raw"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// byKernel finds models by StarVZ's names of kernels, which lack "lapack_".
func byKernel(run *trace.Run, models []Model) map[string]*Model {
	found := map[string]*Model{}
	for i := range models {
		found[strings.TrimPrefix(run.Task.Kind.Dict[models[i].Kind], "lapack_")] = &models[i]
	}
	return found
}

var starvzMethods = map[string]Method{"LR": Linear, "WLR": Weighted, "NLR": TwoThirds, "LR_LOG": LogLog}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want)) }

// What StarVZ's fits are, to every figure: its durations are ms, ours ns.
func TestModelsOfSparseQR(t *testing.T) {
	table, run := golden.CSV(t, "starvz", "qr_trace", "regression_models.csv"), qr(t)
	for name, method := range starvzMethods {
		models, _ := Models(run, Options{Method: method})
		found := byKernel(run, models)
		for i := range table.Len() {
			if table.Text(i, "model") != name {
				continue
			}
			m := found[table.Text(i, "Value")]
			intercept, slope, sigma := m.Lines[0].Coef[0]/1e6, m.Lines[0].Coef[1]/1e6, m.Lines[0].Sigma/1e6
			if method == LogLog {
				intercept, slope, sigma = m.Lines[0].Coef[0]-math.Log(1e6), m.Lines[0].Coef[1], m.Lines[0].Sigma
			}
			for column, got := range map[string]float64{"n": float64(m.Lines[0].N), "intercept": intercept, "slope": slope, "sigma": sigma,
				"df": float64(m.Lines[0].DF), "r2": m.Lines[0].R2, "adj_r2": m.Lines[0].AdjR2} {
				if want := table.Number(i, column); !near(got, want) {
					t.Errorf("%s of %s: %s is %v, want %v", name, table.Text(i, "Value"), column, got, want)
				}
			}
		}
	}
}

// The prediction intervals of each task under each method.
func TestIntervalsOfSparseQR(t *testing.T) {
	table, run := golden.CSV(t, "starvz", "qr_trace", "regression_intervals.csv"), qr(t)
	line := map[string]map[string]*Model{}
	for name, method := range starvzMethods {
		models, _ := Models(run, Options{Method: method})
		line[name] = byKernel(run, models)
	}
	worst := 0.0
	for i := range table.Len() {
		for name := range starvzMethods {
			fit, lower, upper := line[name][table.Text(i, "Value")].Lines[0].At(table.Number(i, "GFlop"))
			for column, got := range map[string]float64{"fit_": fit, "lwr_": lower, "upr_": upper} {
				want := table.Number(i, column+name)
				worst = max(worst, math.Abs(got/1e6-want))
				if !near(got/1e6, want) {
					t.Fatalf("%s%s of job %s: %v ms, want %v", column, name, table.Text(i, "JobId"), got/1e6, want)
				}
			}
		}
	}
	t.Logf("%d tasks, 12 values each, at most %g ms apart", table.Len(), worst)
}

// Where two behaviours are found, and their information criteria for one.
func TestMixtureModelsOfSparseQR(t *testing.T) {
	table, run := golden.CSV(t, "starvz", "qr_trace", "flexmix_models.csv"), qr(t)
	models, _ := Models(run, Options{Method: Mixture, Seed: 42})
	found := byKernel(run, models)
	for i := range table.Len() {
		m := found[table.Text(i, "Value")]
		if got, want := len(m.Lines), int(table.Number(i, "k")); got != want {
			t.Errorf("%s has %d lines, want %d", table.Text(i, "Value"), got, want)
		}
	}
}

// Sides of a model are those of Compute, and of its own interval.
func TestModelsJudgeAsCompute(t *testing.T) {
	run := sparse(400, 0.2, 0.1)
	for _, m := range []Method{LogLog, Linear, Weighted, TwoThirds, Mixture} {
		models, left := Models(run, Options{Method: m})
		if len(models) != 1 || left != 0 {
			t.Fatalf("%s: %d models, %d left out", m, len(models), left)
		}
		var long []int32
		for i, s := range models[0].Side {
			if s == Long {
				long = append(long, models[0].Task[i])
			}
			_, _, upper := models[0].Lines[models[0].Line[i]].At(models[0].Work[i])
			if m != Mixture && (s == Long) != (float64(models[0].Duration[i]) > upper+clock/2) {
				t.Errorf("%s: task %d is on side %d of %g", m, i, s, upper)
			}
		}
		if want := Compute(run, Options{Method: m}).Long(); len(long) != len(want) || len(want) == 0 {
			t.Errorf("%s: %d long tasks, want %d", m, len(long), len(want))
		}
	}
	if models, left := Models(chain([]int64{1, 2, 3}), Options{}); len(models) != 0 || left != 1 {
		t.Errorf("without work there are %d models, %d left out", len(models), left)
	}
}
