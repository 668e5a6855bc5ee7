// Package checksum holds the checksum by which StarPU tells tasks with equal
// data apart from others: CRC-32C, most significant bit first and without final
// inversion, chained over the layouts of their data.
package checksum

const castagnoli = 0x1EDC6F41

var table = makeTable()

func makeTable() (t [256]uint32) {
	for i := range t {
		c := uint32(i) << 24
		for range 8 {
			carry := c >> 31
			c = c<<1 ^ carry*castagnoli
		}
		t[i] = c
	}
	return t
}

// Chain continues a sum over the bytes of a number, the lowest first.
func Chain(x, sum uint32) uint32 {
	for range 4 {
		sum = sum<<8 ^ table[byte(x)^byte(sum>>24)]
		x >>= 8
	}
	return sum
}

// Text continues a sum over the bytes of a text.
func Text(text string, sum uint32) uint32 {
	for i := range len(text) {
		sum = sum<<8 ^ table[text[i]^byte(sum>>24)]
	}
	return sum
}
