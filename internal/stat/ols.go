package stat

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// The problem: fit y ≈ Xβ by (weighted) least squares and say how sure β and a
// new y are, for up to 1e7 observations of a handful of regressors.
//
// The approach: the orthogonal factor of the QR decomposition is never needed.
// Blocks of rows of [X y] are folded into one small triangle by Householder
// reflections (Golub and Van Loan 5.2; "tall and skinny QR"), which is as
// stable as factoring all at once and needs memory for one block only. The
// triangle holds everything: R gives β and its covariance, the last diagonal
// element the residual sum of squares.
//
// What it does not do: drop dependent columns as R's lm does (that is an error
// here), or robust and regularised fits.

// ErrDependent says that the regressors are linearly dependent (or too few
// observations differ), so that no unique fit exists.
var ErrDependent = errors.New("regressors are linearly dependent")

// Fit is a least-squares fit with inference. Slices have p entries; with an
// intercept it is entry 0.
type Fit struct {
	Coef   []float64
	StdErr []float64 // standard errors of Coef
	T      []float64 // Coef / StdErr
	P      []float64 // two-sided p-values of T
	N      int       // observations with a positive weight
	DF     int       // residual degrees of freedom, N − p
	RSS    float64   // (weighted) residual sum of squares
	Sigma  float64   // residual standard error, √(RSS/DF); NaN for DF = 0
	R2     float64   // share of variance explained, about the mean if there is an intercept
	AdjR2  float64
	Cond   float64 // condition number of X with columns scaled to length 1

	intercept bool
	inverse   *mat.TriDense // R⁻¹
}

// Regress fits y ≈ Xβ, where columns[j][i] is regressor j of observation i. A
// nil weights means all 1; observations of weight 0 do not count. It needs
// more observations than coefficients or as many (then Sigma is NaN).
func Regress(columns [][]float64, intercept bool, y, weights []float64) (*Fit, error) {
	p := len(columns)
	if intercept {
		p++
	}
	for j, c := range columns {
		if len(c) != len(y) {
			return nil, fmt.Errorf("regress: column %d has %d values, want %d", j, len(c), len(y))
		}
	}
	if weights != nil && len(weights) != len(y) {
		return nil, fmt.Errorf("regress: %d weights, want %d", len(weights), len(y))
	}
	t := newTriangle(p + 1)
	n := 0
	for i, yi := range y {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		if w == 0 {
			continue
		}
		n++
		t.add(columns, i, intercept, yi, math.Sqrt(w))
	}
	t.fold()
	return t.fit(n, intercept)
}

// Predict is the fitted value for one observation; x leaves out the intercept.
func (f *Fit) Predict(x ...float64) float64 {
	y := 0.0
	for j, v := range f.row(x) {
		y += v * f.Coef[j]
	}
	return y
}

// Interval is the prediction interval of one new observation at x (without
// the intercept): fitted value, lower and upper bound, where level is for
// example 0.95 and weight the weight the new observation would have (its
// variance is σ²/weight). Student's t with DF degrees of freedom.
func (f *Fit) Interval(level, weight float64, x ...float64) (fit, lower, upper float64) {
	fit = f.Predict(x...)
	half := f.Factor(level) * f.predictionSD(f.row(x), weight)
	return fit, fit - half, fit + half
}

// Factor is the two-sided t quantile of level: factor of a standard error that
// gives an interval's half-width.
func (f *Fit) Factor(level float64) float64 {
	return StudentQuantile(0.5+level/2, float64(f.DF))
}

// Confidence is the confidence interval of coefficient j.
func (f *Fit) Confidence(j int, level float64) (lower, upper float64) {
	half := f.Factor(level) * f.StdErr[j]
	return f.Coef[j] - half, f.Coef[j] + half
}

// LineInterval returns a function equal to Interval for fits with an intercept
// and one regressor, without its allocations: for use on 1e7 observations.
func (f *Fit) LineInterval(level float64) func(x, weight float64) (fit, lower, upper float64) {
	q := f.Factor(level) * f.Sigma
	r := f.inverse
	a, b, d := r.At(0, 0), r.At(0, 1), r.At(1, 1)
	c0, c1 := f.Coef[0], f.Coef[1]
	return func(x, weight float64) (fit, lower, upper float64) {
		fit = c0 + c1*x
		v := b + d*x
		half := q * math.Sqrt(1/weight+a*a+v*v)
		return fit, fit - half, fit + half
	}
}

func (f *Fit) row(x []float64) []float64 {
	if !f.intercept {
		return x
	}
	return append([]float64{1}, x...)
}

// predictionSD is σ√(1/w + xᵀ(XᵀWX)⁻¹x), the second term as |R⁻ᵀx|².
func (f *Fit) predictionSD(x []float64, weight float64) float64 {
	h := 1 / weight
	for j := range x {
		v := 0.0
		for i := 0; i <= j; i++ {
			v += f.inverse.At(i, j) * x[i]
		}
		h += v * v
	}
	return f.Sigma * math.Sqrt(h)
}

