package compare

import (
	"math"
	"strconv"
)

// units of time, largest first.
var units = []struct {
	ns   float64
	name string
}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}

// ms shows a time with four significant digits: "447.6 ms", "1.361 s".
func ms(ns int64) string {
	n := float64(ns)
	for _, u := range units {
		if math.Abs(n) >= u.ns*0.99995 || u.ns == 1 {
			if u.ns == 1 {
				return strconv.FormatInt(ns, 10) + " ns"
			}
			return digits4(n/u.ns) + " " + u.name
		}
	}
	return ""
}

// digits4 shows four significant digits, at least the whole number.
func digits4(v float64) string {
	if v == 0 {
		return "0"
	}
	after := 3
	for limit := 9.9995; after > 0 && math.Abs(v) >= limit; limit *= 10 {
		after--
	}
	return strconv.FormatFloat(v, 'f', after, 64)
}

// fromTo shows two times in the unit of the larger: "40.12 → 137.3 ms".
func fromTo(a, b int64) string {
	larger := float64(max(abs(a), abs(b)))
	for _, u := range units {
		if larger >= u.ns*0.99995 && u.ns > 1 {
			return digits4(float64(a)/u.ns) + " → " + digits4(float64(b)/u.ns) + " " + u.name
		}
	}
	return number(a) + " → " + number(b) + " ns"
}

// percent shows a share with one digit after the point.
func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// number shows an integer with thousands apart: 1 234 567.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// counted joins a number and a noun: "1 task", "1 300 tasks".
func counted[T int | int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(int64(n)) + " " + noun + "s"
}

// pace says how a duration changed from a > 0 to b: "4.4 % slower", "1.80 times
// slower", "4.03 times faster".
func pace(a, b float64) string {
	switch r := b / a; {
	case r >= 1.5:
		return strconv.FormatFloat(r, 'f', 2, 64) + " times slower"
	case r >= 1:
		return percent(r-1) + " slower"
	case r > 1/1.5 || b <= 0:
		return percent(1-r) + " faster" // in time, not in speed
	default:
		return strconv.FormatFloat(1/r, 'f', 2, 64) + " times faster"
	}
}

// moreOrLess is the sign in words.
func moreOrLess[T int64 | float64](d T) string {
	if d < 0 {
		return "less"
	}
	return "more"
}
