package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/internal/words"
	"dagscope/predict/campaign"
	"dagscope/show/scene"
)

// tickSize is the font size of labels of axes, pixels.
const tickSize = 10

// xAxis places the values of a parameter.
type xAxis struct {
	key    int
	name   string
	values []string  // in order
	at     []float64 // where each lies: its number, the logarithm of it, or its rank
	log    bool
	ranks  bool // values are texts
	// workers says that values count workers or nodes, so that speed-up means
	// something.
	workers bool
}

func newXAxis(t *campaign.Table, key int, linear bool) xAxis {
	d := data{t: t}
	a := xAxis{key: key, name: t.Keys[key], values: d.values(key)}
	a.ranks = !campaign.Numeric(a.values)
	a.workers = !a.ranks && slices.Contains([]string{"cpus", "gpus", "nodes"}, Short(a.name))
	for i, v := range a.values {
		if a.ranks {
			a.at = append(a.at, float64(i))
		} else {
			a.at = append(a.at, campaign.Number(v))
		}
	}
	if a.log = !linear && !a.ranks && geometric(a.at); a.log {
		for i := range a.at {
			a.at[i] = math.Log10(a.at[i])
		}
	}
	return a
}

// geometric tells whether ascending numbers are spread more evenly by their
// ratios than by their differences, over a factor of eight at least.
func geometric(at []float64) bool {
	n := len(at)
	if n < 3 || at[0] <= 0 || at[n-1] < 8*at[0] {
		return false
	}
	uneven := func(step func(a, b float64) float64) float64 {
		least, most := math.Inf(1), 0.0
		for i := 1; i < n; i++ {
			s := step(at[i-1], at[i])
			least, most = min(least, s), max(most, s)
		}
		return most / least
	}
	return uneven(func(a, b float64) float64 { return math.Log(b / a) }) < uneven(func(a, b float64) float64 { return b - a })
}

// place is the rank of a value.
func (a *xAxis) place(value string) int { return slices.Index(a.values, value) }

// number is the value at a place.
func (a *xAxis) number(place int) float64 { return campaign.Number(a.values[place]) }

// scene is the axis of a panel, without ticks.
func (a *xAxis) scene() *scene.Axis {
	lo, hi := a.at[0], a.at[len(a.at)-1]
	margin := 0.04 * (hi - lo)
	if lo == hi {
		margin = 1
	}
	if a.ranks {
		margin = 0.5
	}
	label := strings.ReplaceAll(Short(a.name), "_", " ")
	return &scene.Axis{Min: lo - margin, Max: hi + margin, Label: label}
}

// ticks are the values themselves as far as they have room, else round numbers.
func (a *xAxis) ticks(width float64) (ticks []scene.Tick) {
	axis := a.scene()
	scale := width / (axis.Max - axis.Min)
	last := math.Inf(-1)
	for i, v := range a.values {
		half := scene.TextWidth(v, tickSize, false)/2 + 3
		if x := a.at[i] * scale; x-half >= last {
			ticks = append(ticks, scene.Tick{At: a.at[i], Label: v})
			last = x + half
		}
	}
	if len(ticks) == len(a.values) || a.ranks {
		return ticks
	}
	if a.log {
		return scene.LogTicks(axis.Min, axis.Max, width, tickSize, func(v float64) string { return words.Number(v, 6) })
	}
	return scene.Ticks(axis.Min, axis.Max, width, tickSize)
}

// yAxis places values from the bottom up.
type yAxis struct {
	lo, hi float64 // in units, or their decimal logarithms
	log    bool
	unit   string
	per    float64 // values for one unit
}

// height of panels, and what stays free above and below, pixels.
const (
	height = 150
	above  = 8
	below  = 4
)

// newYAxis fits values. Where all are shares they start at zero.
func newYAxis(values []float64, m measure, linear bool) yAxis {
	a := yAxis{lo: math.Inf(1), hi: math.Inf(-1)}
	for _, v := range values {
		a.lo, a.hi = min(a.lo, v), max(a.hi, v)
	}
	if math.IsInf(a.lo, 0) {
		a.lo, a.hi = 0, 1
	}
	u := m.unitOf(max(math.Abs(a.hi), math.Abs(a.lo)))
	a.unit, a.per = u.Name, u.Per
	a.lo, a.hi = a.lo/a.per, a.hi/a.per
	if a.log = !linear && m.logarithmic && a.lo > 0 && a.hi > 20*a.lo; a.log {
		a.lo, a.hi = math.Log10(a.lo), math.Log10(a.hi)
		return a
	}
	a.lo = min(a.lo, 0)
	if a.hi <= a.lo {
		a.hi = a.lo + 1
	}
	return a
}

// y is the height of a value in pixels from the top.
func (a *yAxis) y(v float64) float32 {
	v /= a.per
	if a.log {
		v = math.Log10(v)
	}
	return float32(height - below - (height-above-below)*(v-a.lo)/(a.hi-a.lo))
}

// ticks are round numbers, in units.
func (a *yAxis) ticks() []scene.Tick {
	if a.log {
		ticks := scene.LogTicks(a.lo, a.hi, height*4, tickSize, func(v float64) string { return words.Number(v, 6) })
		for i := range ticks {
			ticks[i].At = math.Pow(10, ticks[i].At)
		}
		return ticks
	}
	return scene.YTicks(a.lo, a.hi, height-above-below, 26)
}

// grid are lines across the body, labels are the numbers at its left.
func (a *yAxis) grid(x *scene.Axis) (grid, labels scene.Layer) {
	grid, labels = scene.Layer{Name: "grid"}, scene.Layer{Name: "ticks", Unit: scene.Pixels}
	last := float32(math.Inf(1))
	for _, t := range a.ticks() {
		y := float32(math.Floor(float64(a.y(t.At*a.per)))) + 0.5
		if last-y < 12 {
			continue
		}
		last = y
		grid.Lines = append(grid.Lines, scene.Line{X: []float64{x.Min, x.Max}, Y: []float32{y, y}, Color: scene.Grid, Width: 1})
		labels.Texts = append(labels.Texts, scene.Text{X: -6, Y: y, S: t.Label, Size: tickSize, Color: scene.Soft, Anchor: scene.End})
	}
	return grid, labels
}

// label is the name of a measure with the unit of its axis.
func (a *yAxis) label(name string) string {
	if a.unit == "" {
		return name
	}
	return fmt.Sprintf("%s [%s]", name, a.unit)
}
