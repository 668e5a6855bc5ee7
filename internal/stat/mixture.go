package stat

import (
	"math"
	"math/rand/v2"
)

// The problem: the same kernel sometimes behaves in two ways (say, with its
// data in cache or not), so that one line through (x, y) fits neither and its
// prediction interval swallows what should be noticed.
//
// The approach: expectation–maximisation for a mixture of two straight lines
// y = a_k + b_k·x + N(0, σ_k) (as R's flexmix does), from several starts, kept
// only if the Bayesian information criterion prefers it to one line. Starts
// search on a sample when there are many observations; the winner is polished
// on all.
//
// What it does not do: more than two lines, more than one regressor, and
// degenerate components: a component below minPrior, or of a deviation below
// minSigma of the single line's, ends a start, because its likelihood is not
// evidence (a line through two points is infinitely likely).

const (
	minPrior      = 0.05
	minSigma      = 1e-3
	mixtureSample = 20000
	emSteps       = 200
	emTolerance   = 1e-8
)

// Mixture is a description of y by one or two lines in x.
type Mixture struct {
	Fit   []*Fit    // one line of each component through its observations, first the lower one
	Prior []float64 // share of the observations
	BIC1  float64   // of the single line; smaller is better
	BIC2  float64   // of the best two lines, +Inf if none was found
	Label []uint8   // the component of each observation, index into Fit
}

// MixtureOptions configure [FitMixture].
type MixtureOptions struct {
	Starts int    // random starts beside the one deterministic, default 12
	Seed   uint64 // of the starts; the same seed gives the same result
}

// FitMixture chooses between one and two lines through (x, y). Observations are
// assigned to the component most likely to have made them, and each component
// is fitted again to its own, so that Fit has ordinary prediction intervals.
// ErrDependent if not even one line can be fitted.
func FitMixture(x, y []float64, o MixtureOptions) (*Mixture, error) {
	one, err := Regress([][]float64{x}, true, y, nil)
	if err != nil {
		return nil, err
	}
	m := &Mixture{Fit: []*Fit{one}, Prior: []float64{1}, Label: make([]uint8, len(x)), BIC1: one.bic(), BIC2: math.Inf(1)}
	if !(one.Sigma > 0) || len(x) < 10 {
		return m, nil
	}
	best := searchLines(x, y, one, o)
	if best == nil {
		return m, nil
	}
	m.BIC2 = 7*math.Log(float64(len(x))) - 2*best.loglik
	if m.BIC2 < m.BIC1 {
		m.split(x, y, best)
	}
	return m, nil
}

// bic of a single line: 3 parameters, σ estimated with DF as flexmix does.
func (f *Fit) bic() float64 {
	n := float64(f.N)
	loglik := -n*math.Log(f.Sigma*math.Sqrt(2*math.Pi)) - f.RSS/(2*f.Sigma*f.Sigma)
	return 3*math.Log(n) - 2*loglik
}

// split labels the observations and fits each component; it leaves m as it is
// when a component would have too few distinct observations.
func (m *Mixture) split(x, y []float64, l *lines) {
	label := make([]uint8, len(x))
	var px, py [2][]float64
	for i := range x {
		k := l.likelier(x[i], y[i])
		label[i] = uint8(k)
		px[k], py[k] = append(px[k], x[i]), append(py[k], y[i])
	}
	var fit [2]*Fit
	for k := range fit {
		f, err := Regress([][]float64{px[k]}, true, py[k], nil)
		if err != nil || f.DF < 1 {
			return
		}
		fit[k] = f
	}
	middle := Sum(x) / float64(len(x))
	if fit[0].Predict(middle) > fit[1].Predict(middle) {
		fit[0], fit[1] = fit[1], fit[0]
		for i := range label {
			label[i] ^= 1
		}
	}
	n := float64(len(x))
	m.Fit, m.Label = fit[:], label
	m.Prior = []float64{float64(fit[0].N) / n, float64(fit[1].N) / n}
}

// lines are the parameters of two components during EM.
type lines struct {
	a, b, sigma, prior [2]float64
	logPeak            [2]float64 // log of prior times the density at residual 0
	loglik             float64
	floor              float64 // smallest σ allowed
}

// searchLines runs EM from several starts and returns the most likely valid
// result, nil if every start degenerates.
func searchLines(x, y []float64, one *Fit, o MixtureOptions) *lines {
	if o.Starts == 0 {
		o.Starts = 12
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15))
	sx, sy := sample(x, y, rng)
	var best *lines
	for s := range o.Starts + 1 {
		l := &lines{floor: minSigma * one.Sigma}
		if !l.start(sx, sy, one, rng, s) || !l.climb(sx, sy) {
			continue
		}
		if best == nil || l.loglik > best.loglik {
			best = l
		}
	}
	if best == nil || (len(sx) < len(x) && !best.climb(x, y)) {
		return nil
	}
	return best
}

