package tracetest

// queue is a binary min-heap of numbers. It is not an internal/heap: half the
// memory and one comparison make whole runs some 15 % faster to generate.
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
