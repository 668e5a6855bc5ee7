package event

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxProcessors bounds the numbers of processors that are understood.
const MaxProcessors = 1 << 16

// Processors writes a set of processors (bit b of word i is processor 64·i + b)
// as ranges, "0-3;8".
func Processors(mask []uint64) string {
	var b strings.Builder
	mask = mask[:min(len(mask), MaxProcessors/64)]
	has := func(p int) bool { return p/64 < len(mask) && mask[p/64]>>(p%64)&1 != 0 }
	for p := 0; p < 64*len(mask); p++ {
		if !has(p) {
			continue
		}
		first := p
		for has(p + 1) {
			p++
		}
		if b.Len() > 0 {
			b.WriteByte(';')
		}
		if b.WriteString(strconv.Itoa(first)); p > first {
			fmt.Fprintf(&b, "-%d", p)
		}
	}
	return b.String()
}

// ProcessorMask reads what Processors writes.
func ProcessorMask(text string) (mask []uint64, ok bool) {
	if text == "" {
		return nil, true
	}
	for item := range strings.SplitSeq(text, ";") {
		low, high, more := strings.Cut(item, "-")
		if !more {
			high = low
		}
		from, err1 := strconv.ParseUint(low, 10, 32)
		to, err2 := strconv.ParseUint(high, 10, 32)
		if err1 != nil || err2 != nil || from > to || to >= MaxProcessors {
			return nil, false
		}
		for len(mask) <= int(to/64) {
			mask = append(mask, 0)
		}
		for p := from; p <= to; p++ {
			mask[p/64] |= 1 << (p % 64)
		}
	}
	return mask, true
}
