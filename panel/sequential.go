package panel

import (
	"math"

	"dagscope/scene"
)

// viridis are points of the scale of that name (Smith and van der Walt, 2015),
// from the greatest to the least: its lightness falls evenly, so that it can be
// read in grey and by any kind of sight. Its pale end stands for little.
var viridis = []scene.Color{scene.RGB(0xf0f4d0), scene.RGB(0xb5de2b), scene.RGB(0x6ece58), scene.RGB(0x35b779), scene.RGB(0x1f9e89),
	scene.RGB(0x26828e), scene.RGB(0x31688e), scene.RGB(0x3e4989), scene.RGB(0x482878), scene.RGB(0x440154)}

// sequentialColors are n colours from little (pale) to much (dark).
func sequentialColors(n int) []scene.Color {
	out := make([]scene.Color, n)
	for i := range out {
		at := float64(i) / float64(max(n-1, 1)) * float64(len(viridis)-1)
		k := min(int(at), len(viridis)-2)
		out[i] = viridis[k].Mix(viridis[k+1], at-float64(k))
	}
	return out
}

// levelOf is the colour of a share from 0 to 1 among n.
func levelOf(share float64, n int) uint8 {
	if math.IsNaN(share) {
		return 0
	}
	return uint8(min(max(int(share*float64(n)), 0), n-1))
}

// sequentialLegend explains n colours by some of them; word writes a share.
func sequentialLegend(colors []scene.Color, entries int, word func(share float64) string) []scene.LegendEntry {
	var out []scene.LegendEntry
	for e := range entries {
		share := float64(e) / float64(entries-1)
		out = append(out, scene.LegendEntry{Label: word(share), Color: colors[levelOf(share, len(colors))]})
	}
	return out
}
