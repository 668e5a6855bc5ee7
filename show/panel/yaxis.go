package panel

import (
	"math"

	"dagscope/internal/words"
	"dagscope/show/scene"
)

// yAxis is a vertical axis of values, from bottom to top of a body.
type yAxis struct {
	low, high   float64 // values at the lower and upper edge
	top, bottom float32 // where these are, pixels
	unit        string  // in which ticks are written
	per         float64 // values for one of that unit
}

// Room of curves above and below, so that a line along an edge is seen.
const (
	curveAbove = 5
	curveBelow = 2
)

// newAxis is an axis on a body of some height. It starts at zero, or at the
// least value where there are negative ones.
func newAxis(low, high, height float64, unit string) yAxis {
	low = min(low, 0)
	if !(high > low) {
		high = low + 1
	}
	edge := float32(min(1, max(height, 1)/(2*(curveAbove+curveBelow)))) // at least half of a low body is left
	a := yAxis{low: low, high: high, top: curveAbove * edge, bottom: float32(max(height, 1)) - curveBelow*edge}
	a.unit, a.per = scaled(unit, max(high, -low))
	return a
}

// scaled is the unit in which values of some size are written, and how many of
// the original unit it is.
func scaled(unit string, peak float64) (string, float64) {
	larger := map[string]string{"MB/s": "GB/s", "GFlop/s": "TFlop/s"}
	if to, ok := larger[unit]; ok && peak >= 2000 {
		return to, 1000
	}
	return unit, 1
}

// y is where a value lies; what is beyond the axis lies beyond the body.
func (a *yAxis) y(v float64) float32 {
	share := (v - a.low) / (a.high - a.low)
	return a.bottom - float32(share)*(a.bottom-a.top)
}

// value writes a value with its unit.
func (a *yAxis) value(v float64) string { return number(v/a.per) + unitAfter(a.unit) }

// amount writes a value in the unit that suits it.
func amount(v float64, unit string) string {
	unit, per := scaled(unit, v)
	return number(v/per) + unitAfter(unit)
}

func unitAfter(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}

// number writes a number with four significant digits at most.
func number(v float64) string {
	size := math.Abs(v)
	if size >= 1000 || v == math.Trunc(v) {
		return words.CountThin(int(math.Round(v)))
	}
	digits := 3 - int(math.Floor(math.Log10(size)))
	return words.Number(v, min(max(digits, 0), 6))
}

// ticks are the labelled values.
func (a *yAxis) ticks() []scene.Tick {
	height, least := float64(a.bottom-a.top), 22.0
	if a.unit == "" { // a number of things: nothing between whole ones
		least = max(least, height/(a.high-a.low))
	}
	ticks := scene.YTicks(a.low/a.per, a.high/a.per, height, least)
	for i := range ticks {
		ticks[i].At *= a.per
	}
	return ticks
}

// grid draws a line at each tick, left to right through the window.
func (a *yAxis) grid(q Query) scene.Layer {
	l := scene.Layer{Name: "grid"}
	for _, t := range a.ticks() {
		y := float32(math.Floor(float64(a.y(t.At)))) + 0.5
		color := scene.Grid
		if t.At == 0 {
			color = scene.Border
		}
		l.Lines = append(l.Lines, scene.Line{X: []float64{float64(q.T0), float64(q.T1)}, Y: []float32{y, y}, Color: color, Width: 1})
	}
	return l
}

const tickSize = 10

// labels writes the ticks left of the body, offset down by some pixels.
func (a *yAxis) labels(down float32) scene.Layer {
	l := scene.Layer{Name: "ticks", Unit: scene.Pixels}
	for _, t := range a.ticks() {
		l.Texts = append(l.Texts, scene.Text{X: -labelAway, Y: down + a.y(t.At), S: t.Label, Size: tickSize, Color: scene.Soft, Anchor: scene.End})
	}
	return l
}
