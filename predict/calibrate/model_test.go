package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dagscope/predict/perfmodel"
	"dagscope/predict/platform"
	"dagscope/trace"
)

// panels are measurements of a model with noise: a share of each time.
func panels(rng *rand.Rand, n int, noise float64, busy func() float64) *Samples {
	s := &Samples{Kind: "Panel", Arch: "cpu", Names: []string{"MB", "NB", "BK"}, Param: make([][]float64, 3)}
	for range n {
		nb := float64(16 + rng.IntN(200))
		bk := float64(1 + rng.IntN(8))
		mb := nb*(bk+1) + float64(rng.IntN(4000))
		v := []float64{mb, nb, bk}
		for j := range v {
			s.Param[j] = append(s.Param[j], v[j])
		}
		s.Time = append(s.Time, panelTime(v)*(1+noise*rng.NormFloat64()))
		if busy != nil {
			s.Busy = append(s.Busy, busy())
		}
	}
	return s
}

func panelTime(v []float64) float64 {
	return 5e4 + 0.02*v[1]*v[1]*v[1] + 0.125*v[1]*v[1]*v[0] - 0.12*v[1]*v[1]*v[1]*v[2]
}

// Without noise every weighting finds the model.
func TestFitFindsTheModel(t *testing.T) {
	for _, w := range []Weighting{Equal, Relative, Observed, Given} {
		s := panels(rand.New(rand.NewPCG(1, 1)), 200, 0, nil)
		s.Weight = slices.Repeat([]float64{2}, 200)
		fits, err := FitKernels([]*Samples{s}, Options{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range []float64{5e4, 0.02, 0.125, -0.12} {
			near(t, fmt.Sprint(w, j), fits[0].Model.Regression.Terms[j].Coef, want, 1e-6)
		}
		near(t, "scale", fits[0].Scale, 1, 1e-9)
	}
}

// Weights that the table has count unless others are asked for, as they are.
func TestGivenWeights(t *testing.T) {
	s := panels(rand.New(rand.NewPCG(11, 11)), 100, 0.3, nil)
	for i, d := range s.Time {
		s.Weight = append(s.Weight, 1/(d*d))
		s.Time[i] = math.Abs(d)
	}
	var fits [3]*Fit
	for k, w := range []Weighting{"", Given, Observed} {
		all, err := FitKernels([]*Samples{s}, Options{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		fits[k] = all[0]
	}
	if fits[0].Weights != Given || fits[0].Scale != 1 {
		t.Errorf("found weights %s, scale %v", fits[0].Weights, fits[0].Scale)
	}
	for j, c := range fits[0].Model.Fit.Coef {
		near(t, c.Term, c.Estimate, fits[1].Model.Fit.Coef[j].Estimate, 1e-12)
		near(t, c.Term, c.Estimate, fits[2].Model.Fit.Coef[j].Estimate/fits[2].Scale, 1e-9)
	}
	s.Weight[3] = math.NaN()
	if all, err := FitKernels([]*Samples{s}, Options{}); err != nil || all[0].Weights != Equal {
		t.Errorf("found %v with a measurement without weight", err)
	}
}

// The sum of what is expected is that of what was measured: of equal weights by
// the constant, of others by the scale, whatever floor there is.
func TestSumsAreEqual(t *testing.T) {
	for seed := range uint64(20) {
		s := panels(rand.New(rand.NewPCG(seed, 2)), 150, 0.3, nil)
		for i := range s.Time {
			s.Time[i] = math.Abs(s.Time[i])
		}
		for _, w := range []Weighting{Relative, Observed} {
			fits, err := FitKernels([]*Samples{s}, Options{Weights: w})
			if err != nil {
				t.Fatal(err)
			}
			near(t, string(w), 1+fits[0].Model.Fit.Bias, 1, 1e-9)
			if m := slices.Min(fits[0].Expected); m < fits[0].Model.Regression.Floor {
				t.Errorf("found %v expected, below the floor %v", m, fits[0].Model.Regression.Floor)
			}
		}
	}
}

// The expected times are those of the model as it is read again, and of the
// task of a workload, whose parameters have no names.
func TestExpectedIsWhatTheModelTells(t *testing.T) {
	s := panels(rand.New(rand.NewPCG(3, 3)), 100, 0.2, nil)
	fits, err := FitKernels([]*Samples{s}, Options{Weights: Relative})
	if err != nil {
		t.Fatal(err)
	}
	set, err := SetOf(fits)
	if err != nil {
		t.Fatal(err)
	}
	text, err := set.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := perfmodel.ParseYAML("again.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Time {
		task := perfmodel.Task{Kind: "Panel", Parameters: []float64{s.Param[0][i], s.Param[1][i], s.Param[2][i]}}
		got, ok := again.Duration(task, platform.Type{Arch: "cpu"})
		if !ok {
			t.Fatal("the model does not tell")
		}
		near(t, "duration", got, fits[0].Expected[i], 1e-12)
	}
}

// The variance inflation of two terms is 1/(1 − r²) of their correlation.
func TestInflationOfTwoTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	n := 300
	x, y, z := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
		y[i] = x[i]*3 + rng.NormFloat64()
		z[i] = 100 + x[i] + y[i] + rng.NormFloat64()
	}
	s := &Samples{Kind: "k", Names: []string{"x", "y"}, Param: [][]float64{x, y}, Time: z}
	fits, err := FitKernels([]*Samples{s}, Options{Formulas: map[string]string{"k": "x + y"}})
	if err != nil {
		t.Fatal(err)
	}
	r := correlation(x, y)
	for _, v := range fits[0].VIF[1:] {
		near(t, "VIF", v, 1/(1-r*r), 1e-9)
	}
}

func correlation(x, y []float64) float64 {
	mean := func(v []float64) (m float64) {
		for _, a := range v {
			m += a / float64(len(v))
		}
		return m
	}
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy, xx, yy = xy+(x[i]-mx)*(y[i]-my), xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy)
}

// Terms that cannot be distinguished, or are not known, are left out and named.
func TestTermsLeftOut(t *testing.T) {
	s := panels(rand.New(rand.NewPCG(5, 5)), 60, 0.01, nil)
	for i := range s.Param[2] {
		s.Param[2][i] = 1 // one panel each
	}
	fits, err := FitKernels([]*Samples{s}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !warned(fits[0], perfmodel.WarnLeftOut) || len(fits[0].Model.Regression.Terms) != 3 {
		t.Errorf("found %v", fits[0].Model.Fit.Warnings)
	}
	subtree := &Samples{Kind: "Do_subtree", Time: []float64{1, 2, 3, 4}, GFlop: []float64{1, 2, 3, 4}}
	if fits, err = FitKernels([]*Samples{subtree}, Options{}); err != nil {
		t.Fatal(err)
	}
	if r := fits[0].Model.Regression; !warned(fits[0], perfmodel.WarnUnknown) || r == nil || len(r.Terms) != 2 || !slices.Equal(r.Parameters, []string{"fronts", "zeros", "coefficients"}) {
		t.Errorf("found %v, %+v", fits[0].Model.Fit.Warnings, r)
	}
	none := &Samples{Kind: "Activate", Time: []float64{5, 7}}
	if fits, err = FitKernels([]*Samples{none}, Options{}); err != nil {
		t.Fatal(err)
	}
	if m := fits[0].Model; m.Method != perfmodel.Mean || m.Mean != 6 {
		t.Errorf("found %+v", m)
	}
}

func TestFitsThatCannotBe(t *testing.T) {
	s := panels(rand.New(rand.NewPCG(6, 6)), 30, 0, nil)
	for _, o := range []Options{{Weights: "heavy"}, {Level: 1}, {Level: -1}, {Weights: Given}, {Formulas: map[string]string{"Panel": "NB^^2"}}} {
		if _, err := FitKernels([]*Samples{s}, o); err == nil || !strings.HasPrefix(err.Error(), "fit ") {
			t.Errorf("%+v: found %v", o, err)
		}
	}
	if _, err := FitKernels(nil, Options{}); err == nil {
		t.Error("found no error without measurements")
	}
}

// Hostile measurements make no numbers that a file of models cannot have.
func TestHostileMeasurements(t *testing.T) {
	for name, s := range map[string]*Samples{
		"no time": {Kind: "Assemble", Names: []string{"coefficients"}, Param: [][]float64{{1, 2, 3}}, Time: []float64{0, 0, 0}},
		"equal":   {Kind: "Assemble", Names: []string{"coefficients"}, Param: [][]float64{{2, 2, 2}}, Time: []float64{1, 2, 3}},
		"one":     {Kind: "Assemble", Names: []string{"coefficients"}, Param: [][]float64{{2}}, Time: []float64{5}},
		"huge":    {Kind: "Panel", Names: []string{"MB", "NB", "BK"}, Param: [][]float64{{1e200, 2, 3, 5, 7}, {1e200, 3, 1, 2, 2}, {1, 2, 2, 1, 3}}, Time: []float64{5, 1, 2, 3, 4}},
		"tiny":    {Kind: "Panel", Names: []string{"MB", "NB", "BK"}, Param: [][]float64{{1e-200, 2e-200, 3e-200, 1e-200, 0}, {1, 1, 1, 2, 2}, {1, 2, 2, 1, 3}}, Time: []float64{5, 1, 2, 3, 4}},
	} {
		for _, w := range Weightings[:3] {
			fits, err := FitKernels([]*Samples{s}, Options{Weights: w})
			if err != nil {
				t.Errorf("%s, %s: %v", name, w, err)
				continue
			}
			s.Busy = slices.Repeat([]float64{1e300}, s.Len())
			if err := fits[0].FitContention(s, Options{}); err != nil && !strings.HasPrefix(err.Error(), "fit contention of ") {
				t.Error(err)
			}
			set, err := SetOf(fits)
			if err != nil {
				t.Fatal(err)
			}
			text, err := set.YAML()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := perfmodel.ParseYAML("again.yaml", text); err != nil {
				t.Errorf("%s, %s: %v in\n%s", name, w, err, text)
			}
		}
	}
}

// busyWorkers equals counting pairs.
func TestBusyWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		tasks := make([]interval, 1+rng.IntN(20))
		for i := range tasks {
			start := float64(rng.IntN(30))
			tasks[i] = interval{start, start + float64(rng.IntN(10))}
		}
		for i, got := range busyWorkers(tasks) {
			a, want := tasks[i], 1.0
			if length := a.end - a.start; length > 0 {
				want = 0
				for _, b := range tasks {
					want += max(0, min(a.end, b.end)-max(a.start, b.start)) / length
				}
			}
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("%v: found %v, want %v", tasks, got, want)
			}
		}
	}
}

