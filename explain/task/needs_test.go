package task

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/trace"
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

// A run of which only Needs are loaded is explained with the same delays, edges
// and chains.
func TestNeedsAreEnough(t *testing.T) {
	whole := explained(t, bundled(t, "nativempi-np2-n8-lws"), Options{})
	run := bundled(t, "nativempi-np2-n8-lws")
	for _, table := range run.Tables() {
		for _, c := range table.Columns {
			if !slices.Contains(Needs, table.Name+"."+c.Name) {
				reflect.ValueOf(c.Data).Elem().SetZero()
			}
		}
	}
	x := explained(t, run, Options{})
	for v := range int32(len(run.Task.Start)) {
		a, b := task(t, x, v, -1, -1), task(t, whole, v, -1, -1)
		if !reflect.DeepEqual(a.Chain, b.Chain) || a.PredecessorCount != b.PredecessorCount || !reflect.DeepEqual(a.Released, b.Released) ||
			a.Delay != nil && a.Delay.Total != b.Delay.Total {
			t.Fatalf("task %d: %+v, want %+v", v, a, b)
		}
	}
}
