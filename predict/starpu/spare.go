package starpu

import (
	"maps"
	"slices"
)

// Memory of data that is forgotten is kept for data of the same size, as
// StarPU's allocation cache does.

// keep sets a place aside for reuse.
func (n *memory) keep(p place) {
	if n.spare == nil {
		n.spare = make(map[int64][]place)
	}
	n.spare[p.bytes] = append(n.spare[p.bytes], p)
}

// reuseSpare takes a place that was set aside.
func (n *memory) reuseSpare(bytes int64) (place, bool) {
	all := n.spare[bytes]
	if len(all) == 0 {
		return place{}, false
	}
	p := all[len(all)-1]
	n.spare[bytes] = all[:len(all)-1]
	return p, true
}

// dropSpare frees all that is set aside, and says how many bytes that is.
func (e *engine) dropSpare(a *actor, m int32) (freed int64) {
	n := &e.memories[m]
	if len(n.spare) == 0 {
		return 0
	}
	all := n.spare
	n.spare = nil
	for _, bytes := range slices.Sorted(maps.Keys(all)) {
		for _, p := range all[bytes] {
			e.giveBack(a, m, p)
			freed += p.bytes
		}
	}
	return freed
}
