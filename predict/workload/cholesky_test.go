package workload

import "testing"

func TestFootprint(t *testing.T) {
	tile := Matrix{960, 960, 4}
	for n, want := range map[int]uint32{1: 0x617e5fe6, 2: 0xff82dda0} {
		data := make([]Matrix, n)
		for i := range data {
			data[i] = tile
		}
		if got := Footprint(data...); got != want {
			t.Errorf("footprint of %d tiles: found %x, want %x", n, got, want)
		}
	}
}
