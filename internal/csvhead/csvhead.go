// Package csvhead finds out what the columns of a table hold: tables of tasks
// and of timings come from programs, spreadsheets and tracers, which agree on
// neither separator nor names nor units.
//
// The separator is the most frequent one of the header. A reader lists the terms
// that it knows, each with the words that stand for it; letter case and blanks
// around a name do not count. The name of a time may end in its unit (start_us,
// "start [us]", "start (us)", "start us").
//
// Large tables are read line by line, each split into its fields; small ones, such
// as the points of a campaign, at once by the same rule for the separator.
//
// It guesses nothing: a column that no term names is left to the reader, and a
// time without a unit too. It does not read numbers.
package csvhead

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"dagscope/internal/text"
)

// Term is something that a column may hold.
type Term struct {
	Words []string // for it, in lower case, the usual one first
	Timed bool     // a time: the name may end in a unit
	Near  []string // words of others that may mean it: named where the term is missing
}

// Column is a column of a table.
type Column struct {
	Name    string    // as the table has it
	Unit    text.Unit // that the name ends in
	HasUnit bool
	word    string // in lower case
	bare    string // without the unit
}

// NewColumn takes a name apart.
func NewColumn(name string) Column {
	c := Column{Name: strings.TrimSpace(name)}
	c.word = strings.ToLower(c.Name)
	for _, cut := range []func(string) (bare, unit string){cutBlank, cutMark} {
		bare, symbol := cut(c.word)
		if unit, ok := UnitOf(symbol); ok && !c.HasUnit {
			c.bare, c.Unit, c.HasUnit = bare, unit, true
		}
	}
	return c
}

// Is reports whether the column holds a term. If it does by its name without the
// unit, inUnit is set.
func (c *Column) Is(t *Term) (is, inUnit bool) {
	if t.Timed && c.HasUnit && slices.Contains(t.Words, c.bare) {
		return true, true
	}
	return slices.Contains(t.Words, c.word), false
}

// cutBlank parts a name of two words: "start us", "start [us]".
func cutBlank(name string) (bare, unit string) {
	parts := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("[]() ", r) })
	if len(parts) != 2 {
		return name, ""
	}
	return strings.TrimRight(parts[0], "_"), parts[1]
}

// cutMark parts a name at its last underscore or bracket: "cpu time_us",
// "cpu time (us)".
func cutMark(name string) (bare, unit string) {
	at := strings.LastIndexAny(name, "_[(")
	if at < 0 {
		return name, ""
	}
	return strings.TrimSpace(name[:at]), strings.TrimRight(name[at+1:], "])")
}

// UnitOf reads the symbol of a unit of time: ns, us or µs, ms, s.
func UnitOf(symbol string) (text.Unit, bool) {
	if rest, ok := strings.CutPrefix(symbol, "µ"); ok {
		symbol = "u" + rest
	}
	return text.UnitOf(symbol)
}

// Header is the first line of a table.
type Header struct {
	Comma   byte
	Columns []Column
}

// Parse takes a header apart.
func Parse(line []byte) *Header {
	h := &Header{Comma: separator(line)}
	s := Splitter{Comma: h.Comma}
	for _, name := range s.Split(line) {
		h.Columns = append(h.Columns, NewColumn(string(name)))
	}
	return h
}

// separator is the most frequent of comma, semicolon and tabulator.
func separator(line []byte) byte {
	best := byte(',')
	for _, c := range []byte{';', '\t'} {
		if bytes.Count(line, []byte{c}) > bytes.Count(line, []byte{best}) {
			best = c
		}
	}
	return best
}

// Find is the number of the column that holds a term, by the first of its words
// that any column has; -1 where none does. inUnit is as for Column.Is.
func (h *Header) Find(t *Term) (at int, inUnit bool) {
	for _, word := range t.Words {
		only := Term{Words: []string{word}, Timed: t.Timed}
		for i := range h.Columns {
			if is, inUnit := h.Columns[i].Is(&only); is {
				return i, inUnit
			}
		}
	}
	return -1, false
}

// NearMiss is advice where a term is missing and a column has a name that others
// use for it: ` (is it column "begin"?)`; "" where none has.
func (h *Header) NearMiss(t *Term) string {
	if at, _ := h.Find(&Term{Words: t.Near, Timed: t.Timed}); at >= 0 {
		return fmt.Sprintf(" (is it column %q?)", h.Columns[at].Name)
	}
	return ""
}

// String is the header for messages, shortened.
func (h *Header) String() string {
	const most = 400 // bytes
	var s strings.Builder
	for i, c := range h.Columns {
		if i > 0 {
			s.WriteByte(',')
		}
		if s.Len()+len(c.Name) > most {
			s.WriteString("…")
			break
		}
		s.WriteString(c.Name)
	}
	return s.String()
}
