package assemble

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"dagscope/internal/text"
	"dagscope/trace"
)

// Rows takes the records of one file field by field, whatever syntax carries
// them: tasks.rec and rec.tasks.csv hold the same fields under the same names.
// A record is any number of calls of Set and then one of End. Fields may be
// absent or come in any order; unknown fields are counted and logged.
type Rows struct {
	parts  *Parts
	file   string
	fields []field
	lookup map[string]int
	next   []int // field that followed this one last time: records repeat their order
	last   int
	known  int   // fields that the table names
	record int64 // number of the current record, from 1
	lines  Lines

	clear  func()                                         // makes the current record empty
	finish func(line int64) (to Destination, err *reject) // appends it
}

// field is a named field of a record.
type field struct {
	key    string
	wanted string                  // "decimal milliseconds"; "" for a field that nothing keeps
	set    func(value []byte) bool // false: not as wanted
	seen   int64                   // last record that had it
	lost   int64                   // occurrences that were not kept
	first  int64                   // line of the first of these
	known  bool
}

// reject says why a record could not be appended.
type reject struct{ code, message string }

// maxUnknown is the number of unknown field names that are distinguished.
const maxUnknown = 64

func newRows(p *Parts, file string, fields []field) *Rows {
	r := &Rows{parts: p, file: file, lookup: make(map[string]int), lines: make(Lines), record: 1}
	for _, f := range fields {
		f.known = true
		r.add(f)
	}
	r.known = len(fields)
	return r
}

func (r *Rows) add(f field) int {
	i := len(r.fields)
	r.lookup[f.key] = i
	r.fields = append(r.fields, f)
	r.next = append(r.next, 0)
	return i
}

// Column returns the number of a field for Set.
func (r *Rows) Column(key []byte) int {
	if i := r.next[r.last]; r.fields[i].key == string(key) {
		r.last = i
		return i
	}
	i, ok := r.lookup[string(key)]
	if !ok {
		i = r.unknown(key)
	}
	r.next[r.last] = i
	r.last = i
	return i
}

// unknown numbers a field name that is not in the table. Beyond maxUnknown
// names, which only a damaged file has, they share one.
func (r *Rows) unknown(key []byte) int {
	name := string(key)
	if len(r.fields)-r.known >= maxUnknown {
		name = "…"
		if i, ok := r.lookup[name]; ok {
			return i
		}
	}
	return r.add(field{key: name})
}

// Set gives the current record a field. kept is false if no column takes it. A
// value that is not what the field wants is logged and left out; a repeated
// field replaces the earlier value and is logged.
func (r *Rows) Set(column int, value []byte, line int64) (kept bool) {
	f := &r.fields[column]
	if f.set == nil {
		if f.lost == 0 {
			f.first = line
		}
		f.lost++
		return false
	}
	if f.seen == r.record {
		r.parts.Log.Add(trace.Warning, r.file, line, "repeated-field-"+f.key,
			fmt.Sprintf("found %s twice in a record, wanted it once: the last one counts", f.key))
	}
	f.seen = r.record
	if !f.set(value) {
		code := "bad-value-" + f.key
		message := ""
		if !r.parts.Log.Seen(trace.Warning, r.file, code) {
			message = fmt.Sprintf("found %s %q, wanted %s: left out", f.key, clip(value), f.wanted)
		}
		r.parts.Log.Add(trace.Warning, r.file, line, code, message)
	}
	return true
}

// End appends the current record, which began at a line and has so many lines
// of the file (those of fields that were not kept aside), or logs why it
// cannot.
func (r *Rows) End(line, lines int64) {
	to, err := r.finish(line)
	if err != nil {
		r.parts.Log.Add(trace.Error, r.file, line, err.code, err.message)
		to.Table = "log"
	}
	r.lines[to] += lines
	r.record++
	r.clear()
}

// Count accounts for lines outside of records.
func (r *Rows) Count(record, table string, lines int64) { r.lines[Destination{record, table}] += lines }

// Close logs the fields that were not kept and writes the account.
func (r *Rows) Close() {
	for i := range r.fields {
		f := &r.fields[i]
		code, message := "unknown-field-"+f.key, fmt.Sprintf("found field %s, wanted one of %s", f.key, r.keys())
		if f.known {
			code, message = "field-not-kept-"+f.key, fmt.Sprintf("field %s has no column: left out", f.key)
		}
		r.parts.Log.AddN(trace.Info, r.file, f.first, code, message, f.lost)
	}
	r.parts.AccountLines(r.file, r.lines)
}

