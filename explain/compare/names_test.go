package compare

import (
	"strings"
	"testing"

	"dagscope/trace/tracetest"
)

// A program whose kinds have other names, and whose coordinates are column and
// row, is the same program.
func TestAlike(t *testing.T) {
	a, b := tracetest.Cholesky(tracetest.Options{Tiles: 6}), tracetest.Cholesky(tracetest.Options{Tiles: 6})
	if same, note := Rename(a, b); same != b || note != "" {
		t.Errorf("found %q of equal names", note)
	}
	for i, name := range b.Task.Kind.Dict {
		b.Task.Kind.Dict[i] = "chol_model_" + strings.ToLower(name)
	}
	b.Task.X, b.Task.Y = b.Task.Y, b.Task.X
	like, note := Rename(a, b)
	if like == b || !strings.Contains(note, "kinds are called otherwise in B: chol_model_") || !strings.Contains(note, "exchanged") {
		t.Fatalf("found note %q", note)
	}
	m := Match(a, like, Options{})
	for i, x := range m.A {
		y := m.B[i]
		if a.Task.Kind.At(int(x)) != like.Task.Kind.At(int(y)) || a.Task.X[x] != like.Task.X[y] || a.Task.Y[x] != like.Task.Y[y] {
			t.Fatalf("task %d of A is task %d of B", x, y)
		}
	}
	if s := m.Summary(); s.Pairs == 0 || s.OnlyA+s.OnlyB > 0 {
		t.Errorf("found %+v, want all tasks matched", s)
	}
	if b.Task.Kind.Dict[0] == a.Task.Kind.Dict[0] {
		t.Error("found the run itself renamed, want a copy")
	}
}