// blockRows rows are folded into the triangle at a time.
const blockRows = 64

// triangle accumulates R of the rows seen, m columns, column-major: column j
// holds the triangle's m rows and then the rows not yet folded.
type triangle struct {
	m    int
	used int // rows waiting
	col  [][]float64
}

func newTriangle(m int) *triangle {
	t := &triangle{m: m, col: make([][]float64, m)}
	for j := range t.col {
		t.col[j] = make([]float64, m+blockRows)
	}
	return t
}

// add appends the row √w·[1? x y].
func (t *triangle) add(columns [][]float64, i int, intercept bool, y, sw float64) {
	r, j := t.m+t.used, 0
	if intercept {
		t.col[0][r] = sw
		j = 1
	}
	for _, c := range columns {
		t.col[j][r] = sw * c[i]
		j++
	}
	t.col[j][r] = sw * y
	if t.used++; t.used == blockRows {
		t.fold()
	}
}

// fold reduces triangle and waiting rows to a triangle again.
func (t *triangle) fold() {
	end := t.m + t.used
	for j := range t.m {
		t.reflect(j, end)
	}
	t.used = 0
}

// reflect makes column j zero below its diagonal. The triangle's own rows
// below j are zero there already and are skipped.
func (t *triangle) reflect(j, end int) {
	v := t.col[j]
	tail := v[t.m:end]
	below := 0.0
	for _, a := range tail {
		below += a * a
	}
	if below == 0 {
		return
	}
	alpha := -math.Copysign(math.Sqrt(v[j]*v[j]+below), v[j])
	head := v[j] - alpha
	scale := 2 / (head*head + below)
	for _, c := range t.col[j+1:] {
		s := head * c[j]
		rest := c[t.m:end]
		for i, a := range tail {
			s += a * rest[i]
		}
		s *= scale
		c[j] -= s * head
		for i, a := range tail {
			rest[i] -= s * a
		}
	}
	v[j] = alpha
	clear(tail)
}

// fit reads the result off the triangle.
func (t *triangle) fit(n int, intercept bool) (*Fit, error) {
	p := t.m - 1
	if n < p {
		return nil, fmt.Errorf("regress: %d observations for %d coefficients: %w", n, p, ErrDependent)
	}
	r := mat.NewTriDense(p, mat.Upper, nil)
	for j := range p {
		norm, d := 0.0, math.Abs(t.col[j][j])
		for i := 0; i <= j; i++ {
			r.SetTri(i, j, t.col[j][i])
			norm = math.Hypot(norm, t.col[j][i])
		}
		// R's own threshold (1e-7): below it a column is noise of the others.
		if !(d > 1e-7*norm) || math.IsInf(norm, 0) {
			return nil, fmt.Errorf("regress: column %d of %d: %w", j, p, ErrDependent)
		}
	}
	f := &Fit{N: n, DF: n - p, intercept: intercept, inverse: mat.NewTriDense(p, mat.Upper, nil)}
	f.Cond = scaledCond(r)
	if err := f.inverse.InverseTri(r); err != nil && !errors.As(err, new(mat.Condition)) {
		return nil, fmt.Errorf("regress: %w", ErrDependent)
	}
	f.coefficients(t.col[p])
	return f, nil
}

// coefficients fills in everything that depends on qty = Qᵀy, whose entry p is
// the norm of the residuals.
func (f *Fit) coefficients(qty []float64) {
	p := f.N - f.DF
	f.RSS = qty[p] * qty[p]
	f.Sigma = math.NaN()
	if f.DF > 0 {
		f.Sigma = math.Sqrt(f.RSS / float64(f.DF))
	}
	first, explained := 0, 0.0
	if f.intercept {
		first = 1
	}
	for i := range p {
		coef, square := 0.0, 0.0
		for j := i; j < p; j++ {
			v := f.inverse.At(i, j)
			coef += v * qty[j]
			square += v * v
		}
		se := f.Sigma * math.Sqrt(square)
		f.Coef = append(f.Coef, coef)
		f.StdErr = append(f.StdErr, se)
		f.T = append(f.T, coef/se)
		f.P = append(f.P, StudentP(coef/se, float64(f.DF)))
		if i >= first {
			explained += qty[i] * qty[i]
		}
	}
	f.R2 = explained / (explained + f.RSS)
	f.AdjR2 = 1 - (1-f.R2)*float64(f.N-first)/float64(f.DF)
}

// scaledCond is the 2-norm condition number of R with columns of length 1.
func scaledCond(r *mat.TriDense) float64 {
	p, _ := r.Dims()
	if p == 0 {
		return 1
	}
	d := mat.NewDense(p, p, nil)
	for j := range p {
		norm := 0.0
		for i := 0; i <= j; i++ {
			norm = math.Hypot(norm, r.At(i, j))
		}
		for i := 0; i <= j; i++ {
			d.Set(i, j, r.At(i, j)/norm)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(d, mat.SVDNone) {
		return math.Inf(1)
	}
	s := svd.Values(nil)
	return s[0] / s[p-1]
}
