package decode

import "dagscope/trace"

// link appends a link of which nothing but its type and name is known. key is
// its code in Link.Key.
func (r *rank) link(typ int32, key int64) int32 {
	l := &r.out.Link
	row := int32(len(l.Start))
	if len(l.Start) == cap(l.Start) {
		r.growLinks()
	}
	l.Key.AppendCode(key)
	l.Type.AppendIndex(typ)
	l.Container = append(l.Container, r.program)
	l.From, l.To = append(l.From, trace.None), append(l.To, trace.None)
	l.Start, l.End = append(l.Start, trace.NoTime), append(l.End, trace.NoTime)
	l.Bytes = append(l.Bytes, -1)
	l.Tag = append(l.Tag, 0)
	l.Mode.AppendIndex(trace.None)
	l.Priority = append(l.Priority, 0)
	l.Handle.AppendIndex(trace.None)
	return row
}

// fetches are the types of links by their names in package layout.
var fetches = map[string]int32{"F": linkFetch, "TF": linkTaskPrefetch, "PF": linkPrefetch, "IF": linkIdleFetch}

// fetchType is the type of link of a transfer, by how urgent it is.
func (r *rank) fetchType(prefetch uint64) int32 {
	name, ok := r.d.version.Fetch(prefetch)
	if !ok {
		r.bad("a transfer of urgency %d, want one that StarPU %s has: taken for a fetch", prefetch, r.d.version.Name)
		return linkFetch
	}
	return fetches[name]
}

// copied is a transfer of which one event was read: its rows of Link and Event.
type copied struct{ link, event int32 }

// half returns the transfer of a com id of which only the beginning (or only
// the end) was read so far. Threads write their events not quite in the order of
// their times: the end may be read first.
func (r *rank) half(com uint64, end bool) (c copied, ok bool) {
	i := r.traffic.copies.get(com)
	if i < 0 {
		return c, false
	}
	c = r.traffic.begun[i]
	missing := r.out.Link.End
	if end {
		missing = r.out.Link.Start
	}
	return c, missing[c.link] == trace.NoTime
}

// newHalf appends the link of a transfer whose event comes next.
func (r *rank) newHalf(com, prefetch uint64, bytes int64) int32 {
	t := &r.traffic
	row := r.link(r.fetchType(prefetch), t.com+int64(com))
	r.out.Link.Bytes[row] = bytes
	t.copies.put(com, int32(len(t.begun)))
	t.begun = append(t.begun, copied{row, int32(len(r.out.Event.Time))})
	return row
}

// startCopy begins a transfer between memory nodes.
func startCopy(r *rank, a *args) {
	src, dst := r.memory(a.int(0)), r.memory(a.int(1))
	if dst == nil {
		return
	}
	d := detail{handle: r.named(a.v[5]), info: uint64(uint32(a.v[3])), bytes: int64(a.v[2]), peer: src}
	if src != nil {
		r.beginCopy(src, d, a)
	}
	r.push(dst.stream, kindDriverCopy)
	r.memoryEvent(eventCopy, dst, d)
}

// beginCopy tells a link where it begins, and the event of its end, should that
// be known, what it is of.
func (r *rank) beginCopy(src *node, d detail, a *args) {
	var row int32
	if c, ok := r.half(d.info, true); ok {
		row = c.link
		r.out.Link.Type.Index[row] = r.fetchType(a.v[4])
		r.out.Event.Handle.Index[c.event], r.out.Event.Peer[c.event] = d.handle, src.manager
	} else {
		row = r.newHalf(d.info, a.v[4], d.bytes)
	}
	l := &r.out.Link
	l.From[row], l.Start[row] = src.manager, r.now
	if a.v[5] != 0 {
		l.Handle.Index[row] = r.traffic.moved.index(a.v[5])
	}
}

// endCopy ends a transfer. One whose beginning is not in the trace is known by
// its end alone.
func endCopy(r *rank, a *args) {
	dst := r.memory(a.int(1))
	if dst == nil {
		return
	}
	d := detail{handle: trace.None, info: uint64(uint32(a.v[3])), bytes: int64(a.v[2])}
	var row int32
	if c, ok := r.half(d.info, false); ok {
		row, d.handle, d.peer = c.link, r.out.Event.Handle.Index[c.event], r.node(a.int(0))
	} else {
		row = r.newHalf(d.info, a.v[4], d.bytes)
	}
	r.out.Link.To[row], r.out.Link.End[row] = dst.manager, r.now
	r.pop(dst.stream)
	r.memoryEvent(eventCopyEnd, dst, d)
}

// ofCopyCall returns the function of an event of the call that begins an
// asynchronous transfer.
func ofCopyCall(typ int32, begins bool) func(*rank, *args) {
	return func(r *rank, a *args) {
		n := r.memory(a.int(1))
		if n == nil {
			return
		}
		if begins {
			r.push(n.stream, kindDriverCopyAsync)
		} else {
			r.pop(n.stream)
		}
		r.memoryEvent(typ, n, detail{handle: r.named(0), peer: r.node(a.int(0))})
	}
}

// stolen is a task that one worker took from another. It takes no time.
func stolen(r *rank, a *args) {
	t, l := &r.traffic, &r.out.Link
	to, from := r.worker(a.int(0)), r.worker(a.int(1))
	t.steals++
	if to == nil || from == nil {
		r.bad("a task stolen by worker %d from worker %d, want two that were announced", a.int(0), a.int(1))
		return
	}
	row := r.link(linkSteal, t.steal+t.steals-1)
	l.From[row], l.To[row] = from.container, to.container
	l.Start[row], l.End[row], l.Bytes[row] = r.now, r.now, 0
}

// numberSteals makes the names of steals differ between ranks: StarPU's
// converter counts them over all files.
func (d *decoder) numberSteals() {
	before := int64(0)
	for _, r := range d.ranks {
		for i, typ := range r.out.Link.Type.Index {
			if before > 0 && typ == linkSteal {
				r.out.Link.Key.Code[i] += before
			}
		}
		before += r.traffic.steals
	}
}

var transferBindings = []binding{
	{"START_DRIVER_COPY", []string{"src", "dst", "bytes", "com", "prefetch", "handle?"}, "transfer", startCopy},
	{"END_DRIVER_COPY", []string{"src", "dst", "bytes", "com", "prefetch"}, "transfer", endCopy},
	{"START_DRIVER_COPY_ASYNC", []string{"src", "dst"}, "event", ofCopyCall(eventCopyAsync, true)},
	{"END_DRIVER_COPY_ASYNC", []string{"src", "dst"}, "event", ofCopyCall(eventCopyAsyncEnd, false)},
	{"WORK_STEALING", []string{"worker", "victim"}, "transfer", stolen},
}
