package ompt_test

import (
	"path/filepath"
	"strings"
	"testing"

	"dagscope/explain/chain"
)

// Tasks that name an address in mutexinoutset take turns, which no edge says: the
// chain goes from one to the one that held the address before.
func TestMutexinoutset(t *testing.T) {
	for _, file := range bundled(t) {
		if !strings.Contains(file, "m02_mutexinoutset") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			run := read(t, file)
			if len(run.Handle.Key.Index) != 1 || len(run.Access.Task) != 3 {
				t.Fatalf("found %d handles and %d accesses, want one handle that three tasks access", len(run.Handle.Key.Index), len(run.Access.Task))
			}
			x := chain.New(run, chain.Options{})
			turns := map[int32]bool{}
			for i, v := range run.Access.Task {
				if run.Access.Mode.At(i) != "RWC" || run.Access.Handle[i] != 0 {
					t.Errorf("access %d: handle %d, %s, want RWC of handle 0", i, run.Access.Handle[i], run.Access.Mode.At(i))
				}
				turns[v] = true
			}
			held := int64(0)
			for _, p := range x.Critical().Parts {
				if p.Mark == chain.Exclusion {
					held += p.To - p.From
					if !turns[x.TaskOf(p)] {
						t.Errorf("task %d held nothing", x.TaskOf(p))
					}
				}
			}
			// Two of three tasks of 100 µs are in the way of another.
			if held < 150_000 || held > 1_000_000 {
				t.Errorf("%d ns of the chain are exclusion, want about 200 µs", held)
			}
		})
	}
}
