package compare

import (
	"testing"

	"dagscope/trace/tracetest"
)

// Every column of the pairs, looked up in the runs by the keys of the pair's
// tasks; kinds of B that have other names are those of A.
func TestMatchedTasks(t *testing.T) {
	a, b := tracetest.Cholesky(tracetest.Options{Tiles: 4}), tracetest.Cholesky(tracetest.Options{Tiles: 4, Seed: 3})
	for i, kind := range b.Task.Kind.Dict {
		b.Task.Kind.Dict[i] = "chol_model_" + kind
	}
	p := MatchedTasks(a, b, Options{})
	table := p.Table()
	if table.Rows() == 0 || table.Rows() != len(p.Difference) || len(table.Columns) != 15 {
		t.Fatalf("found %d rows of %d columns, %d differences", table.Rows(), len(table.Columns), len(p.Difference))
	}
	changed := false
	for i := range p.Difference {
		x, y := int(a.Task.Key.Find(p.A.Key.At(i))), int(b.Task.Key.Find(p.B.Key.At(i)))
		if p.Kind.At(i) != a.Task.Kind.At(x) || "chol_model_"+p.Kind.At(i) != b.Task.Kind.At(y) {
			t.Errorf("pair %d of kind %s: found %s and %s", i, p.Kind.At(i), a.Task.Kind.At(x), b.Task.Kind.At(y))
		}
		if p.A.Start[i] != a.Task.Start[x] || p.B.End[i] != b.Task.End[y] || p.A.Worker.At(i) != a.Resource.Name.At(int(a.Task.Worker[x])) ||
			p.B.Arch.At(i) != b.Resource.Arch.At(int(b.Task.Worker[y])) {
			t.Errorf("pair %d: columns are not those of tasks %d and %d", i, x, y)
		}
		want := (b.Task.End[y] - b.Task.Start[y]) - (a.Task.End[x] - a.Task.Start[x])
		if p.Difference[i] != want || p.Difference[i] != p.B.Duration[i]-p.A.Duration[i] {
			t.Errorf("pair %d differs by %d ns, want %d", i, p.Difference[i], want)
		}
		changed = changed || want != 0
	}
	if !changed {
		t.Error("all durations are equal: nothing was tested")
	}
}
