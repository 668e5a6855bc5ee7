package kit

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
)

// Readings are of instants: the step functions themselves, not what a pixel
// shows of them.

// Exactly writes a number: whole ones as they are, others with six digits.
func Exactly(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return words.CountThin(int(v))
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// Reading is a value with its unit.
func Reading(label string, v float64, unit string, color scene.Color) core.Reading {
	return core.Reading{Label: label, Value: Exactly(v), Unit: unit, Color: color}
}

// At reads the curves, of many their mean and range.
func (v *Curves) At(t int64) []core.Reading {
	var out []core.Reading
	unit := v.Unit
	if unit == "" {
		unit = v.Label
	}
	values := make([]float64, len(v.Curves))
	sum := 0.0
	for i := range v.Curves {
		c := &v.Curves[i]
		values[i] = SlicedAt(c.steps, t, v.Options.Step)
		sum += values[i]
		out = append(out, Reading(c.label, values[i], unit, c.Color))
	}
	if len(out) <= MostCurves {
		return out
	}
	return []core.Reading{Reading(fmt.Sprintf("mean of %d %s", len(values), v.Many), sum/float64(len(values)), unit, SeriesColors[0]),
		Reading("least", slices.Min(values), unit, scene.None), Reading("most", slices.Max(values), unit, scene.None)}
}

// SlicedAt is the value at an instant, or the mean of its slice where slices
// were asked for.
func SlicedAt(c *Compact, t, step int64) float64 {
	if step <= 0 {
		return c.At(t)
	}
	return c.Sliced(step, t, t+1).At(t)
}

// At reads what flows at each place.
func (v *Bands) At(t int64) []core.Reading {
	var out []core.Reading
	for i := range v.Bands {
		b := &v.Bands[i]
		label := b.Label
		if b.Group != "" {
			label = b.Group + " " + label
		}
		for side, curves := range [][]*Compact{b.Up, b.Down} {
			if curves == nil {
				continue
			}
			sum := 0.0
			for _, f := range curves {
				sum += SlicedAt(f, t, v.step)
			}
			what := label
			if b.Down != nil {
				what += [...]string{" in", " out"}[side]
			}
			out = append(out, Reading(what, sum, v.unit, v.Colors[side]))
		}
	}
	return out
}

// StatesAt counts pieces at an instant by name, the most frequent first.
func (g *Gantt) StatesAt(t int64, name func(row int) string) []core.Reading {
	count := map[string]int{}
	color := map[string]scene.Color{}
	for l := range g.Lanes.Lanes {
		g.Covering(l, t, func(p Piece) {
			n := name(int(p.Row))
			count[n]++
			color[n] = g.Palette[p.Class]
		})
	}
	var names []string
	for n := range count {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return core.CompareNatural(a, b)
	})
	var out []core.Reading
	for _, n := range names {
		out = append(out, Reading(n, float64(count[n]), "rows", color[n]))
	}
	return out
}