func (r *Rows) keys() string {
	var keys []string
	for _, f := range r.fields {
		if f.known {
			keys = append(keys, f.key)
		}
	}
	return strings.Join(keys, ", ")
}

// clip shortens a value for a message.
func clip(b []byte) []byte {
	if len(b) > 80 {
		return append(bytes.Clone(b[:77]), "..."...)
	}
	return b
}

// Truncated turns the damage of a compressed file into a log entry, so that what
// was readable is used. Other errors come back.
func (p *Parts) Truncated(file string, err error) error {
	var damage *text.Truncated
	if !errors.As(err, &damage) {
		return err
	}
	p.Log.Add(trace.Error, file, damage.Line+1, "truncated-file",
		fmt.Sprintf("%v; wanted a whole compressed file: what follows is missing", damage))
	return nil
}

// NoteEnd logs a text file that was read and may be cut off.
func (p *Parts) NoteEnd(r *text.Reader, file string) {
	if line, message, missing := r.MissingEnd(); missing {
		p.Log.Add(trace.Warning, file, line, "no-line-end", message)
	}
}

// The functions below bind a field to a variable. The setters that they return
// say whether a value is as wanted. An empty value of a
// number is not.

func bindText(dst *[]byte) func([]byte) bool {
	return func(v []byte) bool { *dst = bytes.TrimSpace(v); return true }
}

func bindMillis(dst *int64) func([]byte) bool {
	return func(v []byte) bool {
		ns, ok := text.Millis(bytes.TrimSpace(v))
		if ok {
			*dst = ns
		}
		return ok
	}
}

func bindInt64(dst *int64) func([]byte) bool {
	return func(v []byte) bool {
		n, ok := text.Int(bytes.TrimSpace(v))
		if ok {
			*dst = n
		}
		return ok
	}
}

func bindInt32(dst *int32) func([]byte) bool {
	return func(v []byte) bool {
		n, ok := text.Int(bytes.TrimSpace(v))
		if ok = ok && n > math.MinInt32 && n <= math.MaxInt32; ok {
			*dst = int32(n)
		}
		return ok
	}
}

// bindRank is bindInt32 for ranks, -1 for none.
func bindRank(dst *int32) func([]byte) bool {
	return func(v []byte) bool {
		n, ok := text.Int(bytes.TrimSpace(v))
		if ok = ok && n >= -1 && n <= trace.MaxRank; ok {
			*dst = int32(n)
		}
		return ok
	}
}

// bindCount is bindInt32 for what cannot be negative.
func bindCount(dst *int32) func([]byte) bool {
	return func(v []byte) bool {
		n, ok := text.Int(bytes.TrimSpace(v))
		if ok = ok && n >= 0 && n <= math.MaxInt32; ok {
			*dst = int32(n)
		}
		return ok
	}
}

func bindHex(dst *uint64) func([]byte) bool {
	return func(v []byte) bool {
		n, ok := text.Hex(bytes.TrimSpace(v))
		if ok {
			*dst = n
		}
		return ok
	}
}

func bindHex32(dst *uint32) func([]byte) bool {
	return func(v []byte) bool {
		n, ok := text.Hex(bytes.TrimSpace(v))
		if ok = ok && n <= math.MaxUint32; ok {
			*dst = uint32(n)
		}
		return ok
	}
}

func bindFloat(dst *float64) func([]byte) bool {
	return func(v []byte) bool {
		f, ok := text.Float(bytes.TrimSpace(v))
		if ok = ok && !math.IsInf(f, 0); ok {
			*dst = f
		}
		return ok
	}
}

// words calls fn for each word of a list whose separators are blanks or commas.
func words(v []byte, fn func(word []byte) bool) bool {
	ok := true
	for len(v) > 0 {
		n := 0
		for n < len(v) && v[n] != ' ' && v[n] != ',' && v[n] != '\t' {
			n++
		}
		if n > 0 {
			ok = fn(v[:n]) && ok
		}
		v = v[min(n+1, len(v)):]
	}
	return ok
}
