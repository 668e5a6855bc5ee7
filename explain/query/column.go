package query

import (
	"database/sql/driver"
	"math"
	"strconv"

	"dagscope/trace"
)

// column is one column of a virtual table. data is nil until it is loaded, and
// stays nil when the run does not have the column.
type column struct {
	trace.Column
	data   any // []int32, []int64, []uint32, []uint64, []float64, []bool, *trace.Strings, *trace.Keys
	loaded bool
	none   bool           // None is NULL here
	texts  []driver.Value // the dictionary of a text column, boxed once
	index  *index         // built when a join first asks for it
}

// newColumn prepares a column of the schema. Where the schema says neither that
// it names rows nor that it may have none, -1 is a value like any other
// (priority) or has the meaning that the column's doc gives it (iteration, home).
func newColumn(c trace.Column) column {
	return column{Column: c, none: c.Ref != "" || c.Null}
}

// sqlType is the type that the column is declared with.
func sqlType(c trace.Column) string {
	switch c.Data.(type) {
	case *trace.Strings, *trace.Keys:
		return "TEXT"
	case *[]float64:
		return "REAL"
	}
	return "INTEGER"
}

// set takes over a loaded column; data is what trace.Column.Data points to.
func (c *column) set(data any) {
	c.loaded = true
	switch d := data.(type) {
	case *[]int32:
		c.data = orNil(*d)
	case *[]int64:
		c.data = orNil(*d)
	case *[]uint32:
		c.data = orNil(*d)
	case *[]uint64:
		c.data = orNil(*d)
	case *[]float64:
		c.data = orNil(*d)
	case *[]bool:
		c.data = orNil(*d)
	case *trace.Strings:
		if d.Len() > 0 {
			c.data, c.texts = d, box(d.Dict)
		}
	case *trace.Keys:
		if d.Len() > 0 {
			c.data = d
		}
	}
}

func orNil[T any](s []T) any {
	if len(s) == 0 {
		return nil
	}
	return s
}

func box(dict []string) []driver.Value {
	values := make([]driver.Value, len(dict))
	for i, s := range dict {
		values[i] = s
	}
	return values
}

// value is what SQL sees in a row: nil, int64, float64 or string.
func (c *column) value(row int) driver.Value {
	switch d := c.data.(type) {
	case []int32:
		if v := d[row]; v != trace.NoInt && (v != trace.None || !c.none) {
			return int64(v)
		}
	case []int64:
		if v := d[row]; v != trace.NoTime {
			return v
		}
	case *trace.Strings:
		if i := d.Index[row]; i >= 0 {
			return c.texts[i]
		}
	case *trace.Keys:
		if code := d.Code[row]; code >= 0 {
			return string(d.AppendTo(nil, code))
		}
	case []float64:
		if v := d[row]; !math.IsNaN(v) {
			return v
		}
	case []bool:
		if d[row] {
			return int64(1)
		}
		return int64(0)
	case []uint32:
		return int64(d[row])
	case []uint64:
		return unsigned(d[row])
	}
	return nil
}

// unsigned gives numbers beyond SQLite's 64-bit integers as their digits:
// exact, where REAL would merge distinct tags.
func unsigned(v uint64) driver.Value {
	if v > math.MaxInt64 {
		return strconv.FormatUint(v, 10)
	}
	return int64(v)
}
