package chart

import (
	"fmt"
	"math"
	"slices"

	"dagscope/internal/words"
	"dagscope/predict/campaign"
	"dagscope/show/scene"
)

// parameterAxis places the values of a parameter.
type parameterAxis struct {
	scale  scale // with a margin at both ends
	key    int
	name   string
	values []string  // in order
	at     []float64 // where each lies: its number, the logarithm of it, or its rank
	ranks  bool      // values are texts
	// workers says that values count workers or nodes, so that speed-up means
	// something.
	workers bool
}

func newParameterAxis(t *campaign.Table, key int, linear bool) parameterAxis {
	d := arranged{t: t}
	a := parameterAxis{key: key, name: t.Keys[key], values: d.values(key)}
	a.ranks = !campaign.Numeric(a.values)
	a.workers = !a.ranks && slices.Contains([]string{"cpus", "gpus", "nodes"}, shortKey(a.name))
	for i, v := range a.values {
		if a.ranks {
			a.at = append(a.at, float64(i))
		} else {
			a.at = append(a.at, campaign.Number(v))
		}
	}
	a.scale.log = !linear && !a.ranks && geometric(a.at)
	for i := range a.at {
		a.at[i] = a.scale.at(a.at[i])
	}
	low, high := a.at[0], a.at[len(a.at)-1]
	margin := 0.04 * (high - low)
	if low == high {
		margin = 1
	}
	if a.ranks {
		margin = 0.5
	}
	a.scale.low, a.scale.high = low-margin, high+margin
	return a
}

// geometric reports whether ascending numbers are spread more evenly by their
// ratios than by their differences, over a factor of eight at least.
func geometric(at []float64) bool {
	n := len(at)
	if n < 3 || at[0] <= 0 || at[n-1] < 8*at[0] {
		return false
	}
	uneven := func(step func(a, b float64) float64) float64 {
		shortest, longest := math.Inf(1), 0.0
		for i := 1; i < n; i++ {
			s := step(at[i-1], at[i])
			shortest, longest = min(shortest, s), max(longest, s)
		}
		return longest / shortest
	}
	return uneven(func(a, b float64) float64 { return math.Log(b / a) }) < uneven(func(a, b float64) float64 { return b - a })
}

// rank is where a value is in the order of all.
func (a *parameterAxis) rank(value string) int { return slices.Index(a.values, value) }

// number is the value of a rank.
func (a *parameterAxis) number(rank int) float64 { return campaign.Number(a.values[rank]) }

// scene is the axis of a panel, without ticks.
func (a *parameterAxis) scene() *scene.Axis {
	return &scene.Axis{Min: a.scale.low, Max: a.scale.high, Label: readable(shortKey(a.name))}
}

// ticks are the values themselves as far as they have room, else round numbers.
func (a *parameterAxis) ticks(width float64) (ticks []scene.Tick) {
	perUnit := width / (a.scale.high - a.scale.low)
	last := math.Inf(-1)
	for i, v := range a.values {
		half := scene.TextWidth(v, labelFont, false)/2 + 3
		if x := a.at[i] * perUnit; x-half >= last {
			ticks = append(ticks, scene.Tick{At: a.at[i], Label: v})
			last = x + half
		}
	}
	if len(ticks) == len(a.values) || a.ranks {
		return ticks
	}
	return a.scale.ticks(width, plainNumber)
}

// measureAxis places values from the bottom up, in a unit.
type measureAxis struct {
	scale scale
	unit  words.Unit
}

// Height of panels, and what stays free above and below, pixels.
const (
	rowHeight = 150
	rowAbove  = 8
	rowBelow  = 4
)

// newMeasureAxis fits values. It starts at zero unless it is logarithmic.
func newMeasureAxis(values []float64, m measure, linear bool) measureAxis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if math.IsInf(low, 0) {
		low, high = 0, 1
	}
	a := measureAxis{unit: m.unitOf(max(math.Abs(high), math.Abs(low)))}
	low, high = low/a.unit.Per, high/a.unit.Per
	log := !linear && m.logarithmic && low > 0 && high > 20*low
	if !log {
		low = min(low, 0)
		if high <= low {
			high = low + 1
		}
	}
	a.scale = newScale(low, high, log)
	return a
}

// y is where a value lies, in pixels from the top.
func (a *measureAxis) y(v float64) float32 {
	return float32(rowHeight - rowBelow - (rowHeight-rowAbove-rowBelow)*a.scale.share(a.scale.at(v/a.unit.Per)))
}

// ticks are round numbers, in units.
func (a *measureAxis) ticks() []scene.Tick {
	if !a.scale.log {
		return scene.YTicks(a.scale.low, a.scale.high, rowHeight-rowAbove-rowBelow, 26)
	}
	ticks := a.scale.ticks(rowHeight*4, plainNumber)
	for i := range ticks {
		ticks[i].At = a.scale.back(ticks[i].At)
	}
	return ticks
}

// grid are lines across the body, labels are the numbers at its left.
func (a *measureAxis) grid(x *scene.Axis) (grid, labels scene.Layer) {
	grid, labels = scene.Layer{Name: "grid"}, scene.Layer{Name: "ticks", Unit: scene.Pixels}
	last := float32(math.Inf(1))
	for _, t := range a.ticks() {
		y := float32(math.Floor(float64(a.y(t.At*a.unit.Per)))) + 0.5
		if last-y < 12 {
			continue
		}
		last = y
		grid.Lines = append(grid.Lines, scene.Line{X: []float64{x.Min, x.Max}, Y: []float32{y, y}, Color: scene.Grid, Width: 1})
		labels.Texts = append(labels.Texts, sideLabel(t.Label, y))
	}
	return grid, labels
}

// label is the name of a measure with the unit of its axis.
func (a *measureAxis) label(name string) string {
	if a.unit.Name == "" {
		return name
	}
	return fmt.Sprintf("%s [%s]", name, a.unit.Name)
}
