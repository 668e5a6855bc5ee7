package order

// heap holds vertices by gain, the greatest first; a vertex can be found.
type heap struct {
	item []int32 // vertices
	gain []int64 // by vertex
	at   []int32 // by vertex: its place, -1: not there
}

func newHeap(n int) heap { return heap{gain: make([]int64, n), at: repeat(-1, n)} }

func (h *heap) clear() {
	for _, v := range h.item {
		h.at[v] = -1
	}
	h.item = h.item[:0]
}

func (h *heap) push(v int32, gain int64) {
	h.gain[v], h.at[v] = gain, int32(len(h.item))
	h.item = append(h.item, v)
	h.up(len(h.item) - 1)
}

// add changes the gain of a vertex, if it is there.
func (h *heap) add(v int32, gain int64) {
	if h.at[v] < 0 {
		return
	}
	h.gain[v] += gain
	if gain > 0 {
		h.up(int(h.at[v]))
	} else {
		h.down(int(h.at[v]))
	}
}

// remove takes a vertex out, if it is there.
func (h *heap) remove(v int32) {
	at := int(h.at[v])
	if at < 0 {
		return
	}
	h.at[v] = -1
	last := h.item[len(h.item)-1]
	h.item = h.item[:len(h.item)-1]
	if last == v {
		return
	}
	h.item[at], h.at[last] = last, int32(at)
	h.up(at)
	h.down(int(h.at[last]))
}

func (h *heap) up(k int) {
	v := h.item[k]
	for k > 0 {
		parent := (k - 1) / 2
		if h.gain[h.item[parent]] >= h.gain[v] {
			break
		}
		h.set(k, h.item[parent])
		k = parent
	}
	h.set(k, v)
}

func (h *heap) down(k int) {
	v := h.item[k]
	for {
		child := 2*k + 1
		if child >= len(h.item) {
			break
		}
		if child+1 < len(h.item) && h.gain[h.item[child+1]] > h.gain[h.item[child]] {
			child++
		}
		if h.gain[h.item[child]] <= h.gain[v] {
			break
		}
		h.set(k, h.item[child])
		k = child
	}
	h.set(k, v)
}

func (h *heap) set(k int, v int32) { h.item[k], h.at[v] = v, int32(k) }
