package workload

import (
	"fmt"
	"strings"
)

// castagnoli is the polynomial of CRC-32C, most significant bit first.
const castagnoli = 0x1EDC6F41

var crcTable = makeCRCTable()

func makeCRCTable() (t [256]uint32) {
	for i := range t {
		c := uint32(i) << 24
		for range 8 {
			carry := c >> 31
			c = c<<1 ^ castagnoli*carry
		}
		t[i] = c
	}
	return t
}

// crc continues a checksum over the four little-endian bytes of x, without a
// final complement, as StarPU does for the layouts of data.
func crc(x, c uint32) uint32 {
	for range 4 {
		c = c<<8 ^ crcTable[byte(c>>24)^byte(x)]
		x >>= 8
	}
	return c
}

// Matrix is the layout of a piece of data: columns × rows of elements of some
// bytes. NY is 1 for a vector.
type Matrix struct{ NX, NY, Element int }

// Bytes is its size.
func (m Matrix) Bytes() int64 { return int64(m.NX) * int64(m.NY) * int64(m.Element) }

// String is the layout as StarPU prints it: "M960x960x4", "V100x8".
func (m Matrix) String() string {
	if m.NY == 1 {
		return fmt.Sprintf("V%dx%d", m.NX, m.Element)
	}
	return fmt.Sprintf("M%dx%dx%d", m.NX, m.NY, m.Element)
}

func (m Matrix) hash() uint32 {
	if m.NY == 1 {
		return crc(uint32(m.NX), 0)
	}
	return crc(uint32(m.NX), uint32(m.NY))
}

// Footprint is the hash of the layouts of a task's data by which StarPU's
// history-based models tell sizes apart: CRC-32C chained over the handles. The
// size of an element is not in it.
func Footprint(data ...Matrix) uint32 {
	f := uint32(0)
	for _, m := range data {
		f = crc(crc(m.hash(), 0), f)
	}
	return f
}

// Layout joins layouts as StarPU prints those of a task.
func Layout(data ...Matrix) string {
	parts := make([]string, len(data))
	for i, m := range data {
		parts[i] = m.String()
	}
	return strings.Join(parts, "_")
}
