package campaign

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// Number is the number that a value is, or NaN: sizes and times with units are
// texts.
func Number(value string) float64 {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// Numeric tells whether all values are numbers.
func Numeric(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return math.IsNaN(Number(v)) })
}

// Ordered sorts values by size if all are numbers, and leaves them as they are
// otherwise.
func Ordered(values []string) []string {
	if Numeric(values) {
		slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(Number(a), Number(b)) })
	}
	return values
}
