package perfmodel

import (
	"dagscope/internal/checksum"
	"strconv"
	"testing"
)

// Values that StarPU prints for tiles of Cholesky.
func TestFootprintOfTiles(t *testing.T) {
	for _, c := range []struct {
		size, handles int
		want          uint32
	}{{960, 1, 0x617e5fe6}, {960, 2, 0xff82dda0}, {320, 1, 0xcea37d6d}, {640, 1, 0xafdd228b}, {32, 1, 0xe5a07e31}} {
		var handles []uint32
		layout := ""
		for i := range c.handles {
			handles = append(handles, HandleFootprint(MatrixData, uint32(c.size), uint32(c.size)))
			if i > 0 {
				layout += "_"
			}
			layout += "M" + strconv.Itoa(c.size) + "x" + strconv.Itoa(c.size) + "x4"
		}
		if got := footprintOf(handles...); got != c.want {
			t.Errorf("%d tiles of %d: %08x, want %08x", c.handles, c.size, got, c.want)
		}
		if got, ok := LayoutFootprint(layout); got != c.want || !ok {
			t.Errorf("%s: %08x %v, want %08x", layout, got, ok, c.want)
		}
	}
}

func TestLayoutsThatAreNone(t *testing.T) {
	for _, layout := range []string{"", "M", "M960", "Q1x2", "M960x960x4_", "M960x-1x4", "M99999999999x1x4"} {
		if got, ok := LayoutFootprint(layout); ok {
			t.Errorf("%q has footprint %08x, want none", layout, got)
		}
	}
}

// footprintOf is the footprint of a task that accesses pieces of data with these
// footprints, in order.
func footprintOf(handles ...uint32) uint32 {
	sum := uint32(0)
	for _, h := range handles {
		sum = checksum.Chain(h, sum)
	}
	return sum
}
