package panel

import (
	"strconv"

	"dagscope/trace"
)

// Column describes a column of the numbers behind a panel.
type Column struct {
	Name string
	Unit string // "ns", "ms", "" for texts and plain numbers
	Doc  string
}

// Table holds the numbers behind a panel: Data[i] belongs to Columns[i] and is
// a *trace.Strings, *trace.Keys, []int32, []int64, []float64 or []bool; all
// have the same length.
type Table struct {
	Columns []Column
	Data    []any
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
	panic("panel: table column of unknown type")
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
	panic("panel: table column of unknown type")
}
