package stat

import "math"

// Moments summarises a set of values.
type Moments struct {
	N        int
	Sum      float64
	Mean     float64 // NaN for N = 0
	SD       float64 // sample standard deviation (n−1); NaN for N < 2
	Min, Max float64 // NaN for N = 0
}

// Summarize computes the moments of x in two passes, the second about the
// mean, so that large values with small deviations lose nothing.
func Summarize[T Number](x []T) Moments {
	m := Moments{N: len(x), Mean: math.NaN(), SD: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	if len(x) == 0 {
		return m
	}
	lo, hi := x[0], x[0]
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	m.Min, m.Max = float64(lo), float64(hi)
	m.Sum = Sum(x)
	m.Mean = m.Sum / float64(len(x))
	if len(x) > 1 {
		m.SD = math.Sqrt(squares(x, m.Mean) / float64(len(x)-1))
	}
	return m
}

// Sum adds x up; integers without rounding in blocks that cannot overflow,
// floats with Neumaier's compensation (Neumaier 1974).
func Sum[T Number](x []T) float64 {
	var sum, lost float64
	for len(x) > 0 {
		n := min(len(x), sumBlock)
		v := blockSum(x[:n])
		t := sum + v
		if math.Abs(sum) >= math.Abs(v) {
			lost += (sum - t) + v
		} else {
			lost += (v - t) + sum
		}
		sum, x = t, x[n:]
	}
	return sum + lost
}

// sumBlock values below 2^53 (104 days in ns) cannot overflow an int64.
const sumBlock = 1024

func blockSum[T Number](x []T) float64 {
	var s T
	for _, v := range x {
		s += v
	}
	return float64(s)
}

// squares is Σ(x−mean)², corrected for the rounding of the mean.
func squares[T Number](x []T, mean float64) float64 {
	var ss, s float64
	for _, v := range x {
		d := float64(v) - mean
		ss += d * d
		s += d
	}
	return max(0, ss-s*s/float64(len(x)))
}
