package cli

import (
	"io"
	"math"
	"strconv"

	"dagscope/explain/numbers"
	"dagscope/explain/query"
)

// printTable prints a table as CSV, JSON or, for people, aligned.
func printTable(w io.Writer, t *numbers.Table, csv, json bool) error {
	switch {
	case csv:
		return query.WriteCSV(rawUnlessSeen(w), newTableRows(t, false))
	case json:
		return query.WriteJSON(raw(w), newTableRows(t, false))
	}
	return query.WriteTable(w, newTableRows(t, true))
}

// tableRows reads a table as the result of a query.
type tableRows struct {
	table   *numbers.Table
	rows    int
	next    int
	columns []query.Column
	values  []any
	digits  []int // by column: digits after the point to show, -1 for values as they are
}

// newTableRows prepares reading; pretty for people: times in ms, no more
// digits than tell something, the same number in a column.
func newTableRows(t *numbers.Table, pretty bool) *tableRows {
	r := &tableRows{table: t, rows: t.Rows(), values: make([]any, len(t.Columns)), digits: make([]int, len(t.Columns))}
	for i, c := range t.Columns {
		r.digits[i] = -1
		name := c.Field()
		if pretty {
			name = prettyName(c)
			r.digits[i] = r.digitsOf(i)
		}
		r.columns = append(r.columns, query.Column{Name: name})
	}
	return r
}

func prettyName(c numbers.Column) string {
	switch c.Unit {
	case "":
		return c.Name
	case "ns":
		return c.Name + " (ms)"
	}
	return c.Name + " (" + c.Unit + ")"
}

// Columns describes the result.
func (r *tableRows) Columns() []query.Column { return r.columns }

// Next moves to the next row.
func (r *tableRows) Next() bool {
	if r.next == r.rows {
		return false
	}
	for i := range r.values {
		r.values[i] = r.value(i, r.next)
	}
	r.next++
	return true
}

// Values are those of the current row.
func (r *tableRows) Values() []any { return r.values }

// Err is nil: the table is in memory.
func (r *tableRows) Err() error { return nil }

func (r *tableRows) value(column, row int) any {
	v := r.table.Value(column, row)
	if r.digits[column] < 0 || v == nil {
		return v
	}
	n, _ := r.number(column, v)
	return query.Number(strconv.FormatFloat(n, 'f', r.digits[column], 64))
}

// number is a value as a number in the unit that people see; ok is false for
// texts and whole numbers without unit.
func (r *tableRows) number(column int, v any) (n float64, ok bool) {
	ns := r.table.Columns[column].Unit == "ns"
	switch v := v.(type) {
	case float64:
		n, ok = v, true
	case int64:
		n, ok = float64(v), ns
	}
	if ns {
		n /= 1e6
	}
	return n, ok
}

// A column other than times, which are exact to the ns, shows so many digits of
// its largest value, but at least so many after the point.
const (
	significant = 6
	minDigits   = 3
)

// digitsOf is the number of digits after the point with which all values of a
// column are exact, or as many as are worth showing; -1 for texts and whole
// numbers.
func (r *tableRows) digitsOf(column int) int {
	largest, digits, some := 0.0, 0, false
	for row := range r.rows {
		n, ok := r.number(column, r.table.Value(column, row))
		if ok && !math.IsInf(n, 0) {
			some, largest = true, max(largest, math.Abs(n))
			digits = max(digits, decimals(n))
		}
	}
	if !some {
		return -1
	}
	if r.table.Columns[column].Unit != "ns" {
		before := 1 + int(math.Floor(math.Log10(max(largest, 1e-9))))
		digits = min(digits, max(minDigits, significant-before))
	}
	return digits
}

// decimals is the least number of digits after the point, at most six, with
// which a number is as exact as with six.
func decimals(n float64) int {
	text := strconv.AppendFloat(nil, n, 'f', 6, 64)
	digits := 6
	for ; digits > 0 && text[len(text)-7+digits] == '0'; digits-- {
	}
	return digits
}
