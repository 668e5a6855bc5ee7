package query

import (
	"fmt"

	"dagscope/trace"
)

// Computed is a table that no run holds: an analysis makes it of the run when a
// query first reads it. Like the run's own tables it has id, the row number.
type Computed struct {
	Name, Doc string
	// Columns without data: of Data only the type counts, as in (*[]int64)(nil).
	Columns []trace.Column
	// Compute returns the data of all columns, equally long: *trace.Strings,
	// *trace.Keys, []int32, []int64 or []float64.
	Compute func() ([]any, error)
}

// computed is the table of a name, nil for those of the run.
func (db *DB) computedTable(name string) *Computed {
	for i := range db.computed {
		if db.computed[i].Name == name {
			return &db.computed[i]
		}
	}
	return nil
}

// doc describes a computed table: as a view, since its rows are not known.
func (c *Computed) doc() TableDoc {
	d := TableDoc{Documented{c.Name, "view", "", c.Doc}, -1, []Documented{{"id", "INTEGER", "", "row number"}}}
	for _, k := range c.Columns {
		d.Columns = append(d.Columns, Documented{k.Name, sqlType(k), k.Unit, columnDoc(k)})
	}
	return d
}

// compute fills all columns of a computed table.
func (t *table) compute() error {
	data, err := t.made.Compute()
	if err != nil {
		return fmt.Errorf("compute %s: %w", t.name, err)
	}
	if len(data) != len(t.columns) {
		return fmt.Errorf("compute %s: found %d columns, want %d", t.name, len(data), len(t.columns))
	}
	rows := -1
	for i, d := range data {
		c := trace.Column{Name: t.columns[i].Name, Data: pointerTo(d)}
		if c.Data == nil || sqlType(c) != sqlType(t.columns[i].Column) {
			return fmt.Errorf("compute %s.%s: found %T, want %s", t.name, c.Name, d, sqlType(t.columns[i].Column))
		}
		if n := c.Len(); rows < 0 {
			rows = n
		} else if n != rows {
			return fmt.Errorf("compute %s.%s: found %d rows, want %d", t.name, c.Name, n, rows)
		}
		t.columns[i].set(c.Data)
	}
	t.rows = rows
	room.atLeast(int64(rows))
	return nil
}

// pointerTo is data as [trace.Column] has it, nil if it is of no such type.
func pointerTo(data any) any {
	switch d := data.(type) {
	case *trace.Strings, *trace.Keys:
		return d
	case []int32:
		return &d
	case []int64:
		return &d
	case []float64:
		return &d
	}
	return nil
}
