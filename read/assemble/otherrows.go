package assemble

import (
	"dagscope/trace"
)

// DataRows takes the records of data.rec or the rows of rec.data_handles.csv.
// Handles may repeat: addresses are used again.
func (p *Parts) DataRows(file string) *Rows {
	var d struct {
		handle, name, description, coordinates []byte
		rank, home, owner                      int32
		bytes, maxBytes, tag                   int64
	}
	r := newRows(p, file, []field{
		{key: "Handle", wanted: "an address", set: bindText(&d.handle)},
		{key: "HomeNode", wanted: "a memory node", set: bindInt32(&d.home)},
		{key: "MPIRank", wanted: "a rank", set: bindRank(&d.rank)},
		{key: "Name", wanted: "a name", set: bindText(&d.name)},
		{key: "Size", wanted: "a number of bytes", set: bindInt64(&d.bytes)},
		{key: "MaxSize", wanted: "a number of bytes", set: bindInt64(&d.maxBytes)},
		{key: "Description", wanted: "a layout", set: bindText(&d.description)},
		{key: "Coordinates", wanted: "integers", set: bindText(&d.coordinates)},
		{key: "MPIOwner", wanted: "a rank", set: bindRank(&d.owner)},
		{key: "MPITag", wanted: "an integer", set: bindInt64(&d.tag)},
		{key: "ParentHandle"}, // next layout: no table holds nesting
	})
	r.clear = func() {
		d.handle, d.name, d.description, d.coordinates = nil, nil, nil, nil
		d.rank, d.home, d.owner = 0, -1, trace.None
		d.bytes, d.maxBytes, d.tag = -1, -1, -1
	}
	r.finish = func(int64) (Destination, *reject) {
		if len(d.handle) == 0 {
			return Destination{Record: "record without Handle"},
				&reject{"record-without-handle", "found a record without Handle, wanted one: left out"}
		}
		c := &p.Data
		appendText(&c.Handle, d.handle)
		appendText(&c.Name, d.name)
		appendText(&c.Description, d.description)
		appendText(&c.Coordinates, d.coordinates)
		c.Rank = append(c.Rank, max(d.rank, 0))
		c.Home = append(c.Home, d.home)
		c.Owner = append(c.Owner, d.owner)
		c.Bytes = append(c.Bytes, d.bytes)
		c.MaxBytes = append(c.MaxBytes, d.maxBytes)
		c.Tag = append(c.Tag, d.tag)
		return Destination{"data record", "handle"}, nil
	}
	r.clear()
	return r
}

// CommRows takes the records of comms.rec.
func (p *Parts) CommRows(file string) *Rows {
	var m struct {
		sendHandle, recvHandle, sendJob, recvJob, mode []byte
		src, dst, priority                             int32
		tag, send, recv, bytes                         int64
	}
	r := newRows(p, file, []field{
		{key: "Src", wanted: "a rank", set: bindRank(&m.src)},
		{key: "Dst", wanted: "a rank", set: bindRank(&m.dst)},
		{key: "Tag", wanted: "an integer", set: bindInt64(&m.tag)},
		{key: "SendTime", wanted: "decimal milliseconds", set: bindMillis(&m.send)},
		{key: "RecvTime", wanted: "decimal milliseconds", set: bindMillis(&m.recv)},
		{key: "SendHandle", wanted: "an address", set: bindText(&m.sendHandle)},
		{key: "RecvHandle", wanted: "an address", set: bindText(&m.recvHandle)},
		{key: "SendJobId", wanted: "a job id", set: bindText(&m.sendJob)},
		{key: "RecvJobId", wanted: "a job id", set: bindText(&m.recvJob)},
		{key: "Size", wanted: "a number of bytes", set: bindInt64(&m.bytes)},
		{key: "Priority", wanted: "an integer", set: bindInt32(&m.priority)},
		{key: "Type", wanted: "a mode", set: bindText(&m.mode)},
		{key: "SendNumaNodes"}, {key: "RecvNumaNodes"},
	})
	r.clear = func() {
		m.sendHandle, m.recvHandle, m.sendJob, m.recvJob, m.mode = nil, nil, nil, nil, nil
		m.src, m.dst, m.priority = trace.None, trace.None, 0
		m.tag, m.send, m.recv, m.bytes = 0, trace.NoTime, trace.NoTime, -1
	}
	r.finish = func(int64) (Destination, *reject) {
		if m.src < 0 || m.dst < 0 {
			return Destination{Record: "record without ranks"},
				&reject{"record-without-ranks", "found a communication without Src or Dst, wanted both: left out"}
		}
		c := &p.Comm
		c.Src = append(c.Src, m.src)
		c.Dst = append(c.Dst, m.dst)
		c.Tag = append(c.Tag, m.tag)
		c.Send = append(c.Send, m.send)
		c.Recv = append(c.Recv, m.recv)
		appendText(&c.SendHandle, m.sendHandle)
		appendText(&c.RecvHandle, m.recvHandle)
		c.SendJob.Append(m.sendJob)
		c.RecvJob.Append(m.recvJob)
		c.Bytes = append(c.Bytes, m.bytes)
		c.Priority = append(c.Priority, m.priority)
		appendText(&c.Mode, m.mode)
		return Destination{"communication record", "transfer"}, nil
	}
	r.clear()
	return r
}

