package starvz

import (
	"bytes"
	"fmt"
	"slices"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// table reads the rows of one CSV file.
type table struct {
	in     *input
	file   string
	header []string
	wide   bool // ", " between fields (pj_dump) rather than ","
	fields [][]byte
	buf    []byte // of unquoted fields
	line   int64  // of the current row
	counts assemble.Lines
}

// each calls row with the fields of each row, which hold during the call. begin
// is called before, with the header. row says where the line went.
func (in *input) each(r *text.Reader, file string, begin func(*table), row func(*table) assemble.Destination) error {
	return in.eachThen(r, file, begin, row, func(*table) {})
}

// eachThen is each with an end, called after the last row, before the account
// is written.
func (in *input) eachThen(r *text.Reader, file string, begin func(*table), row func(*table) assemble.Destination, end func(*table)) error {
	t := &table{in: in, file: file, counts: make(assemble.Lines)}
	err := r.Blocks(func(block []byte, line int64) error {
		for ; len(block) > 0; line++ {
			var l []byte
			l, block = text.Line(block)
			t.line = line
			switch {
			case len(bytes.TrimSpace(l)) == 0:
				t.counts[blankLine]++
			case t.header == nil:
				t.readHeader(l)
				if !slices.ContainsFunc(t.header, isColumn) {
					in.p.Log.Add(trace.Warning, file, line, "no-header", fmt.Sprintf("found %.80q, wanted a header with names of columns: the file may lack its beginning", l))
				}
				begin(t)
				t.counts[headerLine]++
			default:
				t.split(l)
				if to := row(t); to != (assemble.Destination{}) { // else the row accounts for itself
					t.counts[to]++
				}
			}
		}
		return nil
	})
	if t.header == nil {
		in.p.Log.Add(trace.Warning, file, 0, "empty-file", "found no header, wanted one: nothing was read")
	}
	end(t)
	in.p.AccountLines(file, t.counts)
	return err
}

var (
	blankLine  = assemble.Destination{Record: "blank", Table: "definition"}
	headerLine = assemble.Destination{Record: "header", Table: "definition"}
	damagedRow = assemble.Destination{Record: "damaged row", Table: "log"}
)

// isColumn reports whether a name of a header is one that at least one of the files
// has.
func isColumn(name string) bool {
	switch name {
	case "Parent", "Name", "Container", "JobId", "Dependent", "Node", "DependsOn", "Handle":
		return true
	}
	return slices.Contains(stateColumns, name)
}

func (t *table) readHeader(l []byte) {
	t.wide = bytes.Contains(l, []byte(", "))
	t.header = []string{}
	for _, f := range t.split(l) {
		t.header = append(t.header, string(f))
	}
}

// column is the position of a name in the header, -1 if it has none.
func (t *table) column(name string) int {
	for i, h := range t.header {
		if h == name {
			return i
		}
	}
	return -1
}

// split splits a line into t.fields. Commas at the end of a wide row are
// padding that StarVZ adds: they are dropped.
func (t *table) split(l []byte) [][]byte {
	t.fields = t.fields[:0]
	if !t.wide {
		t.splitQuoted(l)
		return t.fields
	}
	for len(l) > 0 && l[len(l)-1] == ',' {
		l = l[:len(l)-1]
	}
	for start := 0; ; {
		i := bytes.IndexByte(l[start:], ',')
		for i >= 0 && (start+i+1 == len(l) || l[start+i+1] != ' ') {
			j := bytes.IndexByte(l[start+i+1:], ',')
			if j < 0 {
				i = -1
			} else {
				i += j + 1
			}
		}
		if i < 0 {
			t.fields = append(t.fields, l[start:])
			return t.fields
		}
		t.fields = append(t.fields, l[start:start+i])
		start += i + 2
	}
}

// splitQuoted splits at commas outside of quotes; a quote is doubled within
// quotes (RFC 4180). Quoted fields do not span lines.
func (t *table) splitQuoted(l []byte) {
	t.buf = t.buf[:0]
	for {
		if len(l) == 0 || l[0] != '"' {
			i := bytes.IndexByte(l, ',')
			if i < 0 {
				t.fields = append(t.fields, l)
				return
			}
			t.fields = append(t.fields, l[:i])
			l = l[i+1:]
			continue
		}
		var f []byte
		f, l = t.unquote(l[1:])
		t.fields = append(t.fields, f)
		if len(l) == 0 {
			return
		}
		l = l[1:] // the comma
	}
}

// unquote reads up to the closing quote and the comma after it.
func (t *table) unquote(l []byte) (field, rest []byte) {
	first := len(t.buf)
	quoted := true
	for i, c := range l {
		switch {
		case c == '"' && quoted: // closes, unless another one follows
			quoted = false
		case c == '"':
			quoted = true
			t.buf = append(t.buf, c)
		case c == ',' && !quoted:
			return t.buf[first:len(t.buf):len(t.buf)], l[i:]
		default:
			t.buf = append(t.buf, c)
		}
	}
	return t.buf[first:len(t.buf):len(t.buf)], nil
}

// field is the field at a position, nil if the row does not have it.
func (t *table) field(i int) []byte {
	if i < 0 || i >= len(t.fields) {
		return nil
	}
	return t.fields[i]
}

// damaged logs a row that is left out.
func (t *table) damaged(wanted string) assemble.Destination {
	log := &t.in.p.Log
	message := ""
	if !log.Seen(trace.Error, t.file, "damaged-row") {
		message = fmt.Sprintf("found %.160q, wanted %s: left out", bytes.Join(t.fields, []byte(", ")), wanted)
	}
	log.Add(trace.Error, t.file, t.line, "damaged-row", message)
	return damagedRow
}

// wrong logs a value that is left out of its row.
func (t *table) wrong(name string, found []byte, wanted string) {
	log := &t.in.p.Log
	code, message := "bad-value-"+name, ""
	if !log.Seen(trace.Warning, t.file, code) {
		message = fmt.Sprintf("found %s %.80q, wanted %s: left out", name, found, wanted)
	}
	log.Add(trace.Warning, t.file, t.line, code, message)
}
