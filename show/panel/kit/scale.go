package kit

import (
	"math"
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/show/scene"
)

// Scale is a linear or logarithmic axis of values, for panels that have both
// axes of their own. low and high are what at makes of the values at the edges.
type Scale struct {
	Low, High float64
	Log       bool
}

// NewScale holds values from low to high, with a little room at both ends.
// Logarithmic scales hold positive ones only.
func NewScale(low, high float64, log bool) Scale {
	s := Scale{Log: log}
	if log {
		low = max(low, math.SmallestNonzeroFloat32)
		high = max(high, low)
	} else {
		low = min(low, 0)
	}
	s.Low, s.High = s.At(low), s.At(high)
	if !(s.High > s.Low) {
		s.Low, s.High = s.Low-0.5, s.High+0.5
	}
	room := (s.High - s.Low) / 40
	if log || low < 0 {
		s.Low -= room
	}
	s.High += room
	return s
}

// With is a scale that holds another too.
func (s Scale) With(other Scale) Scale {
	s.Low, s.High = min(s.Low, other.Low), max(s.High, other.High)
	return s
}

// At is where a value lies.
func (s *Scale) At(v float64) float64 {
	if s.Log {
		return math.Log10(max(v, math.SmallestNonzeroFloat32))
	}
	return v
}

// Back is the value at a place.
func (s *Scale) Back(x float64) float64 {
	if s.Log {
		return math.Pow(10, x)
	}
	return x
}

// Ticks label values over so many pixels; durations are written as such.
func (s *Scale) Ticks(pixels float64, durations bool) []scene.Tick {
	write := PlainTick
	if durations {
		write = words.Tick
	}
	if s.Log {
		ticks := scene.LogTicks(s.Low, s.High, pixels*3, 11, write) // labels are as high as a third of their width
		return thinned(ticks, (s.High-s.Low)/pixels*14)
	}
	ticks := scene.YTicks(s.Low, s.High, pixels, 18)
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

// Axis is a horizontal axis of plain numbers.
func (s *Scale) Axis(width int, label string) *scene.Axis {
	a := &scene.Axis{Min: s.Low, Max: s.High, Label: label}
	if s.Log {
		a.Ticks = scene.LogTicks(s.Low, s.High, float64(width), 11, PlainTick)
	} else {
		a.Ticks = scene.Ticks(s.Low, s.High, float64(width), 11)
	}
	return a
}

// PlainTick writes a round number, with an exponent where it is far from 1.
func PlainTick(v float64) string {
	text := strconv.FormatFloat(v, 'g', 3, 64)
	text = strings.Replace(text, "e+0", "e", 1)
	text = strings.Replace(text, "e+", "e", 1)
	return strings.Replace(text, "e-0", "e−", 1)
}
