package compare

import (
	"dagscope/trace"
)

// Matching pairs the counted tasks of two runs. Pair i is row A[i] of the one
// and row B[i] of the other; Level[i] says which of Levels found it. Pairs are
// in the order of A.
type Matching struct {
	A, B         []int32
	Level        []uint8
	Levels       []string
	OnlyA, OnlyB int // tasks without counterpart
}

// Match finds the tasks of one run in another.
func Match(a, b *trace.Run, o Options) *Matching {
	return &Matching{}
}
