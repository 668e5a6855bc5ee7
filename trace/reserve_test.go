package trace

import (
	"slices"
	"testing"
)

func TestReserve(t *testing.T) {
	a, b := []int64{1, 2, 3}, make([]int64, 1, 50)
	first := &b[0]
	Reserve(20, &a, &b)
	if !slices.Equal(a, []int64{1, 2, 3}) || cap(a)-len(a) < 20 {
		t.Errorf("found %v with room for %d more rows, wanted the same rows and room for 20", a, cap(a)-len(a))
	}
	if len(b) != 1 || &b[0] != first {
		t.Error("a column that has the room was copied")
	}
	Reserve(-1, &a)
}
