// Package query answers SQL about a run.
//
// Every table of [trace.Run.Tables] is a SQL table with the same columns plus
// id, the row number that references in other tables name; views.go adds
// joined views such as tasks, and callers add tables that analyses compute when a
// query reads them. SQLite (the pure Go build of modernc.org) parses
// and executes; it reads the run's columns in place through virtual tables, so
// nothing is copied and nothing is loaded that the query does not name. Queries
// can only read: see guard.go.
//
// In SQL a missing value is NULL: [trace.NoTime], [trace.NoInt], NaN, a text
// that is not there, [trace.None] in references and in the columns where it
// means "none". Truth values are 0 and 1; times are ns since the run's zero.
package query

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"dagscope/trace"
	"modernc.org/sqlite"
)

// Source holds the tables of a run: a run directory or a Run in memory.
type Source interface {
	// Rows is the number of rows of a table.
	Rows(table string) int
	// Load returns a run that holds at least the columns asked for, each named
	// "table.column". A column that the run does not have stays empty.
	Load(want ...string) (*trace.Run, error)
}

// InMemory is a Source for a run that is loaded already.
func InMemory(r *trace.Run) Source { return memory{r} }

type memory struct{ run *trace.Run }

func (m memory) Load(...string) (*trace.Run, error) { return m.run, nil }

func (m memory) Rows(table string) int {
	t, _ := m.run.Table(table)
	return t.Rows()
}

// DB is a run that can be queried. It serves one query at a time: a second
// call of Query waits until the first one's Rows are closed.
type DB struct {
	src    Source
	db     *sql.DB
	conn   *sql.Conn
	token  string
	tables map[string]*table

	computed []Computed

	turn   chan struct{} // holds one token: the right to query
	guard  guard
	failed error // why a table could not be read, kept here because SQLite passes on only its text
}

const driverName = "dagscope"

// maxValueBytes is the longest text or blob that a query may make, in bytes:
// a few words of SQL could ask for gigabytes otherwise. limitLength is what
// SQLite calls SQLITE_LIMIT_LENGTH.
const (
	maxValueBytes = 16 << 20
	limitLength   = 0
)

// register installs the virtual-table module and the additional SQL functions
// in a driver of our own, once for the process.
var register = sync.OnceValue(func() error {
	if err := countAllocations(); err != nil {
		return err
	}
	d := &sqlite.Driver{}
	if err := d.RegisterModule(moduleName, module{}); err != nil {
		return err
	}
	if err := registerFunctions(d); err != nil {
		return err
	}
	sql.Register(driverName, d)
	return nil
})

var nextToken atomic.Int64

// Open makes a run queryable, with tables that are computed of it. It reads
// nothing but the numbers of rows.
func Open(src Source, computed ...Computed) (*DB, error) {
	if err := register(); err != nil {
		return nil, fmt.Errorf("set up SQL: %w", err)
	}
	db := &DB{src: src, computed: computed, tables: make(map[string]*table), turn: make(chan struct{}, 1)}
	db.token = strconv.FormatInt(nextToken.Add(1), 10)
	openDBs.Store(db.token, db)
	if err := db.connect(); err != nil {
		db.Close()
		return nil, fmt.Errorf("set up SQL: %w", err)
	}
	db.guard.on = true
	db.turn <- struct{}{}
	return db, nil
}

// connect opens the database, which holds no data: only the declarations of
// the virtual tables and the views.
func (db *DB) connect() (err error) {
	ctx := context.Background()
	// _dqs=0: a misspelled "column" is an error, not a text.
	if db.db, err = sql.Open(driverName, "file::memory:?_dqs=0"); err != nil {
		return err
	}
	if db.conn, err = db.db.Conn(ctx); err != nil {
		return err
	}
	if _, err := sqlite.Limit(db.conn, limitLength, maxValueBytes); err != nil {
		return err
	}
	for _, t := range trace.Schema() {
		room.atLeast(int64(db.src.Rows(t.Name)))
		if err := db.exec(ctx, "CREATE VIRTUAL TABLE "+quote(t.Name)+" USING "+moduleName+"("+db.token+")"); err != nil {
			return err
		}
	}
	for _, c := range db.computed {
		if err := db.exec(ctx, "CREATE VIRTUAL TABLE "+quote(c.Name)+" USING "+moduleName+"("+db.token+")"); err != nil {
			return err
		}
	}
	for _, v := range views {
		if err := db.exec(ctx, "CREATE VIEW "+quote(v.name)+" AS "+v.sql); err != nil {
			return fmt.Errorf("view %s: %w", v.name, err)
		}
	}
	return db.conn.Raw(func(c any) error {
		return c.(sqlite.AuthorizerRegisterer).RegisterAuthorizer(db.guard.authorize)
	})
}

func (db *DB) exec(ctx context.Context, statement string) error {
	_, err := db.conn.ExecContext(ctx, statement)
	return err
}

// Close releases the database. Rows must be closed before.
func (db *DB) Close() error {
	openDBs.Delete(db.token)
	if db.db == nil {
		return nil
	}
	if db.conn != nil {
		db.conn.Close()
	}
	return db.db.Close()
}

// Query runs one SELECT (or WITH, VALUES, EXPLAIN). Errors in the SQL are of
// type [*Error] and say where. The query stops when ctx is done.
func (db *DB) Query(ctx context.Context, statement string, args ...any) (*Rows, error) {
	if err := checkSingle(statement); err != nil {
		return nil, err
	}
	select {
	case <-db.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	rows, err := db.query(ctx, statement, args)
	if err != nil {
		db.turn <- struct{}{}
	}
	return rows, err
}

func (db *DB) query(ctx context.Context, statement string, args []any) (*Rows, error) {
	db.failed, db.guard.denied = nil, denial{}
	for _, t := range db.tables {
		t.wanted, t.plans = 0, nil
	}
	rows, err := db.conn.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, db.explain(ctx, statement, err)
	}
	r, err := newRows(ctx, db, statement, rows)
	if err != nil {
		rows.Close()
		return nil, db.explain(ctx, statement, err)
	}
	return r, nil
}

// explain turns an error of SQLite into one that says what is wrong where.
func (db *DB) explain(ctx context.Context, statement string, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("stop the query: %w", context.Cause(ctx))
	case db.failed != nil:
		return fmt.Errorf("read the run: %w", db.failed)
	case db.guard.denied.what != "":
		return db.guard.denied.at(statement)
	}
	return db.locate(statement, err)
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
