package stat

import "math"

// Mix makes 64 random bits of a seed and a number (splitmix64, Steele 2014). It
// has no state, so that numbers may come in any order.
func Mix(seed, number uint64) uint64 {
	z := seed*0xd1342543de82ef95 + (number+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Normal makes a standard normal number of random bits, by the inverse of the
// distribution function.
func Normal(bits uint64) float64 {
	p := (float64(bits>>11) + 0.5) / (1 << 53)
	return math.Sqrt2 * math.Erfinv(2*p-1)
}
