package perfmodel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/predict/platform"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// row is a task of a made run.
type row struct {
	kind     string
	worker   string // CPU0, CUDA1_0
	duration int64
	gflop    float64
	bytes    int64
	layout   string
}

// made is a run of tasks one after the other. Columns that no row uses are
// absent.
func made(t testing.TB, rows []row) *trace.Run {
	t.Helper()
	var b trace.Builder
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	node := b.AddResource(root, trace.LevelNode, "P", "", 0, trace.None)
	workers := map[string]int32{}
	now := int64(0)
	for i, r := range rows {
		w, ok := workers[r.worker]
		if !ok {
			arch := "cpu"
			if strings.HasPrefix(r.worker, "CUDA") {
				arch = "cuda"
			}
			w = b.AddResource(node, trace.LevelWorker, r.worker, arch, 0, int32(len(workers)))
			workers[r.worker] = w
		}
		b.AddTask(trace.TaskRow{Key: fmt.Sprint(i), Kind: r.kind, Worker: w, Start: now, End: now + r.duration, Submit: trace.NoTime, Ready: trace.NoTime, Order: int32(i), Iteration: -1})
		now += r.duration
	}
	run, err := b.Finish("")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		run.Task.GFlop = append(run.Task.GFlop, r.gflop)
		run.Task.Bytes = append(run.Task.Bytes, r.bytes)
		run.Task.Parameters.Append(r.layout)
	}
	if !slices.ContainsFunc(rows, func(r row) bool { return r.layout != "" }) {
		run.Task.Parameters = trace.Strings{}
	}
	if !slices.ContainsFunc(rows, func(r row) bool { return r.bytes != 0 }) {
		run.Task.Bytes = nil
	}
	if !slices.ContainsFunc(rows, func(r row) bool { return r.gflop != 0 }) {
		run.Task.GFlop = nil
	}
	return run
}

func fitOne(t testing.TB, rows []row, o FitOptions) *Model {
	t.Helper()
	s, err := FitModels([]*trace.Run{made(t, rows)}, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Models) != 1 {
		t.Fatalf("%d models, want one", len(s.Models))
	}
	return &s.Models[0]
}

func codes(m *Model) (c []string) {
	for _, w := range m.Fit.Warnings {
		c = append(c, w.Code)
	}
	return c
}

func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(math.Abs(want), 1e-300)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The history of a run of exact durations tells the duration of each of its
// tasks.
func TestHistoryOfExactRun(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Exact: true})
	s, err := FitModels([]*trace.Run{run}, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Task.Start {
		if run.Task.Internal[i] {
			continue
		}
		task := Task{Kind: run.Task.Kind.At(i), Footprint: at(run.Task.Footprint, i), Bytes: run.Task.Bytes[i]}
		w := run.Task.Worker[i]
		got, ok := s.Duration(task, platform.Type{Arch: run.Resource.Arch.At(int(w)), Device: 7})
		if want := float64(run.Task.End[i] - run.Task.Start[i]); !ok || got != want {
			t.Fatalf("task %s on %s: %v (%v), want %v", run.Task.Key.At(i), run.Resource.Name.At(int(w)), got, ok, want)
		}
	}
	for i := range s.Models {
		if f := s.Models[i].Fit; f.RelError != 0 || f.Bias != 0 {
			t.Errorf("%s: relative error %v, bias %v, want 0", s.Models[i].Kind, f.RelError, f.Bias)
		}
	}
}

func TestMeanAndDeviation(t *testing.T) {
	rows := []row{{kind: "a", worker: "CPU0", duration: 10}, {kind: "a", worker: "CPU1", duration: 20}, {kind: "a", worker: "CPU0", duration: 60}}
	m := fitOne(t, rows, FitOptions{Method: Mean})
	near(t, "mean", m.Mean, 30, 0)
	near(t, "deviation", m.Deviation, math.Sqrt(700), 1e-12)
	near(t, "relative error", m.Fit.RelError, (20.0/10+10.0/20+30.0/60)/3, 1e-12)
	// Without data of tasks a history is the mean.
	m = fitOne(t, rows, FitOptions{Method: History})
	if m.Method != Mean || !slices.Contains(codes(m), WarnFallback) {
		t.Errorf("method %s with warnings %v", m.Method, codes(m))
	}
}

