package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dagscope/trace"
	"dagscope/trace/tracetest"
	"pgregory.net/rapid"
)

// smallRun is two workers on one node running five tasks, one of them
// internal, one generation, with a bit of everything else.
func smallRun() *trace.Run {
	r := &trace.Run{}
	re := &r.Resource
	for i, name := range []string{"root", "CPU0", "CUDA0"} {
		re.Parent = append(re.Parent, int32(min(i, 1)-1))
		re.Level.Append([]string{trace.LevelNode, trace.LevelWorker, trace.LevelWorker}[i])
		re.Name.Append(name)
		re.Arch.Append([]string{"", "cpu", "cuda"}[i])
		re.Node = append(re.Node, 0)
		re.Index = append(re.Index, int32(i-1))
		re.Start = append(re.Start, 0)
		re.End = append(re.End, trace.NoTime)
	}
	ta := &r.Task
	add := func(key, kind string, worker int32, start, end int64, generation, internal bool) {
		ta.Key.AppendString(key)
		ta.Kind.Append(kind)
		ta.Worker = append(ta.Worker, worker)
		ta.Start = append(ta.Start, start)
		ta.End = append(ta.End, end)
		ta.Submit = append(ta.Submit, start/2)
		ta.Ready = append(ta.Ready, trace.NoTime)
		ta.Order = append(ta.Order, int32(len(ta.Order)))
		ta.Priority = append(ta.Priority, -1)
		ta.Iteration = append(ta.Iteration, int32(len(ta.Iteration)/2))
		ta.Generation = append(ta.Generation, generation)
		ta.Internal = append(ta.Internal, internal)
		ta.GFlop = append(ta.GFlop, math.NaN())
		ta.Tag = append(ta.Tag, math.MaxUint64-uint64(len(ta.Tag)))
	}
	add("0_1", "plgsy", 1, -50, -10, true, false)
	add("0_2", "potrf", 1, 0, 100, false, false)
	add("0_3", "trsm", 2, 100, 130, false, false)
	add("0_4", "gemm", 2, 130, 170, false, false)
	add("0_5", "acquire", trace.None, trace.NoTime, trace.NoTime, false, true)
	ta.GFlop[1] = 1.5
	for _, e := range [][2]int32{{1, 2}, {2, 3}, {1, 4}} {
		r.Dep.From = append(r.Dep.From, e[0])
		r.Dep.To = append(r.Dep.To, e[1])
		r.Dep.Kind.Append(trace.DepTask)
	}
	r.Sample.Metric.Append("ready")
	r.Sample.Resource = append(r.Sample.Resource, 0)
	r.Sample.Time = append(r.Sample.Time, 5)
	r.Sample.Value = append(r.Sample.Value, 2.5)
	return r
}

