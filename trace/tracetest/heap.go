package tracetest

// event is something that happens at a time; what breaks ties.
type event struct{ time, what int64 }

func (a event) less(b event) bool {
	return a.time < b.time || a.time == b.time && a.what < b.what
}

// heap is a binary min-heap of events.
type heap []event

func (h *heap) push(e event) {
	*h = append(*h, e)
	s := *h
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.less(s[up]) {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = e
}

func (h *heap) pop() event {
	s := *h
	top, last := s[0], s[len(s)-1]
	*h = s[:len(s)-1]
	if len(*h) > 0 {
		h.replaceTop(last)
	}
	return top
}

// replaceTop is pop and push in one.
func (h heap) replaceTop(e event) {
	i := 0
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1].less(h[c]) {
			c++
		}
		if !h[c].less(e) {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = e
}

// queue is a binary min-heap of numbers.
type queue []uint64

func (q *queue) push(v uint64) {
	*q = append(*q, v)
	s := *q
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if v >= s[up] {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = v
}

func (q *queue) pop() uint64 {
	s := *q
	top, v := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*q = s
	i := 0
	for {
		c := 2*i + 1
		if c >= len(s) {
			break
		}
		if c+1 < len(s) && s[c+1] < s[c] {
			c++
		}
		if s[c] >= v {
			break
		}
		s[i] = s[c]
		i = c
	}
	if len(s) > 0 {
		s[i] = v
	}
	return top
}
