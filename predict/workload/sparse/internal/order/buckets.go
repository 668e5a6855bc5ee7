package order

// buckets is a queue of things by small whole scores: of those with the least
// score the one that was queued last comes first.
type buckets struct {
	head       []int32 // by score; -1: none
	next, prev []int32 // by thing; -1: none
	least      int     // no score in the queue is less
}

// newBuckets returns an empty queue for things 0..n-1 and scores up to most.
func newBuckets(n, most int) buckets {
	return buckets{head: repeat(-1, most+1), next: make([]int32, n), prev: make([]int32, n)}
}

// repeat returns n times the same number.
func repeat(v int32, n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = v
	}
	return s
}

func (b *buckets) push(v, score int32) {
	h := b.head[score]
	b.next[v], b.prev[v] = h, -1
	if h >= 0 {
		b.prev[h] = v
	}
	b.head[score] = v
	b.least = min(b.least, int(score))
}

func (b *buckets) remove(v, score int32) {
	next, prev := b.next[v], b.prev[v]
	if prev >= 0 {
		b.next[prev] = next
	} else {
		b.head[score] = next
	}
	if next >= 0 {
		b.prev[next] = prev
	}
}

// pop takes the first of the queue, which must not be empty.
func (b *buckets) pop() int32 {
	for b.head[b.least] < 0 {
		b.least++
	}
	v := b.head[b.least]
	b.remove(v, int32(b.least))
	return v
}
