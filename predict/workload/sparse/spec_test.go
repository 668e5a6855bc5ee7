package sparse

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpec compares tables of fronts with those of another program, written
// from the same description, that agrees with the real solver.
func TestSpec(t *testing.T) {
	for _, c := range []struct {
		args                 string
		nb, ib, workers      int
		entriesR, flop, peak int64
		tasks                string // Do_subtree, Activate, Assemble, Panel, Update, Deactivate
	}{
		{"tf 13", 32, 8, 4, 353877, 607404940, 13584528, "[24 15 146 82 857 39]"},
		{"grad3d 7 7 7 20", 24, 16, 6, 5860, 2787426, 1063776, "[73 30 42 44 19 103]"},
		{"kneser 6 2", 16, 4, 1, 127469, 99543473, 3820876, "[1 1 0 0 0 2]"},
		{"chessboard 6 5 2", 40, 12, 13, 29220, 68136949, 5320116, "[6 7 20 23 43 13]"},
		{"random 120 70 3", 10, 7, 3, 1005, 193263, 121132, "[4 10 20 17 22 14]"},
		{"bibd 8 4", 5, 3, 2, 406, 64246, 37180, "[0 2 1 6 15 2]"},
	} {
		words := strings.Fields(c.args)
		m := generated(t, words[0], words[1:]...).Matrix()
		tall, _ := m.Tall()
		file := filepath.Join("testdata", "spec", strings.Join(words, "-"))
		perm, err := ReadPerm(file+".perm", tall.Cols)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Analyze(m, perm, Options{NB: c.nb, IB: c.ib})
		if err != nil {
			t.Fatal(err)
		}
		p, err := a.Program(c.workers)
		if err != nil {
			t.Fatal(err)
		}
		compareFronts(t, a, p.Pruning, readTable(t, file+".csv"))
		if a.EntriesR != c.entriesR || a.Flops != c.flop || p.Peak != c.peak {
			t.Errorf("%s: %d entries of R, %d flops, peak %d, want %d, %d, %d", c.args, a.EntriesR, a.Flops, p.Peak, c.entriesR, c.flop, c.peak)
		}
		if got := fmt.Sprint(p.KindCounts()); got != c.tasks {
			t.Errorf("%s: tasks %s, want %s", c.args, got, c.tasks)
		}
	}
}