func open(t testing.TB, src Source) *DB {
	t.Helper()
	db, err := Open(src)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// ask returns the rows of a query as text, values separated by |.
func ask(t testing.TB, db *DB, statement string, args ...any) []string {
	t.Helper()
	rows, err := db.Query(context.Background(), statement, args...)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	var got []string
	for rows.Next() {
		var line []string
		for _, v := range rows.Values() {
			line = append(line, fmt.Sprint(v))
		}
		got = append(got, strings.Join(line, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return got
}

func TestQuery(t *testing.T) {
	db := open(t, InMemory(smallRun()))
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{`SELECT count(*) FROM task`, []string{"5"}},
		{`SELECT id, key, kind, worker, start, "end" FROM task ORDER BY id`, []string{
			"0|0_1|plgsy|1|-50|-10", "1|0_2|potrf|1|0|100", "2|0_3|trsm|2|100|130", "3|0_4|gemm|2|130|170", "4|0_5|acquire|<nil>|<nil>|<nil>",
		}},
		{`SELECT id FROM task ORDER BY id DESC LIMIT 2`, []string{"4", "3"}},
		{`SELECT key FROM task WHERE id = 3`, []string{"0_4"}},
		{`SELECT key FROM task WHERE rowid = 3`, []string{"0_4"}},
		{`SELECT key FROM task WHERE id IN (3, 1, 77, NULL) ORDER BY id`, []string{"0_2", "0_4"}},
		{`SELECT id FROM task WHERE id > 1 AND id <= 3`, []string{"2", "3"}},
		{`SELECT id FROM task WHERE id >= 1.5 AND id < 3.5`, []string{"2", "3"}},
		{`SELECT id FROM task WHERE id = 1.5`, nil},
		{`SELECT id FROM task WHERE id = '3'`, []string{"3"}},
		{`SELECT id FROM task WHERE id = NULL`, nil},
		{`SELECT id FROM task WHERE id < -9223372036854775807 OR id > 9223372036854775806`, nil},
		{`SELECT id FROM task WHERE id <= 9223372036854775807`, []string{"0", "1", "2", "3", "4"}},
		{`SELECT id FROM task WHERE worker = '2'`, []string{"2", "3"}},
		{`SELECT id FROM task WHERE worker = 2.0`, []string{"2", "3"}},
		{`SELECT id FROM task WHERE worker IS NULL`, []string{"4"}},
		{`SELECT id FROM task WHERE worker = NULL`, nil},
		{`SELECT id FROM task WHERE start < 0`, []string{"0"}},
		{`SELECT id FROM task WHERE kind = 'gemm'`, []string{"3"}},
		{`SELECT id FROM task WHERE kind = 'GEMM'`, nil},
		{`SELECT id FROM task WHERE kind = 'GEMM' COLLATE NOCASE`, []string{"3"}},
		{`SELECT id FROM task WHERE kind = 'gemm  ' COLLATE RTRIM`, []string{"3"}},
		{`SELECT id FROM task WHERE kind LIKE 'T%'`, []string{"2"}},
		{`SELECT id FROM task WHERE kind IN ('gemm', 'trsm') ORDER BY id`, []string{"2", "3"}},
		{`SELECT id FROM task WHERE key = '0_3'`, []string{"2"}},
		{`SELECT id FROM task WHERE key = '0_3 ' COLLATE RTRIM`, []string{"2"}},
		{`SELECT id FROM task WHERE key = '0_03'`, nil},
		{`SELECT id FROM task WHERE internal`, []string{"4"}},
		{`SELECT id FROM task WHERE generation = 1`, []string{"0"}},
		{`SELECT priority, iteration, ready, gflop, footprint FROM task WHERE id = 0`, []string{"-1|0|<nil>|<nil>|<nil>"}},
		{`SELECT tag FROM task WHERE id = 0`, []string{"18446744073709551615"}},
		{`SELECT id FROM task WHERE gflop > 1`, []string{"1"}},
		{`SELECT id FROM task WHERE gflop = 1.5`, []string{"1"}},
		{`SELECT id FROM task WHERE footprint = 5`, nil},
		{`SELECT name FROM resource WHERE parent IS NULL`, []string{"root"}},
		{`SELECT kind, count(*), sum(duration) FROM tasks GROUP BY kind ORDER BY kind`, []string{"gemm|1|40", "potrf|1|100", "trsm|1|30"}},
		{`SELECT worker, arch, node FROM tasks WHERE key = '0_3'`, []string{"CUDA0|cuda|0"}},
		{`SELECT predecessor, successor, gap FROM deps ORDER BY id`, []string{"0_2|0_3|0", "0_3|0_4|0", "0_2|0_5|<nil>"}},
		{`SELECT s.key FROM task p JOIN dep d ON d."from" = p.id JOIN task s ON s.id = d."to" WHERE p.key = '0_2' ORDER BY s.id`, []string{"0_3", "0_5"}},
		{`SELECT resource, value FROM samples`, []string{"root|2.5"}},
		{`SELECT median(duration), quantile(duration, 0.25), quantile(duration, 1) FROM tasks`, []string{"40|35|100"}},
		{`SELECT median(start) FROM task WHERE id > 100`, []string{"<nil>"}},
		{`SELECT sum("end") OVER (ORDER BY id) FROM task LIMIT 2`, []string{"-10", "90"}},
		{`WITH RECURSIVE up(i) AS (VALUES (3) UNION SELECT "from" FROM dep JOIN up ON "to" = i) SELECT group_concat(i) FROM up`, []string{"3,2,1"}},
		{`SELECT count(*) FROM state`, []string{"0"}},
		{`SELECT ';' -- ; not the end`, []string{";"}},
		{`SELECT 1;  `, []string{"1"}},
		{`SELECT name FROM pragma_table_info('dep') WHERE cid = 0`, []string{"id"}},
	} {
		if got := ask(t, db, c.sql); !slices.Equal(got, c.want) {
			t.Errorf("%s\n got %q\nwant %q", c.sql, got, c.want)
		}
	}
}

func TestArguments(t *testing.T) {
	db := open(t, InMemory(smallRun()))
	if got := ask(t, db, `SELECT key FROM task WHERE kind = ? AND start >= ?`, "gemm", 130); !slices.Equal(got, []string{"0_4"}) {
		t.Errorf("got %q", got)
	}
}

func TestRefusals(t *testing.T) {
	db := open(t, InMemory(smallRun()))
	for _, c := range []struct{ sql, want string }{
		{`SELEC 1`, `near "SELEC": syntax error (line 1, column 1 of the query)`},
		{"SELECT kind\nFROM task\nWHERE WHERE 1", `near "WHERE": syntax error (line 3, column 7 of the query)`},
		{`SELECT 'é', 'a`, `unrecognized token: "'a" (line 1, column 13 of the query)`},
		{`SELECT (1`, `incomplete input (line 1, column 10 of the query)`},
		{`SELECT 'strat', t.strat FROM task t`, `no such column: t.strat (line 1, column 19 of the query)`},
		{`SELECT "strat" FROM task`, `no such column: "strat" - should this be a string literal in single-quotes? (line 1, column 8 of the query)`},
		{`SELECT * FROM taks`, `no such table: taks; there are resource, handle, treenode, task`},
		{`SELECT nosuch(1)`, `no such function: nosuch (line 1, column 8 of the query)`},
		{`SELECT kind FROM task a, task b`, `ambiguous column name: kind (line 1, column 8 of the query)`},
		{"SELECT `no\nsuch`", "no such column: no\nsuch"}, // found by FuzzStatement
		{``, `the query is empty`},
		{` -- nothing`, `the query is empty`},
		{`SELECT 1; SELECT 2`, `one statement at a time (line 1, column 11 of the query)`},
		{`DELETE FROM task`, `queries only read: a run cannot be changed (line 1, column 1 of the query)`},
		{`INSERT INTO task(id) VALUES (1)`, `queries only read: a run cannot be changed`},
		{`UPDATE task SET start = 0`, `queries only read: a run cannot be changed`},
		{`WITH x AS (SELECT 1) DELETE FROM task`, `a run cannot be changed (line 1, column 22 of the query)`},
		{`CREATE TABLE x(a)`, `a run cannot be changed`},
		{`CREATE TEMP TABLE x(a)`, `a run cannot be changed`},
		{`DROP VIEW tasks`, `a run cannot be changed`},
		{`DROP TABLE task`, `a run cannot be changed`},
		{`ALTER TABLE task RENAME TO x`, `a run cannot be changed`},
		{`CREATE VIRTUAL TABLE x USING fts5(a)`, `a run cannot be changed`},
		{`ATTACH 'other.db' AS o`, `other databases cannot be opened (line 1, column 1 of the query)`},
		{`VACUUM INTO 'copy.db'`, `queries only read`},
		{`PRAGMA temp_store_directory = '/tmp'`, `settings cannot be changed (line 1, column 1 of the query)`},
		{`PRAGMA writable_schema = 1`, `settings cannot be changed`},
		{`BEGIN`, `there are no transactions`},
		{`SELECT load_extension('x')`, `extensions cannot be loaded (line 1, column 8 of the query)`},
		{`SELECT quantile(1, 2)`, `want a number from 0 to 1`},
		{`SELECT median(kind) FROM task`, `found "plgsy", want a number`},
	} {
		rows, err := db.Query(context.Background(), c.sql)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.sql, err, c.want)
		}
	}
	if got := ask(t, db, `SELECT count(*) FROM task`); got[0] != "5" {
		t.Errorf("after the refusals the run has %s tasks", got[0])
	}
}

// recorder notes what is loaded.
type recorder struct {
	memory
	loads []string
	err   error
}

func (r *recorder) Load(want ...string) (*trace.Run, error) {
	r.loads = append(r.loads, strings.Join(want, " "))
	return r.run, r.err
}

func TestLoadsOnlyWhatTheQueryNames(t *testing.T) {
	src := &recorder{memory: memory{smallRun()}}
	db := open(t, src)
	ask(t, db, `SELECT count(*) FROM state`)
	ask(t, db, `SELECT count(*) FROM task`)
	if len(src.loads) != 0 {
		t.Errorf("counting loaded %q", src.loads)
	}
	ask(t, db, `SELECT kind FROM task WHERE start > 0`)
	ask(t, db, `SELECT kind, "end" FROM task WHERE start > 0`)
	ask(t, db, `SELECT arch, count(*) FROM tasks GROUP BY arch`)
	want := []string{"task.kind task.start", "task.end", "task.worker task.generation task.internal", "resource.arch"}
	if !slices.Equal(src.loads, want) {
		t.Errorf("loaded %q, want %q", src.loads, want)
	}
}

func TestLoadFailure(t *testing.T) {
	broken := errors.New("disk on fire")
	db := open(t, &recorder{memory: memory{smallRun()}, err: broken})
	rows, err := db.Query(context.Background(), `SELECT kind FROM task`)
	if err == nil {
		for rows.Next() {
		}
		err = rows.Err()
	}
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want it to wrap %v", err, broken)
	}
}

