package panel

import (
	"math"

	"dagscope/show/scene"
)

// sequentialColors are n colours from little (pale) to much (dark).
func sequentialColors(n int) []scene.Color { return scene.Sequential(n) }

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
