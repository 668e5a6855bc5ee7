package starpu

import (
	"maps"
	"slices"
)

// Memory of data that was invalidated is kept for data of the same size, as in
// StarPU's allocation cache.

// cache keeps memory for reuse.
func (n *memory) cache(p allocation) {
	if n.allocCache == nil {
		n.allocCache = make(map[int64][]allocation)
	}
	n.allocCache[p.bytes] = append(n.allocCache[p.bytes], p)
}

// fromCache takes memory of a size from the cache
// (_starpu_memchunk_cache_lookup_locked).
func (n *memory) fromCache(bytes int64) (allocation, bool) {
	all := n.allocCache[bytes]
	if len(all) == 0 {
		return allocation{}, false
	}
	p := all[len(all)-1]
	n.allocCache[bytes] = all[:len(all)-1]
	return p, true
}

// flushAllocCache frees all cached memory, and returns how many bytes that is
// (flush_memchunk_cache).
func (e *engine) flushAllocCache(a *actor, m int32) (freed int64) {
	n := &e.memories[m]
	if len(n.allocCache) == 0 {
		return 0
	}
	all := n.allocCache
	n.allocCache = nil
	for _, bytes := range slices.Sorted(maps.Keys(all)) {
		for _, p := range all[bytes] {
			e.freeOnNode(a, m, p)
			freed += p.bytes
		}
	}
	return freed
}
