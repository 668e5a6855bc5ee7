package read_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

func importRun(t testing.TB, path string, o read.Options) *trace.Run {
	t.Helper()
	run, err := read.Read(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// texter prints rows of a run so that they mean the same in another: references
// as names, times on the clock of the source.
type texter struct {
	run    *trace.Run
	tables map[string]trace.Table
}

func newTexter(run *trace.Run) *texter {
	x := &texter{run, map[string]trace.Table{}}
	for _, t := range run.Tables() {
		x.tables[t.Name] = t
	}
	return x
}

// identity names the columns that identify the row of a table elsewhere.
var identity = map[string][]string{
	"resource": {"name"}, "handle": {"node", "key"}, "task": {"key"}, "transfer": {"key"},
}

// row prints the columns of a row.
func (x *texter) row(table string, columns []string, row int) string {
	t := x.tables[table]
	var words []string
	for _, name := range columns {
		c, _ := t.Column(name)
		words = append(words, name+"="+x.cell(c, row))
	}
	return strings.Join(words, " ")
}

func (x *texter) cell(c trace.Column, row int) string {
	if c.Len() == 0 {
		return "-"
	}
	switch d := c.Data.(type) {
	case *[]int32:
		v := (*d)[row]
		switch {
		case v == trace.None || v == trace.NoInt:
			return "-"
		case c.Ref != "":
			return "(" + x.row(c.Ref, identity[c.Ref], int(v)) + ")"
		}
		return fmt.Sprint(v)
	case *[]int64:
		v := (*d)[row]
		if v == trace.NoTime {
			return "-"
		}
		if c.Unit == "ns" {
			v += x.run.Meta.Origin
		}
		return fmt.Sprint(v)
	case *[]uint32:
		return fmt.Sprint((*d)[row])
	case *[]uint64:
		return fmt.Sprint((*d)[row])
	case *[]float64:
		if v := (*d)[row]; !math.IsNaN(v) {
			return fmt.Sprint(float32(v)) // pj_dump computes in single precision
		}
		return "-"
	case *[]bool:
		return fmt.Sprint((*d)[row])
	case *trace.Strings:
		if s := d.At(row); s != "" {
			return s
		}
		return "-"
	case *trace.Keys:
		return d.At(row)
	}
	return "?"
}

// rows prints all rows of a table but the left-out columns, sorted.
func (x *texter) rows(table string, leftOut map[string]string) []string {
	t := x.tables[table]
	var columns []string
	for _, c := range t.Columns {
		if leftOut[table+"."+c.Name] == "" {
			columns = append(columns, c.Name)
		}
	}
	rows := make([]string, t.Rows())
	for i := range rows {
		rows[i] = x.row(table, columns, i)
	}
	slices.Sort(rows)
	return rows
}

// compareRuns wants the same rows in all tables of two runs, but for columns
// and tables left out (with the reason).
func compareRuns(t *testing.T, a, b *trace.Run, leftOut map[string]string) {
	t.Helper()
	x, y := newTexter(a), newTexter(b)
	for _, table := range a.Tables() {
		if leftOut[table.Name] != "" {
			continue
		}
		first, second := x.rows(table.Name, leftOut), y.rows(table.Name, leftOut)
		onlyA, onlyB := withoutRounded(difference(first, second), difference(second, first))
		if len(onlyA)+len(onlyB) == 0 {
			continue
		}
		t.Errorf("%s: %d and %d rows, of which %d and %d are in one run only:\n  first:  %s\n  second: %s", table.Name,
			len(first), len(second), len(onlyA), len(onlyB), some(onlyA), some(onlyB))
	}
}

// difference is what is in a and not in b, both sorted multisets.
func difference(a, b []string) (only []string) {
	j := 0
	for _, s := range a {
		for j < len(b) && b[j] < s {
			j++
		}
		if j < len(b) && b[j] == s {
			j++
			continue
		}
		only = append(only, s)
	}
	return only
}

// withoutRounded takes out the pairs of rows that differ by a ns only: the form
// that pj_dump writes went through float64 milliseconds.
func withoutRounded(a, b []string) (onlyA, onlyB []string) {
	for _, s := range a {
		if i := slices.IndexFunc(b, func(other string) bool { return nearlyEqual(s, other) }); i >= 0 {
			b = slices.Delete(b, i, i+1)
			continue
		}
		onlyA = append(onlyA, s)
	}
	return onlyA, b
}

func nearlyEqual(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		name, first, _ := strings.Cut(x[i], "=")
		other, second, _ := strings.Cut(y[i], "=")
		u, err1 := strconv.ParseInt(first, 10, 64)
		v, err2 := strconv.ParseInt(second, 10, 64)
		isTime := name == "start" || name == "end" || name == "time"
		if name != other || !isTime || err1 != nil || err2 != nil || u-v > 1 || v-u > 1 {
			return false
		}
	}
	return true
}

// lastOfInstant keeps of several samples of one counter at the same instant
// the last, as pj_dump does: the others held for no time.
func lastOfInstant(s *trace.Samples) trace.Samples {
	var out trace.Samples
	out.Metric.Dict = s.Metric.Dict
	for i := range s.Time {
		if n := len(s.Time); i+1 < n && s.Time[i+1] == s.Time[i] && s.Resource[i+1] == s.Resource[i] && s.Metric.Index[i+1] == s.Metric.Index[i] {
			continue
		}
		out.Metric.AppendIndex(s.Metric.Index[i])
		out.Resource, out.Time, out.Value = append(out.Resource, s.Resource[i]), append(out.Time, s.Time[i]), append(out.Value, s.Value[i])
	}
	return out
}

func some(rows []string) string { return strings.Join(rows[:min(len(rows), 4)], "\n          ") }

// notInCSV are the columns that the CSV files of pj_dump cannot carry, or carry
// in fewer digits.
var notInCSV = map[string]string{
	"importlog":      "each reader has repairs of its own",
	"account":        "lines differ between the forms",
	"resource.alias": "entities.csv has names only",
	"resource.start": "entities.csv has no times",
	"resource.end":   "entities.csv has no times",
	"resource.index": "worker ids are in aliases only",
}

// sameOrder wants the same rows to have the same numbers in both runs.
func sameOrder(t *testing.T, a, b *trace.Run, tables ...string) {
	t.Helper()
	x, y := newTexter(a), newTexter(b)
	for _, table := range tables {
		for row := range min(x.tables[table].Rows(), y.tables[table].Rows()) {
			if first, second := x.row(table, identity[table], row), y.row(table, identity[table], row); first != second {
				t.Errorf("%s: row %d is %s in the first run, %s in the second", table, row, first, second)
				break
			}
		}
	}
}

func TestPajeAndCSVSayTheSame(t *testing.T) {
	dir := testenv.Reference(t, "data/starvz/sgmpi-np4-n20-dmdas/raw")
	native, csv := importRun(t, dir, read.Options{}), importRun(t, dir, read.Options{As: read.StarVZ})
	if native.Meta.Reader == csv.Meta.Reader {
		t.Fatalf("both forms were read as %s", native.Meta.Reader)
	}
	native.Sample = lastOfInstant(&native.Sample)
	compareRuns(t, native, csv, notInCSV)
	sameOrder(t, native, csv, "task", "handle")
}

// TestInventedPair compares the two forms of an invented run of two ranks, so
// that the comparison runs without reference data too. Its graph has a message.
func TestInventedPair(t *testing.T) {
	native, csv := importRun(t, "testdata/pair/paje", read.Options{}), importRun(t, "testdata/pair/csv", read.Options{})
	compareRuns(t, native, csv, notInCSV)
	sameOrder(t, native, csv, "task", "handle", "transfer", "resource")
	for table, want := range map[string]int{"task": 6, "dep": 5, "transfer": 3, "handle": 4, "access": 10, "event": 12, "resource": 23} {
		if got := newTexter(native).tables[table]; got.Rows() != want {
			t.Errorf("%s: found %d rows, wanted %d", table, got.Rows(), want)
		}
	}
}

// TestTimeUnitOfCSVFiles: a unit for what is in milliseconds always is a mistake.
func TestTimeUnitOfCSVFiles(t *testing.T) {
	_, err := read.Read("testdata/pair/csv", read.Options{TimeUnit: "s"})
	if err == nil || !strings.Contains(err.Error(), "wanted none: they are in milliseconds") {
		t.Errorf("found error %v", err)
	}
}
