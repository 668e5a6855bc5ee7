package starpu

import "math/bits"

// shelf holds chunks that follow each other in the list of their memory, and
// what may be done with each: to find those that can be thrown out, what is in
// use is skipped 64 at a time. What a shelf says may be done need not be so; it
// is looked at, and noted, when it is tried.
type indexSegment struct {
	present    uint64
	flags      [flagCount]uint64
	used       int // places up to the last one ever taken
	prev, next *indexSegment
	chunks     [segmentLength]*memChunk
}

const segmentLength = 64

// traits of chunks that may be thrown out.
type evictFlags uint8

const (
	unreferenced  evictFlags = 1 << iota // nobody refers to it
	notPrefetched                        // no task has had it prefetched
	otherReplica                         // there are others
	flagCount     = iota
)

// shelves are the chunks of a memory in order.
type chunkIndex struct {
	first, last *indexSegment
	count       int
}

// append puts a chunk last.
func (l *chunkIndex) append(c *memChunk) {
	if l.last == nil || l.last.used == segmentLength {
		l.insert(&indexSegment{}, l.last)
	}
	l.last.put(c, l.last.used)
}

// insert puts a shelf behind another, nil for the front.
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

// put places a chunk, of which everything may be so.
func (s *indexSegment) put(c *memChunk, at int) {
	c.segment, c.at = s, at
	s.chunks[at] = c
	s.used = max(s.used, at+1)
	s.present |= 1 << at
	for i := range s.flags {
		s.flags[i] |= 1 << at
	}
}

// before puts a chunk just before another.
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
		l.insert(&indexSegment{}, s.prev)
		s.prev.put(c, 0)
	}
}

// split moves chunks from a place on to a shelf of their own, where they have
// the same places.
func (l *chunkIndex) split(s *indexSegment, at int) {
	rest, upper := &indexSegment{used: s.used}, ^uint64(0)<<at
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

// remove takes a chunk off its shelf, and the shelf away when it was the last
// one there.
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
}

// from finds the first chunk that may have all the traits, from c on.
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

// having are the places of chunks that may have the traits, among them
// unreferred.
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

// may notes that a chunk may have a trait.
func (c *memChunk) setFlags(t evictFlags) {
	if c != nil {
		c.writeFlags(t, ^uint64(0))
	}
}

// lacks notes that it does not.
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

// tidyUp packs chunks when shelves have become sparse.
func (l *memChunkList) compactIndex() {
	if l.index.count*segmentLength <= 2*l.count+4*segmentLength {
		return
	}
	l.index = chunkIndex{}
	for c := l.first; c != nil; c = c.next {
		l.index.append(c)
	}
}
