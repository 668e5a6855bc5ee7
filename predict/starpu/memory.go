package starpu

import (
	"dagscope/predict/platform"
)

// memory is a memory node.
type memory struct {
	kind         string
	workers      int // that run tasks on it
	drivers      []*worker
	waitQueue    waitQueue         // broadcast when something happens there
	requests     [][2]requestQueue // by peer and direction
	unfinished   [2]int            // requests in these queues, by direction
	capacity     int64             // 0: unlimited
	used         int64
	suballocator suballocator
	evictable    bool // replicas can be evicted
	memChunks    memChunkList
	allocCache   map[int64][]allocation // by size
	reclaiming,
	tidying int // actors that do so
}

// direction of a request, seen from the memory node that handles it.
type direction uint8

const (
	in direction = iota
	out
)

// requestQueue holds the requests of a handling node, a peer and a direction.
type requestQueue struct {
	listMutex, pendingListMutex mutex
	waiting                     [3]requestList // by level
	pending                     requestList    // copies under way
	npending                    int            // requests among these (data_requests_npending)
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

// memChunk is memory that the runtime has allocated for a replica, in a list of
// its memory node (struct _starpu_mem_chunk). The first of the list are evicted
// first.
type memChunk struct {
	handle     int32
	memory     int32
	bytes      int64
	allocation allocation
	clean      bool
	home       bool
	wontUse    bool
	notify     **memChunk // set to nil when the chunk leaves the list
	prev, next *memChunk
	segment    *indexSegment // of the index
	at         int           // in the segment
}

// memChunkList is that list. Dirty chunks begin at dirty, roughly.
type memChunkList struct {
	first, last, dirty *memChunk
	count, clean       int
	index              chunkIndex // of the same chunks
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

// pushClean inserts a chunk behind those that are clean.
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

// memChunkRecentlyUsed moves a chunk that is used again to the end of the list
// (_starpu_memchunk_recently_used).
func (e *engine) memChunkRecentlyUsed(c *memChunk) {
	if c == nil || !e.memories[c.memory].evictable {
		return
	}
	l := &e.memories[c.memory].memChunks
	l.remove(c)
	c.wontUse = false
	l.pushBack(c)
}

// memChunkWontUse moves the replicas of data that is not used for a while to
// those evicted first (_starpu_memchunk_wont_use).
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

// memChunkDirty marks a replica that differs from the one on the home node
// (_starpu_memchunk_dirty).
func (e *engine) memChunkDirty(r *replica, at int32) {
	c := r.memChunk
	if c == nil || c.home || !e.memories[at].evictable || !c.clean {
		return
	}
	c.clean = false
	e.memories[at].memChunks.clean--
}

// registerMemChunk adds the chunk of a replica that has been allocated
// (register_mem_chunk).
func (e *engine) registerMemChunk(h, at int32, p allocation) {
	r := e.replicaOf(h, at)
	r.memChunk = &memChunk{handle: h, memory: at, bytes: e.handles[h].bytes, allocation: p, clean: true, home: e.handles[h].home == at}
	e.memories[at].memChunks.pushBack(r.memChunk)
	r.allocated, r.automaticallyAllocated = true, true
}