// The eq. 5.1 bounds, computed by hand: quartiles 11 and 13, bounds 8 and 16.
func TestOutliersAreRejected(t *testing.T) {
	var rows []row
	for _, d := range []int64{10, 11, 12, 13, 14, 11, 12, 13, 12, 1000, 1} {
		rows = append(rows, row{kind: "a", worker: "CPU0", duration: d, bytes: 8})
	}
	for _, method := range []Method{Mean, History, Sample} {
		m := fitOne(t, rows, FitOptions{Method: method, Reject: true})
		if m.Fit.Rejected != 2 || m.Fit.Tasks != 9 {
			t.Errorf("%s: %d of %d rejected, want 2", method, m.Fit.Rejected, m.Fit.Tasks)
		}
		ns, _ := m.Duration(&Task{Kind: "a", Bytes: 8})
		near(t, "mean", ns, 12, 1e-12)
	}
}

// panelRows have durations of the paper's Panel kernel: products of MB, NB and
// BK, here rows and columns of one matrix and rows of another.
func panelRows(n int, seed uint64, noise float64) []row {
	random := rand.New(rand.NewPCG(seed, 1))
	rows := make([]row, n)
	for i := range rows {
		mb, nb, bk := 100+random.IntN(900), 32*(1+random.IntN(6)), 1+random.IntN(12)
		x := float64(nb)
		ns := 5e4 + 0.5*x*x*float64(mb) - 0.003*x*x*x*float64(bk) + noise*random.NormFloat64()
		rows[i] = row{kind: "panel", worker: "CPU0", duration: max(int64(math.Round(ns)), 1), layout: fmt.Sprintf("M%dx%dx4_V%dx4", mb, nb, bk), bytes: int64(mb * nb * 4)}
	}
	return rows
}

const panelFormula = "p2^2*p1 + p2^3*p3"

// A regression against its normal equations, solved naively.
func TestRegressionIsLeastSquares(t *testing.T) {
	rows := panelRows(500, 7, 1e5)
	m := fitOne(t, rows, FitOptions{Method: Linear, Formula: panelFormula})
	x := make([][]float64, len(rows))
	y := make([]float64, len(rows))
	for i, r := range rows {
		p := LayoutParameters(r.layout)
		x[i] = []float64{1, p[1] * p[1] * p[0], p[1] * p[1] * p[1] * p[2]}
		y[i] = float64(r.duration)
	}
	want := normalEquations(x, y)
	for j, c := range m.Fit.Coef {
		near(t, c.Term, c.Estimate, want[j], 1e-6)
		if !(c.Low < c.Estimate && c.Estimate < c.High && c.StdErr > 0) {
			t.Errorf("%+v: interval without its estimate", c)
		}
		if c.P > 1e-6 {
			t.Errorf("%s: p %g, want a significant term", c.Term, c.P)
		}
	}
	if m.Fit.AdjR2 < 0.99 || m.Fit.AdjR2 >= m.Fit.R2 || len(codes(m)) > 0 {
		t.Errorf("adjusted R² %v of %v, warnings %v", m.Fit.AdjR2, m.Fit.R2, m.Fit.Warnings)
	}
}

// normalEquations solves XᵀXb = Xᵀy by elimination.
func normalEquations(x [][]float64, y []float64) []float64 {
	p := len(x[0])
	a := make([][]float64, p)
	for j := range a {
		a[j] = make([]float64, p+1)
		for i := range x {
			for k := range p {
				a[j][k] += x[i][j] * x[i][k]
			}
			a[j][p] += x[i][j] * y[i]
		}
	}
	for j := range p {
		for k := range p {
			if k == j {
				continue
			}
			f := a[k][j] / a[j][j]
			for c := j; c <= p; c++ {
				a[k][c] -= f * a[j][c]
			}
		}
	}
	b := make([]float64, p)
	for j := range b {
		b[j] = a[j][p] / a[j][j]
	}
	return b
}

