package words

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// OneLine writes a name of a trace so that a terminal shows it and obeys
// nothing in it, and so that it stays in its line and cell: what controls a
// terminal becomes an escape as in Go and C, such as \x1b, \u202e and \n.
func OneLine(s string) string {
	if !suspect(s, false) {
		return s
	}
	return escaped(s, false)
}

// Visible is [OneLine] for whole texts: it leaves the ends of lines and the tabs
// of a layout.
func Visible(s string) string {
	if !suspect(s, true) {
		return s
	}
	return escaped(s, true)
}

// InJSON is a text in JSON whose strings hold nothing that controls a terminal:
// encoders escape C0 only, the others become \u009b, \u202e and so on here, which
// means the same. Outside of strings JSON has no such character.
func InJSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, special) {
		return text
	}
	var b []byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if special(r) {
			b = AppendInJSON(b, r)
		} else {
			b = append(b, text[:n]...)
		}
		text = text[n:]
	}
	return b
}

// special reports whether a character must be escaped and is none of the ends of
// lines that are between strings.
func special(r rune) bool { return r >= 0x7f && Controls(r) }

// AppendInJSON appends a character as an escape of JSON.
func AppendInJSON(b []byte, r rune) []byte { return fmt.Appendf(b, `\u%04x`, r) }

// suspect reports whether a text may hold what has to be escaped; almost all
// texts do not. laidOut leaves \n and \t.
func suspect(s string, laidOut bool) bool {
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b < ' ':
			if !laidOut || b != '\n' && b != '\t' {
				return true
			}
		case b >= 0x7f: // the rest of Unicode, most of it harmless
			return true
		}
	}
	return false
}

func escaped(s string, laidOut bool) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1: // some terminals take single bytes from 0x80 for C1
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case laidOut && (r == '\n' || r == '\t') || !Controls(r):
			b.WriteString(s[i : i+n])
		default:
			b.WriteString(escape(r))
		}
		i += n
	}
	return b.String()
}

// Controls reports whether a character does something to a terminal or to the
// order of the text around it (Unicode's Bidi_Control), or ends a line.
func Controls(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r <= 0x9f: // C0, DEL, C1
		return true
	case r == 0x61c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return r == 0x2028 || r == 0x2029
}

func escape(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	if r <= 0x7f {
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