// sample is all of (x, y), or a random part of many.
func sample(x, y []float64, rng *rand.Rand) (sx, sy []float64) {
	if len(x) <= mixtureSample {
		return x, y
	}
	for range mixtureSample {
		i := rng.IntN(len(x))
		sx, sy = append(sx, x[i]), append(sy, y[i])
	}
	return sx, sy
}

// start assigns observations softly: the first time by the sign of the single
// line's residuals, then by which of two random lines is nearer.
func (l *lines) start(x, y []float64, one *Fit, rng *rand.Rand, s int) bool {
	var acc [2]lineSums
	a0, b0 := one.Coef[0], one.Coef[1]
	a1, b1 := a0, b0
	if s > 0 {
		a0, b0 = randomLine(x, y, b0, rng)
		a1, b1 = randomLine(x, y, b1, rng)
	}
	for i := range x {
		r := y[i] - a0 - b0*x[i]
		p := 0.1
		if s == 0 && r > 0 || s > 0 && math.Abs(r) < math.Abs(y[i]-a1-b1*x[i]) {
			p = 0.9
		}
		acc[0].add(x[i], y[i], p)
		acc[1].add(x[i], y[i], 1-p)
	}
	return l.update(&acc)
}

// randomLine goes through two random observations, or through one with the
// common slope when they cannot define a line.
func randomLine(x, y []float64, slope float64, rng *rand.Rand) (a, b float64) {
	i, j := rng.IntN(len(x)), rng.IntN(len(x))
	b = slope
	if x[i] != x[j] && rng.IntN(2) == 0 {
		b = (y[j] - y[i]) / (x[j] - x[i])
	}
	return y[i] - b*x[i], b
}

// climb iterates EM until the likelihood stands still; false if a component
// degenerates.
func (l *lines) climb(x, y []float64) bool {
	last := math.Inf(-1)
	for range emSteps {
		var acc [2]lineSums
		loglik := l.expect(x, y, &acc)
		if !l.update(&acc) {
			return false
		}
		l.loglik = loglik
		if loglik-last < emTolerance*(math.Abs(loglik)+1) {
			break
		}
		last = loglik
	}
	return true
}

// expect gathers the weighted sums of each component and returns the log
// likelihood of the current parameters.
func (l *lines) expect(x, y []float64, acc *[2]lineSums) (loglik float64) {
	for i := range x {
		d0, d1 := l.logDensity(0, x[i], y[i]), l.logDensity(1, x[i], y[i])
		ratio := math.Exp(-math.Abs(d0 - d1)) // of the unlikelier to the likelier
		loglik += max(d0, d1) + math.Log1p(ratio)
		p := 1 / (1 + ratio)
		if d1 > d0 {
			p = ratio * p
		}
		acc[0].add(x[i], y[i], p)
		acc[1].add(x[i], y[i], 1-p)
	}
	return loglik
}

func (l *lines) logDensity(k int, x, y float64) float64 {
	r := (y - l.a[k] - l.b[k]*x) / l.sigma[k]
	return l.logPeak[k] - r*r/2
}

func (l *lines) likelier(x, y float64) int {
	if l.logDensity(1, x, y) > l.logDensity(0, x, y) {
		return 1
	}
	return 0
}

func (l *lines) update(acc *[2]lineSums) bool {
	total := acc[0].w + acc[1].w
	for k := range acc {
		l.prior[k] = acc[k].w / total
		if l.prior[k] < minPrior || acc[k].w < 4 {
			return false
		}
		l.a[k], l.b[k], l.sigma[k] = acc[k].line()
		if !(l.sigma[k] > l.floor) {
			return false
		}
		l.logPeak[k] = math.Log(l.prior[k] / (l.sigma[k] * math.Sqrt(2*math.Pi)))
	}
	return true
}

// lineSums are running weighted means and central second moments of (x, y)
// (West 1979): one pass and no cancellation.
type lineSums struct {
	w, mx, my, xx, xy, yy float64
}

func (s *lineSums) add(x, y, w float64) {
	if w == 0 {
		return
	}
	s.w += w
	dx, dy := x-s.mx, y-s.my
	s.mx += dx * w / s.w
	s.my += dy * w / s.w
	s.xx += w * dx * (x - s.mx)
	s.xy += w * dx * (y - s.my)
	s.yy += w * dy * (y - s.my)
}

// line is the weighted least-squares line and its residual deviation; a
// vertical cloud has slope 0.
func (s *lineSums) line() (a, b, sigma float64) {
	if s.xx > 0 {
		b = s.xy / s.xx
	}
	rss := max(0, s.yy-b*s.xy)
	return s.my - b*s.mx, b, math.Sqrt(rss / (s.w - 2))
}
