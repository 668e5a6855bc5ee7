package starpu

import "math/bits"

// indexSegment holds chunks that follow each other in the list of their memory
// node, with a bit for each chunk and flag. A search for chunks that can be
// evicted skips those in use 64 at a time. A flag that is set need not hold: it
// is checked, and cleared, when eviction is tried.
type indexSegment struct {
	present    uint64
	flags      [flagCount]uint64
	used       int // positions up to the last one ever used
	prev, next *indexSegment
	chunks     [segmentLength]*memChunk
}

const segmentLength = 64

// evictFlags say that a chunk may be evicted.
type evictFlags uint8

const (
	unreferenced  evictFlags = 1 << iota // nobody refers to it
	notPrefetched                        // no task has had it prefetched
	otherReplica                         // there are others
	flagCount     = iota
)

// chunkIndex holds the chunks of a memory node in order.
type chunkIndex struct {
	first, last *indexSegment
	count       int
	free        *indexSegment // without chunks, linked by next
}

// fresh is a segment without chunks.
func (l *chunkIndex) fresh() *indexSegment {
	s := l.free
	if s == nil {
		return &indexSegment{}
	}
	l.free = s.next
	s.used, s.prev, s.next = 0, nil, nil
	return s
}

// append adds a chunk at the end.
func (l *chunkIndex) append(c *memChunk) {
	if l.last == nil || l.last.used == segmentLength {
		l.insert(l.fresh(), l.last)
	}
	l.last.put(c, l.last.used)
}

// insert links a segment behind another, nil for the front.
func (l *chunkIndex) insert(s, before *indexSegment) {
	l.count++
	s.prev = before
	if before == nil {
		s.next, l.first = l.first, s
	} else {
		s.next, before.next = before.next, s
	}
	if s.next == nil {
		l.last = s
	} else {
		s.next.prev = s
	}
}

// put stores a chunk with all flags set.
func (s *indexSegment) put(c *memChunk, at int) {
	c.segment, c.at = s, at
	s.chunks[at] = c
	s.used = max(s.used, at+1)
	s.present |= 1 << at
	for i := range s.flags {
		s.flags[i] |= 1 << at
	}
}

// insertBefore inserts a chunk just before another.
func (l *chunkIndex) insertBefore(c, d *memChunk) {
	s, at := d.segment, d.at
	switch {
	case at > 0 && s.chunks[at-1] == nil:
		s.put(c, at-1)
	case at > 0:
		l.split(s, at)
		s.put(c, at)
	case s.prev != nil && s.prev.used < segmentLength:
		s.prev.put(c, s.prev.used)
	default:
		l.insert(l.fresh(), s.prev)
		s.prev.put(c, 0)
	}
}

// split moves the chunks from a position on to a new segment, where they have
// the same positions.
func (l *chunkIndex) split(s *indexSegment, at int) {
	rest, upper := l.fresh(), ^uint64(0)<<at
	rest.used = s.used
	for i := at; i < s.used; i++ {
		if c := s.chunks[i]; c != nil {
			rest.chunks[i], s.chunks[i] = c, nil
			c.segment = rest
		}
	}
	rest.present, s.present = s.present&upper, s.present&^upper
	for i := range s.flags {
		rest.flags[i], s.flags[i] = s.flags[i]&upper, s.flags[i]&^upper
	}
	s.used = at
	l.insert(rest, s)
}

// remove takes a chunk out of its segment, and the segment out if it was the
// last one there.
func (l *chunkIndex) remove(c *memChunk) {
	s := c.segment
	s.chunks[c.at], c.segment = nil, nil
	s.present &^= 1 << c.at
	for i := range s.flags {
		s.flags[i] &^= 1 << c.at
	}
	if s.present != 0 {
		return
	}
	l.count--
	if s.prev == nil {
		l.first = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		l.last = s.prev
	} else {
		s.next.prev = s.prev
	}
	s.next, l.free = l.free, s
}

// nextWith finds the first chunk that may have all flags, from c on.
func (c *memChunk) nextWith(t evictFlags) *memChunk {
	if c == nil {
		return nil
	}
	mask := ^uint64(0) << c.at
	for s := c.segment; s != nil; s = s.next {
		if m := s.matching(t) & mask; m != 0 {
			return s.chunks[bits.TrailingZeros64(m)]
		}
		mask = ^uint64(0)
	}
	return nil
}

// matching are the positions of chunks that may have the flags, among them
// unreferenced.
func (s *indexSegment) matching(t evictFlags) uint64 {
	m := s.present & s.flags[0]
	if t&notPrefetched != 0 {
		m &= s.flags[1]
	}
	if t&otherReplica != 0 {
		m &= s.flags[2]
	}
	return m
}

// setFlags notes that flags may hold for a chunk.
func (c *memChunk) setFlags(t evictFlags) {
	if c != nil {
		c.writeFlags(t, ^uint64(0))
	}
}

// clearFlags notes that they do not.
func (c *memChunk) clearFlags(t evictFlags) {
	if c != nil {
		c.writeFlags(t, 0)
	}
}

func (c *memChunk) writeFlags(t evictFlags, value uint64) {
	for i := range c.segment.flags {
		if bit := uint64(1) << c.at; t&(1<<i) != 0 {
			c.segment.flags[i] = c.segment.flags[i]&^bit | value&bit
		}
	}
}

// compactIndex packs the chunks when segments have become sparse.
func (l *memChunkList) compactIndex() {
	if l.index.count*segmentLength <= 2*l.count+4*segmentLength {
		return
	}
	free := l.index.free
	for s := l.index.first; s != nil; {
		next := s.next
		*s = indexSegment{next: free}
		s, free = next, s
	}
	l.index = chunkIndex{free: free}
	for c := l.first; c != nil; c = c.next {
		l.index.append(c)
	}
}
