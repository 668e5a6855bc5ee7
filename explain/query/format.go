package query

import (
	"bufio"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"dagscope/internal/csvcell"
	"dagscope/internal/words"
)

// Result is what can be written: columns, and rows that are read once from
// first to last. [Rows] is one.
type Result interface {
	Columns() []Column
	Next() bool
	// Values are those of the current row: nil, int64, float64, string, []byte,
	// or a Number. The slice may be overwritten by Next.
	Values() []any
	Err() error // what stopped the reading, nil at the end
}

// Number is a number in the form in which [WriteTable] shall show it.
type Number string

// WriteCSV writes a header and the rows as they come, texts such that no
// spreadsheet calculates them (csvcell). NULL is an empty field.
func WriteCSV(w io.Writer, rows Result) error {
	out := csv.NewWriter(w)
	line := make([]string, len(rows.Columns()))
	for i, c := range rows.Columns() {
		line[i] = csvcell.Text(c.Name)
	}
	if err := out.Write(line); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	for rows.Next() {
		for i, v := range rows.Values() {
			line[i] = text(v, "")
			if s, is := v.(string); is {
				line[i] = csvcell.Text(s)
			}
		}
		if err := out.Write(line); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	out.Flush()
	return firstError(rows.Err(), "write CSV", out.Error())
}

// WriteJSON writes an array of objects, one a line, their keys in the order of
// the columns.
func WriteJSON(w io.Writer, rows Result) error {
	out := bufio.NewWriter(w)
	names := make([][]byte, len(rows.Columns()))
	for i, c := range rows.Columns() {
		names[i] = appendJSON(nil, c.Name)
	}
	line, before := []byte(nil), "["
	for rows.Next() {
		line = append(append(line[:0], before...), "\n{"...)
		for i, v := range rows.Values() {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(append(line, names[i]...), ':')
			line = appendJSON(line, v)
		}
		out.Write(append(line, '}')) // an error sticks until Flush
		before = ","
	}
	if before == "[" {
		out.WriteString("[")
	}
	out.WriteString("\n]\n")
	return firstError(rows.Err(), "write JSON", out.Flush())
}

// WriteTable writes aligned columns for reading, numbers to the right. NULL is
// "-". It keeps the result in memory to know the widths.
func WriteTable(w io.Writer, rows Result) error {
	t := alignment{}
	for _, c := range rows.Columns() {
		t.header(words.OneLine(c.Name))
	}
	var cells []string
	for rows.Next() {
		for i, v := range rows.Values() {
			cells = append(cells, t.cell(i, v))
		}
	}
	if rows.Err() != nil {
		return rows.Err()
	}
	out := bufio.NewWriter(w)
	n := len(t.widths)
	t.write(out, t.names)
	for i := 0; i < len(cells); i += n {
		t.write(out, cells[i:i+n])
	}
	return firstError(nil, "write table", out.Flush())
}

// alignment holds widths in characters and which columns hold only numbers.
type alignment struct {
	names  []string
	widths []int
	texts  []bool
}

func (t *alignment) header(name string) {
	t.names = append(t.names, name)
	t.widths = append(t.widths, utf8.RuneCountInString(name))
	t.texts = append(t.texts, false)
}

func (t *alignment) cell(i int, v any) string {
	s := words.OneLine(text(v, "-"))
	t.widths[i] = max(t.widths[i], utf8.RuneCountInString(s))
	switch v.(type) {
	case string, []byte:
		t.texts[i] = true
	}
	return s
}

func (t *alignment) write(w *bufio.Writer, cells []string) {
	for i, s := range cells {
		padding := strings.Repeat(" ", t.widths[i]-utf8.RuneCountInString(s))
		last := i == len(cells)-1
		switch {
		case !t.texts[i]:
			w.WriteString(padding + s)
		case last:
			w.WriteString(s)
		default:
			w.WriteString(s + padding)
		}
		if !last {
			w.WriteString("  ")
		}
	}
	w.WriteByte('\n')
}

// text shows a value; numbers so that reading them gives the same number.
func text(v any, null string) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return string(appendFloat(nil, v))
	case string:
		return v
	case Number:
		return string(v)
	case []byte:
		return hex.EncodeToString(v)
	}
	return null
}

func appendFloat(b []byte, v float64) []byte {
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-5 || a >= 1e15) {
		format = 'g'
	}
	return strconv.AppendFloat(b, v, format, -1, 64)
}

func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case float64:
		// JSON has no infinity; like SQLite, write a number that overflows to it.
		switch {
		case math.IsInf(v, 1):
			return append(b, "9e999"...)
		case math.IsInf(v, -1):
			return append(b, "-9e999"...)
		}
		return appendFloat(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case Number:
		return append(b, v...)
	case []byte:
		return appendJSON(b, hex.EncodeToString(v))
	case string:
		quoted, err := json.Marshal(v)
		if err != nil { // a string cannot fail to be JSON
			panic(err)
		}
		return append(b, words.InJSON(quoted)...)
	}
	panic(fmt.Sprintf("query: value of type %T", v))
}

func firstError(reading error, doing string, writing error) error {
	if reading != nil {
		return reading
	}
	if writing != nil {
		return fmt.Errorf("%s: %w", doing, writing)
	}
	return nil
}