func TestUnequalColumns(t *testing.T) {
	r := smallRun()
	r.Task.Kind.Index = r.Task.Kind.Index[:3]
	_, err := open(t, InMemory(r)).Query(context.Background(), `SELECT kind FROM task`)
	if err == nil || !strings.Contains(err.Error(), "load task.kind: found 3 rows, want 5") {
		t.Errorf("got %v", err)
	}
}

func TestCancel(t *testing.T) {
	db := open(t, InMemory(smallRun()))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	const forever = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`
	rows, err := db.Query(ctx, forever)
	if err == nil {
		for rows.Next() {
		}
		err = rows.Err()
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
	if got := ask(t, db, `SELECT count(*) FROM task`); got[0] != "5" {
		t.Errorf("after a cancelled query: %q", got)
	}
}

func TestOneQueryAtATime(t *testing.T) {
	db := open(t, InMemory(smallRun()))
	rows, err := db.Query(context.Background(), `SELECT id FROM task`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := db.Query(ctx, `SELECT 1`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second query beside an open one: got %v, want it to wait", err)
	}
	rows.Close()
	if got := ask(t, db, `SELECT 1`); got[0] != "1" {
		t.Errorf("got %q", got)
	}
}

// randomRun draws a run whose columns take few values, so that constraints
// and joins hit.
func randomRun(t *rapid.T) *trace.Run {
	r := &trace.Run{}
	n := rapid.IntRange(0, 40).Draw(t, "tasks")
	few := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
	ta := &r.Task
	for range n {
		ta.Key.AppendString(fmt.Sprintf("%s%s%d", []string{"", "0_", "a00"}[few("prefix", 0, 2)], "", few("key", 0, 9)))
		ta.Kind.Append([]string{"gemm", "GEMM", "potrf", ""}[few("kind", 0, 3)])
		ta.Worker = append(ta.Worker, int32(few("worker", -1, 3)))
		start := int64(few("start", -3, 12))
		if start == 12 {
			start = trace.NoTime
		}
		ta.Start = append(ta.Start, start)
		ta.End = append(ta.End, rapid.Int64().Draw(t, "end"))
		ta.Priority = append(ta.Priority, int32(few("priority", -2, 2)))
		ta.Footprint = append(ta.Footprint, uint32(few("footprint", 0, 3)))
		ta.GFlop = append(ta.GFlop, float64(few("gflop", -4, 4))/2)
		ta.Internal = append(ta.Internal, few("internal", 0, 1) == 1)
	}
	for range few("deps", 0, 60) * min(n, 1) {
		r.Dep.From = append(r.Dep.From, int32(few("from", -1, n-1)))
		r.Dep.To = append(r.Dep.To, int32(few("to", 0, n-1)))
		r.Dep.Kind.Append(trace.DepTask)
	}
	return r
}

// Constraints that go to the virtual table must select what SQLite selects when
// it has to look at every row, because of an OR that nothing can index.
func TestConstraintsAgreeWithFullScan(t *testing.T) {
	columns := []string{"id", "key", "kind", "worker", "start", `"end"`, "priority", "footprint", "gflop", "internal", "ready"}
	values := []string{"0", "1", "2", "-1", "1.5", "-0.5", "'gemm'", "'Gemm '", "'0_3'", "'a003'", "'3'", "'A003'", "NULL", "1e300", "-9223372036854775808", "9223372036854775807", "x'00'"}
	rapid.Check(t, func(t *rapid.T) {
		db, err := Open(InMemory(randomRun(t)))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for range 10 {
			var direct, scanned []string
			for range rapid.IntRange(1, 3).Draw(t, "terms") {
				c := rapid.SampledFrom(columns).Draw(t, "column")
				rest := " " + rapid.SampledFrom([]string{"=", "<", "<=", ">", ">=", "IS", "<>"}).Draw(t, "op") +
					" " + rapid.SampledFrom(values).Draw(t, "value") + rapid.SampledFrom([]string{"", "", " COLLATE NOCASE", " COLLATE RTRIM"}).Draw(t, "collation")
				direct, scanned = append(direct, c+rest), append(scanned, "("+c+rest+" OR random() IS NULL)")
			}
			q := "SELECT id FROM task WHERE "
			got, want := ints(t, db, q+strings.Join(direct, " AND ")+" ORDER BY id"), ints(t, db, q+strings.Join(scanned, " AND ")+" ORDER BY id")
			if !slices.Equal(got, want) {
				t.Fatalf("%s: got %v, a full scan finds %v", strings.Join(direct, " AND "), got, want)
			}
		}
	})
}

// Sums, counts and joins must agree with loops over the columns.
func TestAgreesWithLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := randomRun(t)
		db, err := Open(InMemory(r))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var sum, joined int64
		for i, p := range r.Task.Priority {
			if r.Task.Start[i] != trace.NoTime && r.Task.Worker[i] >= 0 {
				sum += int64(p)
			}
		}
		for i, from := range r.Dep.From {
			if from >= 0 && r.Task.Worker[from] >= 0 && r.Task.Worker[from] == r.Task.Worker[r.Dep.To[i]] {
				joined++
			}
		}
		check := func(q string, want int64) {
			t.Helper()
			if got := ints(t, db, q); len(got) != 1 || got[0] != want {
				t.Fatalf("%s: got %v, want %d", q, got, want)
			}
		}
		check(`SELECT count(*) FROM task`, int64(len(r.Task.Worker)))
		check(`SELECT coalesce(sum(priority), 0) FROM task WHERE start IS NOT NULL AND worker IS NOT NULL`, sum)
		check(`SELECT count(*) FROM dep d JOIN task a ON a.id = d."from" JOIN task b ON b.id = d."to" WHERE a.worker = b.worker`, joined)
		check(`SELECT count(*) FROM task a JOIN dep d ON d."from" = a.id CROSS JOIN task b WHERE b.worker = a.worker AND b.id = d."to"`, joined)
	})
}

func ints(t *rapid.T, db *DB, statement string) (values []int64) {
	t.Helper()
	rows, err := db.Query(context.Background(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	for rows.Next() {
		values = append(values, rows.Values()[0].(int64))
	}
	if rows.Err() != nil {
		t.Fatalf("%s: %v", statement, rows.Err())
	}
	return values
}

func TestIndexAgreesWithScan(t *testing.T) {
	check := func(t *rapid.T, x *index, at func(int) int64, n int, v int64) {
		var want []int32
		for row := range n {
			if at(row) == v {
				want = append(want, int32(row))
			}
		}
		if got := x.find(v); !slices.Equal(got, want) {
			t.Fatalf("rows of %d: got %v, a scan finds %v", v, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		dense := rapid.SliceOf(rapid.Int32Range(-3, 20)).Draw(t, "dense")
		sparse := rapid.SliceOf(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-2, 2))).Draw(t, "sparse")
		probe := cmp.Or(rapid.Int64Range(-5, 25).Draw(t, "probe"), math.MinInt64)
		check(t, newIndex(dense), func(i int) int64 { return int64(dense[i]) }, len(dense), probe)
		check(t, newIndex(sparse), func(i int) int64 { return sparse[i] }, len(sparse), probe)
		for _, v := range sparse {
			check(t, newIndex(sparse), func(i int) int64 { return sparse[i] }, len(sparse), v)
			check(t, newIndex(dense), func(i int) int64 { return int64(dense[i]) }, len(dense), v)
		}
	})
}

// A computed table is made once, when a query first reads it, and joins by its
// texts; an index of keys finds what a scan does.
func TestComputed(t *testing.T) {
	made := 0
	keys := &trace.Keys{}
	for _, k := range []string{"7", "a7", "7", "", "A7"} {
		keys.AppendString(k)
	}
	steps := Computed{Name: "steps", Doc: "steps", Columns: []trace.Column{
		{Name: "start", Unit: "ns", Doc: "start", Data: (*[]int64)(nil)},
		{Name: "key", Doc: "key", Data: (*trace.Keys)(nil)},
	}, Compute: func() ([]any, error) {
		made++
		return []any{[]int64{10, 20, trace.NoTime, 40, 50}, keys}, nil
	}}
	broken := errors.New("no task ran")
	failing := Computed{Name: "failing", Doc: "fails", Columns: steps.Columns, Compute: func() ([]any, error) { return nil, broken }}
	typed := Computed{Name: "typed", Doc: "of another type", Columns: steps.Columns,
		Compute: func() ([]any, error) { return []any{[]float64{1}, keys}, nil }}
	db, err := Open(InMemory(smallRun()), steps, failing, typed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	ask(t, db, `SELECT count(*) FROM task`)
	db.Tables()
	if made != 0 {
		t.Fatalf("computed %d times before a query named it", made)
	}
	for statement, want := range map[string][]string{
		`SELECT count(*) FROM steps`:                                            {"5"},
		`SELECT id, start FROM steps WHERE key = '7'`:                           {"0|10", "2|<nil>"},
		`SELECT id FROM steps WHERE key = 'a7'`:                                 {"1"},
		`SELECT id FROM steps WHERE key = 'a7' COLLATE NOCASE`:                  {"1", "4"},
		`SELECT id FROM steps WHERE key = ''`:                                   nil,
		`SELECT id FROM steps WHERE key = 'b7'`:                                 nil,
		`SELECT id FROM steps WHERE key IS NULL`:                                {"3"},
		`SELECT a.id, b.id FROM steps a JOIN steps b USING (key) ORDER BY 1, 2`: {"0|0", "0|2", "1|1", "2|0", "2|2", "4|4"},
	} {
		if got := ask(t, db, statement); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", statement, got, want)
		}
	}
	if made != 1 {
		t.Errorf("computed %d times, want once", made)
	}
	fails := func(statement string) error {
		rows, err := db.Query(context.Background(), statement)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
		}
		return err
	}
	if err := fails(`SELECT * FROM failing`); !errors.Is(err, broken) {
		t.Errorf("got %v, want it to wrap %v", err, broken)
	}
	if err := fails(`SELECT * FROM typed`); err == nil || !strings.Contains(err.Error(), "compute typed.start: found []float64, want INTEGER") {
		t.Errorf("got %v", err)
	}
}

func TestTablesDescribesEveryViewColumn(t *testing.T) {
	db := open(t, InMemory(smallRun()))
	for _, d := range db.Tables() {
		rows, err := db.Query(context.Background(), "SELECT * FROM "+quote(d.Name)+" LIMIT 0")
		if err != nil {
			t.Fatal(err)
		}
		columns := rows.Columns()
		rows.Close()
		if len(columns) != len(d.Columns) {
			t.Errorf("%s has %d columns, %d are documented", d.Name, len(columns), len(d.Columns))
			continue
		}
		for i, c := range columns {
			if want := d.Columns[i]; c.Name != want.Name || c.Type != "" && c.Type != want.Type || want.Doc == "" {
				t.Errorf("%s: column %d is %+v, documented as %+v", d.Name, i, c, want)
			}
		}
	}
}

// Every column of every table, counted and summed by SQL and by a loop over
// the values that the schema describes.
func TestEveryColumnAgreesWithLoops(t *testing.T) {
	for name, r := range map[string]*trace.Run{"tiny": tracetest.Tiny(), "random": tracetest.Random(7, 500), "small": smallRun()} {
		db := open(t, InMemory(r))
		for _, table := range r.Tables() {
			if got := ask(t, db, "SELECT count(*), count(id) FROM "+quote(table.Name))[0]; got != fmt.Sprintf("%d|%[1]d", table.Rows()) {
				t.Errorf("%s: table %s has %d rows, SQL counts %s", name, table.Name, table.Rows(), got)
			}
			for _, c := range table.Columns {
				q := fmt.Sprintf("SELECT count(%s), total(CASE typeof(%[1]s) WHEN 'text' THEN 0 ELSE %[1]s END), count(DISTINCT %[1]s) FROM %s", quote(c.Name), quote(table.Name))
				if got, want := ask(t, db, q)[0], summary(table.Name, c); got != want {
					t.Errorf("%s: %s.%s: SQL says %s, a loop %s", name, table.Name, c.Name, got, want)
				}
			}
		}
	}
}

// summary is count, total of the numbers, and number of distinct values.
func summary(table string, c trace.Column) string {
	var n int
	var total float64
	distinct := make(map[any]bool)
	for row := range c.Len() {
		v := shown(table, c, row)
		if v == nil {
			continue
		}
		n++
		distinct[v] = true
		if v, ok := v.(float64); ok {
			total += v
		}
	}
	return fmt.Sprintf("%d|%v|%d", n, total, len(distinct))
}

// shown is a value as SQL should see it: nil, string or (for all numbers, small
// enough here) float64.
func shown(table string, c trace.Column, row int) any {
	switch d := c.Data.(type) {
	case *[]int32:
		none := c.Ref != "" || slices.Contains(strings.Fields("resource.node resource.index task.order task.node task.memory_node task.line handle.node handle.owner"), table+"."+c.Name)
		if v := (*d)[row]; v != trace.NoInt && (v != -1 || !none) {
			return float64(v)
		}
	case *[]int64:
		if v := (*d)[row]; v != trace.NoTime {
			return float64(v)
		}
	case *[]uint32:
		return float64((*d)[row])
	case *[]uint64:
		if v := (*d)[row]; v > math.MaxInt64 {
			return strconv.FormatUint(v, 10)
		}
		return float64((*d)[row])
	case *[]float64:
		if v := (*d)[row]; !math.IsNaN(v) {
			return v
		}
	case *[]bool:
		return map[bool]float64{true: 1, false: 0}[(*d)[row]]
	case *trace.Strings:
		if d.Index[row] >= 0 {
			return d.At(row)
		}
	case *trace.Keys:
		if d.Code[row] >= 0 {
			return d.At(row)
		}
	}
	return nil
}
