package tracetest

import (
	"fmt"
	"hash/maphash"
	"strings"

	"dagscope/trace"
)

// Difference is one way in which a table of two runs differs.
type Difference struct {
	Table  string
	Group  string // which samples (metric), states (type) or events (kind); "absent" for a column that one run lacks; "" else
	Column string // whose cells differ in rows that both runs have; "" for rows that one run alone has, Order for their order
	// OnlyFirst and OnlySecond count the rows that one run alone has.
	OnlyFirst, OnlySecond int
	Changed               int      // rows of both runs whose cells differ
	Examples              []string // the first few
}

// Order is the Column of rows that come in another order.
const Order = "(order)"

// Examples that a Difference keeps.
const keptExamples = 4

// String says the difference in a line, without examples.
func (d Difference) String() string {
	if d.Column == "" {
		return fmt.Sprintf("%s: %d rows only in the first run, %d only in the second", d.Where(), d.OnlyFirst, d.OnlySecond)
	}
	return fmt.Sprintf("%s: %d rows differ", d.Where(), d.Changed)
}

// Where names what differs: "task", "task.end", "sample[Used Memory].value".
func (d Difference) Where() string {
	where := d.Table
	if d.Group != "" {
		where += "[" + d.Group + "]"
	}
	if d.Column != "" {
		where += "." + d.Column
	}
	return where
}

func (d *Difference) example(text string) {
	if len(d.Examples) < keptExamples {
		d.Examples = append(d.Examples, text)
	}
}

// identity names the columns that tell a row of a table from the others,
// wherever it stands. Rows that agree in them are paired in their order.
var identity = map[string][]string{
	"resource": {"node", "level", "name"}, "handle": {"node", "key"}, "treenode": {"key"}, "task": {"key"},
	"segment": {"task", "worker", "start"}, "phase": {"task", "start"}, "decision": {"task", "kind", "time"},
	"estimate": {"decision", "worker", "implementation"}, "transfer": {"key"}, "dep": {"from", "to", "via"},
	"state": {"resource", "type", "start", "depth", "kind"}, "sample": {"metric", "resource", "time"},
	"event": {"kind", "resource", "time", "value"}, "access": {"task", "handle"}, "counter": {"task", "event"},
	"construct": {"kind", "resource", "start", "parent"}, "share": {"construct", "resource"}, "chunk": {"share", "start"},
	"mutex": {"resource", "request", "depth"}, "model": {"symbol", "arch", "device", "cores", "impl", "footprint"}, "importlog": {"severity", "source", "code"},
	"account": {"source", "record", "table"}, "gain": {"experiment", "title", "keys"},
}

// grouped names the column by which the differences of a table are told apart.
var grouped = map[string]string{"sample": "metric", "state": "type", "event": "kind"}

// unordered are the tables whose order depends on that of dictionaries.
var unordered = map[string]bool{"state": true, "sample": true, "importlog": true, "account": true}

// Compare tells how the tables of two runs differ, row by row and column by
// column, whatever their dictionaries look like: rows are paired by what
// identifies them (see [identity]), references are equal when they name such
// pairs, times are compared on the clock of the source. It takes a few hundred
// ns a row. The run's Meta is not looked at.
func Compare(first, second *trace.Run) (all []Difference) {
	a, b := newSide(first), newSide(second)
	for k, t := range a.tables {
		a.identify(t)
		b.identify(b.tables[k])
		all = append(all, compareTable(a, b, t, b.tables[k])...)
	}
	return all
}

// side is one of the two runs.
type side struct {
	run      *trace.Run
	tables   []trace.Table
	identity map[string][]uint64 // by table: of each row, no two alike
}

func newSide(run *trace.Run) *side {
	return &side{run: run, tables: run.Tables(), identity: map[string][]uint64{}}
}

var seed = maphash.MakeSeed()

