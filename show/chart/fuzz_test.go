package chart

import (
	"bytes"
	"strings"
	"testing"

	"dagscope/internal/budget"
)

// FuzzTable reads tables and arranges their columns as heat maps.
func FuzzTable(f *testing.F) {
	f.Add([]byte("threads,grain,time\n1,2,3.5\n1,4,\n2,2,7e-3\n"))
	f.Add([]byte("a;b;c\n\"x;\"; y ;1\nz;y;2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		budget.Watch(t)
		table, err := ReadTable(bytes.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read table: ") {
				t.Errorf("error %q", err)
			}
			return
		}
		if len(table.Columns) < 3 {
			return
		}
		g, err := table.Grid(table.Columns[0], table.Columns[1], table.Columns[2])
		if err != nil {
			return
		}
		if len(g.Cell) != len(g.YS) || len(g.Cell[0]) != len(g.XS) {
			t.Errorf("found %d × %d cells, want %d × %d", len(g.Cell), len(g.Cell[0]), len(g.YS), len(g.XS))
		}
	})
}
