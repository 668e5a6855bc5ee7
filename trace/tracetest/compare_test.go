package tracetest_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

func runOfAll(t *testing.T) *trace.Run {
	t.Helper()
	run := tracetest.Cholesky(tracetest.Options{Tiles: 4, Nodes: 2})
	for _, table := range []string{"task", "state", "transfer", "sample", "handle", "access", "dep", "resource"} {
		if found, ok := run.Table(table); !ok || found.Rows() < 2 {
			t.Fatalf("the run has no rows in table %s", table)
		}
	}
	return run
}

// TestCompareFindsEveryChange changes one cell after the other of a copy of a
// run: the difference is found in the table, and in the column or as a row that
// one run alone has.
func TestCompareFindsEveryChange(t *testing.T) {
	run := runOfAll(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, table := range run.Tables() {
		for _, column := range table.Columns {
			if column.Len() == 0 {
				continue
			}
			other := runOfAll(t)
			changed, _ := other.Table(table.Name)
			c, _ := changed.Column(column.Name)
			change(c, rng.IntN(c.Len()))
			if found := tracetest.Compare(run, other); !names(found, table.Name, column.Name) {
				t.Errorf("%s.%s changed: found %v", table.Name, column.Name, found)
			}
		}
	}
}

// names tells whether a change of a column shows among differences: in the
// column, or as a row that the first run alone has and one that the second has.
func names(found []tracetest.Difference, table, column string) bool {
	first, second := 0, 0
	for _, d := range found {
		if d.Table != table || len(d.Examples) == 0 {
			continue
		}
		if d.Column == column && d.Changed > 0 {
			return true
		}
		first, second = first+d.OnlyFirst, second+d.OnlySecond
	}
	return first > 0 && second > 0
}

// change gives a cell another value.
func change(c trace.Column, row int) {
	switch d := c.Data.(type) {
	case *[]int32:
		if c.Ref == "" {
			(*d)[row]++
		} else if (*d)[row]--; (*d)[row] < trace.None {
			(*d)[row] = 0
		}
	case *[]int64:
		(*d)[row]++
	case *[]uint32:
		(*d)[row]++
	case *[]uint64:
		(*d)[row]++
	case *[]float64:
		(*d)[row] += 0.5
	case *[]bool:
		(*d)[row] = !(*d)[row]
	case *trace.Strings:
		d.Index[row] = d.Intern("something else")
	case *trace.Keys:
		d.Code[row] = d.Encode([]byte("other_17"))
	}
}

// TestCompareOfEqualRuns: the order of dictionaries, of state types and of
// metrics, and the run's zero do not matter; rows that are gone and rows that
// have changed places do.
func TestCompareOfEqualRuns(t *testing.T) {
	run, other := runOfAll(t), runOfAll(t)
	for _, table := range other.Tables() {
		for _, c := range table.Columns {
			if d, ok := c.Data.(*trace.Strings); ok {
				reverseDictionary(d)
			}
		}
	}
	moveZero(other, 77)
	if found := tracetest.Compare(run, other); len(found) > 0 {
		t.Errorf("equal runs differ: %v", found)
	}
	e := &other.Sample
	for _, column := range []*[]int32{&e.Metric.Index, &e.Resource} {
		*column = (*column)[1:]
	}
	e.Time, e.Value = e.Time[1:], e.Value[1:]
	found := tracetest.Compare(run, other)
	if len(found) != 1 || found[0].Table != "sample" || found[0].OnlyFirst != 1 || found[0].OnlySecond != 0 {
		t.Errorf("a sample less: found %v", found)
	}
	if found := tracetest.Compare(other, run); len(found) != 1 || found[0].OnlySecond != 1 {
		t.Errorf("a sample more: found %v", found)
	}
}

func TestCompareOfOrder(t *testing.T) {
	run, other := tracetest.Tiny(), tracetest.Tiny()
	d := &other.Dep
	d.From[0], d.From[1], d.To[0], d.To[1] = d.From[1], d.From[0], d.To[1], d.To[0]
	found := tracetest.Compare(run, other)
	if len(found) != 1 || found[0].Column != tracetest.Order || found[0].Changed != 1 {
		t.Errorf("two edges have changed places: found %v", found)
	}
}

// TestCompareOfAbsentColumns: a column that one run lacks differs even where the
// other's says nothing.
func TestCompareOfAbsentColumns(t *testing.T) {
	run, other := tracetest.Tiny(), tracetest.Tiny()
	other.Task.X = nil
	run.Task.Numa.Index = slices.Repeat([]int32{trace.None}, len(run.Task.Start))
	found := tracetest.Compare(run, other)
	var got []string
	for _, d := range found {
		got = append(got, d.String())
	}
	if want := []string{"task.x: 6 rows differ", "task[absent].x: 0 rows differ", "task[absent].numa: 0 rows differ"}; !slices.Equal(got, want) {
		t.Errorf("one column is gone, another is empty: found %v", found)
	}
}

func reverseDictionary(d *trace.Strings) {
	var other trace.Strings
	for i := len(d.Dict) - 1; i >= 0; i-- {
		other.Intern(d.Dict[i])
	}
	for _, i := range d.Index {
		if i != trace.None {
			i = other.Intern(d.Dict[i])
		}
		other.AppendIndex(i)
	}
	*d = other
}

// moveZero counts the times of a run from another zero.
func moveZero(run *trace.Run, by int64) {
	run.Meta.Origin += by
	for _, table := range run.Tables() {
		for _, c := range table.Columns {
			d, ok := c.Data.(*[]int64)
			if !ok || c.Unit != "ns" {
				continue
			}
			for i := range *d {
				if (*d)[i] != trace.NoTime {
					(*d)[i] -= by
				}
			}
		}
	}
}
