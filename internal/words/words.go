// Package words writes quantities the way people read them: durations, shares,
// amounts of data, counts, lists.
//
// Where the same quantity is written in several ways, each way has a name here
// and says what it is for: a second formatter elsewhere is a defect. What is not
// known (NaN) or has no end is written [Unknown]. Changes and numbers in figures
// have a minus sign (U+2212), other numbers a hyphen.
//
// The package does not write what programs read back (JSON, CSV, YAML): that is
// strconv's; [Shell] quotes for people who copy a command. It does not choose ticks of axes (show/scene).
// The browser's own texts follow the same cases: testdata/cases.json.
package words

import (
	"math"
	"strconv"
	"strings"
)

// Unknown is written for what is not known.
const Unknown = "–"

// narrow is the thin space between groups of digits in figures.
const narrow = "\u2009"

// Integer is what can be counted with.
type Integer interface{ ~int | ~int32 | ~int64 }

// Count writes a whole number with spaces between groups of three digits, for
// text: "1 234 567".
func Count[T Integer](n T) string { return group(strconv.FormatInt(int64(n), 10), 4, " ") }

// CountThin is [Count] with thin spaces, for figures.
func CountThin[T Integer](n T) string { return group(strconv.FormatInt(int64(n), 10), 4, narrow) }

// Grouped puts thin spaces into a decimal number of five digits before the
// point and more, as labels of axes have it: "1000", "12 345.5".
func Grouped(number string) string { return group(number, 5, narrow) }

// group puts a space between groups of three digits before the point, if there
// are at least so many.
func group(number string, least int, space string) string {
	from := 0
	for from < len(number) && (number[from] < '0' || number[from] > '9') {
		from++ // a sign
	}
	to := from
	for to < len(number) && number[to] >= '0' && number[to] <= '9' {
		to++
	}
	if to-from < least {
		return number
	}
	var b strings.Builder
	b.WriteString(number[:from])
	for i := from; i < to; i++ {
		if i > from && (to-i)%3 == 0 {
			b.WriteString(space)
		}
		b.WriteByte(number[i])
	}
	b.WriteString(number[to:])
	return b.String()
}

// Plural joins a count and a noun whose plural ends in s: "1 task",
// "1 300 tasks".
func Plural[T Integer](n T, noun string) string { return Plurals(n, noun, noun+"s") }

// Plurals is [Plural] for other plurals: "1 copy", "2 copies".
func Plurals[T Integer](n T, one, many string) string { return counted(n, Count(n), one, many) }

// PluralThin is [Plurals] with thin spaces, for figures.
func PluralThin[T Integer](n T, one, many string) string { return counted(n, CountThin(n), one, many) }

// Agree is the form of a verb, or of any words, that goes with a number: one for
// 1, many for all others.
func Agree[T Integer](n T, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func counted[T Integer](n T, number, one, many string) string {
	return number + " " + Agree(n, one, many)
}

// Number writes a number for figures: rounded to so many decimals, without
// zeros at the end.
func Number(v float64, decimals int) string {
	if !finite(v) {
		return Unknown
	}
	return minus(unsigned(trimmed(strconv.FormatFloat(v, 'f', decimals, 64))))
}

// Fixed writes a number for figures with exactly so many decimals.
func Fixed(v float64, decimals int) string {
	if !finite(v) {
		return Unknown
	}
	return minus(unsigned(strconv.FormatFloat(v, 'f', decimals, 64)))
}

// unsigned takes the sign off a number that is rounded to zero.
func unsigned(s string) string {
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// trimmed is a decimal number without zeros at its end.
func trimmed(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// minus gives a number the sign of typography.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// significant writes so many significant digits, and never less than the whole
// number.
func significant(v float64, digits int) string {
	after := digits - 1
	for limit := 10 - 5*math.Pow10(-digits); after > 0 && math.Abs(v) >= limit; limit *= 10 {
		after--
	}
	return strconv.FormatFloat(v, 'f', after, 64)
}
