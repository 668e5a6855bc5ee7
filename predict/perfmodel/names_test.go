package perfmodel

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dagscope/trace"
)

func TestNamedParameters(t *testing.T) {
	for text, want := range map[string][]float64{
		"MB=508 NB=128 BK=1":   {508, 128, 1},
		"MB=508_NB=128_BK=1":   {508, 128, 1},
		"zeros=1.5, coeffs=-2": {1.5, -2},
		"M960x960x4":           nil,
		"MB=508 NB=":           nil,
		"MB=508 MB=3":          nil,
		"bytes=3":              nil, // the bytes of data are a variable of their own
		"p1=3":                 nil,
		"a=NaN":                nil,
		"a=Inf":                nil,
		"a=3 word":             nil,
		"=3":                   nil,
		"":                     nil,
	} {
		names, got := NamedParameters(text)
		if !slices.Equal(got, want) || len(names) != len(want) {
			t.Errorf("%q: found %v %v, want %v", text, names, got, want)
		}
		if again, values := NamedParameters(parameterText(names, got)); !slices.Equal(again, names) || !slices.Equal(values, got) {
			t.Errorf("%q is written %q", text, parameterText(names, got))
		}
	}
	if got := LayoutParameters("NB=2 MB=3"); !slices.Equal(got, []float64{2, 3}) {
		t.Errorf("found %v", got)
	}
}

func TestNamesInFormulas(t *testing.T) {
	names := []string{"MB", "NB", "BK"}
	products, err := ParseNamedFormula("NB^3 + NB^2*MB + NB^3*p3 + gflop", names)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := ParseFormula("p2^3 + p2^2*p1 + p2^3*p3 + gflop")
	if !reflect.DeepEqual(products, want) {
		t.Errorf("found %v, want %v", products, want)
	}
	if got := products[3].Named(names); got != "NB^3*BK" {
		t.Errorf("found %s", got)
	}
	if _, err := ParseNamedFormula("NB^3 + XB", names); err == nil || err.Error() != `read formula "NB^3 + XB": found "XB", want gflop, bytes, p1 to p64 or one of MB, NB, BK` {
		t.Errorf("found %v", err)
	}
	for formula, ok := range map[string]bool{"NB^3 + p2*MB": true, "NB^^3": false, "3*NB": false, "": false, "0": false} {
		if err := CheckFormula(formula); (err == nil) != ok {
			t.Errorf("%q: found %v", formula, err)
		}
	}
}

// Names of a run's parameters are those of its models, in whatever order tasks
// name them.
func TestFitByNames(t *testing.T) {
	rows := panelRows(300, 5, 0)
	for i := range rows {
		p := LayoutParameters(rows[i].layout)
		names, values := []string{"MB", "NB", "BK"}, []float64{p[0], p[1], p[2]}
		if i%2 == 1 {
			slices.Reverse(names)
			slices.Reverse(values)
		}
		rows[i].layout = parameterText(names, values)
	}
	s, err := FitModels([]*trace.Run{made(t, rows)}, FitOptions{Method: Linear, Formula: "NB^3 + NB^2*MB + NB^3*BK"})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Models[0].Regression
	if !slices.Equal(r.Parameters, []string{"MB", "NB", "BK"}) || s.Models[0].Fit.R2 < 1-1e-9 {
		t.Errorf("found %+v, R² %v", r, s.Models[0].Fit.R2)
	}
	if got := r.Outside(&Task{Parameters: []float64{1e6, 64, 1}}); got[:3] != "MB " {
		t.Errorf("found %q", got)
	}
}

// Tasks that name their parameters may have them in another order than the
// model, and more of them.
func TestParametersByName(t *testing.T) {
	r := &Regression{Parameters: []string{"MB", "NB"}, Terms: []Term{{1, Product{{Parameter, 1}}}, {100, Product{{Parameter + 1, 1}}}}, Ranges: []Range{{Parameter, 0, 5}}}
	for _, task := range []Task{
		{Parameters: []float64{3, 4}},
		{Parameters: []float64{3, 4}, Names: []string{"MB", "NB"}},
		{Parameters: []float64{7, 4, 3}, Names: []string{"ib", "NB", "MB"}},
	} {
		if got, ok := r.At(&task); got != 403 || !ok || r.Outside(&task) != "" {
			t.Errorf("%+v: found %v %v %s", task, got, ok, r.Outside(&task))
		}
	}
	task := Task{Parameters: []float64{7, 4}, Names: []string{"ib", "NB"}}
	if got, ok := r.At(&task); ok {
		t.Errorf("found %v without MB", got)
	}
	if got := r.Outside(&task); got != "MB is not known, and the duration depends on it" {
		t.Errorf("found %q", got)
	}
}

func TestSlowdown(t *testing.T) {
	curve := []Load{{2, 1.1}, {4, 1.5}, {8, 3.5}}
	for busy, want := range map[int]float64{-3: 1.1, 0: 1.1, 1: 1.1, 2: 1.1, 3: 1.3, 4: 1.5, 5: 2, 8: 3.5, 9: 3.5, 1 << 40: 3.5} {
		if got := Slowdown(curve, busy); got < want-1e-12 || got > want+1e-12 {
			t.Errorf("%d: found %v, want %v", busy, got, want)
		}
	}
	if got := Slowdown(nil, 3); got != 1 {
		t.Errorf("found %v", got)
	}
}

// Teller tells what Duration does.
func TestTeller(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := randomSet(rng)
		for _, kind := range append(s.Kinds(), "none") {
			tell := s.Teller(kind, cpu)
			task := Task{Kind: kind, Bytes: int64(rng.IntN(3)), GFlop: rng.Float64(), Parameters: []float64{rng.Float64(), 2, 3}}
			got, ok := tell(&task)
			if want, known := s.Duration(task, cpu); got != want || ok != known {
				t.Fatalf("found %v %v, want %v %v", got, ok, want, known)
			}
		}
	}
}

// parameterText is the text that [NamedParameters] reads.
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
