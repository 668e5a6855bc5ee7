package workload

import (
	"math"
	"slices"
	"testing"
	"time"
)

// Tasks put in front of a recorded graph have names of their own, change no
// memory, and are more urgent than any.
func TestGenerateRecorded(t *testing.T) {
	g, err := Cholesky(Tiled{Tiles: 3})
	if err != nil {
		t.Fatal(err)
	}
	n := g.Tasks()
	g.Key, g.StartBytes, g.EndBytes = make([]string, n), make([]int64, n), make([]int64, n)
	for i := range g.Key {
		g.Key[i], g.StartBytes[i], g.Priority[i] = string(rune('a'+i)), int64(i)+1, math.MaxInt32
	}
	out, err := Generate(g, "init", time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	made := out.Tasks() - n
	if made < 1 || len(out.StartBytes) != out.Tasks() || len(out.EndBytes) != out.Tasks() || !slices.Equal(out.StartBytes[made:], g.StartBytes) {
		t.Errorf("found changes of memory %d of %d tasks, %d of them made", out.StartBytes, out.Tasks(), made)
	}
	if keys := slices.Compact(slices.Sorted(slices.Values(out.Key))); len(keys) != out.Tasks() || out.Priority[0] != math.MaxInt32 {
		t.Errorf("found %d names of %d tasks, priority %d", len(keys), out.Tasks(), out.Priority[0])
	}
}
