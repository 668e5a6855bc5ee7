package stat

import (
	"math"
	"math/bits"
	"slices"
)

// Number is what quantiles and moments are taken of.
type Number interface {
	~int64 | ~float64
}

// Quantile returns the p-quantile of x, 0 ≤ p ≤ 1, by linear interpolation of
// the order statistics: type 7 of Hyndman 1996, the default of R. It REORDERS
// x. NaN for an empty x.
func Quantile[T Number](x []T, p float64) float64 {
	var out [1]float64
	Quantiles(x, []float64{p}, out[:])
	return out[0]
}

// Quantiles writes the p[i]-quantile of x to out[i]; see [Quantile]. It
// REORDERS x: only the order statistics that are asked for end up in their
// place, so k quantiles of n values cost O(n log k) instead of a full sort.
func Quantiles[T Number](x []T, p, out []float64) {
	if len(x) == 0 {
		for i := range p {
			out[i] = math.NaN()
		}
		return
	}
	ranks := make([]int, 0, 2*len(p))
	for _, q := range p {
		lo, _ := rank(len(x), q)
		ranks = append(ranks, lo, min(lo+1, len(x)-1))
	}
	slices.Sort(ranks)
	place(x, slices.Compact(ranks), 0, 2*bits.Len(uint(len(x))))
	for i, q := range p {
		out[i] = interpolate(x, q)
	}
}

// SortedQuantile is Quantile of values that are sorted already; it changes
// nothing.
func SortedQuantile[T Number](x []T, p float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	return interpolate(x, p)
}

// rank splits the fractional rank (n−1)p into its integer part and the rest.
func rank(n int, p float64) (lo int, frac float64) {
	h := float64(n-1) * min(max(p, 0), 1)
	lo = int(h)
	return lo, h - float64(lo)
}

// interpolate reads a quantile from x whose needed order statistics are in
// their places.
func interpolate[T Number](x []T, p float64) float64 {
	lo, frac := rank(len(x), p)
	if frac == 0 || x[lo] == x[lo+1] {
		return float64(x[lo])
	}
	return float64(x[lo]) + frac*(float64(x[lo+1])-float64(x[lo]))
}

// place moves the values of the given ranks (ascending, counted from base at
// x[0]) to where sorting would put them: quickselect that descends only where
// a rank lies. A run of bad pivots ends in a sort.
func place[T Number](x []T, ranks []int, base, splits int) {
	for len(ranks) > 0 && len(x) > 1 {
		if len(x) <= 64 || splits == 0 {
			slices.Sort(x)
			return
		}
		splits--
		lt, gt := partition(x)
		left, _ := slices.BinarySearch(ranks, base+lt)
		right, _ := slices.BinarySearch(ranks, base+gt)
		place(x[:lt], ranks[:left], base, splits)
		x, base, ranks = x[gt:], base+gt, ranks[right:]
	}
}

// partition reorders x into values below, equal to and above a pivot and
// returns the bounds of the middle part, which is never empty. Equal values
// are common (simulated kernels have constant durations), so they are
// separated rather than shuffled about.
func partition[T Number](x []T) (lt, gt int) {
	v := pivot(x)
	i := 0
	lt, gt = 0, len(x)
	for i < gt {
		switch {
		case x[i] < v:
			x[lt], x[i] = x[i], x[lt]
			lt++
			i++
		case x[i] > v:
			gt--
			x[i], x[gt] = x[gt], x[i]
		default:
			i++
		}
	}
	return lt, gt
}

// pivot is the median of nine values spread over x: deterministic, and safe on
// sorted, reversed and sawtooth inputs.
func pivot[T Number](x []T) T {
	var s [9]T
	for i := range s {
		s[i] = x[i*(len(x)-1)/8]
	}
	slices.Sort(s[:])
	return s[4]
}
