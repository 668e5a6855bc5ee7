package starpu

import (
	"dagscope/predict/platform"
)

// memory is a memory node.
type memory struct {
	kind     string
	workers  int // that execute on it
	drivers  []*worker
	bell     bell       // rung when something happens there
	lists    [][2]queue // of requests, by peer and direction
	open     [2]int     // requests in these lists, by direction
	capacity int64      // 0: unlimited
	used     int64
	blocks   pool
	evicts   bool // copies can be taken out
	chunks   chunkList
	spare    map[int64][]place // of data that was forgotten, by size
	reclaiming,
	tidying int // how many do so
}

// direction of a request, as its handler sees it.
type direction uint8

const (
	in direction = iota
	out
)

// queue are the requests of a handler, a peer and a direction.
type queue struct {
	guard, pendingGuard mutex
	waiting             [3]requestList // by level
	pending             requestList    // under way
	count               int            // of these
}

func (e *engine) setMemories() {
	e.memories = make([]memory, len(e.m.Memories))
	for i := range e.memories {
		k := &e.m.Memories[i]
		e.memories[i] = memory{kind: k.Kind, capacity: k.Capacity, lists: make([][2]queue, len(e.memories))}
		e.memories[i].evicts = k.Kind == platform.GPU
	}
	for _, k := range e.m.Memories {
		if k.Kind == platform.Disk {
			e.memories[0].evicts = true
		}
	}
}

// chunk is a copy that the runtime has allocated, in a list of its memory: those
// in front are thrown out first.
type chunk struct {
	handle     int32
	memory     int32
	bytes      int64
	place      place
	clean      bool
	home       bool
	unused     bool
	notify     **chunk // told when the chunk leaves the list
	prev, next *chunk
	shelf      *shelf // where it is found among others
	at         int    // on the shelf
}

// chunkList is that list. Dirty chunks begin at dirty, roughly.
type chunkList struct {
	first, last, dirty *chunk
	count, clean       int
	shelves            shelves // the same chunks
}

func (l *chunkList) pushBack(c *chunk) {
	c.prev, c.next = l.last, nil
	if l.last == nil {
		l.first = c
	} else {
		l.last.next = c
	}
	l.last = c
	l.shelves.append(c)
	l.tidyUp()
	if c.clean || c.home {
		l.clean++
	} else if l.dirty == nil {
		l.dirty = c
	}
	l.count++
}

// pushClean puts a chunk behind those that are clean.
func (l *chunkList) pushClean(c *chunk) {
	if l.dirty == nil {
		l.pushBack(c)
		return
	}
	d := l.dirty
	c.prev, c.next = d.prev, d
	if d.prev == nil {
		l.first = c
	} else {
		d.prev.next = c
	}
	d.prev = c
	l.shelves.before(c, d)
	l.clean++
	l.count++
}

func (l *chunkList) remove(c *chunk) {
	if c.clean || c.home {
		l.clean--
	}
	if c == l.dirty {
		l.dirty = c.next
	}
	l.count--
	l.shelves.remove(c)
	if c.prev == nil {
		l.first = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next == nil {
		l.last = c.prev
	} else {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
	if c.notify != nil {
		*c.notify = nil
		c.notify = nil
	}
}

// touched moves a copy that is used again to those thrown out last.
func (e *engine) touched(c *chunk) {
	if c == nil || !e.memories[c.memory].evicts {
		return
	}
	l := &e.memories[c.memory].chunks
	l.remove(c)
	c.unused = false
	l.pushBack(c)
}

// setAside moves the copies of data that is not used for a while to those
// thrown out first.
func (e *engine) setAside(a *actor, h int32) {
	a.spin(&e.handles[h].header)
	for n := range e.memories {
		r := e.copyOf(h, int32(n))
		if !r.allocated || !r.automatic || !e.memories[n].evicts || r.chunk == nil {
			continue
		}
		l, c := &e.memories[n].chunks, r.chunk
		c.unused = true
		if e.handles[h].home != none {
			l.remove(c)
			c.clean = true
			l.pushClean(c)
		}
	}
	e.handles[h].header.taken = false
}

// soil marks a copy that differs from the one at home.
func (e *engine) soil(r *replica, at int32) {
	c := r.chunk
	if c == nil || c.home || !e.memories[at].evicts || !c.clean {
		return
	}
	c.clean = false
	e.memories[at].chunks.clean--
}

// enlist registers a copy that has been allocated.
func (e *engine) enlist(h, at int32, p place) {
	r := e.copyOf(h, at)
	r.chunk = &chunk{handle: h, memory: at, bytes: e.handles[h].bytes, place: p, clean: true, home: e.handles[h].home == at}
	e.memories[at].chunks.pushBack(r.chunk)
	r.allocated, r.automatic = true, true
}
