// Package numbers holds the tables that dagscope answers with: those behind
// panels and those of verbs. A table is a list of typed columns, each with a
// name, a unit and what it holds, so that it is printed, served and compared by
// the same code whatever it is about. How a cell looks to people, and what makes
// the numbers, is not its business.
package numbers

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dagscope/trace"
)

// Column describes a column of a table.
type Column struct {
	Name string
	Unit string // "ns", "ms", "" for texts and plain numbers
	Doc  string
}

// Field is the name of a column for programs: it ends in the unit, as in
// start_ns, rate_mb_s.
func (c Column) Field() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + "_" + strings.ToLower(strings.ReplaceAll(c.Unit, "/", "_"))
}

// Table is a table of numbers and texts: Data[i] belongs to Columns[i] and is
// a *trace.Strings, *trace.Keys, []int32, []int64, []float64 or []bool; all
// have the same length.
type Table struct {
	Columns []Column
	Data    []any
}

// Add adds a column.
func (t *Table) Add(name, unit string, data any) {
	t.Columns, t.Data = append(t.Columns, Column{Name: name, Unit: unit}), append(t.Data, data)
}

// Rows is the number of rows.
func (t *Table) Rows() int {
	if len(t.Data) == 0 {
		return 0
	}
	switch d := t.Data[0].(type) {
	case *trace.Strings:
		return d.Len()
	case *trace.Keys:
		return d.Len()
	case []int32:
		return len(d)
	case []int64:
		return len(d)
	case []float64:
		return len(d)
	case []bool:
		return len(d)
	}
	panic("numbers: table column of unknown type")
}

// AppendCell appends the text of a cell to buf: shortest exact numbers,
// nothing for unknown times.
func (t *Table) AppendCell(buf []byte, column, row int) []byte {
	switch d := t.Data[column].(type) {
	case *trace.Strings:
		return append(buf, d.At(row)...)
	case *trace.Keys:
		return d.AppendTo(buf, d.Code[row])
	case []int32:
		return strconv.AppendInt(buf, int64(d[row]), 10)
	case []int64:
		if d[row] == trace.NoTime {
			return buf
		}
		return strconv.AppendInt(buf, d[row], 10)
	case []float64:
		return strconv.AppendFloat(buf, d[row], 'g', -1, 64)
	case []bool:
		return strconv.AppendBool(buf, d[row])
	}
	panic("numbers: table column of unknown type")
}

// Value is a cell as an int64, float64 or string, or nil for what is not known
// or does not exist: trace.NoTime, trace.NoInt, NaN, a text that is not there.
// Truth values are 0 and 1.
func (t *Table) Value(column, row int) any {
	switch d := t.Data[column].(type) {
	case *trace.Strings:
		if d.Index[row] >= 0 {
			return d.At(row)
		}
	case *trace.Keys:
		if d.Code[row] >= 0 {
			return d.At(row)
		}
	case []int32:
		if d[row] != trace.NoInt {
			return int64(d[row])
		}
	case []int64:
		if d[row] != trace.NoTime {
			return d[row]
		}
	case []float64:
		if !math.IsNaN(d[row]) {
			return d[row]
		}
	case []bool:
		if d[row] {
			return int64(1)
		}
		return int64(0)
	default:
		panic(fmt.Sprintf("numbers: table column of type %T", d))
	}
	return nil
}
