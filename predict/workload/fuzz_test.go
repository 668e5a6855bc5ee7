package workload

import (
	"os"
	"path/filepath"
	"testing"

	"dagscope/internal/budget"
)

// FuzzPlaces reads which node owns data, and which runs tasks: all in range, or
// an error.
//
//fuzz:class file
func FuzzPlaces(f *testing.F) {
	f.Add("x,y,node\n0,0,0\n1,0,1\n1,1,0\n")
	f.Add("handle,node\n# c\n0,0\n1,1\n2,0\n3,0\n4,0\n5,0\n")
	f.Add("name,node\nA,0\n")
	f.Add("task,node\n0,1\n")
	f.Add("kind,x,y,node\npotrf,0,0,1\n")
	path := filepath.Join(f.TempDir(), "places.csv")
	f.Fuzz(func(t *testing.T, text string) {
		budget.Watch(t)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := Cholesky(Tiled{Tiles: 3})
		if err != nil {
			t.Fatal(err)
		}
		if owners, err := ReadOwners(path, g); err == nil {
			if len(owners) != len(g.Bytes) {
				t.Errorf("found %d owners, want %d", len(owners), len(g.Bytes))
			}
			for _, n := range owners {
				if n < 0 || n >= MostNodes {
					t.Errorf("found node %d", n)
				}
			}
		}
		g.Node = make([]int32, g.Tasks())
		if err := ReadNodes(path, g, 2); err == nil {
			for _, n := range g.Node {
				if n < 0 || n >= 2 {
					t.Errorf("found node %d, want 0 or 1", n)
				}
			}
		}
	})
}
