package starpu

import (
	"bytes"
	"errors"
	"fmt"

	"dagscope/internal/text"
)

// This file reads files of records in the format of GNU recutils, "Key:
// value" lines with blank lines between records, as far as runtimes write it.
//
// Lines that begin with "#" are comments, a record that begins with "%" is a
// descriptor and not delivered, "+ text" continues the value before with a new
// line. A line that ends in a backslash does not go on (recutils would let it):
// runtimes print names as they are. What is none of these is damage: it is
// counted and reported, and reading goes on with the next line.

// maxRecordBytes bounds what is kept of a record that spans blocks.
const maxRecordBytes = 64 << 20

// recordField is one field of a record. Key and Value are the reader's and hold
// during the call only.
type recordField struct {
	Key   []byte
	Value []byte // without the blank after the colon; more lines are joined by newlines
	Line  int64  // of the file, from 1
	Lines int64  // lines it takes
}

// recordScanner reads records. The zero value is ready.
type recordScanner struct {
	// EndAfter is the key of a field that ends its record even without a blank
	// line, "" for none. StarPU forgets the newline of EndDependencies.
	EndAfter string
	// Damaged, when set, is called with each line that was left out.
	Damaged func(line int64, found []byte, wanted string)

	// Unended, when set, is called with the first line of a last record that no
	// blank line ends: what is missing of it looks like fields that are not set.
	Unended func(line int64)

	// Lines outside of records, complete when Scan has returned.
	Blank, Comments, Descriptors, Broken int64

	fields     []recordField
	lines      int64 // of the current record
	descriptor bool
	carry      []byte // lines whose record may go on in the next block
	carryLine  int64
	fn         func([]recordField, int64) error
}

// scan calls fn with the fields of each record and the number of lines that
// they take. Errors are those of fn and of the reader; a *text.Truncated comes
// after all whole records were delivered.
func (s *recordScanner) scan(r *text.Reader, fn func(fields []recordField, lines int64) error) error {
	s.fn = fn
	err := r.Blocks(s.block)
	var damage *text.Truncated
	switch {
	case errors.As(err, &damage):
		return s.drop(err)
	case err != nil:
		return err
	}
	if len(s.carry) > 0 && s.Unended != nil {
		s.Unended(s.carryLine)
	}
	if err := s.parse(s.carry, s.carryLine); err != nil {
		return err
	}
	return s.end()
}

// drop leaves out the record that the end of a damaged file cut off: it would
// look like one without the missing fields.
func (s *recordScanner) drop(err error) error {
	if n := int64(bytes.Count(s.carry, []byte{'\n'})); n > 0 {
		s.Broken += n
		s.report(s.carryLine, s.carry[:bytes.IndexByte(s.carry, '\n')], "a whole record, but the file ends in it")
	}
	return err
}

// block parses the whole records of a block and keeps the rest for the next.
func (s *recordScanner) block(b []byte, first int64) error {
	if len(s.carry) > 0 {
		end := recordEnd(b)
		if len(s.carry)+end > maxRecordBytes {
			return fmt.Errorf("read records: line %d: found a record of more than %d bytes, wanted blank lines between records", s.carryLine, maxRecordBytes)
		}
		s.carry = append(s.carry, b[:end]...)
		if end == len(b) {
			return nil
		}
		if err := s.parse(s.carry, s.carryLine); err != nil {
			return err
		}
		s.carry = s.carry[:0]
		first += int64(bytes.Count(b[:end], []byte{'\n'}))
		b = b[end:]
	}
	end := lastRecordEnd(b)
	if err := s.parse(b[:end], first); err != nil {
		return err
	}
	if end < len(b) {
		s.carryLine = first + int64(bytes.Count(b[:end], []byte{'\n'}))
		s.carry = append(s.carry, b[end:]...)
	}
	return nil
}

// recordEnd is the length of b up to and including its first blank line, all
// of it without one.
func recordEnd(b []byte) int {
	for at := 0; at < len(b); {
		line, rest := text.Line(b[at:])
		at = len(b) - len(rest)
		if isBlank(line) {
			return at
		}
	}
	return len(b)
}

// lastRecordEnd is the length of b up to and including its last blank line, 0
// without one.
func lastRecordEnd(b []byte) int {
	for end := len(b); end > 0; {
		start := bytes.LastIndexByte(b[:end-1], '\n') + 1
		if isBlank(b[start:end]) {
			return end
		}
		end = start
	}
	return 0
}

func isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

func (s *recordScanner) parse(b []byte, line int64) error {
	for ; len(b) > 0; line++ {
		var l []byte
		l, b = text.Line(b)
		if err := s.line(l, line); err != nil {
			return err
		}
	}
	return nil
}

func (s *recordScanner) line(l []byte, line int64) error {
	switch {
	case isBlank(l):
		s.Blank++
		return s.end()
	case l[0] == '#':
		s.Comments++
		return nil
	case l[0] == '+':
		s.goOn(l[1:], line)
		return nil
	}
	if s.EndAfter != "" && len(s.fields) > 0 && string(s.fields[len(s.fields)-1].Key) == s.EndAfter {
		if err := s.end(); err != nil {
			return err
		}
	}
	key, value, ok := cut(l)
	if !ok {
		s.Broken++
		s.report(line, l, "a line \"Key: value\"")
		return nil
	}
	if key[0] == '%' && len(s.fields) == 0 {
		s.descriptor = true
	}
	s.fields = append(s.fields, recordField{Key: key, Value: value, Line: line, Lines: 1})
	s.lines++
	return nil
}

// goOn appends a line to the value of the last field.
func (s *recordScanner) goOn(l []byte, line int64) {
	if len(s.fields) == 0 {
		s.Broken++
		s.report(line, l, "a field before the line that continues it")
		return
	}
	if len(l) > 0 && l[0] == ' ' {
		l = l[1:]
	}
	f := &s.fields[len(s.fields)-1]
	if f.Lines == 1 { // from here on the value is no part of the block
		f.Value = bytes.Clone(f.Value)
	}
	f.Value = append(append(f.Value, '\n'), l...)
	f.Lines++
	s.lines++
}

// cut splits "Key: value". Keys are letters, digits and underscores, of
// descriptors after a "%".
func cut(l []byte) (key, value []byte, ok bool) {
	n := 0
	if l[0] == '%' {
		n = 1
	}
	first := n
	for n < len(l) && isKey(l[n]) {
		n++
	}
	if n == first || n == len(l) || l[n] != ':' {
		return nil, nil, false
	}
	key, value = l[:n], l[n+1:]
	if len(value) > 0 && (value[0] == ' ' || value[0] == '\t') {
		value = value[1:]
	}
	return key, value, true
}

func isKey(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' < 10 || c == '_'
}

// end delivers the current record.
func (s *recordScanner) end() error {
	fields, lines, descriptor := s.fields, s.lines, s.descriptor
	s.fields, s.lines, s.descriptor = s.fields[:0], 0, false
	if descriptor {
		s.Descriptors += lines
		return nil
	}
	if len(fields) == 0 {
		return nil
	}
	return s.fn(fields, lines)
}

func (s *recordScanner) report(line int64, found []byte, wanted string) {
	if s.Damaged != nil {
		s.Damaged(line, found, wanted)
	}
}
