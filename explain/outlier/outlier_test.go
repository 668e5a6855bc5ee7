package outlier

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// chain is a run with the given durations of one kind on one worker.
func chain(durations []int64) *trace.Run {
	run := tracetest.Chain(len(durations))
	at := int64(0)
	for i, d := range durations {
		run.Task.Start[i], run.Task.End[i] = at, at+d
		at += d
	}
	return run
}

func TestQuartiles(t *testing.T) {
	// Quartiles 11 and 13: the bounds are 8 and 16, and lie on the usual side.
	r := Compute(chain([]int64{10, 11, 12, 13, 16, 11, 12, 13, 11, 12, 13, 8, 17, 7}), Options{})
	g := r.Groups
	if len(g.Count) != 1 || g.Method[0] != IQR || g.Lower[0] != 8 || g.Upper[0] != 16 || g.Long[0] != 1 || g.Short[0] != 1 {
		t.Fatalf("groups are %+v", g)
	}
	if !slices.Equal(r.Task, []int32{12, 13}) || !slices.Equal(r.Side, []Side{Long, Short}) || !slices.Equal(r.Bound, []float64{16, 8}) {
		t.Errorf("unusual tasks are %v %v %v", r.Task, r.Side, r.Bound)
	}
	if !slices.Equal(r.Long(), []int32{12}) {
		t.Errorf("long tasks are %v", r.Long())
	}
}

func TestConstantDurationsAreUsual(t *testing.T) {
	if r := Compute(tracetest.Chain(20), Options{}); len(r.Task) != 0 {
		t.Errorf("%d of 20 equal tasks are unusual", len(r.Task))
	}
	run := sparse(60, 0, 0)
	for _, m := range []Method{LogLog, Mixture, TwoThirds} {
		if r := Compute(run, Options{Method: m}); len(r.Task) != 0 {
			t.Errorf("%s: %d tasks on a line are unusual: %v", m, len(r.Task), r.Bound)
		}
	}
}

// sparse makes tasks whose duration is 1e6 · GFlop^0.8 with noise.
func sparse(n int, noise, slowShare float64) *trace.Run {
	rng := rand.New(rand.NewPCG(2, 3))
	durations, work := make([]int64, n), make([]float64, n)
	for i := range n {
		work[i] = math.Exp(3 * rng.Float64())
		d := 1e6 * math.Pow(work[i], 0.8) * math.Exp(noise*rng.NormFloat64())
		if rng.Float64() < slowShare {
			d *= 3
		}
		durations[i] = int64(math.Round(d))
	}
	run := chain(durations)
	run.Task.GFlop = work
	return run
}

func TestRegressionSeesWhatQuartilesMiss(t *testing.T) {
	run := sparse(300, 0.02, 0)
	small := slices.Index(run.Task.GFlop, slices.Min(run.Task.GFlop))
	run.Task.End[small] = run.Task.Start[small] + 2*(run.Task.End[small]-run.Task.Start[small])
	if r := Compute(run, Options{Method: IQR}); slices.Contains(r.Long(), int32(small)) {
		t.Error("quartiles notice a small task that took twice its time")
	}
	r := Compute(run, Options{})
	if r.Groups.Method[0] != LogLog || !slices.Contains(r.Long(), int32(small)) {
		t.Errorf("%s does not notice it", r.Groups.Method[0])
	}
	if f := r.Groups.Fits[0][0]; math.Abs(f.Coef[1]-0.8) > 0.02 {
		t.Errorf("exponent is %v, want about 0.8", f.Coef[1])
	}
}

func TestMethodIsChosenByEvidence(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*trace.Run)
		want   Method
	}{
		"work explains":   {func(*trace.Run) {}, LogLog},
		"no work":         {func(r *trace.Run) { r.Task.GFlop = nil }, IQR},
		"constant work":   {func(r *trace.Run) { fill(r.Task.GFlop, 2) }, IQR},
		"half unknown":    {func(r *trace.Run) { fill(r.Task.GFlop[:50], math.NaN()) }, IQR},
		"explains little": {func(r *trace.Run) { slices.Sort(r.Task.GFlop) }, IQR},
	} {
		run := sparse(100, 0.05, 0)
		c.change(run)
		if got := Compute(run, Options{}).Groups.Method[0]; got != c.want {
			t.Errorf("%s: %s was chosen, want %s", name, got, c.want)
		}
	}
	run := sparse(100, 0.05, 0)
	if got := Compute(run, Options{ByKind: map[string]Method{"link": Weighted}}).Groups.Method[0]; got != Weighted {
		t.Errorf("weighted regression was asked for, %s used", got)
	}
}

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}

func TestMixtureJudgesEachBehaviour(t *testing.T) {
	run := sparse(600, 0.03, 0.3)
	between := 17 // far from both behaviours
	d := 1e6 * math.Pow(run.Task.GFlop[between], 0.8) * 1.7
	run.Task.End[between] = run.Task.Start[between] + int64(d)
	r := Compute(run, Options{Method: Mixture})
	if len(r.Groups.Fits[0]) != 2 {
		t.Fatalf("%d lines were found, want 2", len(r.Groups.Fits[0]))
	}
	if !slices.Contains(r.Long(), int32(between)) {
		t.Error("a task between the two behaviours is not noticed")
	}
	if n := len(r.Long()); n > 60 {
		t.Errorf("%d of 600 tasks are long", n)
	}
}

// Quartile outliers must be what sorting and reading the rule literally gives.
func TestQuartilesEqualDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.Int64Range(1, 60), 1, 80).Draw(t, "durations")
		sorted := slices.Clone(d)
		slices.Sort(sorted)
		quartile := func(p float64) float64 {
			h := p * float64(len(sorted)-1)
			lo := int(h)
			hi := min(lo+1, len(sorted)-1)
			return float64(sorted[lo]) + (h-float64(lo))*float64(sorted[hi]-sorted[lo])
		}
		q1, q3 := quartile(0.25), quartile(0.75)
		var want []int32
		for i, v := range d {
			if float64(v) > q3+1.5*(q3-q1) || float64(v) < q1-1.5*(q3-q1) {
				want = append(want, int32(i))
			}
		}
		if got := Compute(chain(d), Options{}).Task; !slices.Equal(got, want) {
			t.Fatalf("unusual are %v, want %v", got, want)
		}
	})
}

// Tasks of nearly constant duration are no outliers for being half a per cent longer, unless
// the statistical limit alone is asked for; such as are twice as long are.
func TestFactor(t *testing.T) {
	d := make([]int64, 60)
	for i := range d {
		d[i] = 10_000 + int64(i%3)
	}
	d[10], d[20] = 10_050, 20_000
	for factor, want := range map[float64]int{0: 1, 1: 2, 1.2: 1, 3: 0} {
		if r := Compute(chain(d), Options{Factor: factor}); len(r.Task) != want {
			t.Errorf("factor %g: found %d outliers, want %d", factor, len(r.Task), want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]struct {
		method Method
		factor float64
	}{"iqr": {IQR, 0}, "iqr,1.5": {IQR, 1.5}, "2": {Auto, 2}, "auto,1": {Auto, 1}} {
		if m, f, err := Parse(text); err != nil || m != want.method || f != want.factor {
			t.Errorf("%q: found %s, %g, %v, want %v", text, m, f, err, want)
		}
	}
	for _, text := range []string{"", "none", "iqr,", "iqr,0.5", "iqr,x", "0.5", "NaN", "iqr,Inf"} {
		if m, f, err := Parse(text); err == nil {
			t.Errorf("%q: found %s, %g, want an error", text, m, f)
		}
	}
}