// Intervals at 95 % hold the true coefficient in about 95 % of runs.
func TestIntervalsCover(t *testing.T) {
	truth := []float64{5e4, 0.5, -0.003}
	const times = 200
	held := 0
	for seed := range uint64(times) {
		m := fitOne(t, panelRows(60, seed, 1e5), FitOptions{Method: Linear, Formula: panelFormula})
		for j, c := range m.Fit.Coef {
			if c.Low <= truth[j] && truth[j] <= c.High {
				held++
			}
		}
	}
	// 600 intervals: the binomial deviation is below 0.01, though three share data.
	if share := float64(held) / (3 * times); share < 0.92 || share > 0.98 {
		t.Errorf("%.3f of the intervals hold the truth, want 0.95", share)
	}
}

func TestPowerLaw(t *testing.T) {
	var rows []row
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		g := math.Exp(4 * random.Float64())
		rows = append(rows, row{kind: "gemm", worker: "CUDA0_0", gflop: g, duration: int64(1e6 * math.Pow(g, 0.8) * math.Exp(0.2*random.NormFloat64()))})
	}
	m := fitOne(t, rows, FitOptions{Method: NonLinear})
	near(t, "exponent", m.Fit.Coef[1].Estimate, 0.8, 0.05)
	if math.Abs(m.Fit.Bias) > 0.02 {
		t.Errorf("bias %v: the mean of durations is not kept", m.Fit.Bias)
	}
	ns, ok := m.Duration(&Task{Kind: "gemm", GFlop: 10})
	if !ok {
		t.Error("no duration")
	}
	near(t, "mean at 10 GFlop", ns, 1e6*math.Pow(10, 0.8)*math.Exp(0.02), 0.05)
}

// Where errors grow with the duration, relative weights fit short tasks better.
func TestRelativeWeights(t *testing.T) {
	var rows []row
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 400 {
		g := float64(1 + i%100)
		rows = append(rows, row{kind: "a", worker: "CPU0", gflop: g, duration: int64((1e3 + 1e6*g) * (1 + 0.2*random.NormFloat64()))})
	}
	plain := fitOne(t, rows, FitOptions{Method: Linear})
	weighted := fitOne(t, rows, FitOptions{Method: Linear, Relative: true})
	if weighted.Fit.RelError >= plain.Fit.RelError {
		t.Errorf("relative error %v with weights, %v without", weighted.Fit.RelError, plain.Fit.RelError)
	}
	near(t, "coefficient", weighted.Fit.Coef[1].Estimate, 1e6, 0.05)
}

func TestResidualsBeyondQuartilesAreRejected(t *testing.T) {
	rows := panelRows(200, 5, 1e3)
	for i := 0; i < 200; i += 20 {
		rows[i].duration *= 3
	}
	m := fitOne(t, rows, FitOptions{Method: Linear, Formula: panelFormula, Reject: true})
	if m.Fit.Rejected < 10 || m.Fit.Rejected > 20 {
		t.Errorf("%d rejected, want the 10 slow ones and few others", m.Fit.Rejected)
	}
	near(t, "coefficient", m.Fit.Coef[1].Estimate, 0.5, 1e-3)
}

// What the paper found of Update: NB³ cannot be told from NB³·BK where BK
// hardly differs.
func TestWarnings(t *testing.T) {
	rows := panelRows(100, 9, 1e5)
	for name, c := range map[string]struct {
		formula string
		change  func(i int, r *row)
		want    string
	}{
		"same twice":      {"p1 + p1", nil, WarnLeftOut},
		"constant":        {"p1 + p4", func(_ int, r *row) { r.layout += "_V7x4" }, WarnLeftOut},
		"no influence":    {panelFormula + " + p4", func(i int, r *row) { r.layout += fmt.Sprintf("_V%dx4", i*i%17) }, WarnNotSignificant},
		"confounded":      {"p1 + p1^1.01", nil, WarnConfounded},
		"unknown":         {"p1", func(i int, r *row) { r.layout = []string{r.layout, "?"}[i%2] }, WarnUnknown},
		"nothing known":   {"p9", nil, WarnFallback},
		"nothing differs": {"p4", func(_ int, r *row) { r.layout += "_V7x4" }, WarnFallback},
		"negative":        {"0 + p1^-1", func(i int, r *row) { r.duration = int64(1 + i) }, ""},
	} {
		changed := slices.Clone(rows)
		for i := range changed {
			if c.change != nil {
				c.change(i, &changed[i])
			}
		}
		m := fitOne(t, changed, FitOptions{Method: Linear, Formula: c.formula})
		if c.want != "" && !slices.Contains(codes(m), c.want) {
			t.Errorf("%s: warnings %v, want %s", name, m.Fit.Warnings, c.want)
		}
		for i := range changed {
			o := observe([]*trace.Run{made(t, changed[i:i+1])}, false)[0].task(0)
			if ns, ok := m.Duration(&o); ok && !(ns >= shortestDuration) {
				t.Errorf("%s: duration %v", name, ns)
			}
		}
	}
}

