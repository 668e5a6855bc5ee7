package decode

import (
	"bytes"
	"strconv"

	"dagscope/trace"
)

func decimal(v uint64) string { return strconv.FormatUint(v, 10) }

// internOrNone is the entry of a text in a column's dictionary, None for an
// empty one. Blanks around it are no part of it.
func internOrNone(c *trace.Strings, b []byte) int32 {
	if b = bytes.TrimSpace(b); len(b) == 0 {
		return trace.None
	}
	return c.InternBytes(b)
}

// words interns the texts of one column. Programs say the same few again and
// again: those said last are found without hashing them whole.
type words struct {
	text   *trace.Strings
	recent [64]int32 // plus one
}

// index is the entry of a text, None for an empty one. Blanks around it are no
// part of it.
func (w *words) index(b []byte) int32 {
	if b = bytes.TrimSpace(b); len(b) == 0 {
		return trace.None
	}
	slot := &w.recent[(len(b)+int(b[0])+3*int(b[len(b)-1])+5*int(b[len(b)/2]))&63]
	if i := *slot - 1; i >= 0 && w.text.Dict[i] == string(b) {
		return i
	}
	i := w.text.InternBytes(b)
	*slot = i + 1
	return i
}

// addresses interns addresses, written in hexadecimal, in a column's dictionary.
// Each text is made once.
type addresses struct {
	text  *trace.Strings
	known table
}

func (a *addresses) index(address uint64) int32 {
	i := a.known.get(address)
	if i < 0 {
		var digits [16]byte
		i = a.text.InternBytes(strconv.AppendUint(digits[:0], address, 16))
		a.known.put(address, i)
	}
	return i
}
