package panel

import (
	"fmt"
	"math"
	"strings"

	"dagscope/trace"
)

// Field is the name of a column for programs: it ends in the unit, as in
// start_ns, rate_mb_s.
func (c Column) Field() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + "_" + strings.ToLower(strings.ReplaceAll(c.Unit, "/", "_"))
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
		panic(fmt.Sprintf("panel: table column of type %T", d))
	}
	return nil
}
