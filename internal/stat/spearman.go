package stat

import (
	"cmp"
	"math"
	"slices"
)

// Spearman is the rank correlation of two columns of equal length, from −1 to 1,
// equal values with the mean of their ranks; NaN where either does not vary.
func Spearman[T Number](x, y []T) float64 { return correlation(ranks(x), ranks(y)) }

// ranks are the positions of values in ascending order, from 0; equal values have
// the mean of theirs.
func ranks[T Number](values []T) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

// correlation is Pearson's of two columns.
func correlation(x, y []float64) float64 {
	mx, my := Sum(x)/float64(len(x)), Sum(y)/float64(len(y))
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	return xy / math.Sqrt(xx*yy)
}
