package starpu

import (
	"cmp"
	"slices"
	"strconv"

	"dagscope/predict/workload"
	"dagscope/trace"
)

// reasonOf is StarPU's number of a request's urgency (enum starpu_is_prefetch).
var reasonOf = [...]string{fetchLevel: "0", prefetchLevel: "1", idleLevel: "3"}

// kindOf names transfers by how urgent they were.
var kindOf = [...]string{fetchLevel: trace.TransferFetch, prefetchLevel: trace.TransferTaskPrefetch, idleLevel: trace.TransferIdleFetch}

func (t *tracer) transfers() {
	r, copies := &t.b.Run.Transfer, t.e.log.detail.copies
	n := len(copies)
	trace.Reserve(n, &r.From, &r.To, &r.Handle, &r.Priority, &r.Kind.Index)
	trace.Reserve(n, &r.Start, &r.End, &r.Bytes, &r.Tag, &r.Key.Code)
	var key []byte
	for i, c := range copies {
		i += t.firstCopy
		end := trace.NoTime
		if c.end > 0 {
			end = t.e.nanoseconds(c.end)
		}
		key = strconv.AppendInt(append(key[:0], "com_"...), int64(i+1), 10)
		r.Key.Append(key)
		r.Kind.Append(kindOf[c.level])
		r.From, r.To = append(r.From, t.managers[c.from]), append(r.To, t.managers[c.to])
		r.Start, r.End = append(r.Start, t.e.nanoseconds(c.begin)), append(r.End, end)
		r.Bytes = append(r.Bytes, t.g.Bytes[c.handle])
		r.Handle = append(r.Handle, t.firstHandle+c.handle)
		r.Priority = append(r.Priority, c.priority)
		r.Tag = append(r.Tag, 0)
		if t.of != nil {
			r.Mode.Append("")
			r.SendTask, r.RecvTask = append(r.SendTask, trace.None), append(r.RecvTask, trace.None)
		}
	}
}

// note is an event.
type note struct {
	kind, value, info      string
	resource, handle, peer int32
	at                     int64 // ns since the first submission
	bytes                  int64
}

// stream is a list of events: how many there are, and which is the i-th.
type stream struct {
	n  int
	at func(i int) note
	t  *tracer
}

// instant is when and where the row-th event of a stream happened.
type instant struct {
	time     int64 // ns
	resource int32
	row      int32
}

func (a instant) compare(b instant) int {
	return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.resource, b.resource))
}

// events are the program's hints and, where recorded, the events of replicas:
// validity, allocation, transfer.
func (t *tracer) events() []stream {
	streams := []stream{t.hintEvents()}
	if t.e.log.detail != nil {
		streams = append(streams, t.stateEvents(), t.blockingEvents(), t.managerEvents(), t.requestEvents(), t.copyEvents())
	}
	for k := range streams {
		streams[k].t = t
	}
	return streams
}

// merge adds events by time and resource; among equals, in the order of
// streams.
func (t *tracer) merge(streams []stream) {
	heads, n := make([][]instant, len(streams)), 0
	for k, s := range streams {
		heads[k] = s.t.instants(s)
		n += len(heads[k])
	}
	e := &t.b.Run.Event
	trace.Reserve(n, &e.Resource, &e.Task, &e.Handle, &e.Peer, &e.Kind.Index, &e.Value.Index, &e.Info.Index)
	trace.Reserve(n, &e.Time, &e.Bytes)
	for range n {
		first := -1
		for k, h := range heads {
			if len(h) > 0 && (first < 0 || h[0].compare(heads[first][0]) < 0) {
				first = k
			}
		}
		streams[first].t.note(streams[first].at(int(heads[first][0].row)))
		heads[first] = heads[first][1:]
	}
}

// instants of a stream, sorted.
func (t *tracer) instants(s stream) []instant {
	all := make([]instant, s.n)
	for i := range all {
		event := s.at(i)
		all[i] = instant{event.at, event.resource, int32(i)}
	}
	if !slices.IsSortedFunc(all, instant.compare) {
		slices.SortStableFunc(all, instant.compare)
	}
	return all
}

