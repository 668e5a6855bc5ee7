package query

import "strings"

// token is a piece of a SQL text as SQLite cuts it, blanks and comments left
// out. It serves to tell statements apart and to find the place of an error;
// it need not know operators of several characters.
type token struct {
	kind   tokenKind
	text   string
	offset int // in bytes
}

type tokenKind int

const (
	word    tokenKind = iota // names, quoted or not, key words, numbers
	literal                  // '…'
	other                    // one character of punctuation
)

func tokens(sql string) (all []token) {
	for i := 0; i < len(sql); {
		n, kind, keep := tokenAt(sql[i:])
		if keep {
			all = append(all, token{kind, sql[i : i+n], i})
		}
		i += n
	}
	return all
}

// tokenAt measures what s starts with; keep is false for blanks and comments.
func tokenAt(s string) (n int, kind tokenKind, keep bool) {
	switch c := s[0]; {
	case strings.IndexByte(" \t\n\r\f", c) >= 0:
		return 1, other, false
	case strings.HasPrefix(s, "--"):
		return upTo(s, "\n", 2), other, false
	case strings.HasPrefix(s, "/*"):
		return upTo(s, "*/", 2), other, false
	case c == '\'':
		return upTo(s, "'", 1), literal, true
	case c == '"' || c == '`':
		return upTo(s, s[:1], 1), word, true
	case c == '[':
		return upTo(s, "]", 1), word, true
	case isWord(c):
		for n < len(s) && isWord(s[n]) {
			n++
		}
		return n, word, true
	}
	return 1, other, true
}

// upTo is the length up to and including the terminator, or all of s. A
// doubled quote ends one token and starts the next, which makes no difference
// here.
func upTo(s, terminator string, from int) int {
	if i := strings.Index(s[from:], terminator); i >= 0 {
		return from + i + len(terminator)
	}
	return len(s)
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func unquote(s string) string {
	if len(s) >= 2 && !isWord(s[0]) {
		return s[1 : len(s)-1]
	}
	return s
}
