package trace

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Table describes one table of a Run for code that treats all tables alike:
// the store, SQL, the text form, the docs.
type Table struct {
	Name    string
	Doc     string
	Columns []Column

	field int // of Run
}

// Column describes one column, as the tags in run.go declare it. Data points
// into the Run, or is a nil pointer in a [Schema]: *[]int32, *[]int64, *[]uint32,
// *[]uint64, *[]float64, *[]bool, *Strings or *Keys.
type Column struct {
	Name     string
	Data     any
	Unit     string // "ns", "µs", "bytes", "GFlop"; "" for texts and numbers without unit
	Ref      string // table whose rows an int32 column names
	Null     bool   // a row may have None, or no text; other types have values of their own for that
	Optional bool   // may be absent (nil) in a table that has rows
	Doc      string

	field int // of the table's struct
}

// Schema describes every table without a run, in the order in which they can be
// read so that references only point backwards (except a column that names rows
// of its own table). All callers share the result: do not change it.
func Schema() []Table { return schema() }

// Tables describes every table of r, in the order of [Schema].
func (r *Run) Tables() []Table {
	tables := slices.Clone(schema())
	for i := range tables {
		tables[i] = tables[i].of(r)
	}
	return tables
}

// Table returns the description of a table of r by name.
func (r *Run) Table(name string) (Table, bool) {
	t, ok := find(name)
	if !ok {
		return Table{}, false
	}
	return t.of(r), true
}

// Column returns a column of r by the names of table and column, without an
// allocation.
func (r *Run) Column(table, column string) (Column, bool) {
	t, _ := find(table)
	c, ok := t.Column(column)
	if !ok {
		return Column{}, false
	}
	c.Data = c.of(reflect.ValueOf(r).Elem().Field(t.field))
	return c, true
}

// Column returns a column by name.
func (t Table) Column(name string) (Column, bool) {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return t.Columns[i], true
		}
	}
	return Column{}, false
}

// Rows is the number of rows of the table, that of its longest column.
func (t Table) Rows() int {
	n := 0
	for i := range t.Columns {
		n = max(n, t.Columns[i].Len())
	}
	return n
}

// Len is the number of rows of the column; 0 for an absent one.
func (c Column) Len() int {
	switch d := c.Data.(type) {
	case *[]int32:
		return len(*d)
	case *[]int64:
		return len(*d)
	case *[]uint32:
		return len(*d)
	case *[]uint64:
		return len(*d)
	case *[]float64:
		return len(*d)
	case *[]bool:
		return len(*d)
	case *Strings:
		return len(d.Index)
	case *Keys:
		return len(d.Code)
	}
	panic(fmt.Sprintf("trace: column %s has type %T", c.Name, c.Data))
}

// of is the table with columns that point into r.
func (t Table) of(r *Run) Table {
	columns := reflect.ValueOf(r).Elem().Field(t.field)
	t.Columns = slices.Clone(t.Columns)
	for i := range t.Columns {
		t.Columns[i].Data = t.Columns[i].of(columns)
	}
	return t
}

// of is the column's Data in the struct of a table.
func (c *Column) of(columns reflect.Value) any { return columns.Field(c.field).Addr().Interface() }

func find(name string) (Table, bool) {
	tables := schema()
	for i := range tables {
		if tables[i].Name == name {
			return tables[i], true
		}
	}
	return Table{}, false
}

// schema reads the tags of Run, once.
var schema = sync.OnceValue(func() []Table {
	var tables []Table
	run := reflect.TypeFor[Run]()
	for i := range run.NumField() {
		f := run.Field(i)
		if name, ok := f.Tag.Lookup("table"); ok {
			tables = append(tables, Table{Name: name, Doc: f.Tag.Get("doc"), Columns: declaredColumns(f.Type), field: i})
		}
	}
	return tables
})

// declaredColumns reads the tags of the struct of a table. A field without a
// name is no column.
func declaredColumns(table reflect.Type) []Column {
	var columns []Column
	for i := range table.NumField() {
		f := table.Field(i)
		tag, ok := f.Tag.Lookup("column")
		if !ok {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
		columns = append(columns, Column{
			Name: name, Data: reflect.Zero(reflect.PointerTo(f.Type)).Interface(),
			Unit: f.Tag.Get("unit"), Ref: f.Tag.Get("ref"), Null: has("null"), Optional: has("optional"), Doc: f.Tag.Get("doc"),
			field: i,
		})
	}
	return columns
}