var schedulingRecord = Destination{"scheduling record", "event"}

// SchedRows takes the records of sched_tasks.rec.
func (p *Parts) SchedRows(file string) *Rows {
	var s struct {
		kind, job      []byte
		time, priority int64
	}
	r := newRows(p, file, []field{
		{key: "Type", wanted: "push or pop", set: func(v []byte) bool { s.kind = v; return string(v) == "push" || string(v) == "pop" }},
		{key: "Time", wanted: "decimal milliseconds", set: bindMillis(&s.time)},
		{key: "Priority", wanted: "an integer", set: bindInt64(&s.priority)},
		{key: "JobId", wanted: "a job id", set: bindText(&s.job)},
	})
	r.clear = func() { s.kind, s.job, s.time, s.priority = nil, nil, trace.NoTime, trace.NoTime }
	r.finish = func(int64) (Destination, *reject) {
		push := string(s.kind) == "push"
		if len(s.job) == 0 || s.time == trace.NoTime || (!push && string(s.kind) != "pop") {
			return Destination{Record: "incomplete record"},
				&reject{"incomplete-scheduling", "found a scheduling record without Type push or pop, Time or JobId, wanted all: left out"}
		}
		c := &p.Sched
		c.Push = append(c.Push, push)
		c.Time = append(c.Time, s.time)
		c.Priority = append(c.Priority, s.priority)
		c.Job.Append(s.job)
		return schedulingRecord, nil
	}
	r.clear()
	return r
}

// PapiRows takes the records of papi.rec or the rows of rec.papi.csv.
func (p *Parts) PapiRows(file string) *Rows {
	var c struct {
		job, event []byte
		value      int64
		counted    bool
	}
	setEvent := bindText(&c.event)
	setValue := bindInt64(&c.value)
	r := newRows(p, file, []field{
		{key: "JobId", wanted: "a job id", set: bindText(&c.job)},
		{key: "Event", wanted: "a counter", set: setEvent},
		{key: "PapiEvent", wanted: "a counter", set: setEvent}, // as StarVZ renames it
		{key: "Value", wanted: "an integer", set: func(v []byte) bool { c.counted = setValue(v); return c.counted }},
	})
	r.clear = func() { c.job, c.event, c.value, c.counted = nil, nil, 0, false }
	r.finish = func(int64) (Destination, *reject) {
		if len(c.job) == 0 || len(c.event) == 0 || !c.counted {
			return Destination{Record: "incomplete record"},
				&reject{"incomplete-counter", "found a counter without JobId, Event or Value, wanted all: left out"}
		}
		p.Papi.Job.Append(c.job)
		appendText(&p.Papi.Event, c.event)
		p.Papi.Value = append(p.Papi.Value, c.value)
		return Destination{"counter record", "counter"}, nil
	}
	r.clear()
	return r
}