func (t *tracer) note(n note) {
	e := &t.b.Run.Event
	e.Kind.Append(n.kind)
	e.Resource = append(e.Resource, n.resource)
	e.Time = append(e.Time, n.at)
	e.Value.Append(n.value)
	handle := n.handle
	if handle != trace.None {
		handle += t.firstHandle
	}
	e.Task, e.Handle = append(e.Task, trace.None), append(e.Handle, handle)
	e.Info.Append(n.info)
	e.Bytes = append(e.Bytes, n.bytes)
	e.Peer = append(e.Peer, n.peer)
}

// event is something that happened to a copy.
func (t *tracer) event(kind string, memory int32, at float64, handle, peer int32) note {
	return note{kind: kind, resource: t.managers[memory], at: t.e.nanoseconds(at), handle: handle, peer: peer, bytes: t.g.Bytes[handle]}
}

func (t *tracer) hintEvents() stream {
	return stream{n: len(t.hints), at: func(i int) note {
		h := t.hints[i]
		return note{
			kind: workload.WontUseSubmitted, resource: t.program, at: h.at,
			handle: h.handle, peer: trace.None, info: strconv.Itoa(int(h.order)),
		}
	}}
}

func (t *tracer) stateEvents() stream {
	validities := [...]string{invalid: "data state invalid", shared: "data state shared", owner: "data state owner"}
	states := t.e.log.detail.replicaStates
	return stream{n: len(states), at: func(i int) note {
		s := states[i]
		return t.event(validities[s.state], s.memory, s.at, s.handle, trace.None)
	}}
}

// blockingEvents are the beginnings of kernels that drain the pipeline of a
// device.
func (t *tracer) blockingEvents() stream {
	var tasks []int32
	for i, w := range t.r.Worker {
		if w >= 0 && t.e.workers[w].device && t.g.Classes[t.g.Class[i]].Blocking {
			tasks = append(tasks, int32(i))
		}
	}
	return stream{n: len(tasks), at: func(i int) note {
		return note{
			kind: "program event type", value: "sync_task", resource: t.program,
			at: t.e.log.begin[tasks[i]], handle: trace.None, peer: trace.None,
		}
	}}
}

// managerEvents are beginnings and ends of what memory managers did.
func (t *tracer) managerEvents() stream {
	managed := t.e.log.detail.memoryEvents
	results := make(map[int64]string) // by bytes allocated
	return stream{n: 2 * len(managed), at: func(i int) note {
		m, name := managed[i/2], memoryEventNames[managed[i/2].what]
		peer := trace.None
		if m.peer != none {
			peer = t.managers[m.peer]
		}
		if i%2 == 0 {
			n := t.event(name.start, m.memory, m.begin, m.handle, peer)
			n.info = reasonOf[m.level]
			return n
		}
		n := t.event(name.end, m.memory, m.end, m.handle, peer)
		n.info = name.result
		if m.what == allocating {
			if results[n.bytes] == "" {
				results[n.bytes] = strconv.FormatInt(n.bytes, 10)
			}
			n.info = results[n.bytes]
		}
		return n
	}}
}

func (t *tracer) requestEvents() stream {
	requests := t.e.log.detail.requests
	return stream{n: len(requests), at: func(i int) note {
		w := requests[i]
		return note{
			kind: "Request Created", info: reasonOf[w.level], resource: t.managers[w.from], peer: t.managers[w.to],
			at: t.e.nanoseconds(w.at), handle: w.handle, bytes: int64(w.priority),
		}
	}}
}

// copyEvents are beginnings and ends of the copies that ended.
func (t *tracer) copyEvents() stream {
	copies := t.e.log.detail.copies
	ended := make([]int32, 0, len(copies))
	for i := range copies {
		if copies[i].end > 0 {
			ended = append(ended, int32(i))
		}
	}
	return stream{n: 2 * len(ended), at: func(i int) note {
		c := copies[ended[i/2]]
		if i%2 == 0 {
			return t.event("DriverCopy Start", c.to, c.begin, c.handle, t.managers[c.from])
		}
		return t.event("DriverCopy End", c.to, c.end, c.handle, t.managers[c.from])
	}}
}
