package trace_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/trace"
)

// Every field of Run and of its tables is declared, with options that exist,
// and references point backwards.
func TestDeclarations(t *testing.T) {
	run := reflect.TypeFor[trace.Run]()
	fields := 0
	for i := range run.NumField() {
		table := run.Field(i)
		if table.Name == "Meta" {
			continue
		}
		if table.Tag.Get("table") == "" {
			t.Errorf("Run.%s has no tag table", table.Name)
		}
		for k := range table.Type.NumField() {
			column := table.Type.Field(k)
			if !column.IsExported() {
				continue
			}
			fields++
			name, options, _ := strings.Cut(column.Tag.Get("column"), ",")
			if name == "" || !slices.Contains([]string{"", "null", "optional", "null,optional"}, options) {
				t.Errorf("%s.%s: found tag column %q, want NAME[,null][,optional]", table.Type.Name(), column.Name, column.Tag.Get("column"))
			}
		}
	}
	names := map[string]bool{}
	for _, table := range trace.Schema() {
		if names[table.Name] || table.Doc == "" {
			t.Errorf("table %q (%s): found twice or without doc", table.Name, table.Doc)
		}
		names[table.Name] = true
		for _, c := range table.Columns {
			fields--
			name := table.Name + "." + c.Name
			if names[name] || c.Doc == "" {
				t.Errorf("column %s (%s): found twice or without doc", name, c.Doc)
			}
			names[name] = true
			_, integer := c.Data.(*[]int32)
			_, text := c.Data.(*trace.Strings)
			if c.Ref != "" && (!integer || !names[c.Ref]) {
				t.Errorf("%s of type %T refers to table %q, want []int32 and a table before it", name, c.Data, c.Ref)
			}
			if c.Null && !integer && !text {
				t.Errorf("%s of type %T is declared null, which its type says", name, c.Data)
			}
		}
	}
	if fields != 0 {
		t.Errorf("found %d exported fields more than columns", fields)
	}
}

// What Run describes is what Schema does, with columns that point into the run.
func TestTablesPointIntoTheRun(t *testing.T) {
	run := new(trace.Run)
	pointers := map[any]bool{}
	for i, table := range run.Tables() {
		alone, ok := run.Table(table.Name)
		if declared := trace.Schema()[i]; !ok || alone.Name != declared.Name || len(alone.Columns) != len(declared.Columns) {
			t.Fatalf("table %s: found %v, %v, want %v", table.Name, alone, ok, declared)
		}
		for k, c := range table.Columns {
			one, _ := run.Column(table.Name, c.Name)
			if c != alone.Columns[k] || c != one {
				t.Errorf("%s.%s: found %v in its table and %v alone, want %v", table.Name, c.Name, alone.Columns[k], one, c)
			}
			pointers[c.Data] = true
			declared := trace.Schema()[i].Columns[k]
			if !reflect.ValueOf(declared.Data).IsNil() || reflect.TypeOf(declared.Data) != reflect.TypeOf(c.Data) {
				t.Errorf("%s.%s: found %v in the schema, want a nil %T", table.Name, c.Name, declared.Data, c.Data)
			}
			if declared.Data = c.Data; declared != c {
				t.Errorf("%s.%s: found %v, want %v", table.Name, c.Name, c, declared)
			}
		}
	}
	run.Task.MemoryNode = []int32{1, 2}
	run.Log.Add(trace.Info, "a", 0, "b", "c")
	for _, c := range [][2]string{{"task", "memory_node"}, {"importlog", "count"}} {
		if column, ok := run.Column(c[0], c[1]); !ok || column.Len() != len(run.Task.MemoryNode) && column.Len() != len(run.Log.Count) {
			t.Errorf("%v has %d rows", c, column.Len())
		}
	}
	if _, ok := run.Column("task", "nothing"); ok {
		t.Error("found column task.nothing")
	}
	if _, ok := run.Table("nothing"); ok {
		t.Error("found table nothing")
	}
}

// TestColumnAllocates nothing: panels and the server ask for columns by name.
func TestColumnAllocates(t *testing.T) {
	run := new(trace.Run)
	if n := testing.AllocsPerRun(100, func() { run.Column("task", "ready") }); n != 0 {
		t.Errorf("Column allocates %v times, want none", n)
	}
}

func BenchmarkTable(b *testing.B) {
	run := new(trace.Run)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := run.Table("task"); !ok {
			b.Fatal("no table task")
		}
	}
}

func BenchmarkTables(b *testing.B) {
	run := new(trace.Run)
	b.ReportAllocs()
	for b.Loop() {
		if len(run.Tables()) == 0 {
			b.Fatal("no tables")
		}
	}
}

func BenchmarkColumn(b *testing.B) {
	run := new(trace.Run)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := run.Column("task", "ready"); !ok {
			b.Fatal("no column task.ready")
		}
	}
}
