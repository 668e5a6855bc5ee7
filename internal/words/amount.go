package words

import (
	"math"
	"strconv"
)

// Percent writes a share (1 is all) with one decimal: "12.5 %".
func Percent(share float64) string {
	if !finite(share) {
		return Unknown
	}
	return unsigned(strconv.FormatFloat(100*share, 'f', 1, 64)) + " %"
}

// PercentOf is the share that a part is of a whole, "0 %" where there is none.
func PercentOf(part, whole int64) string {
	if whole <= 0 {
		return "0 %"
	}
	return Percent(float64(part) / float64(whole))
}

// PercentFine writes a share with two decimals, for figures, and all without:
// "12.50 %", "100 %".
func PercentFine(share float64) string {
	switch {
	case !finite(share):
		return Unknown
	case share == 1:
		return "100 %"
	}
	return unsigned(strconv.FormatFloat(100*share, 'f', 2, 64)) + " %"
}

// PercentInWords is [Percent] for sentences in which some is neither none nor
// all: "less than 0.1 %".
func PercentInWords(share float64) string {
	switch v := 100 * share; {
	case v > 0 && v < 0.1:
		return "less than 0.1 %"
	case v < 100 && v > 99.9:
		return "more than 99.9 %"
	}
	return Percent(share)
}

// Bytes writes an amount of data with up to three digits, for sentences:
// "3.69 MB" (1e6 bytes).
func Bytes(n int64) string {
	if n < 0 {
		return "−" + brief(-float64(n), Data)
	}
	return brief(float64(n), Data)
}

// BytesFine writes an amount of data for figures: kB and MB with up to one
// decimal, GB and TB with up to two; "0" for nothing.
func BytesFine(bytes float64) string {
	switch {
	case !finite(bytes):
		return Unknown
	case bytes == 0:
		return "0"
	}
	u := UnitFor(bytes, Data[1:])
	decimals := 1
	if u.Per >= 1e9 {
		decimals = 2
	}
	return Number(bytes/u.Per, decimals) + " " + u.Name
}

// MB is a number of megabytes (1e6 bytes) with one decimal, for columns and
// sentences that name the unit: "1234.5".
func MB(bytes int64) string { return unsigned(strconv.FormatFloat(float64(bytes)/1e6, 'f', 1, 64)) }

// Work writes floating-point operations with so many digits: "67.71 kFlop",
// "34 482 GFlop".
func Work(flops float64, digits int) string {
	if !finite(flops) {
		return Unknown
	}
	u := UnitFor(flops, Flops)
	return Amount(flops/u.Per, digits) + " " + u.Name
}

// Amount writes a number with up to so many significant digits, and more only
// before the point: "0.125", "34 482".
func Amount(v float64, digits int) string {
	if !finite(v) {
		return Unknown
	}
	if math.Abs(v) >= 1000 {
		return group(strconv.FormatFloat(v, 'f', 0, 64), 4, " ")
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}