// mix joins two hashes (the finalizer of splitmix64).
func mix(h, v uint64) uint64 {
	h ^= v + 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// identify fills in the identity of the rows of a table, on whose tables of
// reference it has been called before.
func (s *side) identify(t trace.Table) {
	ids := make([]uint64, t.Rows())
	for _, name := range identity[t.Name] {
		c, _ := t.Column(name)
		cell := s.hasher(t, c)
		for row := range ids {
			ids[row] = mix(ids[row], cell(row))
		}
	}
	seen := make(map[uint64]uint64, len(ids))
	for row, id := range ids {
		n := seen[id]
		seen[id] = n + 1
		ids[row] = mix(id, n)
	}
	s.identity[t.Name] = ids
}

// missing is the hash of a cell without a value.
const missing = 0x6d697373

// hasher returns a function that hashes the cells of a column so that equal
// cells of two runs have equal hashes.
func (s *side) hasher(t trace.Table, c trace.Column) func(row int) uint64 {
	if c.Len() == 0 {
		return func(int) uint64 { return missing }
	}
	switch d := c.Data.(type) {
	case *[]int32:
		if c.Ref != "" {
			return s.reference(t, c, *d)
		}
		return func(row int) uint64 { return known(uint64(uint32((*d)[row])), (*d)[row] == trace.NoInt) }
	case *[]int64:
		return s.integers(c, *d)
	case *[]uint32:
		return func(row int) uint64 { return uint64((*d)[row]) }
	case *[]uint64:
		return func(row int) uint64 { return (*d)[row] }
	case *trace.Strings:
		return texts(d)
	}
	return func(row int) uint64 { return maphash.String(seed, formatCell(c, row)) }
}

func known(v uint64, absent bool) uint64 {
	if absent {
		return missing
	}
	return v
}

// integers hashes times on the clock of the source, other numbers as they are.
func (s *side) integers(c trace.Column, d []int64) func(row int) uint64 {
	origin := s.origin(c)
	return func(row int) uint64 { return known(uint64(d[row]+origin), d[row] == trace.NoTime) }
}

// origin is what to add to a time of the run for the clock of the source.
func (s *side) origin(c trace.Column) int64 {
	if _, isTime := c.Data.(*[]int64); isTime && c.Unit == "ns" {
		return s.run.Meta.Origin
	}
	return 0
}

func texts(d *trace.Strings) func(row int) uint64 {
	of := make([]uint64, len(d.Dict))
	for i, text := range d.Dict {
		of[i] = maphash.String(seed, text)
	}
	return func(row int) uint64 {
		if d.Index[row] == trace.None {
			return missing
		}
		return of[d.Index[row]]
	}
}

// reference hashes the rows that a column names by their identity.
func (s *side) reference(t trace.Table, c trace.Column, d []int32) func(row int) uint64 {
	named := s.identity[c.Ref]
	if c.Ref == t.Name && named == nil {
		panic("compare: " + t.Name + "." + c.Name + " identifies rows of its own table") // the table of identities is wrong
	}
	return func(row int) uint64 {
		if d[row] == trace.None {
			return missing
		}
		return named[d[row]]
	}
}

// pairs are the rows of two tables that are the same.
type pairs struct{ first, second []int }

// differences of a table, by group.
type differences struct {
	table trace.Table
	of    map[string]int
	all   []Difference
}

// at is the difference of a column in the group of a row of the table t.
func (d *differences) at(t trace.Table, row int, column string) *Difference {
	group := ""
	if c, ok := t.Column(grouped[t.Name]); ok {
		group = c.Data.(*trace.Strings).At(row)
	}
	i, ok := d.of[column+"\x00"+group]
	if !ok {
		i = len(d.all)
		d.of[column+"\x00"+group] = i
		d.all = append(d.all, Difference{Table: t.Name, Group: group, Column: column})
	}
	return &d.all[i]
}

// compareTable compares two tables whose rows are identified.
func compareTable(a, b *side, t, u trace.Table) []Difference {
	d := &differences{table: t, of: map[string]int{}}
	both := d.pair(a, b, u)
	for k := range t.Columns {
		d.compareColumn(a, b, u, k, both)
	}
	if !unordered[t.Name] {
		d.compareOrder(a, both)
	}
	return d.all
}

// pair finds the rows that both tables have, in the order of the first, and
// notes which one alone has.
func (d *differences) pair(a, b *side, u trace.Table) (both pairs) {
	there := make(map[uint64]int, u.Rows())
	for row, id := range b.identity[u.Name] {
		there[id] = row
	}
	for row, id := range a.identity[u.Name] {
		if other, ok := there[id]; ok {
			both.first, both.second = append(both.first, row), append(both.second, other)
			delete(there, id)
			continue
		}
		alone := d.at(d.table, row, "")
		if alone.OnlyFirst++; alone.OnlyFirst <= keptExamples/2 {
			alone.example("first: " + a.text(d.table, row))
		}
	}
	for row, id := range b.identity[u.Name] {
		if _, ok := there[id]; ok {
			alone := d.at(u, row, "")
			if alone.OnlySecond++; alone.OnlySecond <= keptExamples/2 {
				alone.example("second: " + b.text(u, row))
			}
		}
	}
	return both
}

func (d *differences) compareColumn(a, b *side, u trace.Table, k int, both pairs) {
	c, o := d.table.Columns[k], u.Columns[k]
	first, second := a.hasher(d.table, c), b.hasher(u, o)
	for i, row := range both.first {
		if first(row) == second(both.second[i]) {
			continue
		}
		changed := d.at(d.table, row, c.Name)
		if changed.Changed++; changed.Changed <= keptExamples {
			changed.example(fmt.Sprintf("%s: first %s, second %s", a.name(d.table, row), a.cell(c, row), b.cell(o, both.second[i])))
		}
	}
	if has, had := c.Len() > 0, o.Len() > 0; has != had && d.table.Rows() > 0 && u.Rows() > 0 {
		d.all = append(d.all, Difference{Table: u.Name, Column: c.Name, Group: "absent",
			Examples: []string{fmt.Sprintf("first run has the column: %v, second: %v", has, had)}})
	}
}

// compareOrder counts the rows that the second run has before their
// predecessor in the first.
func (d *differences) compareOrder(a *side, both pairs) {
	for i := 1; i < len(both.second); i++ {
		if row := both.first[i]; both.second[i] < both.second[i-1] {
			moved := d.at(d.table, row, Order)
			moved.Changed++
			moved.example(fmt.Sprintf("second run has %s before %s", a.name(d.table, row), a.name(d.table, both.first[i-1])))
		}
	}
}

// name prints what identifies a row.
func (s *side) name(t trace.Table, row int) string { return s.print(t, identity[t.Name], row) }

// text prints a whole row.
func (s *side) text(t trace.Table, row int) string {
	var columns []string
	for _, c := range t.Columns {
		if c.Len() > 0 {
			columns = append(columns, c.Name)
		}
	}
	return s.print(t, columns, row)
}

func (s *side) print(t trace.Table, columns []string, row int) string {
	words := make([]string, 0, len(columns))
	for _, name := range columns {
		c, _ := t.Column(name)
		words = append(words, name+"="+s.cell(c, row))
	}
	return strings.Join(words, " ")
}

// cell prints a cell, references by what identifies the row they name.
func (s *side) cell(c trace.Column, row int) string {
	if c.Len() == 0 {
		return "-"
	}
	switch d := c.Data.(type) {
	case *[]int32:
		if c.Ref != "" && (*d)[row] != trace.None {
			t, _ := s.run.Table(c.Ref)
			return "(" + s.name(t, int((*d)[row])) + ")"
		}
	case *[]int64:
		if v := (*d)[row]; v != trace.NoTime {
			return fmt.Sprint(v + s.origin(c))
		}
	}
	return formatCell(c, row)
}
