package order

// members is a permutation that is made from both ends, of things that may
// have been joined to others: they go where those go.
type members struct {
	perm        []int32
	front, back int     // what is free
	next, tail  []int32 // chains of what was joined; next -1: none
}

func newMembers(n int) members {
	m := members{perm: make([]int32, n), back: n, next: repeat(-1, n), tail: make([]int32, n)}
	for v := range m.tail {
		m.tail[v] = int32(v)
	}
	return m
}

// join makes b a part of a.
func (m *members) join(a, b int32) {
	m.next[m.tail[a]] = b
	m.tail[a] = m.tail[b]
}

// emit puts v and its parts at the front.
func (m *members) emit(v int32) {
	for ; v >= 0; v = m.next[v] {
		m.perm[m.front] = v
		m.front++
	}
}

// emitLast puts v at the back.
func (m *members) emitLast(v int32) {
	m.back--
	m.perm[m.back] = v
}
