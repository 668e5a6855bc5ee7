package query

import (
	"context"
	"database/sql"
	"fmt"
)

// Column is one column of a result. Names are unique: the second "kind" of a
// join is "kind_2".
type Column struct {
	Name string
	Type string // INTEGER, REAL or TEXT where it comes straight from a table, else ""
}

// Rows is the result of a query, read once from first to last:
//
//	for rows.Next() {
//		use(rows.Values())
//	}
//	return rows.Err()
//
// Reading to the end or to an error closes it.
type Rows struct {
	db        *DB
	ctx       context.Context
	statement string
	rows      *sql.Rows
	columns   []Column
	values    []any
	targets   []any // pointers to values, for Scan
	err       error
	closed    bool
}

func newRows(ctx context.Context, db *DB, statement string, rows *sql.Rows) (*Rows, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, fmt.Errorf("read columns of the result: %w", err)
	}
	r := &Rows{db: db, ctx: ctx, statement: statement, rows: rows}
	used := make(map[string]bool)
	for _, t := range types {
		name := t.Name()
		for n := 2; used[name]; n++ {
			name = fmt.Sprintf("%s_%d", t.Name(), n)
		}
		used[name] = true
		r.columns = append(r.columns, Column{name, t.DatabaseTypeName()})
	}
	r.values, r.targets = make([]any, len(types)), make([]any, len(types))
	for i := range r.values {
		r.targets[i] = &r.values[i]
	}
	return r, nil
}

// Columns describes the result.
func (r *Rows) Columns() []Column { return r.columns }

// Next moves to the next row; false at the end or on an error.
func (r *Rows) Next() bool {
	if r.closed {
		return false
	}
	if !r.rows.Next() {
		r.fail(r.rows.Err())
		return false
	}
	if err := r.rows.Scan(r.targets...); err != nil {
		r.fail(err)
		return false
	}
	return true
}

func (r *Rows) fail(err error) {
	if err != nil {
		r.err = r.db.explain(r.ctx, r.statement, err)
	}
	if err := r.Close(); r.err == nil && err != nil {
		r.err = err
	}
}

// Values are those of the current row: nil, int64, float64, string or []byte.
// The slice is overwritten by Next.
func (r *Rows) Values() []any { return r.values }

// Err is what stopped the reading, nil at the end of the result.
func (r *Rows) Err() error { return r.err }

// Close ends the query and lets the next one begin. It may be called again.
func (r *Rows) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	err := r.rows.Close()
	r.db.turn <- struct{}{}
	return err
}
