package decode

import (
	"strconv"
	"strings"

	"dagscope/trace"
)

// values interns what events carry: job ids in decimal, addresses in
// hexadecimal, and texts. A trace names each job, so that there are as many as
// tasks: they are found by their numbers, and no map of texts is kept.
//
// So that each text is in the dictionary once, what is digits alone belongs to
// the numbers, what is hexadecimal digits to the addresses, whoever brings it.
type values struct {
	column    *trace.Strings
	numbers   dense
	addresses table // those with a digit from a to f
	texts     map[string]int32
	room      strings.Builder // holds the digits, many numbers to one allocation
}

// number is the entry of a number in decimal.
func (v *values) number(n uint64) int32 {
	i := v.numbers.get(n)
	if i < 0 {
		var digits [20]byte
		i = v.add(strconv.AppendUint(digits[:0], n, 10))
		v.numbers.put(n, i)
	}
	return i
}

// address is the entry of a number in hexadecimal.
func (v *values) address(n uint64) int32 {
	if decimalDigits(n) {
		return v.number(asDecimal(n))
	}
	i := v.addresses.get(n)
	if i < 0 {
		var digits [16]byte
		i = v.add(strconv.AppendUint(digits[:0], n, 16))
		v.addresses.put(n, i)
	}
	return i
}

// text is the entry of a text, None for an empty one.
func (v *values) text(b []byte) int32 {
	if len(b) == 0 {
		return trace.None
	}
	if i, ok := v.texts[string(b)]; ok {
		return i
	}
	if n, err := strconv.ParseUint(string(b), 16, 64); err == nil && strconv.FormatUint(n, 16) == string(b) {
		return v.address(n)
	}
	if n, err := strconv.ParseUint(string(b), 10, 64); err == nil && strconv.FormatUint(n, 10) == string(b) {
		return v.number(n)
	}
	if v.texts == nil {
		v.texts = map[string]int32{}
	}
	i := v.add(b)
	v.texts[string(b)] = i
	return i
}

// add adds a text to the dictionary.
func (v *values) add(b []byte) int32 {
	if v.room.Cap()-v.room.Len() < len(b) {
		v.room = strings.Builder{}
		v.room.Grow(max(roomForTexts, len(b)))
	}
	from := v.room.Len()
	v.room.Write(b)
	v.column.Dict = append(v.column.Dict, v.room.String()[from:])
	return int32(len(v.column.Dict) - 1)
}

const roomForTexts = 1 << 13 // bytes

// decimalDigits reports whether a number has no digit from a to f in hexadecimal:
// such a digit has bit 3, and bit 2 or 1.
func decimalDigits(n uint64) bool {
	return n>>3&(n>>2|n>>1)&0x1111111111111111 == 0
}

// asDecimal is the number that has, in decimal, the digits that n has in
// hexadecimal.
func asDecimal(n uint64) (d uint64) {
	for shift := 60; shift >= 0; shift -= 4 {
		d = 10*d + n>>shift&0xf
	}
	return d
}
