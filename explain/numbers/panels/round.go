package panels

import (
	"math"
)

// RoundNumber is the greatest of 1, 2, 5, 10, 20 … that is not above n.
func RoundNumber(n int64) int64 {
	power := int64(math.Pow10(int(math.Log10(float64(max(1, n))))))
	for _, f := range []int64{5, 2} {
		if f*power <= n {
			return f * power
		}
	}
	return power
}
