package decode

import (
	"fmt"
	"strconv"

	"dagscope/read/assemble"
	"dagscope/trace"
)

// sendPosted is a send that the library was given. StarPU's converter begins
// the message here, and ends it where the receive is over.
func sendPosted(r *rank, a *args) {
	if r.comm.stream != trace.None {
		r.set(r.comm.stream, kindProcessing)
	}
	s := &r.traffic.sends
	s.post(r.now, a.small(0), a.int(1), a.int(3), a.v[4])
	s.bytes = append(s.bytes, int64(a.v[2]))
	s.priority = append(s.priority, a.small(5))
	mode := ""
	if a.has(6) {
		mode = messageMode(a.v[6])
	}
	s.mode = append(s.mode, mode)
}

// messageMode says how a message is sent.
func messageMode(comtype uint64) string {
	switch comtype {
	case pointToPoint:
		return "PointToPoint"
	case collective:
		return "Collective"
	}
	return "Unknown"
}

const (
	pointToPoint = 0x100
	collective   = 0x101
)

// receiveOver is a receive whose data is there.
func receiveOver(r *rank, a *args) {
	r.traffic.recvs.post(r.now, a.small(0), a.int(1), a.int(2), a.v[3])
}

func (p *posts) post(time int64, peer int32, tag, job int64, handle uint64) {
	p.time, p.peer, p.tag = append(p.time, time), append(p.peer, peer), append(p.tag, tag)
	p.job, p.handle = append(p.job, job), append(p.handle, handle)
}

// finishMessages puts the rank's sends and receives on the common clock.
func (r *rank) finishMessages() {
	for _, times := range [][]int64{r.traffic.sends.time, r.traffic.recvs.time} {
		for i, t := range times {
			times[i] = r.clock.time(t)
		}
	}
}

// messenger adds the messages between ranks to the parts of the whole run.
type messenger struct {
	to      *assemble.Parts // of the whole run
	ranks   []*rank
	comm    []int32 // by rank: container of its communication thread
	in, out []rates // by rank
}

// addMessages pairs the sends and receives of all ranks. base is, by rank, the
// number of containers before its own, less the root that all share.
func (d *decoder) addMessages(p *assemble.Parts, base []int32) {
	m := &messenger{to: p, ranks: d.ranks, in: make([]rates, len(d.ranks)), out: make([]rates, len(d.ranks))}
	var number []int32
	var sends, recvs []*posts
	for i, r := range d.ranks {
		number = append(number, r.number)
		sends, recvs = append(sends, &r.traffic.sends), append(recvs, &r.traffic.recvs)
		at := r.comm.container
		if at != trace.None {
			at += base[i]
		}
		m.comm = append(m.comm, at)
	}
	pairs := matchMessages(number, sends, recvs)
	for id, x := range pairs {
		m.add(int64(id), x)
	}
	m.logLost(sends, recvs, len(pairs))
	m.sampleBandwidth()
}

// add adds a message: a link, a record, and the edges of the graph between the
// tasks that wait for its ends.
func (m *messenger) add(id int64, x pair) {
	from, to := m.ranks[x.src], m.ranks[x.dst]
	s, v, c := &from.traffic.sends, &to.traffic.recvs, &m.to.Comm
	c.Src, c.Dst = append(c.Src, from.number), append(c.Dst, to.number)
	c.Tag = append(c.Tag, s.tag[x.send])
	c.Send, c.Recv = append(c.Send, s.time[x.send]), append(c.Recv, v.time[x.recv])
	appendAddress(&c.SendHandle, s.handle[x.send])
	appendAddress(&c.RecvHandle, v.handle[x.recv])
	send, recv := from.jobName(s.job[x.send]), to.jobName(v.job[x.recv])
	c.SendJob.AppendString(send)
	c.RecvJob.AppendString(recv)
	c.Bytes, c.Priority = append(c.Bytes, s.bytes[x.send]), append(c.Priority, s.priority[x.send])
	c.Mode.Append(s.mode[x.send])
	m.addEdges(send, fmt.Sprintf("mpi_%d_%d", s.tag[x.send], id), recv)
	// Of a rank whose communication thread is not known the record alone tells.
	if m.comm[x.src] != trace.None && m.comm[x.dst] != trace.None {
		m.addLink(id, x)
	}
}

// jobName is a job's name in the tables of the run, "" for none.
func (r *rank) jobName(job int64) string {
	if job < 0 {
		return ""
	}
	return r.prefix + decimal(uint64(job))
}

func appendAddress(c *trace.Strings, address uint64) {
	if address == 0 {
		c.AppendIndex(trace.None)
		return
	}
	c.Append(strconv.FormatUint(address, 16))
}

func (m *messenger) addEdges(send, message, recv string) {
	if send != "" {
		m.to.Edge.From.AppendString(send)
		m.to.Edge.To.AppendString(message)
	}
	if recv != "" {
		m.to.Edge.From.AppendString(message)
		m.to.Edge.To.AppendString(recv)
	}
}

// addLink adds the link of a message that has just been put on record.
func (m *messenger) addLink(id int64, x pair) {
	l, c := &m.to.Link, &m.to.Comm
	i := len(c.Src) - 1
	l.Key.AppendString("mpicom_" + decimal(uint64(id)))
	l.Type.Append(linkTypes[linkMPI])
	l.Container = append(l.Container, 0) // the root
	l.From, l.To = append(l.From, m.comm[x.src]), append(l.To, m.comm[x.dst])
	l.Start, l.End = append(l.Start, c.Send[i]), append(l.End, c.Recv[i])
	l.Bytes, l.Tag, l.Priority = append(l.Bytes, c.Bytes[i]), append(l.Tag, c.Tag[i]), append(l.Priority, c.Priority[i])
	l.Mode.AppendIndex(internOrNone(&l.Mode, []byte(c.Mode.At(i))))
	l.Handle.AppendIndex(internOrNone(&l.Handle, []byte(c.SendHandle.At(i))))
	if c.Bytes[i] > 0 {
		m.out[x.src].add(c.Send[i], c.Recv[i], float64(c.Bytes[i])/1e6)
		m.in[x.dst].add(c.Send[i], c.Recv[i], float64(c.Bytes[i])/1e6)
	}
}

// logLost counts what found no other end: the rank's file is not there, or it
// ends too early.
func (m *messenger) logLost(sends, recvs []*posts, pairs int) {
	posted, over := 0, 0
	for i := range sends {
		posted, over = posted+len(sends[i].time), over+len(recvs[i].time)
	}
	m.to.Log.AddN(trace.Warning, "", 0, "send-without-receive", "a message was sent whose receive is not in the traces: left out", int64(posted-pairs))
	m.to.Log.AddN(trace.Warning, "", 0, "receive-without-send", "a message was received whose send is not in the traces: left out", int64(over-pairs))
}

// sampleBandwidth appends how fast messages enter and leave each rank.
func (m *messenger) sampleBandwidth() {
	for i, at := range m.comm {
		if at != trace.None {
			sampleRates(m.to, metrics[metricIn], at, &m.in[i])
			sampleRates(m.to, metrics[metricOut], at, &m.out[i])
		}
	}
}

var messageBindings = []binding{
	{"MPI_ISEND_SUBMIT_END", []string{"peer", "mpitag", "bytes", "job", "handle?", "prio?", "comtype?"}, "transfer", sendPosted},
	{"MPI_IRECV_TERMINATED", []string{"peer", "mpitag", "job", "handle?"}, "transfer", receiveOver},
}
