package starpu

import (
	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// Shares of a memory's chunks that are kept clean, in percent: when there are
// fewer than the first, copies are written back until there is the second.
const (
	leastClean  = 5
	targetClean = 10
)

// attempts to allocate.
const attempts = 3

// reclaimFactor is how many times its size is freed for what has to be
// allocated.
const reclaimFactor = 2

// allocate makes room for a copy. The handle's header is held, released
// meanwhile, and held again at the end. It says whether there is room.
func (e *engine) allocate(a *actor, h, at int32, l level) bool {
	d, r := &e.handles[h], e.copyOf(h, at)
	if r.allocated {
		return true
	}
	r.refs++
	d.header.taken = false
	p, ok := e.find(a, h, at, l)
	e.takeHeader(a, h, false)
	r.leave()
	if r.allocated {
		if ok {
			e.giveBack(a, at, p)
			e.log.dropped(h, at, e.now)
		}
		return true
	}
	if ok {
		e.enlist(h, at, p)
	}
	return ok
}

// find takes memory, where it must from other copies.
func (e *engine) find(a *actor, h, at int32, l level) (p place, ok bool) {
	n := &e.memories[at]
	noted := e.log.searched(h, at, l, e.now)
	told := false
	defer func() {
		if told {
			n.reclaiming--
		}
	}()
	for range attempts {
		begin := e.now
		p, ok := e.take(a, at, e.handles[h].bytes)
		if noted {
			e.log.attempted(h, at, l, begin, e.now, ok)
		}
		if ok {
			e.log.room(at, true)
			return p, true
		}
		if l >= idle {
			e.log.room(at, false)
			continue
		}
		if p, ok := e.reuse(a, h, at, l); ok {
			return p, true
		}
		if !told {
			n.reclaiming++
			told = true
		}
		freed := e.reclaim(a, at, reclaimFactor*e.handles[h].bytes, l)
		e.log.room(at, freed > 0)
	}
	return place{}, false
}

// reuse takes the place of a copy of the same size that is not needed and
// need not be written back.
func (e *engine) reuse(a *actor, h, at int32, l level) (place, bool) {
	n := &e.memories[at]
	wanted := needless(l) | duplicate
	for c := n.chunks.first.from(wanted); c != nil; c = c.next.from(wanted) {
		if c.notify != nil || c.bytes != e.handles[h].bytes {
			continue
		}
		if c.next != nil && c.next.notify != nil {
			continue
		}
		d, r := &e.handles[c.handle], e.copyOf(c.handle, at)
		if r.state == owner {
			c.lacks(duplicate)
		}
		if !e.mayEvict(c.handle, at, l) || d.header.taken || r.state == owner || e.refuge(c.handle, at) == none {
			continue
		}
		e.dropShared(c.handle, at)
		p := c.place
		n.chunks.remove(c)
		e.log.writtenBack(c.handle, at, none, e.now, e.now)
		e.log.coherent(e, c.handle)
		r.chunk, r.allocated, r.automatic, r.filled = nil, false, false, false
		return p, true
	}
	return place{}, false
}

// dropShared invalidates a copy of which there are others.
func (e *engine) dropShared(h, at int32) {
	r := e.copyOf(h, at)
	if r.state != shared {
		return
	}
	r.state = invalid
	count, last := 0, int32(0)
	for n := range e.memories {
		if e.copyOf(h, int32(n)).state == shared {
			count++
			last = int32(n)
		}
	}
	if count == 1 {
		e.copyOf(h, last).state = owner
	}
}

// mayEvict says that a copy is not needed.
func (e *engine) mayEvict(h, at int32, l level) bool {
	d := &e.handles[h]
	if d.home == at || d.home == none && e.memories[at].kind == platform.RAM && !e.memories[0].evicts {
		return false
	}
	r := e.copyOf(h, at)
	if l >= prefetch && r.awaited > 0 {
		r.chunk.lacks(unawaited)
		return false
	}
	if r.refs > 0 {
		r.chunk.lacks(unreferred)
		return false
	}
	return e.mayFree(h, at)
}

// needless are the traits of what a request may throw out.
func needless(l level) traits {
	if l >= prefetch {
		return unreferred | unawaited
	}
	return unreferred
}

// mayFree says that nobody refers to a copy, and nobody writes the handle.
func (e *engine) mayFree(h, at int32) bool {
	if e.copyOf(h, at).refs > 0 {
		return false
	}
	d := &e.handles[h]
	return d.mode != workload.Write || d.invalidation == nil && !e.referred(h)
}

func (e *engine) referred(h int32) bool {
	for n := range e.memories {
		if e.copyOf(h, int32(n)).refs > 0 {
			return true
		}
	}
	return false
}

// refuge is the memory to write a copy back to, none without one.
func (e *engine) refuge(h, at int32) int32 {
	home := e.handles[h].home
	if home != none && (e.memories[home].kind != platform.Disk || e.memories[at].kind == platform.RAM) {
		return home
	}
	if e.memories[at].kind != platform.RAM {
		n := &e.memories[0]
		if e.copyOf(h, 0).allocated || n.capacity == 0 || n.used+e.handles[h].bytes <= n.capacity {
			return 0
		}
	}
	return e.disk(h, at)
}

// disk that takes a handle.
func (e *engine) disk(h, at int32) int32 {
	for i := range e.memories {
		n := &e.memories[i]
		if n.kind == platform.Disk && int32(i) != at && (e.copyOf(h, int32(i)).allocated || n.capacity == 0 || n.used+e.handles[h].bytes <= n.capacity) {
			return int32(i)
		}
	}
	return none
}

// reclaim throws copies out until so many bytes are free.
func (e *engine) reclaim(a *actor, at int32, bytes int64, l level) int64 {
	n := &e.memories[at]
	freed := e.dropSpare(a, at)
restart:
	wanted := needless(l)
	for c := n.chunks.first.from(wanted); c != nil && freed < bytes; c = c.from(wanted) {
		next := c.next
		if c.notify != nil || next != nil && next.notify != nil {
			c = next
			continue
		}
		watch := next
		if next != nil {
			next.notify = &watch
		}
		freed += e.throwOut(a, c, at, l)
		if next != nil {
			if watch == nil {
				goto restart
			}
			next.notify = nil
		}
		c = next
	}
	return freed
}

// throwOut takes a copy out of a memory, written back where need be, and says
// how many bytes that frees.
func (e *engine) throwOut(a *actor, c *chunk, at int32, l level) int64 {
	h := c.handle
	d := &e.handles[h]
	if !e.mayEvict(h, at, l) || d.header.taken {
		return 0
	}
	d.header.taken = true
	defer func() { d.header.taken = false }()
	target := e.refuge(h, at)
	if target == none {
		return 0
	}
	watch := c
	c.notify = &watch
	begin := e.now
	moved := e.moveOut(a, h, at, target)
	e.log.writtenBack(h, at, target, begin, e.now)
	if watch == nil {
		return 0
	}
	c.notify = nil
	if !moved || e.copyOf(h, at).refs > 0 {
		return 0
	}
	return e.freeChunk(a, c)
}

// moveOut leaves a copy that is not needed any more, after it has been written
// to the target if it is the only one.
func (e *engine) moveOut(a *actor, h, at, target int32) bool {
	d, r := &e.handles[h], e.copyOf(h, at)
	for r.state == owner {
		q := e.askLocked(a, asking{handle: h, to: target, mode: workload.Read, level: demand, task: none})
		if q == nil {
			d.header.taken = true
			continue
		}
		q.watched = true
		d.header.taken = false
		e.awaitRequest(a, q)
		a.spin(&d.header)
		if !e.mayFree(h, at) {
			return false
		}
	}
	e.dropShared(h, at)
	return true
}

// awaitRequest lets requests go on until one is over.
func (e *engine) awaitRequest(a *actor, r *request) {
	own := int32(0)
	if a.worker != nil {
		own = a.worker.memory
		e.setStatus(a, a.worker, statusWaiting)
		defer e.clearStatus(a, a.worker, statusWaiting)
	}
	e.listen(a, []int32{own, r.to}, func() bool { return r.over }, func() { e.progress(a, true) })
	e.requests.put(r)
}

func (e *engine) freeChunk(a *actor, c *chunk) int64 {
	r := e.copyOf(c.handle, c.memory)
	r.chunk = nil
	e.giveBack(a, c.memory, c.place)
	r.allocated, r.automatic = false, false
	e.memories[c.memory].chunks.remove(c)
	e.log.dropped(c.handle, c.memory, e.now)
	e.log.coherent(e, c.handle)
	a.ring(&e.memories[c.memory].bell)
	return c.bytes
}

// untidy says that too few copies are clean.
func (n *memory) untidy() bool {
	return n.evicts && n.chunks.clean < n.chunks.count*leastClean/100
}

// tidy has copies written back when few are clean.
func (e *engine) tidy(a *actor, m int32) {
	n := &e.memories[m]
	l := &n.chunks
	if !n.untidy() {
		return
	}
	skipped := false
	for c := l.dirty; c != nil && l.clean < l.count*targetClean/100; {
		next := c.next
		watch := next
		if e.clean(a, c, m, &watch) {
			skipped = true
		}
		c = watch
		if c == nil && next != nil {
			break
		}
		if c == nil || !skipped {
			l.dirty = c
		}
	}
}

// clean asks for a dirty copy to be written back, and says whether it was
// skipped. next is what follows it in its list, nil if that leaves it.
func (e *engine) clean(a *actor, c *chunk, m int32, next **chunk) (skipped bool) {
	if c.home || c.clean {
		return false
	}
	if *next != nil && (*next).notify != nil {
		return true
	}
	h := c.handle
	d := &e.handles[h]
	if d.home == none && e.memories[m].kind == platform.RAM && !e.memories[0].evicts {
		return false
	}
	if d.header.taken {
		return true
	}
	if d.mode == workload.Write {
		if d.invalidation != nil {
			return false
		}
		if e.referred(h) {
			return true
		}
	}
	return e.cleanTo(a, c, m, next)
}

func (e *engine) cleanTo(a *actor, c *chunk, m int32, next **chunk) (skipped bool) {
	h := c.handle
	d := &e.handles[h]
	target := d.home
	if target != none && e.copyOf(h, target).state != invalid {
		c.clean = true
		e.memories[m].chunks.clean++
		return false
	}
	if target == none {
		target = e.refuge(h, m)
	}
	if target == none {
		return false
	}
	d.header.taken = true
	c.clean = true
	e.memories[m].chunks.clean++
	follower := *next
	if follower != nil {
		follower.notify = next
	}
	if e.askLocked(a, asking{handle: h, to: target, mode: workload.Read, level: idle, task: none, detached: true}) != nil {
		d.header.taken = false
	}
	if follower != nil && *next != nil {
		follower.notify = nil
	}
	return false
}