// A line that crosses zero does not tell negative durations.
func TestNeverNegative(t *testing.T) {
	var rows []row
	for i := range 20 {
		g := float64(i + 1)
		rows = append(rows, row{kind: "a", worker: "CPU0", gflop: g, duration: int64(1 + g*g*g)})
	}
	m := fitOne(t, rows, FitOptions{Method: Linear})
	if !slices.Contains(codes(m), WarnNegative) {
		t.Errorf("warnings %v", m.Fit.Warnings)
	}
	if ns, ok := m.Duration(&Task{Kind: "a", GFlop: 1}); !ok || ns != shortestDuration {
		t.Errorf("duration %v, want %v", ns, shortestDuration)
	}
	s, _ := NewSet([]Model{*m})
	if got := s.Explain(Task{Kind: "a", GFlop: 30}, cpu); !strings.Contains(got, "extrapolated from 1 to 20") {
		t.Errorf("explained as %q", got)
	}
	if got := s.Explain(Task{Kind: "a", GFlop: 10}, cpu); got != "" {
		t.Errorf("explained as %q", got)
	}
}

func TestByDevice(t *testing.T) {
	rows := []row{
		{kind: "a", worker: "CUDA0_0", duration: 10, bytes: 4}, {kind: "a", worker: "CUDA2_0", duration: 30, bytes: 4},
		{kind: "a", worker: "CPU3", duration: 100, bytes: 4}, {kind: "a", worker: "CPU4", duration: 300, bytes: 4},
	}
	s, err := FitModels([]*trace.Run{made(t, rows)}, FitOptions{ByDevice: true})
	if err != nil {
		t.Fatal(err)
	}
	for on, want := range map[platform.Type]float64{{Arch: "cuda"}: 10, {Arch: "cuda", Device: 2}: 30, {Arch: "cuda", Device: 1}: 0, {Arch: "cpu"}: 200} {
		if got, ok := s.Duration(Task{Kind: "a", Bytes: 4}, on); ok != (want > 0) || ok && got != want {
			t.Errorf("%+v: %v (%v), want %v", on, got, ok, want)
		}
	}
}

