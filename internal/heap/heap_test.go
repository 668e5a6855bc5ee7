package heap_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/internal/heap"
)

// TestAgainstSortedSlice holds the heap against a slice that is kept sorted.
func TestAgainstSortedSlice(t *testing.T) {
	type item = heap.Item[float64, int32, string]
	for seed := range uint64(20) {
		draw := rand.New(rand.NewPCG(seed, 1))
		var h heap.Heap[float64, int32, string]
		var sorted []item
		names := []string{"a", "b", "c"}
		for n := range int32(3000) {
			x := item{Value: names[draw.IntN(3)], Key: float64(draw.IntN(50)), Tie: n}
			if draw.IntN(2) == 0 {
				x.Tie = -n // later items may come first
			}
			switch what := draw.IntN(5); {
			case what < 3 || h.Len() == 0:
				h.Push(x.Key, x.Tie, x.Value)
				sorted = append(sorted, x)
			case what == 3:
				h.ReplaceFirst(x.Key, x.Tie, x.Value)
				sorted[0] = x
			default:
				if got := h.Pop(); got != sorted[0] {
					t.Fatalf("seed %d: popped %v, want %v", seed, got, sorted[0])
				}
				sorted = sorted[1:]
			}
			slices.SortFunc(sorted, func(a, b item) int {
				return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Tie, b.Tie))
			})
			if h.Len() != len(sorted) {
				t.Fatalf("seed %d: %d items, want %d", seed, h.Len(), len(sorted))
			}
			if len(sorted) > 0 && h.First() != sorted[0] {
				t.Fatalf("seed %d: the first item is %v, want %v", seed, h.First(), sorted[0])
			}
		}
	}
}
