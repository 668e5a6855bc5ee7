package kit

import (
	"math"

	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
)

// YAxis is a vertical axis of values, from bottom to top of a body.
type YAxis struct {
	Low, High   float64 // values at the lower and upper edge
	Top, Bottom float32 // where these are, pixels
	Unit        string  // in which ticks are written
	Per         float64 // values for one of that unit
}

// Room of curves above and below, so that a line along an edge is seen.
const (
	CurveAbove = 5
	CurveBelow = 2
)

// NewAxis is an axis on a body of some height. It starts at zero, or at the
// least value where there are negative ones.
func NewAxis(low, high, height float64, unit string) YAxis {
	low = min(low, 0)
	if !(high > low) {
		high = low + 1
	}
	edge := float32(min(1, max(height, 1)/(2*(CurveAbove+CurveBelow)))) // at least half of a low body is left
	a := YAxis{Low: low, High: high, Top: CurveAbove * edge, Bottom: float32(max(height, 1)) - CurveBelow*edge}
	a.Unit, a.Per = scaled(unit, max(high, -low))
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

// Y is where a value lies; what is beyond the axis lies beyond the body.
func (a *YAxis) Y(v float64) float32 {
	share := (v - a.Low) / (a.High - a.Low)
	return a.Bottom - float32(share)*(a.Bottom-a.Top)
}

// Value writes a value with its unit.
func (a *YAxis) Value(v float64) string { return Number(v/a.Per) + unitAfter(a.Unit) }

// Amount writes a value in the unit that suits it.
func Amount(v float64, unit string) string {
	unit, per := scaled(unit, v)
	return Number(v/per) + unitAfter(unit)
}

func unitAfter(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}

// Number writes a number with four significant digits at most.
func Number(v float64) string {
	size := math.Abs(v)
	if size >= 1000 || v == math.Trunc(v) {
		return words.CountThin(int(math.Round(v)))
	}
	digits := 3 - int(math.Floor(math.Log10(size)))
	return words.Number(v, min(max(digits, 0), 6))
}

// Ticks are the labelled values.
func (a *YAxis) Ticks() []scene.Tick {
	height, least := float64(a.Bottom-a.Top), 22.0
	if a.Unit == "" { // a number of things: nothing between whole ones
		least = max(least, height/(a.High-a.Low))
	}
	ticks := scene.YTicks(a.Low/a.Per, a.High/a.Per, height, least)
	for i := range ticks {
		ticks[i].At *= a.Per
	}
	return ticks
}

// Grid draws a line at each tick, left to right through the window.
func (a *YAxis) Grid(q core.Query) scene.Layer {
	l := scene.Layer{Name: "grid"}
	for _, t := range a.Ticks() {
		y := float32(math.Floor(float64(a.Y(t.At)))) + 0.5
		color := scene.Grid
		if t.At == 0 {
			color = scene.Border
		}
		l.Lines = append(l.Lines, scene.Line{X: []float64{float64(q.T0), float64(q.T1)}, Y: []float32{y, y}, Color: color, Width: 1})
	}
	return l
}

const TickSize = 10

// Labels writes the ticks left of the body, offset down by some pixels.
func (a *YAxis) Labels(down float32) scene.Layer {
	l := scene.Layer{Name: "ticks", Unit: scene.Pixels}
	for _, t := range a.Ticks() {
		l.Texts = append(l.Texts, scene.Text{X: -LabelAway, Y: down + a.Y(t.At), S: t.Label, Size: TickSize, Color: scene.Soft, Anchor: scene.End})
	}
	return l
}
