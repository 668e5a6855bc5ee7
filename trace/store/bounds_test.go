package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"dagscope/trace"
	"dagscope/trace/store"
	"dagscope/trace/tracetest"
)

// A run directory with good checksums whose numbers point nowhere, or in a circle,
// is refused when it is read, whole or in part: analyses take them for indices.
func TestForgedReferences(t *testing.T) {
	for name, c := range map[string]struct {
		forge        func(r *trace.Run)
		column, want string
	}{
		"worker":  {func(r *trace.Run) { r.Task.Worker[2] = 1000 }, "task.worker", "found 1000 in row 2, wanted one of 11 rows of resource"},
		"below":   {func(r *trace.Run) { r.Task.Worker[2] = -7 }, "task.worker", "found -7 in row 2"},
		"edge":    {func(r *trace.Run) { r.Dep.To[0] = 100000 }, "dep.to", "found 100000 in row 0, wanted one of 6 rows of task"},
		"circle":  {func(r *trace.Run) { r.Resource.Parent[3], r.Resource.Parent[4] = 4, 3 }, "resource.parent", "found 4 in row 3, wanted an earlier row"},
		"handle":  {func(r *trace.Run) { r.Access.Handle[0] = 77 }, "access.handle", "found 77 in row 0"},
		"rank":    {func(r *trace.Run) { r.Resource.Node[1] = trace.MaxRank + 1 }, "resource.node", "found 1048576 in row 1, wanted a rank up to 1048575"},
		"nothing": {func(*trace.Run) {}, "task", ""},
	} {
		run := tracetest.Tiny()
		c.forge(run)
		path := filepath.Join(t.TempDir(), "forged.dsr")
		if err := store.Write(path, run); err != nil {
			t.Fatal(err)
		}
		d, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range [][]string{nil, {c.column}} {
			_, err := d.Checked().Load(want...)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, columns %v: found error %v, want %q", name, want, err, c.want)
			}
		}
	}
}
