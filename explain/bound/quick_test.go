package bound

import (
	"reflect"
	"testing"

	"dagscope/trace/tracetest"
	"pgregory.net/rapid"
)

// Quick bounds are those of Compute.
func TestQuickIsPartOfCompute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 30).Draw(t, "tasks"))
		all, err := Compute(run, Options{})
		if err != nil {
			t.Fatal(err)
		}
		quick, err := Quick(run, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := &Result{Makespan: all.Makespan, Tasks: all.Tasks, Area: all.Area, CPE: all.CPE, CPB: all.CPB, Unknown: all.Unknown}
		want.Best = best(want)
		if !reflect.DeepEqual(quick, want) {
			t.Fatalf("got  %+v\nwant %+v", quick, want)
		}
	})
}
