package trace

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// Keys is a column of names as the runtime printed them ("621", "0_5051",
// "mpicom_460"), packed into eight bytes a row: nearly every such name is one
// of a few prefixes followed by a decimal number. Code holds prefix<<40 |
// number; a name without a canonical number is a prefix of its own with the
// number [noNumber]. The zero value is an empty column ready for Append.
type Keys struct {
	Code   []int64
	Prefix []string
	lookup map[string]int64
}

// NoKey is the code of a row that has no name.
const NoKey int64 = -1

const (
	keyNumberBits = 40
	noNumber      = 1<<keyNumberBits - 1
	maxPrefixes   = 1 << 23
)

// Encode returns the code of a name, interning its prefix. An empty name is
// NoKey. Two names have the same code in one column only if they are equal.
func (k *Keys) Encode(b []byte) int64 {
	if len(b) == 0 {
		return NoKey
	}
	prefix, number := splitName(b)
	return k.prefix(prefix)<<keyNumberBits | number
}

// splitName parts a name into a prefix and the canonical number that follows
// it, or [noNumber].
func splitName[T string | []byte](b T) (prefix T, number int64) {
	digits := len(b)
	for digits > 0 && b[digits-1] >= '0' && b[digits-1] <= '9' {
		digits--
	}
	// "007" keeps its zeros by leaving them in the prefix; "0" is a number.
	for digits < len(b)-1 && b[digits] == '0' {
		digits++
	}
	if n := len(b) - digits; n == 0 || n > 12 {
		return b, noNumber
	}
	for _, c := range []byte(b[digits:]) {
		number = number*10 + int64(c-'0')
	}
	if number >= noNumber {
		return b, noNumber
	}
	return b[:digits], number
}

// Lookup is Encode that changes nothing, so that readers may share a column:
// ok is false when no row can have the name.
func (k *Keys) Lookup(name string) (code int64, ok bool) {
	if name == "" {
		return NoKey, true
	}
	prefix, number := splitName(name)
	p := int64(slices.Index(k.Prefix, prefix))
	if p < 0 {
		return NoKey, false
	}
	return p<<keyNumberBits | number, true
}

// Append adds a row.
func (k *Keys) Append(b []byte) { k.Code = append(k.Code, k.Encode(b)) }

// AppendString adds a row.
func (k *Keys) AppendString(s string) { k.Code = append(k.Code, k.Encode([]byte(s))) }

// Len is the number of rows.
func (k *Keys) Len() int { return len(k.Code) }

// At returns the name of a row, "" where there is none.
func (k *Keys) At(row int) string {
	if row < 0 || row >= len(k.Code) {
		return ""
	}
	return string(k.AppendTo(nil, k.Code[row]))
}

// AppendTo appends the name that code stands for to buf.
func (k *Keys) AppendTo(buf []byte, code int64) []byte {
	if code < 0 {
		return buf
	}
	buf = append(buf, k.Prefix[code>>keyNumberBits]...)
	if n := code & noNumber; n != noNumber {
		buf = strconv.AppendInt(buf, n, 10)
	}
	return buf
}

// Number returns the decimal number a code ends in; ok is false without one.
func (k *Keys) Number(code int64) (n int64, ok bool) {
	n = code & noNumber
	return n, code >= 0 && n != noNumber
}

// Compare orders two codes by prefix, then number ("a9" before "a10"); no name
// comes first. Unlike codes it does not depend on which name was met first.
func (k *Keys) Compare(a, b int64) int {
	if a == b || a < 0 || b < 0 {
		return cmp.Compare(a, b)
	}
	return cmp.Or(cmp.Compare(k.Prefix[a>>keyNumberBits], k.Prefix[b>>keyNumberBits]), cmp.Compare(a&noNumber, b&noNumber))
}

// Rows maps each code to its row (the last one, should names repeat).
func (k *Keys) Rows() map[int64]int32 {
	m := make(map[int64]int32, len(k.Code))
	for i, c := range k.Code {
		m[c] = int32(i)
	}
	return m
}

// Find returns the first row with the name, or None.
func (k *Keys) Find(name string) int32 {
	code, ok := k.Lookup(name)
	if !ok || code == NoKey {
		return None
	}
	for i, c := range k.Code {
		if c == code {
			return int32(i)
		}
	}
	return None
}

func (k *Keys) prefix(b []byte) int64 {
	if k.lookup == nil {
		k.lookup = make(map[string]int64, len(k.Prefix))
		for i, p := range k.Prefix {
			k.lookup[p] = int64(i)
		}
	}
	if i, ok := k.lookup[string(b)]; ok {
		return i
	}
	i := int64(len(k.Prefix))
	if i >= maxPrefixes {
		// 2^23 names without a common prefix: no runtime prints such, and a
		// hostile file must not overflow the code. They share one name.
		i = maxPrefixes - 1
		return i
	}
	k.Prefix = append(k.Prefix, string(b))
	k.lookup[string(b)] = i
	return i
}

// NoTime is a time that is not known, NoSize a number of bytes, NoInt any other
// integer.
const (
	NoTime int64 = math.MinInt64
	NoSize       = NoTime
	NoInt  int32 = math.MinInt32
)

// Recode returns a function that turns codes of another column into codes of
// k, interning the prefixes it meets.
func (k *Keys) Recode(from *Keys) func(code int64) int64 {
	return k.RecodeAs(from, func(prefix string) string { return prefix })
}

// RecodeAs is Recode that rewrites each prefix, for columns that spell the same
// names differently.
func (k *Keys) RecodeAs(from *Keys, rewrite func(prefix string) string) func(code int64) int64 {
	var prefix []int64 // by prefix of from, which may get more: that of k, -1 if not met yet
	return func(code int64) int64 {
		if code < 0 {
			return NoKey
		}
		p := code >> keyNumberBits
		for int64(len(prefix)) <= p {
			prefix = append(prefix, -1)
		}
		if prefix[p] < 0 {
			prefix[p] = k.prefix([]byte(rewrite(from.Prefix[p])))
		}
		return prefix[p]<<keyNumberBits | code&noNumber
	}
}

// AppendCode adds a row by its code.
func (k *Keys) AppendCode(code int64) { k.Code = append(k.Code, code) }

// Split takes a code apart: the row of its prefix and its number (or a number
// larger than any, for names that do not end in one).
func (k *Keys) Split(code int64) (prefix int32, number int64) {
	return int32(code >> keyNumberBits), code & noNumber
}