// The errors that a fit tells are those of its models, whatever the order in
// which data comes.
func TestErrorsOfFits(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	var rows []row
	for range 500 {
		k := random.IntN(40)
		rows = append(rows, row{kind: "a", worker: "CPU0", duration: int64(100*k+1) + random.Int64N(50), layout: fmt.Sprintf("V%dx4", 1+k*7919%40), gflop: float64(k + 1)})
	}
	run := made(t, rows)
	for _, method := range Methods {
		s, err := FitModels([]*trace.Run{run}, FitOptions{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for i, expected := range s.Fitted(run) {
			want += math.Abs(expected-float64(rows[i].duration)) / float64(rows[i].duration) / float64(len(rows))
		}
		near(t, string(method)+": relative error", s.Models[0].Fit.RelError, want, 1e-9)
	}
}

// Runs together are as one run.
func TestSeveralRuns(t *testing.T) {
	rows := panelRows(300, 11, 1e5)
	o := FitOptions{Method: Linear, Formula: panelFormula}
	together, err := FitModels([]*trace.Run{made(t, rows[:100]), made(t, rows[100:])}, o)
	if err != nil {
		t.Fatal(err)
	}
	if one := fitOne(t, rows, o); !reflect.DeepEqual(one.Fit.Coef, together.Models[0].Fit.Coef) {
		t.Errorf("%+v of two runs, %+v of one", together.Models[0].Fit.Coef, one.Fit.Coef)
	}
	bare := made(t, []row{{kind: "panel", worker: "CPU0", duration: 5}})
	both, err := FitModels([]*trace.Run{bare, made(t, rows)}, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := both.Models[0].Fit; got.Unknown != 1 || got.Tasks != 300 {
		t.Errorf("%d unknown of %d, want the task of the run without data", got.Unknown, got.Tasks)
	}
}

// Samples keep the mean of the tasks, and draws repeat with their seed.
func TestSample(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var rows []row
	sum := 0.0
	for range 1000 {
		d := int64(1000 + 500*random.ExpFloat64())
		sum += float64(d)
		rows = append(rows, row{kind: "a", worker: "CPU0", duration: d, bytes: 4})
	}
	m := fitOne(t, rows, FitOptions{Method: Sample})
	s, err := NewSet([]Model{*m})
	if err != nil || !s.Random("a") || s.Random("b") {
		t.Fatalf("%v, random %v", err, s.Random("a"))
	}
	mean := 0.0
	for _, g := range m.History[0].Sample {
		mean += g / float64(len(m.History[0].Sample))
	}
	near(t, "mean of groups", mean, sum/1000, 1e-12)
	total := 0.0
	for i := range uint64(20000) {
		ns, ok := s.Draw(Task{Kind: "a", Bytes: 4}, cpu, 42, i)
		again, _ := s.Draw(Task{Kind: "a", Bytes: 4}, cpu, 42, i)
		if !ok || ns != again {
			t.Fatalf("task %d: %v, then %v", i, ns, again)
		}
		total += ns
	}
	near(t, "mean of draws", total/20000, sum/1000, 0.02)
	a, _ := s.Draw(Task{Kind: "a", Bytes: 4}, cpu, 1, 0)
	b, _ := s.Draw(Task{Kind: "a", Bytes: 4}, cpu, 2, 0)
	c, _ := s.Draw(Task{Kind: "a", Bytes: 4}, cpu, 3, 0)
	if a == b && b == c {
		t.Error("three seeds give the same duration")
	}
}

func TestFitErrors(t *testing.T) {
	run := made(t, panelRows(20, 1, 0))
	for _, c := range []struct {
		runs []*trace.Run
		o    FitOptions
		want string
	}{
		{nil, FitOptions{}, "found no task that ran"},
		{[]*trace.Run{run}, FitOptions{Method: "guess"}, `found method "guess"`},
		{[]*trace.Run{run}, FitOptions{Level: 2}, "found level 2"},
		{[]*trace.Run{run}, FitOptions{Method: Linear, Formula: "p1 - p2"}, "fit models of panel: read formula"},
		{[]*trace.Run{run}, FitOptions{Method: Linear, Formulas: map[string]string{"panel": "q"}}, `found "q", want gflop, bytes or p1 to p64`},
	} {
		if _, err := FitModels(c.runs, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want …%s…", c.o, err, c.want)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	run := made(b, panelRows(200000, 1, 1e5))
	for _, method := range Methods {
		b.Run(string(method), func(b *testing.B) {
			for b.Loop() {
				if _, err := FitModels([]*trace.Run{run}, FitOptions{Method: method, Formula: panelFormula}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What is expected of tasks is what the model tells of each.
func TestFitted(t *testing.T) {
	run := made(t, append(panelRows(50, 2, 1e4), row{kind: "other", worker: "CUDA1_0", duration: 7, bytes: 4}))
	s, err := FitModels([]*trace.Run{run}, FitOptions{Method: Linear, Formula: panelFormula, ByDevice: true})
	if err != nil {
		t.Fatal(err)
	}
	fitted := s.Fitted(run)
	o := observe([]*trace.Run{run}, true)
	for i := range 50 {
		at := o[slices.IndexFunc(o, func(o *observations) bool { return o.kind == "panel" })].task(i)
		if want, _ := s.Duration(at, cpu); fitted[i] != want {
			t.Fatalf("task %d: %v, want %v", i, fitted[i], want)
		}
	}
	if fitted[50] != 7 {
		t.Errorf("the other task: %v, want 7", fitted[50])
	}
	empty, _ := NewSet(nil)
	if got := empty.Fitted(run); got[0] != 0 {
		t.Errorf("without models %v", got[0])
	}
}
