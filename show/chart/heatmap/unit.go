package heatmap

import (
	"math"
	"strconv"
	"strings"

	"dagscope/show/scene"
)

// unit is how values of a column are written.
type unit struct {
	name string  // "" for plain numbers
	per  float64 // values for one of it
}

// units are those of columns by the end of their names, from the smallest.
var units = map[string][]unit{
	"_ns":    {{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}},
	"_us":    {{"µs", 1}, {"ms", 1e3}, {"s", 1e6}},
	"_ms":    {{"ms", 1}, {"s", 1e3}},
	"_s":     {{"s", 1}},
	"_share": {{"%", 0.01}},
}

// unitOf finds the title and the unit of a column: the largest in which the
// greatest value is at least one, or the smallest.
func unitOf(column string, greatest float64) (title string, u unit) {
	for end, all := range units {
		name, ok := strings.CutSuffix(column, end)
		if !ok || name == "" {
			continue
		}
		u = all[0]
		for _, larger := range all[1:] {
			if greatest/larger.per >= 1 {
				u = larger
			}
		}
		return words(name), u
	}
	return words(column), unit{per: 1}
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

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
	unit      unit
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
	text := strconv.FormatFloat(v/s.unit.per, 'f', s.decimals, 64)
	if zero := strings.Trim(text, "-0.") == ""; zero {
		text = strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", "−", 1)
}

// alone writes a value of a column by itself, in the unit and with the decimals
// that suit it.
func alone(column string, v float64) string {
	_, u := unitOf(column, math.Abs(v))
	text := scene.FormatNumber(v/u.per, digits(math.Abs(v)/u.per))
	if u.name == "" {
		return text
	}
	return text + " " + u.name
}
