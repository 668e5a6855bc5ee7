package search

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

func TestNeedsNameColumns(t *testing.T) {
	for _, need := range slices.Concat(Needs, More) {
		table, column, _ := strings.Cut(need, ".")
		known, _ := new(trace.Run).Table(table)
		if _, ok := known.Column(column); !ok {
			t.Errorf("%q is no column", need)
		}
	}
}

// Every field can be asked of a run of which only Needs are loaded, and of an
// empty one.
func TestNeedsAreEnough(t *testing.T) {
	run := tracetest.Random(1, 50)
	for _, table := range run.Tables() {
		for _, c := range table.Columns {
			if !slices.Contains(Needs, table.Name+"."+c.Name) {
				reflect.ValueOf(c.Data).Elem().SetZero()
			}
		}
	}
	for name, kind := range fields {
		query := map[fieldType]string{flags: name, pairs: name + ":1,2", times: name + ">1ns"}[kind]
		if query == "" {
			query = name + ":1"
		}
		q, err := Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		if r := q.Find(run, Options{After: trace.None, Limit: 99}); r.Total != len(r.Rows) {
			t.Errorf("%q: %+v", query, r)
		}
		if r := q.Find(&trace.Run{}, Options{After: 3, Limit: 99}); r.Total != 0 {
			t.Errorf("%q finds %+v in an empty run", query, r)
		}
	}
}
