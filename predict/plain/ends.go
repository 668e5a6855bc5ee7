package plain

// completion is when a worker ends what it does.
type completion struct {
	at     int64
	worker int32
}

func (a completion) before(b completion) bool {
	return a.at < b.at || a.at == b.at && a.worker < b.worker
}

// ends is a heap of them, the next one first, with four children to a node.
type ends []completion

func (h *ends) push(x completion) {
	*h = append(*h, x)
	s := *h
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !x.before(s[up]) {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = x
}

func (h *ends) pop() completion {
	s := *h
	top, x := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	i := 0
	for {
		least := 4*i + 1
		if least >= len(s) {
			break
		}
		for c := least + 1; c < min(4*i+5, len(s)); c++ {
			if s[c].before(s[least]) {
				least = c
			}
		}
		if !s[least].before(x) {
			break
		}
		s[i] = s[least]
		i = least
	}
	if len(s) > 0 {
		s[i] = x
	}
	return top
}
