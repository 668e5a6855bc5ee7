package assemble

import (
	"cmp"
	"strconv"
	"strings"

	"dagscope/trace"
)

// transferKinds maps StarPU's link types to kinds of transfers.
var transferKinds = map[string]string{
	"MPI communication": trace.TransferMPI, "Work steal": trace.TransferSteal,
	"Intra-node data Fetch": trace.TransferFetch, "Intra-node data PreFetch": trace.TransferPrefetch,
	"Intra-node data TaskPreFetch": trace.TransferTaskPrefetch, "Intra-node data IdleFetch": trace.TransferIdleFetch,
}

// addTransfers makes a transfer of each link. One whose other half is missing
// keeps the time that is known.
func (a *assembler) addTransfers() {
	l := &a.in.Link
	t := &a.out.Transfer
	a.transfer = newKeyIndex(&t.Key)
	recode := t.Key.Recode(&l.Key)
	late := 0
	kinds, modes := a.linkKinds()
	for row, key := range l.Key.Code {
		typ := l.Type.Index[row]
		from, to := a.at(l.From[row]), a.at(l.To[row])
		i := a.appendTransfer(recode(key), kinds[typ], from, to, l.Start[row], l.End[row])
		t.Bytes[i], t.Tag[i], t.Priority[i] = size(l.Bytes[row]), l.Tag[row], l.Priority[row]
		t.Mode.Index[i] = internText(&t.Mode, cmp.Or(l.Mode.At(row), modes[typ]))
		if h := l.Handle.At(row); h != "" {
			t.Handle[i] = a.needHandle(a.rankOf(from), h)
		}
		if l.Start[row] != trace.NoTime && l.End[row] != trace.NoTime && l.End[row] < l.Start[row] {
			late++
		}
	}
	a.log(trace.Info, "transfer-ends-first", "a transfer ends before it starts: the clocks of its nodes disagree", late)
	a.in.Link = Links{}
}

// size turns "absent" (negative) into the model's unknown.
func size(bytes int64) int64 {
	if bytes < 0 {
		return trace.NoSize
	}
	return bytes
}

// linkKinds are the kinds of the link types, and how each type goes into the
// mode: of a generic trace its name is all that says what a link means.
func (a *assembler) linkKinds() (kinds, modes []string) {
	for _, typ := range a.in.Link.Type.Dict {
		kind, ok := transferKinds[typ]
		mode := ""
		if !ok {
			kind, mode = trace.TransferLink, typ
		}
		kinds, modes = append(kinds, kind), append(modes, mode)
	}
	return kinds, modes
}

// at is the resource of a container, None for none.
func (a *assembler) at(container int32) int32 {
	if container < 0 {
		return trace.None
	}
	return a.resource[container]
}

// rankOf is the rank of a resource, 0 where it has none.
func (a *assembler) rankOf(resource int32) int32 {
	if resource < 0 {
		return 0
	}
	return max(a.out.Resource.Node[resource], 0)
}

func (a *assembler) appendTransfer(key int64, kind string, from, to int32, start, end int64) int32 {
	t := &a.out.Transfer
	row := int32(len(t.Start))
	t.Key.AppendCode(key)
	t.Kind.Append(kind)
	t.From, t.To = append(t.From, from), append(t.To, to)
	t.Start, t.End = append(t.Start, start), append(t.End, end)
	t.Bytes = append(t.Bytes, trace.NoSize)
	t.Handle = append(t.Handle, trace.None)
	t.Priority = append(t.Priority, 0)
	t.Tag = append(t.Tag, 0)
	t.Mode.AppendIndex(trace.None)
	t.SendTask, t.RecvTask = append(t.SendTask, trace.None), append(t.RecvTask, trace.None)
	if key != trace.NoKey {
		a.transfer.put(key, row)
	}
	return row
}

// message identifies a message between ranks in both accounts of it.
type message struct {
	src, dst int32
	tag      int64
	send     int64
}

// addComms joins the records of comms.rec to the links of the trace: they know
// the jobs that posted the operations.
func (a *assembler) addComms() {
	c := &a.in.Comm
	t := &a.out.Transfer
	links := map[message]int32{}
	if len(c.Src) > 0 {
		for i := range t.Start {
			if t.Kind.At(i) == trace.TransferMPI {
				links[message{a.rankOf(t.From[i]), a.rankOf(t.To[i]), t.Tag[i], t.Start[i]}] = int32(i)
			}
		}
	}
	send, recv := a.jobCodes(&c.SendJob), a.jobCodes(&c.RecvJob)
	alone, foreign := 0, 0
	for i := range c.Src {
		m := message{c.Src[i], c.Dst[i], c.Tag[i], c.Send[i]}
		row, ok := links[m]
		if !ok {
			src, dst := a.commOf(c.Src[i]), a.commOf(c.Dst[i])
			if src == trace.None || dst == trace.None {
				foreign++
				continue
			}
			alone++
			row = a.appendTransfer(trace.NoKey, trace.TransferMPI, src, dst, c.Send[i], c.Recv[i])
			t.Bytes[row], t.Tag[row], t.Priority[row] = size(c.Bytes[i]), c.Tag[i], c.Priority[i]
			t.Mode.Index[row] = internText(&t.Mode, c.Mode.At(i))
		}
		t.SendTask[row], t.RecvTask[row] = a.task.get(send(c.SendJob.Code[i])), a.task.get(recv(c.RecvJob.Code[i]))
		if h := c.SendHandle.At(i); h != "" && t.Handle[row] == trace.None {
			t.Handle[row] = a.needHandle(c.Src[i], h)
		}
	}
	a.log(trace.Info, "message-without-link", "a message is on record that is no link of the trace: added", alone)
	a.log(trace.Error, "message-of-other-run", "a message on record is of a rank that the trace does not have: left out", foreign)
	a.in.Comm = CommRecords{}
}

// pruneTransferColumns drops optional columns that say nothing, once the graph
// has added its transfers.
func (a *assembler) pruneTransferColumns() {
	t := &a.out.Transfer
	pruneInts(&t.SendTask, trace.None)
	pruneInts(&t.RecvTask, trace.None)
	if !anyOther(t.Mode.Index, trace.None) {
		t.Mode = trace.Strings{}
	}
}

// commOf is the communication thread of a rank, None where it cannot be.
func (a *assembler) commOf(rank int32) int32 {
	if row, ok := a.rank.comm[rank]; ok {
		return row
	}
	node, ok := a.nodeOf(rank)
	if !ok {
		return trace.None
	}
	row := a.inventResource(node, trace.LevelComm, strconv.Itoa(int(rank))+"_mpict", rank, trace.None)
	a.rank.comm[rank] = row
	return row
}

// commKey is the key of the transfer behind a graph node: "mpi_8_0" (tag 8,
// communication 0) is the link "mpicom_0". ok is false for other names.
func commKey(name string) (key string, ok bool) {
	switch {
	case strings.HasPrefix(name, "mpicom_"):
		return name, true
	case strings.HasPrefix(name, "mpi_"):
		return "mpicom_" + name[strings.LastIndexByte(name, '_')+1:], true
	}
	return "", false
}
