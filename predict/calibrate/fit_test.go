package calibrate

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// reference is a file of the reference data.
func reference(t testing.TB, name string) string {
	t.Helper()
	return testenv.Reference(t, "data/sparse", name)
}

// Fits equal those of numpy to 1e-9, and their intervals those of R's lm.
func TestFitsEqualReference(t *testing.T) {
	text, err := os.ReadFile(reference(t, "calibration/fit_numpy.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]struct {
		N      int
		CoefMS []float64 `json:"coef_ms"`
		SE     []float64 `json:"se"`
		R2     float64   `json:"R2"`
		AdjR2  float64   `json:"adjR2"`
		Sigma  float64   `json:"sigma"`
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	samples, err := ReadCSV(reference(t, "calibration/cal_ib32.csv"), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fits, err := FitKernels(samples, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(fits) != 2 {
		t.Fatalf("found %d fits", len(fits))
	}
	for _, f := range fits {
		w, m := want[f.Model.Kind], f.Model.Fit
		if m.Tasks != w.N || len(m.Coef) != 4 {
			t.Fatalf("%s: found %d measurements, %d coefficients", f.Model.Kind, m.Tasks, len(m.Coef))
		}
		for j, c := range m.Coef {
			near(t, f.Model.Kind+" "+c.Term, c.Estimate, w.CoefMS[j]*1e6, 1e-9)
			near(t, f.Model.Kind+" error of "+c.Term, c.StdErr, w.SE[j]*1e6, 1e-9)
		}
		near(t, "R²", m.R2, w.R2, 1e-9)
		near(t, "R² of times", f.R2Times, w.R2, 1e-4) // never below the floor
		near(t, "adjusted R²", m.AdjR2, w.AdjR2, 1e-9)
		near(t, "sigma", m.Sigma, w.Sigma*1e6, 1e-9)
	}
	intervals(t, fits[0], [][2]float64{{8.701592553e-01, 1.358404607e+00}, {-1.221255961e-08, 4.406829602e-08}, {1.221345677e-07, 1.285617405e-07}, {-1.247593100e-07, -1.148241308e-07}})
	intervals(t, fits[1], [][2]float64{{-3.139089658e-01, 2.736591787e-01}, {4.720447615e-08, 1.149344357e-07}, {1.765346182e-07, 1.842692580e-07}, {-1.839196307e-07, -1.719633575e-07}})
	for code, kind := range map[string]int{"not-significant": 0, "disturbed": 1} {
		if !warned(fits[kind], code) {
			t.Errorf("%s: found %v, want a warning %s", fits[kind].Model.Kind, fits[kind].Model.Fit.Warnings, code)
		}
	}
}

// intervals of R's confint, in ms.
func intervals(t *testing.T, f *Fit, want [][2]float64) {
	t.Helper()
	for j, c := range f.Model.Fit.Coef {
		near(t, f.Model.Kind+" "+c.Term+" from", c.Low, want[j][0]*1e6, 1e-9)
		near(t, f.Model.Kind+" "+c.Term+" to", c.High, want[j][1]*1e6, 1e-9)
	}
}

// Weights of 1/t² equal R's, before the sum is made right.
func TestWeightedFitEqualsR(t *testing.T) {
	samples, err := ReadCSV(reference(t, "calibration/cal_ib32.csv"), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fits, err := FitKernels(samples, Options{Weights: Observed})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range [][]float64{
		{0.10218192423176448, 9.1990070123528275e-08, 1.5650292869962914e-07, -1.5549426547017101e-07},
		{0.010692948214946639, 1.1120727222799446e-07, 1.6816156954200685e-07, -1.6775382990464349e-07},
	} {
		for j, c := range fits[k].Model.Fit.Coef {
			near(t, c.Term, c.Estimate/fits[k].Scale, want[j]*1e6, 1e-9)
		}
		near(t, "sum", 1+fits[k].Model.Fit.Bias, 1, 1e-9)
	}
}

func near(t testing.TB, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: found %.15g, want %.15g", what, got, want)
	}
}

func warned(f *Fit, code string) bool {
	for _, w := range f.Model.Fit.Warnings {
		if w.Code == code && strings.TrimSpace(w.Text) != "" {
			return true
		}
	}
	return false
}
