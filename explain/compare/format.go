package compare

import (
	"strconv"

	"dagscope/internal/words"
)

// pace says how a duration changed from a > 0 to b: "4.4 % slower", "1.80 times
// slower", "4.03 times faster".
func pace(a, b float64) string {
	switch r := b / a; {
	case r >= 1.5:
		return strconv.FormatFloat(r, 'f', 2, 64) + " times slower"
	case r >= 1:
		return words.Percent(r-1) + " slower"
	case r > 1/1.5 || b <= 0:
		return words.Percent(1-r) + " faster" // in time, not in speed
	default:
		return strconv.FormatFloat(1/r, 'f', 2, 64) + " times faster"
	}
}

// moreOrLess is the sign in words.
func moreOrLess[T int64 | float64](d T) string {
	if d < 0 {
		return "less"
	}
	return "more"
}