// A curve that times were made with is found again, between its corners too.
func TestContentionIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	fits, err := FitKernels([]*Samples{panels(rng, 200, 0, nil)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	truth := []perfmodel.Load{{Busy: 1, Factor: 1}, {Busy: 2, Factor: 1.2}, {Busy: 3, Factor: 1.7}, {Busy: 4, Factor: 1.8}}
	s := panels(rng, 400, 0, func() float64 { return 1 + 3*rng.Float64() })
	for i, b := range s.Busy {
		low := int(b)
		f := perfmodel.Slowdown(truth, low) + (b-float64(low))*(perfmodel.Slowdown(truth, low+1)-perfmodel.Slowdown(truth, low))
		s.Time[i] *= f
	}
	if err := fits[0].FitContention(s, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := fits[0].Model.Contention; len(got) != 4 {
		t.Fatalf("found %v", got)
	}
	for k, l := range fits[0].Model.Contention {
		near(t, fmt.Sprint("factor at ", l.Busy), l.Factor, truth[k].Factor, 1e-6)
	}
	near(t, "alone", fits[0].Contention.Alone, 1, 0.05)
	if warned(fits[0], WarnContention) {
		t.Errorf("found %v", fits[0].Model.Fit.Warnings)
	}
}

// Where nothing ran beside, there is no curve; without busy workers, an error.
func TestContentionThatCannotBe(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	fits, err := FitKernels([]*Samples{panels(rng, 50, 0, nil)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := fits[0].FitContention(panels(rng, 20, 0, nil), Options{}); err == nil {
		t.Error("found no error without busy workers")
	}
	if err := fits[0].FitContention(panels(rng, 20, 0, func() float64 { return 1 }), Options{}); err != nil {
		t.Fatal(err)
	}
	if !warned(fits[0], WarnContention) || len(fits[0].Model.Contention) != 1 {
		t.Errorf("found %v", fits[0].Model.Contention)
	}
}

// A table of a benchmark on several threads has both: alone, and beside others.
func TestSplitBusy(t *testing.T) {
	var b strings.Builder
	b.WriteString("kernel,coefficients,busy,time_us\n")
	for i := range 20 {
		fmt.Fprintf(&b, "Assemble,%d,1,%d\nAssemble,%d,2,%d\n", i, 10+i, i, 15+i)
	}
	b.WriteString("Activate,1,2,3\n")
	all, err := ReadCSV(written(t, "a.csv", b.String()), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	alone, beside := SplitBusy(all)
	if len(alone) != 2 || len(beside) != 1 || alone[0].Len() != 20 || beside[0].Len() != 20 || alone[1].Len() != 1 {
		t.Errorf("found %d and %d", len(alone), len(beside))
	}
}

// The tasks of a run are measurements: with their named parameters in any order.
func TestFromRun(t *testing.T) {
	s := panels(rand.New(rand.NewPCG(10, 10)), 80, 0, nil)
	var b trace.Builder
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	node := b.AddResource(root, trace.LevelNode, "P", "", 0, trace.None)
	w := b.AddResource(node, trace.LevelWorker, "CPU0", "cpu", 0, 0)
	now := int64(0)
	for i, d := range s.Time {
		b.AddTask(trace.TaskRow{Key: fmt.Sprint(i), Kind: "panel", Worker: w, Start: now, End: now + int64(d), Submit: trace.NoTime, Ready: trace.NoTime, Order: int32(i), Iteration: -1})
		now += int64(d)
	}
	run, err := b.Finish("")
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Time {
		names, values := slices.Clone(s.Names), []float64{s.Param[0][i], s.Param[1][i], s.Param[2][i]}
		if i%2 == 0 {
			slices.Reverse(names)
			slices.Reverse(values)
		}
		run.Task.Parameters.Append(parameterText(append(names, "ib"), append(values, 32)))
	}
	all := FromRun(run, "run.dsr")
	if len(all) != 1 || all[0].Kind != "Panel" || all[0].Len() != s.Len() {
		t.Fatalf("found %+v", all)
	}
	for j, name := range s.Names {
		if all[0].Names[j] != name || !slices.Equal(all[0].Param[j], s.Param[j]) {
			t.Errorf("%s: found %v", name, all[0].Param[j])
		}
	}
	if busy := all[0].MeanBusy(); busy != 1 {
		t.Errorf("found %v busy workers", busy)
	}
}

// parameterText is the text that [perfmodel.NamedParameters] reads.
func parameterText(names []string, values []float64) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name)
		b.WriteByte('=')
		b.WriteString(strconv.FormatFloat(values[i], 'f', -1, 64))
	}
	return b.String()
}
