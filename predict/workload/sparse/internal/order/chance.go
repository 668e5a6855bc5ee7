package order

// chance is a sequence of numbers that look random and are the same everywhere
// (splitmix64, Steele 2014).
type chance uint64

func (c *chance) next() uint64 {
	*c += 0x9e3779b97f4a7c15
	z := uint64(*c)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1.
func (c *chance) below(n int) int { return int(c.next() >> 1 % uint64(n)) }

// shuffle puts numbers in another order.
func (c *chance) shuffle(s []int32) {
	for i := len(s) - 1; i > 0; i-- {
		j := c.below(i + 1)
		s[i], s[j] = s[j], s[i]
	}
}
