package stat

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

var (
	rx1 = []float64{1.5, 2, 3.25, 4, 5.5, 7, 8, 9.75, 11, 12.5}
	rx2 = []float64{2, 1, 4, 3, 8, 5, 9, 7, 1, 0.5}
	ry  = []float64{3.1, 4.4, 5.2, 8.1, 9.3, 14.8, 13.6, 18.2, 24.7, 26.1}
	rw  = []float64{1, 2, 1, 0.5, 3, 1, 1, 2, 0.25, 1}
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %.17g, want %.17g", what, got, want)
	}
}

// Every number comes from R 4.2: summary(lm(y ~ x1 + x2)), the same with
// weights, and lm(y ~ x1 - 1).
func TestRegressAgainstR(t *testing.T) {
	for _, c := range []struct {
		name              string
		columns           [][]float64
		intercept         bool
		weights           []float64
		rows              [][4]float64 // estimate, standard error, t, p
		sigma, r2, adjust float64
	}{
		{"plain", [][]float64{rx1, rx2}, true, nil, [][4]float64{
			{0.71845715099822072, 0.615549062220986376, 1.1671809691431057, 2.8135372172518308e-01},
			{2.12711784055382358, 0.070246079954129903, 30.2809472349604931, 1.1048736926649482e-08},
			{-0.41688079569639180, 0.087029695692816253, -4.7900982805665802, 1.9889099353993895e-03}},
			0.80714943860743682, 0.99251191410252437, 0.99037246098895992},
		{"weighted", [][]float64{rx1, rx2}, true, rw, [][4]float64{
			{0.67134882284189035, 0.473354112600807342, 1.4182803211600221, 1.9905708689853679e-01},
			{2.08462535620822953, 0.061762478274712401, 33.7522945069667628, 5.1924797953330951e-09},
			{-0.36868835211675183, 0.067959687822829296, -5.4251036743712131, 9.8174084174805780e-04}},
			0.71532003293458191, 0.99396143154588767, 0.99223612627328417},
		{"through the origin", [][]float64{rx1}, false, nil, [][4]float64{
			{2.0090266697059489, 0.065702808155819553, 30.577485591504381, 2.0952395957574773e-10}},
			1.5385894689240371, 0.99046592621441576, 0.98940658468268416},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Regress(c.columns, c.intercept, ry, c.weights)
			if err != nil {
				t.Fatal(err)
			}
			for j, r := range c.rows {
				near(t, "coefficient", f.Coef[j], r[0], 1e-12)
				near(t, "standard error", f.StdErr[j], r[1], 1e-12)
				near(t, "t", f.T[j], r[2], 1e-12)
				near(t, "p", f.P[j], r[3], 1e-11)
			}
			near(t, "sigma", f.Sigma, c.sigma, 1e-12)
			near(t, "R²", f.R2, c.r2, 1e-13)
			near(t, "adjusted R²", f.AdjR2, c.adjust, 1e-13)
		})
	}
}

// R: predict(lm(y ~ x1 + x2, weights = w), data.frame(x1 = 6, x2 = 2),
// interval = "prediction", weights = 0.5), and lm(y ~ x1) at 20, level 0.99.
func TestIntervalAgainstR(t *testing.T) {
	f, err := Regress([][]float64{rx1, rx2}, true, ry, rw)
	if err != nil {
		t.Fatal(err)
	}
	fit, lower, upper := f.Interval(0.95, 0.5, 6, 2)
	near(t, "fit", fit, 12.441724255857764, 1e-12)
	near(t, "lower", lower, 9.9598559044394648, 1e-11)
	near(t, "upper", upper, 14.923592607276063, 1e-11)

	f, err = Regress([][]float64{rx1}, true, ry, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, interval := range []func(float64, float64) (float64, float64, float64){
		func(x, w float64) (float64, float64, float64) { return f.Interval(0.99, w, x) },
		f.LineInterval(0.99),
	} {
		fit, lower, upper = interval(20, 1)
		near(t, "fit", fit, 41.3473082735172, 1e-12)
		near(t, "lower", lower, 33.083622953315853, 1e-11)
		near(t, "upper", upper, 49.610993593718547, 1e-11)
	}
}

// R: qt(.975, df), 2*pt(-t, df).
func TestStudentAgainstR(t *testing.T) {
	for df, want := range map[float64]float64{1: 12.706204736174694, 2: 4.3026527297494619, 3: 3.1824463052837078,
		8: 2.3060041352041658, 100: 1.9839715185235516, 1e6: 1.9599663568141066} {
		near(t, "t quantile", StudentQuantile(0.975, df), want, 1e-9)
	}
	near(t, "p", StudentP(1, 3), 0.39100221895577053, 1e-12)
	near(t, "p", StudentP(-5, 10), 0.00053733360275645247, 1e-11)
	near(t, "p", StudentP(40, 100), 2.4621076021400736e-63, 1e-9)
}

func TestRegressRefusesDependentColumns(t *testing.T) {
	constant := []float64{2, 2, 2, 2}
	y := []float64{1, 2, 3, 4}
	if _, err := Regress([][]float64{constant}, true, y, nil); !errors.Is(err, ErrDependent) {
		t.Errorf("constant beside intercept: %v, want ErrDependent", err)
	}
	if _, err := Regress([][]float64{{1, 2, 3, 4}, {2, 4, 6, 8}}, false, y, nil); !errors.Is(err, ErrDependent) {
		t.Errorf("twice the same: %v, want ErrDependent", err)
	}
	if _, err := Regress([][]float64{{1}}, true, []float64{1}, nil); !errors.Is(err, ErrDependent) {
		t.Errorf("one observation: %v, want ErrDependent", err)
	}
	if _, err := Regress([][]float64{{1, 2}}, true, y, nil); err == nil {
		t.Error("columns of different length were accepted")
	}
}

// The folded triangle must give what one QR of everything gives.
func TestRegressEqualsFullQR(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(8, 400).Draw(t, "n")
		p := rapid.IntRange(1, 4).Draw(t, "p")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		scale := math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, "scale"))
		columns := make([][]float64, p)
		x := mat.NewDense(n, p+1, nil)
		y := make([]float64, n)
		for i := range n {
			x.Set(i, 0, 1)
			y[i] = scale * rng.NormFloat64()
		}
		for j := range columns {
			for i := range n {
				v := rng.NormFloat64() * math.Pow(10, float64(j))
				columns[j] = append(columns[j], v)
				x.Set(i, j+1, v)
				y[i] += scale * v
			}
		}
		f, err := Regress(columns, true, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		var qr mat.QR
		qr.Factorize(x)
		var want mat.VecDense
		if err := qr.SolveVecTo(&want, false, mat.NewVecDense(n, y)); err != nil {
			t.Skip(err)
		}
		for j := range f.Coef {
			if math.Abs(f.Coef[j]-want.AtVec(j)) > 1e-9*scale {
				t.Fatalf("coefficient %d is %v, want %v", j, f.Coef[j], want.AtVec(j))
			}
		}
	})
}

func BenchmarkRegress1e6(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 1e6), make([]float64, 1e6)
	for i := range x {
		x[i] = rng.Float64()
		y[i] = 3*x[i] + rng.NormFloat64()
	}
	for b.Loop() {
		if _, err := Regress([][]float64{x}, true, y, nil); err != nil {
			b.Fatal(err)
		}
	}
}
