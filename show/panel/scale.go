package panel

import (
	"math"
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/show/scene"
)

// scale is a linear or logarithmic axis of values, for panels that have both
// axes of their own. low and high are what at makes of the values at the edges.
type scale struct {
	low, high float64
	log       bool
}

// newScale holds values from low to high, with a little room at both ends.
// Logarithmic scales hold positive ones only.
func newScale(low, high float64, log bool) scale {
	s := scale{log: log}
	if log {
		low = max(low, math.SmallestNonzeroFloat32)
		high = max(high, low)
	} else {
		low = min(low, 0)
	}
	s.low, s.high = s.at(low), s.at(high)
	if !(s.high > s.low) {
		s.low, s.high = s.low-0.5, s.high+0.5
	}
	room := (s.high - s.low) / 40
	if log || low < 0 {
		s.low -= room
	}
	s.high += room
	return s
}

// with is a scale that holds another too.
func (s scale) with(other scale) scale {
	s.low, s.high = min(s.low, other.low), max(s.high, other.high)
	return s
}

// at is where a value lies.
func (s *scale) at(v float64) float64 {
	if s.log {
		return math.Log10(max(v, math.SmallestNonzeroFloat32))
	}
	return v
}

// back is the value at a place.
func (s *scale) back(x float64) float64 {
	if s.log {
		return math.Pow(10, x)
	}
	return x
}

// ticks label values over so many pixels; durations are written as such.
func (s *scale) ticks(pixels float64, durations bool) []scene.Tick {
	write := plainTick
	if durations {
		write = words.Tick
	}
	if s.log {
		ticks := scene.LogTicks(s.low, s.high, pixels*3, 11, write) // labels are as high as a third of their width
		return thinned(ticks, (s.high-s.low)/pixels*14)
	}
	ticks := scene.YTicks(s.low, s.high, pixels, 18)
	if durations {
		for i := range ticks {
			ticks[i].Label = words.Tick(ticks[i].At)
		}
	}
	return ticks
}

// thinned leaves out ticks that are closer than a distance to the one before.
func thinned(ticks []scene.Tick, apart float64) (out []scene.Tick) {
	for _, t := range ticks {
		if len(out) == 0 || t.At-out[len(out)-1].At >= apart {
			out = append(out, t)
		}
	}
	return out
}

// axis is a horizontal axis of plain numbers.
func (s *scale) axis(width int, label string) *scene.Axis {
	a := &scene.Axis{Min: s.low, Max: s.high, Label: label}
	if s.log {
		a.Ticks = scene.LogTicks(s.low, s.high, float64(width), 11, plainTick)
	} else {
		a.Ticks = scene.Ticks(s.low, s.high, float64(width), 11)
	}
	return a
}

// plainTick writes a round number, with an exponent where it is far from 1.
func plainTick(v float64) string {
	text := strconv.FormatFloat(v, 'g', 3, 64)
	text = strings.Replace(text, "e+0", "e", 1)
	text = strings.Replace(text, "e+", "e", 1)
	return strings.Replace(text, "e-0", "e−", 1)
}
