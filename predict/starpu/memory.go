package starpu

import (
	"dagscope/predict/platform"
)

// memory is a memory node.
type memory struct {
	kind         string
	workers      int // that execute on it
	drivers      []*worker
	waitQueue    waitQueue         // rung when something happens there
	requests     [][2]requestQueue // of requests, by peer and direction
	unfinished   [2]int            // requests in these lists, by direction
	capacity     int64             // 0: unlimited
	used         int64
	suballocator suballocator
	evictable    bool // copies can be taken out
	memChunks    memChunkList
	allocCache   map[int64][]allocation // of data that was forgotten, by size
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
type requestQueue struct {
	listMutex, pendingListMutex mutex
	waiting                     [3]requestList // by level
	pending                     requestList    // under way
	npending                    int            // of these
}

func (e *engine) setMemories() {
	e.memories = make([]memory, len(e.m.Memories))
	for i := range e.memories {
		k := &e.m.Memories[i]
		e.memories[i] = memory{kind: k.Kind, capacity: k.Capacity, requests: make([][2]requestQueue, len(e.memories))}
		e.memories[i].evictable = k.Kind == platform.GPU
	}
	for _, k := range e.m.Memories {
		if k.Kind == platform.Disk {
			e.memories[0].evictable = true
		}
	}
}

// chunk is a copy that the runtime has allocated, in a list of its memory: those
// in front are thrown out first.
type memChunk struct {
	handle     int32
	memory     int32
	bytes      int64
	allocation allocation
	clean      bool
	home       bool
	wontUse    bool
	notify     **memChunk // told when the chunk leaves the list
	prev, next *memChunk
	segment    *indexSegment // where it is found among others
	at         int           // on the shelf
}

// chunkList is that list. Dirty chunks begin at dirty, roughly.
type memChunkList struct {
	first, last, dirty *memChunk
	count, clean       int
	index              chunkIndex // the same chunks
}

func (l *memChunkList) pushBack(c *memChunk) {
	c.prev, c.next = l.last, nil
	if l.last == nil {
		l.first = c
	} else {
		l.last.next = c
	}
	l.last = c
	l.index.append(c)
	l.compactIndex()
	if c.clean || c.home {
		l.clean++
	} else if l.dirty == nil {
		l.dirty = c
	}
	l.count++
}

// pushClean puts a chunk behind those that are clean.
func (l *memChunkList) pushClean(c *memChunk) {
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
	l.index.insertBefore(c, d)
	l.clean++
	l.count++
}

func (l *memChunkList) remove(c *memChunk) {
	if c.clean || c.home {
		l.clean--
	}
	if c == l.dirty {
		l.dirty = c.next
	}
	l.count--
	l.index.remove(c)
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
func (e *engine) memChunkRecentlyUsed(c *memChunk) {
	if c == nil || !e.memories[c.memory].evictable {
		return
	}
	l := &e.memories[c.memory].memChunks
	l.remove(c)
	c.wontUse = false
	l.pushBack(c)
}

// setAside moves the copies of data that is not used for a while to those
// thrown out first.
func (e *engine) memChunkWontUse(a *actor, h int32) {
	a.spinLock(&e.handles[h].header)
	for n := range e.memories {
		r := e.replicaOf(h, int32(n))
		if !r.allocated || !r.automaticallyAllocated || !e.memories[n].evictable || r.memChunk == nil {
			continue
		}
		l, c := &e.memories[n].memChunks, r.memChunk
		c.wontUse = true
		if e.handles[h].home != none {
			l.remove(c)
			c.clean = true
			l.pushClean(c)
		}
	}
	e.handles[h].header.taken = false
}

// soil marks a copy that differs from the one at home.
func (e *engine) memChunkDirty(r *replica, at int32) {
	c := r.memChunk
	if c == nil || c.home || !e.memories[at].evictable || !c.clean {
		return
	}
	c.clean = false
	e.memories[at].memChunks.clean--
}

// enlist registers a copy that has been allocated.
func (e *engine) registerMemChunk(h, at int32, p allocation) {
	r := e.replicaOf(h, at)
	r.memChunk = &memChunk{handle: h, memory: at, bytes: e.handles[h].bytes, allocation: p, clean: true, home: e.handles[h].home == at}
	e.memories[at].memChunks.pushBack(r.memChunk)
	r.allocated, r.automaticallyAllocated = true, true
}
