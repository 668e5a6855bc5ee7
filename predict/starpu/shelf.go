package starpu

import "math/bits"

// shelf holds chunks that follow each other in the list of their memory, and
// what may be done with each: to find those that can be thrown out, what is in
// use is skipped 64 at a time. What a shelf says may be done need not be so; it
// is looked at, and noted, when it is tried.
type shelf struct {
	there      uint64
	may        [marks]uint64
	used       int // places up to the last one ever taken
	prev, next *shelf
	chunks     [shelfLength]*chunk
}

const shelfLength = 64

// traits of chunks that may be thrown out.
type traits uint8

const (
	unreferred traits = 1 << iota // nobody refers to it
	unawaited                     // no task has had it prefetched
	duplicate                     // there are others
	marks      = iota
)

// shelves are the chunks of a memory in order.
type shelves struct {
	first, last *shelf
	count       int
}

// append puts a chunk last.
func (l *shelves) append(c *chunk) {
	if l.last == nil || l.last.used == shelfLength {
		l.insert(&shelf{}, l.last)
	}
	l.last.put(c, l.last.used)
}

// insert puts a shelf behind another, nil for the front.
func (l *shelves) insert(s, before *shelf) {
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
func (s *shelf) put(c *chunk, at int) {
	c.shelf, c.at = s, at
	s.chunks[at] = c
	s.used = max(s.used, at+1)
	s.there |= 1 << at
	for i := range s.may {
		s.may[i] |= 1 << at
	}
}

// before puts a chunk just before another.
func (l *shelves) before(c, d *chunk) {
	s, at := d.shelf, d.at
	switch {
	case at > 0 && s.chunks[at-1] == nil:
		s.put(c, at-1)
	case at > 0:
		l.split(s, at)
		s.put(c, at)
	case s.prev != nil && s.prev.used < shelfLength:
		s.prev.put(c, s.prev.used)
	default:
		l.insert(&shelf{}, s.prev)
		s.prev.put(c, 0)
	}
}

// split moves chunks from a place on to a shelf of their own, where they have
// the same places.
func (l *shelves) split(s *shelf, at int) {
	rest, upper := &shelf{used: s.used}, ^uint64(0)<<at
	for i := at; i < s.used; i++ {
		if c := s.chunks[i]; c != nil {
			rest.chunks[i], s.chunks[i] = c, nil
			c.shelf = rest
		}
	}
	rest.there, s.there = s.there&upper, s.there&^upper
	for i := range s.may {
		rest.may[i], s.may[i] = s.may[i]&upper, s.may[i]&^upper
	}
	s.used = at
	l.insert(rest, s)
}

// remove takes a chunk off its shelf, and the shelf away when it was the last
// one there.
func (l *shelves) remove(c *chunk) {
	s := c.shelf
	s.chunks[c.at], c.shelf = nil, nil
	s.there &^= 1 << c.at
	for i := range s.may {
		s.may[i] &^= 1 << c.at
	}
	if s.there != 0 {
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
func (c *chunk) from(t traits) *chunk {
	if c == nil {
		return nil
	}
	mask := ^uint64(0) << c.at
	for s := c.shelf; s != nil; s = s.next {
		if m := s.having(t) & mask; m != 0 {
			return s.chunks[bits.TrailingZeros64(m)]
		}
		mask = ^uint64(0)
	}
	return nil
}

// having are the places of chunks that may have the traits, among them
// unreferred.
func (s *shelf) having(t traits) uint64 {
	m := s.there & s.may[0]
	if t&unawaited != 0 {
		m &= s.may[1]
	}
	if t&duplicate != 0 {
		m &= s.may[2]
	}
	return m
}

// may notes that a chunk may have a trait.
func (c *chunk) may(t traits) {
	if c != nil {
		c.note(t, ^uint64(0))
	}
}

// lacks notes that it does not.
func (c *chunk) lacks(t traits) {
	if c != nil {
		c.note(t, 0)
	}
}

func (c *chunk) note(t traits, value uint64) {
	for i := range c.shelf.may {
		if bit := uint64(1) << c.at; t&(1<<i) != 0 {
			c.shelf.may[i] = c.shelf.may[i]&^bit | value&bit
		}
	}
}

// tidyUp packs chunks when shelves have become sparse.
func (l *chunkList) tidyUp() {
	if l.shelves.count*shelfLength <= 2*l.count+4*shelfLength {
		return
	}
	l.shelves = shelves{}
	for c := l.first; c != nil; c = c.next {
		l.shelves.append(c)
	}
}
