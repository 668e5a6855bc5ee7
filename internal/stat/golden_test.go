package stat

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"dagscope/internal/testenv"

	"github.com/klauspost/compress/zstd"
)

// qrColumns reads columns of StarVZ's regression intervals of a sparse QR run,
// by kernel; the test is skipped where the reference data is not at hand.
func qrColumns(t *testing.T, names ...string) map[string][][]float64 {
	t.Helper()
	f, err := os.Open(testenv.Reference(t, "data/starvz/qr_trace/regression_intervals.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, h := range rows[0] {
		at[h] = i
	}
	out := map[string][][]float64{}
	for _, row := range rows[1:] {
		kind := row[at["Value"]]
		if out[kind] == nil {
			out[kind] = make([][]float64, len(names))
		}
		for j, n := range names {
			v, err := strconv.ParseFloat(row[at[n]], 64)
			if err != nil {
				t.Fatal(err)
			}
			out[kind][j] = append(out[kind][j], v)
		}
	}
	return out
}

// The four regressions on work of docs/design/methods.md, Outliers, as R
// computed them: fit and both prediction bounds of every task.
func TestPredictionBoundsOfSparseQR(t *testing.T) {
	identity := func(v float64) float64 { return v }
	for _, m := range []struct {
		name         string
		x, y, weight func(float64) float64
		back         func(float64) float64
	}{
		{"LR", identity, identity, nil, identity},
		{"WLR", identity, identity, func(g float64) float64 { return 1 / g }, identity},
		{"NLR", func(g float64) float64 { return math.Pow(g, 2.0/3) }, identity, nil, identity},
		{"LR_LOG", math.Log, math.Log, nil, math.Exp},
	} {
		for kind, c := range qrColumns(t, "GFlop", "Duration", "fit_"+m.name, "lwr_"+m.name, "upr_"+m.name) {
			var x, y, w []float64
			for i := range c[0] {
				x, y = append(x, m.x(c[0][i])), append(y, m.y(c[1][i]))
				if m.weight != nil {
					w = append(w, m.weight(c[0][i]))
				}
			}
			f, err := Regress([][]float64{x}, true, y, w)
			if err != nil {
				t.Fatal(err)
			}
			interval := f.LineInterval(0.95)
			for i := range x {
				weight := 1.0
				if w != nil {
					weight = w[i]
				}
				fit, lower, upper := interval(x[i], weight)
				for k, got := range []float64{fit, lower, upper} {
					if want := c[2+k][i]; math.Abs(m.back(got)-want) > 1e-9*max(1, math.Abs(want)) {
						t.Fatalf("%s of %s, row %d: %v, want %v", m.name, kind, i, m.back(got), want)
					}
				}
			}
		}
	}
}

// R's flexmix on the same data: the criterion of one line must agree, and two
// lines must be found that are no less likely.
func TestMixtureOfSparseQR(t *testing.T) {
	want := map[string][2]float64{
		"geqrt":  {-96.9016417619193, -162.643997587161},
		"tpqrt":  {-206.553466384734, -365.864838372645},
		"gemqrt": {-584.115541660244, -723.739261508628},
		"tpmqrt": {-1586.23136566381, -2764.48462015828},
	}
	for kind, c := range qrColumns(t, "GFlop", "Duration") {
		for j := range c {
			for i := range c[j] {
				c[j][i] = math.Log(c[j][i])
			}
		}
		m, err := FitMixture(c[0], c[1], MixtureOptions{Seed: 42})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: BIC %.3f and %.3f, priors %.3f", kind, m.BIC1, m.BIC2, m.Prior)
		if math.Abs(m.BIC1-want[kind][0]) > 1e-6*math.Abs(want[kind][0]) {
			t.Errorf("%s: BIC of one line is %v, want %v", kind, m.BIC1, want[kind][0])
		}
		if m.BIC2 > want[kind][1]+0.5 {
			t.Errorf("%s: BIC of two lines is %v, flexmix found %v", kind, m.BIC2, want[kind][1])
		}
	}
}
