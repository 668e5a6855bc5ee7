package aggregate

import "dagscope/internal/interval"

// Kinds are busy times summed over all workers, as columns; only those that are
// not 0, by slice and kind: how many tasks of each kind ran at a time.
type Kinds struct {
	Slices  interval.Slices
	Slice   []int32
	Kind    []int32
	Busy    []int64 // ns, over all workers
	Workers int     // that could have been busy
}

// ByKind sums the workers; of how many is for the caller to say.
func (t *Static) ByKind(workers int) *Kinds {
	kinds := 0
	for _, k := range t.Kind {
		kinds = max(kinds, int(k)+1)
	}
	busy := make([]int64, t.Slices.Len()*kinds)
	for i, ns := range t.Busy {
		busy[int(t.Slice[i])*kinds+int(t.Kind[i])] += ns
	}
	out := &Kinds{Slices: t.Slices, Workers: workers}
	for i, ns := range busy {
		if ns != 0 {
			out.Slice, out.Kind, out.Busy = append(out.Slice, int32(i/kinds)), append(out.Kind, int32(i%kinds)), append(out.Busy, ns)
		}
	}
	return out
}
