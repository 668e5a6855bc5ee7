package depend

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// All links of a task are those that contracting by hand finds; the latest of
// what they lead to is the last dependency; messages lead on to senders.
func TestAllOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		l, n := Find(run), naive{run}
		for v := range int32(l.Tasks) {
			links := l.All(v)
			var got []int32
			for i, node := range links.Node {
				if node == v {
					got = append(got, links.Last[i])
					continue
				}
				x, ok := l.Transfer(node)
				if !ok || !slices.Contains(n.behindTransfer(x), links.Last[i]) {
					t.Fatalf("task %d: link from %d to %d", v, node, links.Last[i])
				}
			}
			want := slices.DeleteFunc(n.behind(v), func(w int32) bool { return w == v })
			slices.Sort(got)
			slices.Sort(want)
			if want = slices.Compact(want); !slices.Equal(got, want) {
				t.Fatalf("task %d depends on %v, want %v", v, got, want)
			}
			if last := l.Of[v]; len(want) > 0 && !slices.Contains(got, last) {
				t.Fatalf("task %d: last dependency %d is not among %v", v, last, got)
			}
		}
	})
}
