package kit

import (
	"math"

	"dagscope/show/scene"
)

// SequentialColors are n colours from little (pale) to much (dark).
func SequentialColors(n int) []scene.Color { return scene.Sequential(n) }

// LevelOf is the colour of a share from 0 to 1 among n.
func LevelOf(share float64, n int) uint8 {
	if math.IsNaN(share) {
		return 0
	}
	return uint8(min(max(int(share*float64(n)), 0), n-1))
}

// SequentialLegend explains n colours by some of them; word writes a share.
func SequentialLegend(colors []scene.Color, entries int, word func(share float64) string) []scene.LegendEntry {
	var out []scene.LegendEntry
	for e := range entries {
		share := float64(e) / float64(entries-1)
		out = append(out, scene.LegendEntry{Label: word(share), Color: colors[LevelOf(share, len(colors))]})
	}
	return out
}
