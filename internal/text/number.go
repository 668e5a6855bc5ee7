package text

import (
	"math"
	"strconv"
	"unsafe"
)

// Unit is a unit of time, as the number of decimals after which it comes down
// to nanoseconds.
type Unit int

// Units of the times of trace files.
const (
	Nano  Unit = 0
	Micro Unit = 3
	Milli Unit = 6
	Sec   Unit = 9
)

var unitNames = map[string]Unit{"ns": Nano, "us": Micro, "ms": Milli, "s": Sec}

// UnitOf reads the symbol of a unit: ns, us, ms or s.
func UnitOf(symbol string) (Unit, bool) {
	u, ok := unitNames[symbol]
	return u, ok
}

// Length is the length of the unit in ns.
func (u Unit) Length() int64 { return nanosPer[u] }

// nanosPer is the length of a unit.
var nanosPer = [...]int64{Nano: 1, Micro: 1e3, Milli: 1e6, Sec: 1e9}

// MaxTime bounds the times of a trace, 73 years: of two such times the
// difference, and the difference of that and a third, fit in an int64, so that
// no damaged line makes arithmetic on times wrap around.
const MaxTime = int64(1) << 61

// Millis reads decimal milliseconds, see [Unit.Nanos].
func Millis(b []byte) (ns int64, ok bool) { return Milli.Nanos(b) }

// Nanos reads a decimal time ("90.552526000", "0.0", "-3.5") in the unit as
// nanoseconds, rounded to nearest, halves away from zero. It is exact for
// fixed-point numbers; an exponent form goes through float64. ok is false for
// anything else and for more than [MaxTime] on either side of zero.
func (u Unit) Nanos(b []byte) (ns int64, ok bool) {
	digits, negative := sign(b)
	var whole int64
	i := 0
	for i < len(digits) && isDigit(digits[i]) {
		if whole > math.MaxInt64/10-1 {
			return u.exponent(b)
		}
		whole = whole*10 + int64(digits[i]-'0')
		i++
	}
	seen := i
	part := int64(0) // ns below a unit, at most a whole one
	if i < len(digits) && digits[i] == '.' {
		i++
		scale := nanosPer[u] / 10
		start := i
		for i < len(digits) && isDigit(digits[i]) {
			switch d := int64(digits[i] - '0'); {
			case scale > 0:
				part += d * scale
				scale /= 10
			case i-start == int(u) && d >= 5:
				part++
			}
			i++
		}
		seen += i - start
	}
	if i < len(digits) || seen == 0 {
		return u.exponent(b)
	}
	if whole > MaxTime/nanosPer[u] {
		return 0, false
	}
	if ns = whole*nanosPer[u] + part; ns > MaxTime {
		return 0, false
	}
	if negative {
		ns = -ns
	}
	return ns, true
}

// exponent reads forms such as "1.5e+03".
func (u Unit) exponent(b []byte) (int64, bool) {
	f, ok := Float(b)
	f = math.Round(f * float64(nanosPer[u]))
	if !ok || !(math.Abs(f) <= float64(MaxTime)) {
		return 0, false
	}
	return int64(f), true
}

// Int reads a decimal integer. Numbers from 2^63 to 2^64-1 wrap around, because
// runtimes print -1 as 18446744073709551615. ok is false for anything else.
func Int(b []byte) (int64, bool) {
	digits, negative := sign(b)
	if len(digits) == 0 || len(digits) > 20 {
		return intLong(digits, negative)
	}
	var n uint64
	for _, c := range digits {
		if !isDigit(c) {
			return 0, false
		}
		next := n*10 + uint64(c-'0')
		if n > math.MaxUint64/10 || next < n*10 {
			return 0, false
		}
		n = next
	}
	if !negative {
		return int64(n), true
	}
	return -int64(n), n <= 1<<63
}

// intLong reads integers with leading zeros beyond twenty digits.
func intLong(digits []byte, negative bool) (int64, bool) {
	for len(digits) > 20 && digits[0] == '0' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 20 {
		return 0, false
	}
	n, ok := Int(digits)
	if !negative || !ok || !isDigit(digits[0]) {
		return n, ok && isDigit(digits[0])
	}
	return -n, uint64(n) <= 1<<63
}

// Hex reads a hexadecimal number of at most 64 bits, with or without "0x".
func Hex(b []byte) (uint64, bool) {
	if len(b) > 2 && b[0] == '0' && (b[1] == 'x' || b[1] == 'X') {
		b = b[2:]
	}
	if len(b) == 0 {
		return 0, false
	}
	var n uint64
	for _, c := range b {
		var d byte
		switch {
		case isDigit(c):
			d = c - '0'
		case c >= 'a' && c <= 'f':
			d = c - 'a' + 10
		case c >= 'A' && c <= 'F':
			d = c - 'A' + 10
		default:
			return 0, false
		}
		if n>>60 != 0 {
			return 0, false
		}
		n = n<<4 | uint64(d)
	}
	return n, true
}

// Float reads a decimal floating-point number, correctly rounded, or "nan" and
// "inf" with or without a sign. Hexadecimal forms, digit separators and numbers
// too large for a float64 are not ok.
func Float(b []byte) (float64, bool) {
	if f, ok := floatFixed(b); ok {
		return f, true
	}
	for _, c := range b {
		if !isDigit(c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return floatWord(b)
		}
	}
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), 64)
	return f, err == nil
}

// floatFixed reads fixed-point numbers whose digits fit in 53 bits with at most
// 22 decimals: both are exact in float64, so one division rounds correctly
// (Clinger 1990).
func floatFixed(b []byte) (float64, bool) {
	digits, negative := sign(b)
	var n uint64
	point, seen := -1, 0
	for i, c := range digits {
		switch {
		case isDigit(c):
			n = n*10 + uint64(c-'0')
			seen++
			if n >= 1<<53 {
				return 0, false
			}
		case c == '.' && point < 0:
			point = i
		default:
			return 0, false
		}
	}
	if seen == 0 {
		return 0, false
	}
	f := float64(n)
	if point >= 0 {
		decimals := len(digits) - point - 1
		if decimals >= len(powersOf10) {
			return 0, false
		}
		f /= powersOf10[decimals]
	}
	if negative {
		f = -f
	}
	return f, true
}

var powersOf10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// floatWord reads what C prints for numbers that are none.
func floatWord(b []byte) (float64, bool) {
	word, negative := sign(b)
	if len(word) != 3 {
		return 0, false
	}
	switch string([]byte{word[0] | 0x20, word[1] | 0x20, word[2] | 0x20}) {
	case "nan":
		return math.NaN(), true
	case "inf":
		if negative {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	return 0, false
}

func sign(b []byte) (digits []byte, negative bool) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		return b[1:], b[0] == '-'
	}
	return b, false
}

func isDigit(c byte) bool { return c-'0' <= 9 }
