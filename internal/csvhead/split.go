package csvhead

import "bytes"

// Splitter splits lines at separators outside of quotes; a quote is doubled
// within quotes (RFC 4180). Quoted fields do not span lines.
type Splitter struct {
	Comma  byte
	fields [][]byte
	buf    []byte // of unquoted fields
}

// Split returns the fields of a line, which hold until the next call.
func (s *Splitter) Split(l []byte) [][]byte {
	s.fields, s.buf = s.fields[:0], s.buf[:0]
	if bytes.IndexByte(l, '"') >= 0 {
		s.quoted(l)
		return s.fields
	}
	from, fields, comma := 0, s.fields, s.Comma
	for i, c := range l {
		if c == comma {
			fields = append(fields, l[from:i])
			from = i + 1
		}
	}
	s.fields = append(fields, l[from:])
	return s.fields
}

func (s *Splitter) quoted(l []byte) {
	for {
		var f []byte
		if len(l) > 0 && l[0] == '"' {
			f, l = s.unquote(l[1:])
		} else if i := bytes.IndexByte(l, s.Comma); i >= 0 {
			f, l = l[:i], l[i:]
		} else {
			f, l = l, nil
		}
		s.fields = append(s.fields, f)
		if len(l) == 0 {
			return
		}
		l = l[1:] // the comma
	}
}

// unquote reads up to the comma after the closing quote.
func (s *Splitter) unquote(l []byte) (field, rest []byte) {
	first, inside := len(s.buf), true
	for i, c := range l {
		switch {
		case c == '"' && inside: // closes, unless another one follows
			inside = false
		case c == '"':
			inside = true
			s.buf = append(s.buf, c)
		case c == s.Comma && !inside:
			return s.buf[first:len(s.buf):len(s.buf)], l[i:]
		default:
			s.buf = append(s.buf, c)
		}
	}
	return s.buf[first:len(s.buf):len(s.buf)], nil
}
