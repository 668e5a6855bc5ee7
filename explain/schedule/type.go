package schedule

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// Type is what makes workers interchangeable: the node they belong to and
// their architecture.
type Type struct {
	Node int32
	Arch string
}

// Types groups workers by type, in the order of node and architecture.
type Types struct {
	Type []Type
	Size []int   // workers of each type, idle ones included
	Of   []int32 // type of each resource row, trace.None for other resources
}

// GroupTypes finds the types of the given workers.
func GroupTypes(run *trace.Run, workers []int32) Types {
	re := &run.Resource
	of := func(w int32) Type { return Type{re.Node[w], re.Arch.At(int(w))} }
	var t Types
	for _, w := range workers {
		t.Type = append(t.Type, of(w))
	}
	slices.SortFunc(t.Type, compareTypes)
	t.Type = slices.Compact(t.Type)
	t.Size, t.Of = make([]int, len(t.Type)), make([]int32, len(re.Parent))
	for i := range t.Of {
		t.Of[i] = trace.None
	}
	for _, w := range workers {
		k, _ := slices.BinarySearchFunc(t.Type, of(w), compareTypes)
		t.Of[w] = int32(k)
		t.Size[k]++
	}
	return t
}

func compareTypes(a, b Type) int {
	return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Arch, b.Arch))
}
