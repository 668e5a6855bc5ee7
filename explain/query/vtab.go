package query

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"dagscope/trace"
	"modernc.org/sqlite/vtab"
)

// Virtual tables: SQLite asks BestIndex how it could read a table under some
// constraints, then drives cursors over it. Column 0 is id, the row number;
// column i+1 is column i of the trace table.
//
// A plan restricts rows in three ways: the range of ids, one indexed column
// whose equal rows are enumerated (the inner side of joins), and tests on the
// columns. It does not order by anything but id, and does not evaluate LIKE,
// IN (SQLite turns it into one lookup per value) or expressions.

const moduleName = "dagscope_table"

// openDBs finds the DB that a virtual table belongs to by the token in its
// declaration: modules are registered for the whole process.
var openDBs sync.Map

type module struct{}

// Create declares a table; args are module, database, table and token.
func (module) Create(ctx vtab.Context, args []string) (vtab.Table, error) {
	if len(args) != 4 {
		return nil, fmt.Errorf("declare table: found %d arguments, want 4", len(args))
	}
	db, ok := openDBs.Load(args[3])
	if !ok {
		return nil, fmt.Errorf("declare table %s: database %s is closed", args[2], args[3])
	}
	return db.(*DB).declare(ctx, args[2])
}

// Connect is Create: there is nothing to keep between the two.
func (m module) Connect(ctx vtab.Context, args []string) (vtab.Table, error) {
	return m.Create(ctx, args)
}

// table is one virtual table.
type table struct {
	db      *DB
	name    string
	rows    int       // of a computed table a guess, until it is computed
	columns []column  // without id
	made    *Computed // nil for a table of the run
	wanted  uint64    // columns that the statement uses, as SQLite counts them (with id)
	plans   []plan    // those given out, named by IdxNum
}

