package stat

import (
	"math"
	"slices"
)

// Modal clustering in one dimension (Chacón 2015; Chen 2016): the groups are
// what lies between the local minima of a Gaussian kernel density estimate. The
// problem is to find all minima, of any depth, without looking where there
// cannot be any. Between two values that lie farther apart than [farApart]
// bandwidths there always is one; elsewhere the sign of the derivative is
// followed in steps that are short against the bandwidth, and each change of
// sign is bisected. No density is ever tabulated, so that the result does not
// depend on a grid, as that of R's density does.

const (
	// farApart is the distance, in bandwidths, from which on two neighbouring
	// values are in different groups, for up to 1e5 values: the slope that many
	// values leave at this distance is less than that of a single one beside itself.
	farApart = 8
	// reach is the distance in bandwidths beyond which the kernel is taken for 0.
	reach = 7
	// perBandwidth is the number of places looked at in a bandwidth.
	perBandwidth = 16
)

// slope is the derivative of the density at t but for a positive factor.
func slope(sorted []float64, t, h float64) float64 {
	from, _ := slices.BinarySearch(sorted, t-reach*h)
	sum := 0.0
	for _, v := range sorted[from:] {
		z := (v - t) / h
		if z > reach {
			break
		}
		sum += z * math.Exp(-z*z/2)
	}
	return sum
}

// DensityMinima returns the places of the local minima of the Gaussian kernel
// density estimate of ascending values with bandwidth h > 0, ascending.
func DensityMinima(sorted []float64, h float64) []float64 {
	var minima []float64
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to]-sorted[to-1] <= farApart*h {
			to++
		}
		minima = follow(minima, sorted[from:to], h)
		if to < len(sorted) {
			minima = append(minima, sorted[to-1]+(sorted[to]-sorted[to-1])/2)
		}
		from = to
	}
	return minima
}

// follow appends the minima between values without a wide gap.
func follow(minima, sorted []float64, h float64) []float64 {
	first := sorted[0]
	span := sorted[len(sorted)-1] - first
	places := int(math.Ceil(span / h * perBandwidth))
	falling, last := false, first // the last slope that was not 0 was negative, and where
	for k := 1; k < places; k++ {
		t := first + span*float64(k)/float64(places)
		s := slope(sorted, t, h)
		if falling && s > 0 {
			minima = append(minima, rising(sorted, last, t, h))
		}
		if s != 0 {
			falling, last = s < 0, t
		}
	}
	return minima
}

// rising bisects for the place between a and b from which on the density rises.
func rising(sorted []float64, a, b, h float64) float64 {
	for range 40 {
		middle := a + (b-a)/2
		if slope(sorted, middle, h) < 0 {
			a = middle
		} else {
			b = middle
		}
	}
	return a + (b-a)/2
}

// ModalClusters puts each value into the group of its mode: groups are numbered
// from 0 by ascending values. It also returns the minima that divide them; a
// value on a minimum belongs to the group below it. Without spread, or with a
// bandwidth that is not above 0, all values are one group.
func ModalClusters(values []float64, h float64) (group []int32, minima []float64) {
	group = make([]int32, len(values))
	if !(h > 0) {
		return group, nil
	}
	sorted := slices.Sorted(slices.Values(values))
	minima = DensityMinima(sorted, h)
	for i, v := range values {
		at, _ := slices.BinarySearch(minima, v)
		group[i] = int32(at)
	}
	return group, minima
}

// SheatherJones is the bandwidth of Sheather 1991 that solves the equation for
// the least mean integrated square error, pairs of values counted in 1000 bins
// as R's bw.SJ does. It is NaN where the values are too few or too much alike
// for it to exist: fewer than two different ones.
func SheatherJones(values []float64) float64 {
	n := float64(len(values))
	scale := spread(values)
	if !(scale > 0) {
		return math.NaN()
	}
	p := countPairs(values)
	td := -p.phi6(1.23 * scale * math.Pow(n, -1.0/9))
	sd := p.phi4(1.24 * scale * math.Pow(n, -1.0/7))
	ratio := sd / td
	if !(ratio > 0) || math.IsInf(ratio, 0) {
		return math.NaN()
	}
	alpha := 1.357 * math.Pow(ratio, 1.0/7)
	c := 1 / (2 * math.Sqrt(math.Pi) * n)
	excess := func(h float64) float64 {
		return math.Pow(c/p.phi4(alpha*math.Pow(h, 5.0/7)), 1.0/5) - h
	}
	high := 1.144 * scale * math.Pow(n, -1.0/5)
	return root(excess, 0.1*high, high)
}

// spread is the lesser of the standard deviation and the quartile distance of a
// normal distribution with it; the former alone where half of the values are
// the same.
func spread(values []float64) float64 {
	if len(values) < 2 {
		return math.NaN()
	}
	sd := Summarize(values).SD
	v := slices.Clone(values)
	var q [2]float64
	Quantiles(v, []float64{0.25, 0.75}, q[:])
	if iqr := (q[1] - q[0]) / 1.349; iqr > 0 {
		return min(sd, iqr)
	}
	return sd
}

// root finds a zero of a function that is positive at low and negative at high,
// moving these apart until it is; NaN if that is in vain.
func root(f func(float64) float64, low, high float64) float64 {
	for i := 0; f(low)*f(high) > 0; i++ {
		switch {
		case i > 99:
			return math.NaN()
		case i%2 == 1:
			high *= 1.2
		default:
			low *= 0.9
		}
	}
	for range 40 {
		if middle := (low + high) / 2; f(low)*f(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// pairs are the numbers of pairs of values by their distance in bins.
type pairs struct {
	n     float64 // values
	width float64 // of a bin
	count []float64
}

const pairBins = 1000

func countPairs(values []float64) pairs {
	least, most := slices.Min(values), slices.Max(values)
	p := pairs{float64(len(values)), (most - least) * 1.01 / pairBins, make([]float64, pairBins)}
	bin := make([]int32, len(values))
	for i, v := range values {
		bin[i] = int32((v - least) / p.width)
		for _, b := range bin[:i] {
			p.count[max(bin[i]-b, b-bin[i])]++
		}
	}
	return p
}

// phi4 and phi6 estimate the functionals of the fourth and the sixth derivative
// of the density with bandwidth h.
func (p *pairs) phi4(h float64) float64 {
	sum := p.sum(h, func(d float64) float64 { return d*d - 6*d + 3 })
	return (2*sum + 3*p.n) / (p.n * (p.n - 1) * math.Pow(h, 5) * math.Sqrt(2*math.Pi))
}

func (p *pairs) phi6(h float64) float64 {
	sum := p.sum(h, func(d float64) float64 { return d*d*d - 15*d*d + 45*d - 15 })
	return (2*sum - 15*p.n) / (p.n * (p.n - 1) * math.Pow(h, 7) * math.Sqrt(2*math.Pi))
}

// sum adds up a polynomial of the squared distance times the kernel.
func (p *pairs) sum(h float64, term func(square float64) float64) (sum float64) {
	for i, n := range p.count {
		z := float64(i) * p.width / h
		square := z * z
		if square >= 1000 {
			return sum
		}
		if n > 0 {
			sum += n * math.Exp(-square/2) * term(square)
		}
	}
	return sum
}
