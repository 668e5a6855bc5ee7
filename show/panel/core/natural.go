package core

import (
	"cmp"
	"strings"
)

// CompareNatural orders names as people do: runs of digits by their value, so
// that CPU9 comes before CPU10.
func CompareNatural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		if digit(x[0]) && digit(y[0]) {
			var n, m string
			n, x = cutDigits(x)
			m, y = cutDigits(y)
			if c := cmp.Or(cmp.Compare(len(n), len(m)), cmp.Compare(n, m)); c != 0 {
				return c
			}
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// cutDigits splits off the leading digits, without leading zeros.
func cutDigits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return strings.TrimLeft(s[:n], "0"), s[n:]
}
