package progress

import (
	"fmt"
	"slices"
	"testing"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/panel/paneltest"
	"dagscope/trace"
)

// What is read at an instant is what the step functions behind the numbers are
// there.
func TestReadingsAreTheNumbers(t *testing.T) {
	for id, column := range map[string]string{"ready": "ready", "submitted": "submitted"} {
		n, err := panels.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		paneltest.RandomViews(t, id, core.Options{}, func(t *testing.T, run *trace.Run, v core.View) {
			s := core.WholeRun()
			s.Raw = true
			table, err := n.Table(run, &s)
			if err != nil {
				t.Fatal(err)
			}
			start, end, node, value := columnOf[int64](t, table, "start"), columnOf[int64](t, table, "end"), columnOf[int32](t, table, "node"), columnOf[float64](t, table, column)
			for i := range start {
				at := (start[i] + end[i]) / 2
				label := fmt.Sprintf("node %d", node[i])
				want := kit.Exactly(value[i])
				if !slices.ContainsFunc(v.(core.Reader).At(at), func(r core.Reading) bool { return r.Label == label && r.Value == want }) {
					t.Fatalf("%s at %d is %v, want %s on %s", id, at, v.(core.Reader).At(at), want, label)
				}
			}
		})
	}
}

func columnOf[T any](t *testing.T, table numbers.Table, name string) []T {
	t.Helper()
	i := slices.IndexFunc(table.Columns, func(c numbers.Column) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no column %s", name)
	}
	return table.Data[i].([]T)
}
