package workload

import (
	"fmt"
	"strings"

	"dagscope/internal/checksum"
)

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
		return checksum.Chain(uint32(m.NX), 0)
	}
	return checksum.Chain(uint32(m.NX), uint32(m.NY))
}

// Footprint is the hash of the layouts of a task's data by which StarPU's
// history-based models tell sizes apart: CRC-32C chained over the handles. The
// size of an element is not in it.
func Footprint(data ...Matrix) uint32 {
	f := uint32(0)
	for _, m := range data {
		f = checksum.Chain(checksum.Chain(m.hash(), 0), f)
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
