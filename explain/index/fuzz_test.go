package index

import (
	"reflect"
	"testing"

	"dagscope/internal/budget"
	"dagscope/trace/tracetest"
)

// FuzzDecode reads any bytes as the index of a run: the layout that is right, or
// an error.
func FuzzDecode(f *testing.F) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 5})
	want, whole := New(run), Encode(run)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(Encode(tracetest.Cholesky(tracetest.Options{Tiles: 4})))
	f.Fuzz(func(t *testing.T, data []byte) {
		budget.Watch(t)
		got, err := Decode(run, data)
		if err == nil && (!reflect.DeepEqual(got.Lanes, want.Lanes) || len(got.Outlier) != len(run.Task.Start)) {
			t.Errorf("wrong layout of %q", data)
		}
	})
}
