package decode

import "dagscope/trace"

// detail is what an event of a memory node tells.
type detail struct {
	value  uint64 // address of a request
	handle int32  // index in Event.Handle's dictionary
	info   uint64 // how urgent, a result, or the transfer
	bytes  int64  // or, of a request, its priority
	peer   *node  // the other side, nil if there is none
}

// memoryEvent appends what happened at a memory node.
func (r *rank) memoryEvent(typ int32, n *node, d detail) {
	t, e := &r.traffic, &r.out.Event
	if len(e.Time) == cap(e.Time) {
		r.growEvents()
	}
	e.Type.AppendIndex(typ)
	e.Container = append(e.Container, n.manager)
	e.Time = append(e.Time, r.now)
	e.Value.AppendIndex(t.value.address(d.value))
	e.Handle.AppendIndex(d.handle)
	e.Info.AppendIndex(t.info.number(d.info))
	e.Bytes = append(e.Bytes, d.bytes)
	peer := trace.None
	if d.peer != nil {
		peer = d.peer.manager
	}
	e.Peer = append(e.Peer, peer)
}

// named is the index of a handle in Event.Handle's dictionary.
func (r *rank) named(handle uint64) int32 { return r.traffic.named.index(handle) }

// beginsAt returns the function of an event that begins an action at a memory
// node: a state and an event.
func beginsAt(kind, typ int32) func(*rank, *args) {
	return func(r *rank, a *args) {
		if n := r.memory(a.int(0)); n != nil {
			r.push(n.stream, kind)
			r.memoryEvent(typ, n, detail{handle: r.named(a.v[1]), bytes: int64(a.v[2]), info: a.v[3], peer: n})
		}
	}
}

// endsAt ends what beginsAt began.
func endsAt(typ int32) func(*rank, *args) {
	return func(r *rank, a *args) {
		if n := r.memory(a.int(0)); n != nil {
			r.pop(n.stream)
			r.memoryEvent(typ, n, detail{handle: r.named(a.v[1]), info: result(a.int(2)), peer: n})
		}
	}
}

// result is how StarPU's converter prints the result of an allocation: its
// bytes, or a negative error as an unsigned number of 32 bits.
func result(v int64) uint64 {
	if v < 0 {
		return uint64(uint32(v))
	}
	return uint64(v)
}

// pushesAt returns the function of an event that nests a state of a memory
// node, and says nothing else.
func pushesAt(kind int32) func(*rank, *args) {
	return func(r *rank, a *args) {
		if n := r.memory(a.int(0)); n != nil {
			r.push(n.stream, kind)
		}
	}
}

func popsAt(r *rank, a *args) {
	if n := r.memory(a.int(0)); n != nil {
		r.pop(n.stream)
	}
}

// usedMemory is how much of a memory is in use, in MB of 2^20 bytes.
func usedMemory(r *rank, a *args) {
	if n := r.memory(a.int(0)); n != nil {
		r.sample(metricUsed, n.manager, r.now, float64(int64(a.v[1]))/(1<<20))
	}
}

// requested is the creation of a request for data. Requests without a source,
// for memory alone, have no place, and StarPU's converter has none for them: they
// are counted.
func requested(r *rank, a *args) {
	src, dst := a.int(0), a.int(1)
	if int32(src) < 0 {
		r.leave("request-without-source", "a request for memory, not for data: it has no source")
		return
	}
	if n := r.memory(src); n != nil {
		r.memoryEvent(eventRequest, n, detail{value: a.v[5], handle: r.named(a.v[3]), info: a.v[4], bytes: int64(int32(a.v[2])), peer: r.node(dst)})
	}
}

// Parameters of most of the events.
var (
	byNode       = []string{"node"}
	byAllocation = []string{"node", "handle", "bytes?", "prefetch?"}
	byResult     = []string{"node", "handle", "result?"}
)

var memoryBindings = []binding{
	{"START_ALLOC", byAllocation, "event", beginsAt(kindAllocating, eventAlloc)},
	{"END_ALLOC", byResult, "event", endsAt(eventAllocEnd)},
	{"START_ALLOC_REUSE", byAllocation, "event", beginsAt(kindAllocatingReuse, eventReuse)},
	{"END_ALLOC_REUSE", byResult, "event", endsAt(eventReuseEnd)},
	{"START_FREE", byAllocation, "event", beginsAt(kindFreeing, eventFree)},
	{"END_FREE", byResult, "event", endsAt(eventFreeEnd)},
	{"START_WRITEBACK", byAllocation, "event", beginsAt(kindWritingBack, eventWriteBack)},
	{"END_WRITEBACK", byResult, "event", endsAt(eventWriteBackEnd)},
	{"START_WRITEBACK_ASYNC", byNode, "state", pushesAt(kindWritingBackAsync)},
	{"END_WRITEBACK_ASYNC", byNode, "state", popsAt},
	{"START_MEMRECLAIM", byNode, "state", pushesAt(kindReclaiming)},
	{"END_MEMRECLAIM", byNode, "state", popsAt},
	{"USED_MEM", []string{"node", "used"}, "sample", usedMemory},
	{"DATA_REQUEST_CREATED", []string{"src", "dst", "prio", "handle", "prefetch", "request?"}, "event", requested},
}
