package kit

import (
	"slices"

	"dagscope/internal/interval"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
)

func ColorIn(r *scene.Rects, c scene.Color) uint8 {
	at := IndexOf(r.Palette, c)
	if at < 0 && len(r.Palette) < 256 {
		at = len(r.Palette)
		r.Palette = append(r.Palette, c)
	}
	return uint8(max(at, 0))
}

func SortedKeys(of map[string]int) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.SortFunc(names, core.CompareNatural)
	return names
}

// Zero reports whether a step function is always 0.
func Zero(f interval.Steps) bool {
	for _, v := range f.Value {
		if v != 0 {
			return false
		}
	}
	return true
}

// LeastHeaded is the height from which on a facet has a line of facts above it.
const LeastHeaded = 45

func IndexOf(palette []scene.Color, c scene.Color) int {
	for i, p := range palette {
		if p == c {
			return i
		}
	}
	return -1
}
