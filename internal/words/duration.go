package words

import (
	"math"
	"strconv"
	"strings"
)

// Unit is a unit of some quantity.
type Unit struct {
	Name string
	Per  float64 // basic units in one of it: ns, bytes, flops
}

// Units, from the smallest.
var (
	Times = []Unit{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}
	Flops = []Unit{{"kFlop", 1e3}, {"MFlop", 1e6}, {"GFlop", 1e9}} // the field counts in GFlop, however many
	Data  = []Unit{{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}
)

// UnitFor is the largest of some units of which v is at least one, the smallest
// if there is none.
func UnitFor(v float64, units []Unit) Unit {
	u := units[0]
	for _, larger := range units[1:] {
		if math.Abs(v) >= larger.Per {
			u = larger
		}
	}
	return u
}

// rounded is [UnitFor] once v has been rounded to so many significant digits:
// 999.96 µs are 1.000 ms.
func rounded(v float64, digits int, units []Unit) Unit {
	return UnitFor(v/(1-0.5*math.Pow10(-digits)), units)
}

// Duration writes a time with four significant digits, for figures and
// comparisons: "447.6 ms", "1.361 s"; whole nanoseconds below 1 µs.
func Duration[T ~int64 | ~float64](ns T) string {
	v := float64(ns)
	if !finite(v) {
		return Unknown
	}
	u := rounded(v, 4, Times)
	if u.Per == 1 {
		return strconv.FormatInt(int64(math.Round(v)), 10) + " " + u.Name
	}
	return significant(v/u.Per, 4) + " " + u.Name
}

// Tick is [Duration] without zeros at the end, for axes: "20 ms".
func Tick(ns float64) string {
	number, unit, _ := strings.Cut(Duration(ns), " ")
	return strings.TrimSuffix(trimmed(number)+" "+unit, " ")
}

// Change is a difference of times, with its sign: "+447.6 ms", "−1.361 s".
func Change(ns int64) string {
	if ns < 0 {
		return "−" + Duration(-float64(ns))
	}
	return "+" + Duration(ns)
}

// FromTo writes two times in the unit of the larger: "40.12 → 137.3 ms".
func FromTo(a, b int64) string {
	u := rounded(math.Max(math.Abs(float64(a)), math.Abs(float64(b))), 4, Times)
	if u.Per == 1 {
		return Count(a) + " → " + Count(b) + " ns"
	}
	digits := func(ns int64) string {
		if ns == 0 {
			return "0"
		}
		return significant(float64(ns)/u.Per, 4)
	}
	return digits(a) + " → " + digits(b) + " " + u.Name
}

// Brief writes a time with up to three digits, for sentences: "12.3 ms",
// "2 s".
func Brief[T ~int64 | ~float64](ns T) string {
	switch v := float64(ns); {
	case !finite(v):
		return Unknown
	case v < 0:
		return "−" + Brief(-v)
	default:
		return brief(v, Times)
	}
}

// brief writes an amount with up to three digits; whole numbers of the smallest
// unit.
func brief(v float64, units []Unit) string {
	u := rounded(v, 3, units)
	if u.Per == units[0].Per {
		return strconv.FormatFloat(v, 'f', 0, 64) + " " + u.Name
	}
	return trimmed(significant(v/u.Per, 3)) + " " + u.Name
}

// Precise writes a time with three decimals, for results that are compared from
// run to run: "347.626 ms".
func Precise(ns int64) string {
	if u := UnitFor(float64(ns), Times); u.Per > 1 {
		return strconv.FormatFloat(float64(ns)/u.Per, 'f', 3, 64) + " " + u.Name
	}
	return strconv.FormatInt(ns, 10) + " ns"
}

// MS is a number of milliseconds with three decimals, for columns and sentences
// that name the unit once: "1 234.568". It is exact, and rounded away from zero
// at halves.
func MS(ns int64) string { return MSTo(ns, 3) }

// MSTo is [MS] with so many decimals, 0 to 6.
func MSTo(ns int64, decimals int) string { return fixed(ns, 6, decimals) }

// MSColumn is [MS] without spaces, for tables that are copied into other
// programs: "1234.568".
func MSColumn(ns int64) string { return strings.ReplaceAll(MS(ns), " ", "") }

// MSExact is [MSColumn] with all nanoseconds, so that sums can be checked by
// eye.
func MSExact(ns int64) string { return strings.ReplaceAll(MSTo(ns, 6), " ", "") }

// US is [MS] for microseconds.
func US(ns int64) string { return USTo(ns, 3) }

// USTo is [US] with so many decimals, 0 to 3.
func USTo(ns int64, decimals int) string { return fixed(ns, 3, decimals) }

// ChangeMS is a difference in a column of milliseconds, with its sign: "+1.234",
// "−1.234", "0".
func ChangeMS(ns int64) string {
	switch {
	case ns > 0:
		return "+" + MSColumn(ns)
	case ns < 0:
		return "−" + strings.TrimPrefix(MSColumn(ns), "-")
	}
	return "0"
}

// InMS is [MS] with its unit, for times that are compared with a column of
// milliseconds: "1 234.568 ms".
func InMS(ns int64) string { return MS(ns) + " ms" }

// fixed writes n / 10^shift with some decimals.
func fixed(n int64, shift, decimals int) string {
	sign, abs := "", uint64(n)
	if n < 0 {
		sign, abs = "-", -abs
	}
	cut := uint64(1)
	for range shift - decimals {
		cut *= 10
	}
	abs = (abs + cut/2) / cut
	if abs == 0 {
		sign = ""
	}
	digits := strconv.FormatUint(abs, 10)
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole, fraction := digits[:len(digits)-decimals], digits[len(digits)-decimals:]
	if whole = sign + group(whole, 4, " "); decimals == 0 {
		return whole
	}
	return whole + "." + fraction
}
