package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// StudentQuantile is the p-quantile of Student's t distribution with df > 0
// degrees of freedom.
func StudentQuantile(p, df float64) float64 {
	if !(df > 0) || !(p > 0 && p < 1) {
		return math.NaN()
	}
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(p)
}

// StudentP is the two-sided p-value of a t statistic, accurate far out in the
// tail, where 1 − CDF would have cancelled to zero.
func StudentP(t, df float64) float64 {
	switch {
	case !(df > 0) || math.IsNaN(t):
		return math.NaN()
	case math.IsInf(t, 0):
		return 0
	}
	return mathext.RegIncBeta(df/2, 0.5, df/(df+t*t))
}
