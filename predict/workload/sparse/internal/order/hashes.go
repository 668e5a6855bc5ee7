package order

// hashes finds candidates for being the same by a hash of what they are.
type hashes struct {
	head []int32 // by hash; -1: none
	next []int32
	hash []int32
}

func newHashes(n int) hashes {
	return hashes{head: repeat(-1, n+1), next: make([]int32, n), hash: make([]int32, n)}
}

func (h *hashes) put(v int32, hash uint32) {
	b := int32(hash % uint32(len(h.head)))
	h.hash[v], h.next[v] = b, h.head[b]
	h.head[b] = v
}

// each empties the bucket of v: it calls join for pairs out of it, where the
// second has gone once join has said so.
func (h *hashes) each(v int32, join func(a, b int32) bool) {
	b := h.hash[v]
	for a := h.head[b]; a >= 0; a = h.next[a] {
		before := a
		for c := h.next[a]; c >= 0; c = h.next[c] {
			if join(a, c) {
				h.next[before] = h.next[c]
			} else {
				before = c
			}
		}
	}
	h.head[b] = -1
}
