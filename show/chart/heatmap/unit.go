package heatmap

import (
	"math"
	"strings"

	"dagscope/internal/words"
)

// units are those of columns by the end of their names, from the smallest.
var units = map[string][]words.Unit{
	"_ns":    words.Times,
	"_us":    {{Name: "µs", Per: 1}, {Name: "ms", Per: 1e3}, {Name: "s", Per: 1e6}},
	"_ms":    {{Name: "ms", Per: 1}, {Name: "s", Per: 1e3}},
	"_s":     {{Name: "s", Per: 1}},
	"_share": {{Name: "%", Per: 0.01}},
}

// unitOf finds the title and the unit of a column: the largest in which the
// greatest value is at least one, or the smallest.
// A plain number has a unit without name.
func unitOf(column string, greatest float64) (title string, u words.Unit) {
	for end, all := range units {
		if name, ok := strings.CutSuffix(column, end); ok && name != "" {
			return titleOf(name), words.UnitFor(greatest, all)
		}
	}
	return titleOf(column), words.Unit{Per: 1}
}

func titleOf(name string) string { return strings.ReplaceAll(name, "_", " ") }

// digits is how many decimals values need whose greatest is so large: three
// significant ones.
func digits(greatest float64) int {
	if greatest <= 0 || math.IsInf(greatest, 0) || greatest != greatest {
		return 0
	}
	return min(max(2-int(math.Floor(math.Log10(greatest))), 0), 6)
}

// decimalsFor are enough for the greatest value and, as far as one more does it,
// to tell the least from zero.
func decimalsFor(least, greatest float64) int {
	n := digits(greatest)
	for more := 0; more < 1 && least > 0 && least < 0.5*math.Pow10(-n); more++ {
		n++
	}
	return n
}

// scale turns values into colours and texts.
type scale struct {
	low, high float64 // of the colours
	log       bool
	unit      words.Unit
	decimals  int
}

func (s *scale) share(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	if high <= low {
		return 0
	}
	return (v - low) / (high - low)
}

// value is the inverse of share.
func (s *scale) value(share float64) float64 {
	if s.log {
		return math.Exp(math.Log(s.low) + share*(math.Log(s.high)-math.Log(s.low)))
	}
	return s.low + share*(s.high-s.low)
}

// write writes a value as in the cells, all with the same decimals.
func (s *scale) write(v float64) string {
	return words.Fixed(v/s.unit.Per, s.decimals)
}

// alone writes a value of a column by itself, in the unit and with the decimals
// that suit it.
func alone(column string, v float64) string {
	_, u := unitOf(column, math.Abs(v))
	text := words.Number(v/u.Per, digits(math.Abs(v)/u.Per))
	if u.Name == "" {
		return text
	}
	return text + " " + u.Name
}
