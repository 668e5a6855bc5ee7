package kit

import (
	"dagscope/show/scene"
)

// ShareAxis goes from 0 to 100 %.
func ShareAxis(width int, label string) *scene.Axis {
	a := &scene.Axis{Min: 0, Max: 1, Label: label}
	for _, t := range scene.Ticks(0, 100, float64(width), 11) {
		a.Ticks = append(a.Ticks, scene.Tick{At: t.At / 100, Label: t.Label + " %"})
	}
	return a
}
