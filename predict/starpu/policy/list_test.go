package policy

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestListAgainstSort holds insertion by priority and removal against a slice
// that is sorted each time.
func TestListAgainstSort(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 3))
		var l list
		var want []node // in order
		for task := range int32(300) {
			if len(want) > 0 && random.IntN(5) < 2 {
				at := random.IntN(len(want))
				i := l.head
				for range at {
					i = l.at(i).next
				}
				if got := l.remove(i); got != want[at].task {
					t.Fatalf("seed %d: removed task %d, want %d", seed, got, want[at].task)
				}
				want = slices.Delete(want, at, at+1)
			} else {
				n := node{task: task, priority: random.Int32N(6)}
				place := l.insert(n.task, n.priority, true)
				want = append(want, n)
				slices.SortStableFunc(want, func(a, b node) int { return cmp.Compare(b.priority, a.priority) })
				if at := slices.Index(want, n); place != at {
					t.Fatalf("seed %d: task %d is at %d, want %d", seed, task, place, at)
				}
			}
			i := l.head
			for at := range want {
				if i == none || l.at(i).task != want[at].task {
					t.Fatalf("seed %d: the list differs at %d of %d", seed, at, len(want))
				}
				i = l.at(i).next
			}
			if len(want) > 0 && i != none || l.size != len(want) {
				t.Fatalf("seed %d: found %d tasks, want %d", seed, l.size, len(want))
			}
		}
	}
}
