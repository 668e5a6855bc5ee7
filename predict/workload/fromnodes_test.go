package workload_test

import (
	"fmt"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/workload"
	"dagscope/read"
)

// A run of StarPU-MPI's Cholesky on several nodes is the program again: tiles
// with their owners, tasks with their nodes, and what must come after what.
func TestRunOfSeveralNodes(t *testing.T) {
	for _, c := range []struct {
		run          string
		bundled      bool
		tiles, nodes int
	}{
		{"nativempi-np2-n8-lws", true, 8, 2},
		{"sgmpi-np2-n8-dmdas", false, 8, 2},
		{"sgmpi-np4-n20-dmdas", false, 20, 4},
	} {
		t.Run(c.run, func(t *testing.T) {
			dir := testenv.Repo("testdata/starpu", c.run)
			if !c.bundled {
				dir = testenv.Reference(t, "data/starpu", c.run)
			}
			compareNodes(t, dir, c.tiles, c.nodes)
		})
	}
}

func compareNodes(t *testing.T, dir string, tiles, nodes int) {
	t.Helper()
	run, err := read.Read(dir, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := fromRun(t, run)
	want, err := workload.Cholesky(workload.Tiled{Tiles: tiles, Distributed: true})
	if err != nil {
		t.Fatal(err)
	}
	p, q := workload.Grid(nodes)
	owner, err := workload.BlockCyclic(want, p, q)
	if err != nil {
		t.Fatal(err)
	}
	if err := workload.Distribute(want, owner, nodes); err != nil {
		t.Fatal(err)
	}
	if got.Explicit || got.Tasks() != want.Tasks() || len(got.Bytes) != len(want.Bytes) {
		t.Fatalf("found %d tasks on %d pieces of data, explicit dependencies: %v; want %d on %d, no", got.Tasks(), len(got.Bytes), got.Explicit, want.Tasks(), len(want.Bytes))
	}
	comparePlaces(t, got, want)
	compareReach(t, got, want)
}

// tileNames are the names of tiles: their coordinates, which StarPU-MPI's
// program gives as column and row.
func tileNames(g *workload.Graph, swapped bool) []string {
	names := make([]string, len(g.Bytes))
	for h := range names {
		x, y := g.HandleX[h], g.HandleY[h]
		if swapped {
			x, y = y, x
		}
		names[h] = fmt.Sprintf("%d,%d", x, y)
	}
	return names
}

// taskNames are the names of tasks: their kind and their tiles in order.
func taskNames(g *workload.Graph, tiles []string) map[string]int {
	names := make(map[string]int)
	for i, c := range g.Class {
		name := strings.ToUpper(strings.TrimPrefix(g.Classes[c].Kind, "chol_model_"))
		for _, h := range g.Handle[g.AccessAt[i]:g.AccessAt[i+1]] {
			name += " " + tiles[h]
		}
		names[name] = i
	}
	return names
}

func comparePlaces(t *testing.T, got, want *workload.Graph) {
	t.Helper()
	tiles := make(map[string]int32)
	for h, name := range tileNames(want, false) {
		tiles[name] = want.Owner[h]
	}
	for h, name := range tileNames(got, true) {
		if o, known := tiles[name]; !known || got.Owner[h] != o || got.Home[h] != 0 {
			t.Fatalf("found tile %s on node %d at home %d, want node %d in RAM", name, got.Owner[h], got.Home[h], o)
		}
	}
	mine := taskNames(want, tileNames(want, false))
	for name, i := range taskNames(got, tileNames(got, true)) {
		if j, known := mine[name]; !known || got.Node[i] != want.Node[j] {
			t.Fatalf("found %s on node %d, want it where its tile is (known: %v)", name, got.Node[i], known)
		}
	}
}

func compareReach(t *testing.T, got, want *workload.Graph) {
	t.Helper()
	a, b := reach(infer(t, got)), reach(infer(t, want))
	mine := taskNames(want, tileNames(want, false))
	theirs := taskNames(got, tileNames(got, true))
	for first, i := range theirs {
		for second, j := range theirs {
			if a[i][j] != b[mine[first]][mine[second]] {
				t.Fatalf("found %s before %s: %v, want %v", first, second, a[i][j], !a[i][j])
			}
		}
	}
}
