package chart

import (
	"math"

	"dagscope/internal/words"
	"dagscope/show/scene"
)

// scale places numbers along an axis: as they are, or by their decimal
// logarithms. Its ends are given as placed.
type scale struct {
	low, high float64
	log       bool
}

// newScale is the scale from one value to another, which are above 0 if it is
// logarithmic.
func newScale(low, high float64, log bool) scale {
	s := scale{log: log}
	s.low, s.high = s.at(low), s.at(high)
	return s
}

// at is where a value lies.
func (s *scale) at(v float64) float64 {
	if s.log {
		return math.Log10(v)
	}
	return v
}

// back is the value that lies at x.
func (s *scale) back(x float64) float64 {
	if s.log {
		return math.Pow(10, x)
	}
	return x
}

// share is how far from low to high x lies: 0 to 1, and 0 on a scale without
// length.
func (s *scale) share(x float64) float64 {
	if s.high <= s.low {
		return 0
	}
	return (x - s.low) / (s.high - s.low)
}

// with is the scale extended to hold another.
func (s scale) with(other scale) scale {
	s.low, s.high = min(s.low, other.low), max(s.high, other.high)
	return s
}

// ticks are round numbers over so many pixels from left to right; label writes
// those of a logarithmic scale.
func (s *scale) ticks(width float64, label func(float64) string) []scene.Tick {
	if s.log {
		return scene.LogTicks(s.low, s.high, width, labelFont, label)
	}
	return scene.Ticks(s.low, s.high, width, labelFont)
}

// plainNumber writes a tick of a logarithmic scale without exponent.
func plainNumber(v float64) string { return words.Number(v, 6) }