func (db *DB) declare(ctx vtab.Context, name string) (*table, error) {
	t := &table{db: db, name: name, made: db.computedTable(name)}
	var columns []trace.Column
	if t.made != nil {
		columns, t.rows = t.made.Columns, db.src.Rows("task")
	} else {
		schema := trace.Schema()
		at := slices.IndexFunc(schema, func(t trace.Table) bool { return t.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("declare table %s: no such table in the model", name)
		}
		columns, t.rows = schema[at].Columns, db.src.Rows(name)
	}
	declaration := []string{"id INTEGER"}
	for _, c := range columns {
		t.columns = append(t.columns, newColumn(c))
		declaration = append(declaration, quote(c.Name)+" "+sqlType(c))
	}
	db.tables[name] = t
	return t, ctx.Declare("CREATE TABLE x(" + strings.Join(declaration, ", ") + ")")
}

// plan is one way to read the table. Each term takes one argument of Filter.
type plan struct {
	terms []term
	drive int // the term that an index answers, -1 to scan
}

type term struct {
	column int // idColumn, or an index into table.columns
	op     vtab.ConstraintOp
}

const idColumn = -1

// BestIndex chooses a plan and estimates its cost.
func (t *table) BestIndex(info *vtab.IndexInfo) error {
	t.wanted |= info.ColUsed
	p := plan{drive: -1}
	rows, driven, byID := float64(t.rows), float64(t.rows), false
	for i := range info.Constraints {
		c := &info.Constraints[i]
		if !c.Usable || !comparison(c.Op) {
			continue
		}
		column := max(c.Column-1, idColumn) // the rowid, -1, is the id
		c.ArgIndex = len(p.terms)
		p.terms = append(p.terms, term{column, c.Op})
		byID = byID || column == idColumn && c.Op == vtab.OpEQ
		if matching, ok := t.matching(column); ok && c.Op == vtab.OpEQ && matching < driven {
			p.drive, driven = len(p.terms)-1, matching
		}
		rows *= selectivity(c.Op)
	}
	if byID {
		p.drive, rows, driven = -1, 1, 1
		info.IdxFlags |= vtab.IndexScanUnique
	}
	info.IdxNum = t.planNumber(p)
	info.EstimatedCost = driven + 5
	info.EstimatedRows = int64(max(1, min(rows, driven)))
	info.OrderByConsumed = len(info.OrderBy) == 1 && info.OrderBy[0].Column <= 0 && !info.OrderBy[0].Desc
	return nil
}

func comparison(op vtab.ConstraintOp) bool {
	switch op {
	case vtab.OpEQ, vtab.OpLT, vtab.OpLE, vtab.OpGT, vtab.OpGE:
		return true
	}
	return false
}

// selectivity is a guess, as good as any without statistics.
func selectivity(op vtab.ConstraintOp) float64 {
	if op == vtab.OpEQ {
		return 0.1
	}
	return 0.4
}

// matching estimates how many rows hold one value of a column; ok is false for
// columns that are not indexed.
func (t *table) matching(column int) (rows float64, ok bool) {
	if column == idColumn {
		return 0, false
	}
	c := &t.columns[column]
	switch c.Data.(type) {
	case *[]int32, *[]int64, *[]uint32, *trace.Keys:
	default:
		return 0, false
	}
	distinct := 100
	if _, named := c.Data.(*trace.Keys); named {
		distinct = max(1, t.rows)
	} else if c.Ref != "" {
		distinct = max(1, t.db.src.Rows(c.Ref))
	}
	return float64(t.rows) / float64(distinct), true
}

func (t *table) planNumber(p plan) int64 {
	i := slices.IndexFunc(t.plans, func(q plan) bool { return q.drive == p.drive && slices.Equal(q.terms, p.terms) })
	if i < 0 {
		i = len(t.plans)
		t.plans = append(t.plans, p)
	}
	return int64(i)
}

// Open returns a cursor that Filter positions.
func (t *table) Open() (vtab.Cursor, error) { return &cursor{t: t}, nil }

// Disconnect has nothing to release.
func (t *table) Disconnect() error { return nil }

// Destroy has nothing to release.
func (t *table) Destroy() error { return nil }

// load makes the columns that the statement and the plan use available, all
// that are missing in one go.
func (t *table) load(p *plan) error {
	if t.made != nil {
		if t.columns[0].loaded {
			return nil
		}
		t.db.failed = t.compute()
		return t.db.failed
	}
	used := func(i int) bool {
		// SQLite's last bit stands for every column from 63 on.
		return t.wanted&(1<<min(i+1, 63)) != 0 || slices.ContainsFunc(p.terms, func(m term) bool { return m.column == i })
	}
	var missing []int
	var want []string
	for i := range t.columns {
		if !t.columns[i].loaded && used(i) {
			missing = append(missing, i)
			want = append(want, t.name+"."+t.columns[i].Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := t.fetch(missing, want); err != nil {
		t.db.failed = err
		return err
	}
	return nil
}

func (t *table) fetch(missing []int, want []string) error {
	run, err := t.db.src.Load(want...)
	if err != nil {
		return err
	}
	loaded, _ := run.Table(t.name)
	for _, i := range missing {
		c := loaded.Columns[i]
		if n := c.Len(); n != 0 && n != t.rows {
			return fmt.Errorf("load %s.%s: found %d rows, want %d", t.name, c.Name, n, t.rows)
		}
		t.columns[i].set(c.Data)
	}
	return nil
}

// cursor walks over the rows of a plan: position pos of rows, or row pos
// itself when rows is nil.
type cursor struct {
	t     *table
	rows  []int32
	pos   int
	end   int
	tests []test
}

// Filter starts a scan.
func (c *cursor) Filter(number int, _ string, values []vtab.Value) error {
	p := &c.t.plans[number]
	if err := c.t.load(p); err != nil {
		return err
	}
	c.rows, c.pos, c.end, c.tests = nil, 0, c.t.rows, c.tests[:0]
	for i, m := range p.terms {
		if m.column == idColumn {
			c.restrict(m.op, values[i], p.drive >= 0)
		} else if i != p.drive || !c.drive(&c.t.columns[m.column], values[i]) {
			if f := newTest(&c.t.columns[m.column], m.op, values[i]); f != nil {
				c.tests = append(c.tests, f)
			}
		}
	}
	c.settle()
	return nil
}

// restrict narrows the ids.
func (c *cursor) restrict(op vtab.ConstraintOp, value vtab.Value, driven bool) {
	low, high, ok := integerRange(op, value)
	if value == nil {
		low, high, ok = 1, 0, true
	}
	switch {
	case !ok:
	case driven:
		c.tests = append(c.tests, func(row int) bool { return low <= int64(row) && int64(row) <= high })
	default:
		c.pos = int(max(int64(c.pos), low))
		// high may be the greatest int64: bound it before adding.
		c.end = int(min(int64(c.end), max(min(high, int64(c.t.rows)), -1)+1))
	}
}

// drive enumerates the rows that hold value; false if the index does not know.
func (c *cursor) drive(col *column, value vtab.Value) bool {
	v, ok := value.(int64)
	if keys, named := col.data.(*trace.Keys); named {
		v, ok = keyCode(keys, value)
	}
	if !ok || col.data == nil {
		return false
	}
	if col.index == nil {
		col.index = newIndex(col.data)
	}
	c.rows = col.index.find(v)
	c.pos, c.end = 0, len(c.rows)
	return true
}

// keyCode is the code of a name; false where there may be several under some
// collation, or none.
func keyCode(keys *trace.Keys, value vtab.Value) (int64, bool) {
	if text, ok := value.(string); ok {
		if codes := codesLike(keys, text); len(codes) == 1 && codes[0] >= 0 {
			return codes[0], true
		}
	}
	return 0, false
}

// Next moves to the next row.
func (c *cursor) Next() error {
	c.pos++
	c.settle()
	return nil
}

// settle moves on to a row that passes all tests.
func (c *cursor) settle() {
	if len(c.tests) == 0 {
		return
	}
	for ; c.pos < c.end; c.pos++ {
		if c.passes(c.row()) {
			return
		}
	}
}

func (c *cursor) passes(row int) bool {
	for _, f := range c.tests {
		if !f(row) {
			return false
		}
	}
	return true
}

func (c *cursor) row() int {
	if c.rows != nil {
		return int(c.rows[c.pos])
	}
	return c.pos
}

// Eof tells whether the scan is over.
func (c *cursor) Eof() bool { return c.pos >= c.end }

// Column returns a value of the current row.
func (c *cursor) Column(i int) (vtab.Value, error) {
	if i == 0 {
		return int64(c.row()), nil
	}
	return c.t.columns[i-1].value(c.row()), nil
}

// Rowid is the id.
func (c *cursor) Rowid() (int64, error) { return int64(c.row()), nil }

// Close has nothing to release.
func (c *cursor) Close() error { return nil }
