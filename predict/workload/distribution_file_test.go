package workload

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func named(t *testing.T) *Graph {
	t.Helper()
	g, err := Cholesky(Tiled{Tiles: 2})
	if err != nil {
		t.Fatal(err)
	}
	g.Names = []string{"A", "B", "A"}
	return g
}

func TestReadOwners(t *testing.T) {
	g, err := LU(Tiled{Tiles: 6}, false)
	if err != nil {
		t.Fatal(err)
	}
	want, err := BlockCyclic(g, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	tiles, numbers := "# tiles\nX, Y, node\n", "handle,node\n"
	for h := len(want) - 1; h >= 0; h-- {
		tiles += fmt.Sprintf("%d,%d, %d\n", g.HandleX[h], g.HandleY[h], want[h])
		numbers += fmt.Sprintf("%d,%d\n", h, want[h])
	}
	for _, text := range []string{tiles, numbers} {
		got, err := ReadOwners(written(t, text), g)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("found %v and error %v, want %v", got, err, want)
		}
	}
}

func TestReadOwnersRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "found nothing",
		"a,b\n":                   `d.csv:1: found header "a,b", want handle,node or name,node or x,y,node`,
		"x,y,node\n0,0,0\n0,0,1":  "d.csv:3: found 0,0 twice",
		"x,y,node\n0,0,0\n0,1,1":  "d.csv:3: found 0,1, want the coordinates",
		"x,y,node\n0,0,-1":        `d.csv:2: found node "-1"`,
		"x,y,node\n0,zero,1":      `d.csv:2: found y "zero"`,
		"x,y,node\n0,0":           "d.csv:2: wrong number of fields",
		"x,y,node\n\n0,0,0\n":     "found no node of data 1 (B)",
		"name,node\nA,0":          "d.csv:2: found name A of 2 pieces of data",
		"name,node\nC,0":          "d.csv:2: found C, want the name of data",
		"handle,node\n3,0":        `d.csv:2: found data "3", want 0 to 2`,
		"x,y,node\n\"0,0,0":       "d.csv:2: extraneous or missing",
		"handle,node\n0,99999999": `found node "99999999"`,
	} {
		if _, err := ReadOwners(written(t, text), named(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found error %v for %q, want %s", err, text, want)
		}
	}
	if _, err := ReadOwners("nowhere.csv", named(t)); err == nil {
		t.Error("found no error of a file that is not there")
	}
}

func TestReadNodes(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int32
		fail string
	}{
		{"task,node\n1,1\n3,1", []int32{0, 1, 0, 1}, ""},
		{"kind,x,y,node\nsyrk,1,1,1", []int32{0, 0, 1, 0}, ""},
		{"task,node\n4,1", nil, `found task "4", want 0 to 3`},
		{"task,node\n1,2", nil, "found task 1 on node 2, want 0 to 1"},
		{"kind,x,y,node\nGEMM,1,1,1", nil, "found GEMM,1,1, want a kind and a tile"},
	} {
		g := named(t)
		if err := Distribute(g, make([]int32, 3), 2); err != nil {
			t.Fatal(err)
		}
		err := ReadNodes(written(t, c.text), g, 2)
		if c.fail != "" {
			if err == nil || !strings.Contains(err.Error(), c.fail) {
				t.Errorf("found error %v, want %s", err, c.fail)
			}
			c.want = make([]int32, 4)
		} else if err != nil {
			t.Error(err)
		}
		if !slices.Equal(g.Node, c.want) {
			t.Errorf("found nodes %v, want %v", g.Node, c.want)
		}
	}
}

func TestPattern(t *testing.T) {
	g := named(t)
	owner, err := Pattern(g, [][]int32{{5}, {6}})
	if err != nil || !slices.Equal(owner, []int32{5, 6, 6}) {
		t.Errorf("found %v and error %v, want 5, 6, 6", owner, err)
	}
	for _, bad := range [][][]int32{nil, {{}}, {{1}, {1, 2}}} {
		if _, err := Pattern(g, bad); err == nil {
			t.Errorf("found no error of pattern %v", bad)
		}
	}
}
