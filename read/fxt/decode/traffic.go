package decode

import "dagscope/trace"

// traffic is what a rank's events of data share: the texts of the numbers that
// they carry, transfers under way, counters.
type traffic struct {
	value values    // Event.Value
	named addresses // Event.Handle
	info  values    // Event.Info
	moved addresses // Link.Handle

	copies           dense    // com id to the last transfer that has it
	begun            []copied // transfers, by the event that was read first
	com, steal       int64    // codes of "com_0" and "steal_0" in Link.Key
	steals           int64
	ready, submitted tally
	executions       executions
	sends, recvs     posts
}

func (t *traffic) init(r *rank) {
	t.value = values{column: &r.out.Event.Value}
	t.named, t.info = addresses{text: &r.out.Event.Handle}, values{column: &r.out.Event.Info}
	t.moved = addresses{text: &r.out.Link.Handle}
	t.com, t.steal = r.out.Link.Key.Encode([]byte("com_0")), r.out.Link.Key.Encode([]byte("steal_0"))
}

// event appends an instant. value is an index in Event.Value's dictionary.
func (r *rank) event(typ, container, value int32) {
	e := &r.out.Event
	if len(e.Time) == cap(e.Time) {
		r.growEvents()
	}
	e.Type.AppendIndex(typ)
	e.Container = append(e.Container, container)
	e.Time = append(e.Time, r.now)
	e.Value.AppendIndex(value)
	e.Handle.AppendIndex(trace.None)
	e.Info.AppendIndex(trace.None)
	e.Bytes = append(e.Bytes, -1)
	e.Peer = append(e.Peer, trace.None)
}

// memory returns a memory node; one that was not announced is logged.
func (r *rank) memory(id int64) *node {
	n := r.node(id)
	if n == nil {
		r.bad("memory node %d, want one that was announced", id)
	}
	return n
}

// known reports whether both ends of a link are.
func known(start, end int64) bool { return start != trace.NoTime && end != trace.NoTime }
