package starpu

import (
	"slices"

	"dagscope/predict/platform"
)

// StarPU allocates the memory of devices in large blocks, out of which it serves
// small requests (CHUNK_SIZE, CHUNK_ALLOC_MIN, CHUNK_ALLOC_MAX, CHUNKS_NFREE in
// its malloc.c).
const (
	blockBytes       = 32 << 20
	unitBytes        = 16 << 10
	units            = blockBytes / unitBytes
	maxSuballocation = blockBytes / 8 // bytes
	maxFreeBlocks    = 4              // unused ones that are kept
)

// suballocator serves small allocations out of a memory node's blocks (struct
// _starpu_chunk).
type suballocator struct {
	mutex      mutex
	blocks     []*block // searched from the front
	freeBlocks int
}

// block is a large piece of memory, and what is free of it.
type block struct {
	free         []span
	available    int // units
	maxAvailable int // upper bound of free units in a row
}

type span struct{ at, length int }

// allocation is the memory of a replica: in a block, or on its own.
type allocation struct {
	block *block
	at    int
	bytes int64
}

// suballocated says that allocations of a size come out of blocks.
func (e *engine) suballocated(m int32, bytes int64) bool {
	return bytes <= maxSuballocation && (e.memories[m].kind == platform.GPU && e.m.Memories[m].Arch != platform.OpenCL || e.pinned(m))
}

// pinned says that a memory node is RAM whose pages are pinned for copies to
// devices.
func (e *engine) pinned(m int32) bool {
	return e.memories[m].kind == platform.RAM && e.log.cuda
}

// mallocOnNode allocates without making room, and says whether it could
// (starpu_malloc_on_node_flags).
func (e *engine) mallocOnNode(a *actor, m int32, bytes int64) (allocation, bool) {
	if p, ok := e.memories[m].fromCache(bytes); ok {
		return p, true
	}
	if !e.suballocated(m, bytes) {
		return allocation{bytes: bytes}, e.mallocRaw(a, m, bytes)
	}
	p := &e.memories[m].suballocator
	n := int((bytes + unitBytes - 1) / unitBytes)
	a.lock(&p.mutex)
	b, i := p.find(n)
	if b == nil {
		if !e.mallocRaw(a, m, blockBytes) {
			a.unlock(&p.mutex)
			return allocation{}, false
		}
		b, i = &block{free: []span{{0, units}}, available: units, maxAvailable: units}, 0
		p.blocks = slices.Insert(p.blocks, 0, b)
	}
	at := b.cut(i, n)
	a.unlock(&p.mutex)
	return allocation{b, at, bytes}, true
}

// find searches for n free units in a row.
func (p *suballocator) find(n int) (*block, int) {
	for k, b := range p.blocks {
		if b.maxAvailable < n {
			continue
		}
		maxFound := 0
		for i, s := range b.free {
			if s.length >= n {
				p.moveToFront(k, b, s, n)
				return b, i
			}
			maxFound = max(maxFound, s.length)
		}
		b.maxAvailable = maxFound
	}
	return nil, 0
}

// moveToFront moves a block with room for more to the front.
func (p *suballocator) moveToFront(k int, b *block, s span, n int) {
	if s.length >= 2*n {
		copy(p.blocks[1:k+1], p.blocks[:k])
		p.blocks[0] = b
	}
	if b.available == units {
		p.freeBlocks--
	}
}

// cut takes n units of the i-th free span.
func (b *block) cut(i, n int) int {
	b.available -= n
	s := &b.free[i]
	at := s.at
	s.at, s.length = s.at+n, s.length-n
	if s.length == 0 {
		b.free = slices.Delete(b.free, i, i+1)
	}
	return at
}

// put frees n units.
func (b *block) put(at, n int) {
	b.available += n
	i, _ := slices.BinarySearchFunc(b.free, at, func(s span, at int) int { return s.at - at })
	b.free = slices.Insert(b.free, i, span{at, n})
	if i+1 < len(b.free) && b.free[i+1].at == at+n {
		b.free[i].length += b.free[i+1].length
		b.free = slices.Delete(b.free, i+1, i+2)
		b.maxAvailable = max(b.maxAvailable, b.free[i].length)
	}
	if i > 0 && b.free[i-1].at+b.free[i-1].length == at {
		b.free[i-1].length += b.free[i].length
		b.free = slices.Delete(b.free, i, i+1)
		b.maxAvailable = max(b.maxAvailable, b.free[i-1].length)
	}
}

// freeOnNode frees an allocation (starpu_free_on_node_flags).
func (e *engine) freeOnNode(a *actor, m int32, q allocation) {
	if q.block == nil {
		e.freeRaw(a, m, q.bytes)
		return
	}
	p := &e.memories[m].suballocator
	a.lock(&p.mutex)
	q.block.put(q.at, int((q.bytes+unitBytes-1)/unitBytes))
	k := slices.Index(p.blocks, q.block)
	switch {
	case q.block.available < units:
		copy(p.blocks[1:k+1], p.blocks[:k])
		p.blocks[0] = q.block
	case p.freeBlocks >= maxFreeBlocks:
		e.freeRaw(a, m, blockBytes)
		k = slices.Index(p.blocks, q.block)
		p.blocks = slices.Delete(p.blocks, k, k+1)
	default:
		p.freeBlocks++
	}
	a.unlock(&p.mutex)
}

// mallocRaw allocates from the device, or from the system
// (_starpu_malloc_on_node).
func (e *engine) mallocRaw(a *actor, m int32, bytes int64) bool {
	n := &e.memories[m]
	a.simcalls(1)
	fits := n.capacity == 0 || n.used+bytes <= n.capacity
	if fits {
		n.used += bytes
		e.log.setMemoryUse(m, n.used, e.now)
	}
	a.simcalls(1)
	if !fits {
		return false
	}
	switch {
	case n.kind == platform.GPU && e.m.Memories[m].Arch == platform.CUDA:
		a.lock(&e.mallocMutex)
		a.pause(e.costs.malloc)
		a.unlock(&e.mallocMutex)
	case e.pinned(m):
		a.pause(seconds(e.o.Costs.Pin * float64(bytes)))
	}
	return true
}

// freeRaw returns memory. Freeing a device's memory waits for all transfers
// (_starpu_free_on_node).
func (e *engine) freeRaw(a *actor, m int32, bytes int64) {
	n := &e.memories[m]
	if n.kind == platform.GPU && e.m.Memories[m].Arch == platform.CUDA {
		a.lock(&e.mallocMutex)
		a.pause(e.costs.free)
		a.unlock(&e.mallocMutex)
		e.waitTransfers(a)
	}
	a.simcalls(1)
	n.used -= bytes
	e.log.setMemoryUse(m, n.used, e.now)
	a.simcalls(1)
}
