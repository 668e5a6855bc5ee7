package workload_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"dagscope/internal/testenv"
	"dagscope/predict/workload"
)

// recutils reads the records of a file of a reference run, compressed or not.
func recutils(t *testing.T, run, name string) (records []map[string]string) {
	t.Helper()
	file, err := os.Open(testenv.Reference(t, "data/starpu", run, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var in io.Reader = file
	if strings.HasSuffix(file.Name(), ".zst") {
		z, err := zstd.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		in = z
	}
	record := make(map[string]string)
	for s := bufio.NewScanner(in); s.Scan(); {
		if key, value, ok := strings.Cut(s.Text(), ": "); ok {
			record[key] = value
		} else if s.Text() == "" {
			records = append(records, record)
			record = make(map[string]string)
		}
	}
	return records
}

// Owners of tiles and ranks of tasks are those of StarPU-MPI's Cholesky.
func TestDistributedAsRecorded(t *testing.T) {
	for _, c := range []struct {
		dir          string
		tiles, nodes int
	}{
		{"sgmpi-np2-n8-dmdas", 8, 2},
		{"sgmpi-np4-n20-dmdas", 20, 4},
		{"sgmpi-np8-n40-dmdas", 40, 8},
		{"sgmpi-np30-n50-t640-dmdas", 50, 30},
	} {
		t.Run(c.dir, func(t *testing.T) {
			if c.nodes > 4 {
				testenv.Slow(t)
			}
			data := recutils(t, c.dir, "data.rec")
			g, err := workload.Cholesky(workload.Tiled{Tiles: c.tiles, Distributed: true})
			if err != nil {
				t.Fatal(err)
			}
			p, q := workload.Grid(c.nodes)
			owner, err := workload.BlockCyclic(g, p, q)
			if err != nil {
				t.Fatal(err)
			}
			if err := workload.Distribute(g, owner, c.nodes); err != nil {
				t.Fatal(err)
			}
			tile := compareOwners(t, g, data)
			compareRanks(t, g, c.nodes, recutils(t, c.dir, "tasks.rec"), tile)
		})
	}
}

// compareOwners compares owners by coordinates, which StarPU-MPI's program gives
// as column and row. It returns which tile each handle of each rank is.
func compareOwners(t *testing.T, g *workload.Graph, data []map[string]string) map[string]string {
	t.Helper()
	want := make(map[string]string)
	for h, o := range g.Owner {
		want[fmt.Sprint(g.HandleY[h], " ", g.HandleX[h])] = strconv.Itoa(int(o))
	}
	tile := make(map[string]string)
	compared := make(map[string]bool)
	for _, d := range data {
		at := d["Coordinates"]
		tile[d["MPIRank"]+" "+d["Handle"]] = at
		if mine, ok := want[at]; ok && d["MPIOwner"] != "" {
			if compared[at] = true; mine != d["MPIOwner"] {
				t.Fatalf("found tile %s on node %s, want %s", at, mine, d["MPIOwner"])
			}
		}
	}
	if len(compared) != len(want) {
		t.Fatalf("found %d tiles in the trace, want %d", len(compared), len(want))
	}
	return tile
}

// compareRanks compares which tasks each node submits, in their order.
func compareRanks(t *testing.T, g *workload.Graph, nodes int, tasks []map[string]string, tile map[string]string) {
	t.Helper()
	order := func(r map[string]string) int { n, _ := strconv.Atoi(r["SubmitOrder"]); return n }
	slices.SortStableFunc(tasks, func(a, b map[string]string) int { return cmp.Compare(order(a), order(b)) })
	recorded := make([][]string, nodes)
	for _, r := range tasks {
		kind, ok := strings.CutPrefix(r["Name"], "chol_model_")
		if !ok {
			continue
		}
		at := strings.ToUpper(kind)
		for _, h := range strings.Fields(r["Handles"]) {
			at += ", " + tile[r["MPIRank"]+" "+h]
		}
		rank, _ := strconv.Atoi(r["MPIRank"])
		recorded[rank] = append(recorded[rank], at)
	}
	mine := make([][]string, nodes)
	for i, node := range g.Node {
		at := g.Classes[g.Class[i]].Kind
		for _, h := range g.Handle[g.AccessAt[i]:g.AccessAt[i+1]] {
			at += fmt.Sprint(", ", g.HandleY[h], " ", g.HandleX[h])
		}
		mine[node] = append(mine[node], at)
	}
	for rank := range recorded {
		if !slices.Equal(mine[rank], recorded[rank]) {
			at := 0
			for at < min(len(mine[rank]), len(recorded[rank])) && mine[rank][at] == recorded[rank][at] {
				at++
			}
			t.Errorf("found %d tasks on node %d, want %d; task %d differs: %q, want %q", len(mine[rank]), rank, len(recorded[rank]), at,
				slices.Concat(mine[rank][at:min(at+1, len(mine[rank]))]), slices.Concat(recorded[rank][at:min(at+1, len(recorded[rank]))]))
		}
	}
}
