package chain

import (
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/trace"
)

// NameNeeds names the columns that names in sentences are made of; those that
// a run has not are left out.
var NameNeeds = []string{
	"resource.name", "resource.level", "resource.node", "task.key", "task.kind", "task.worker", "transfer.key", "transfer.kind",
	"transfer.handle", "transfer.bytes", "transfer.from", "transfer.to", "handle.key", "handle.name", "handle.coordinates",
}

// Names are what tasks, transfers and data are called in sentences.
type Names struct{ Run *trace.Run }

// Resource is the name of a resource, "" for none.
func (n Names) Resource(r int32) string {
	if r < 0 {
		return ""
	}
	return n.Run.Resource.Name.At(int(r))
}

// Short is a task by kind and key: "gemm 0_5051".
func (n Names) Short(v int32) string {
	return strings.TrimSpace(n.Run.Task.Kind.At(int(v)) + " " + n.Run.Task.Key.At(int(v)))
}

// Task is that with its worker: "gemm 0_5051 on CUDA0_0".
func (n Names) Task(v int32) string {
	s := n.Short(v)
	if w := n.Run.Task.Worker[v]; w >= 0 {
		s += " on " + n.Resource(w)
	}
	return s
}

// Handle is a piece of data: its name and coordinates, else its address.
func (n Names) Handle(h int32) string {
	ha := &n.Run.Handle
	name := strings.TrimSpace(ha.Name.At(int(h)) + " " + ha.Coordinates.At(int(h)))
	if name == "" {
		name = ha.Key.At(int(h))
	}
	if name == "" {
		return "handle " + strconv.Itoa(int(h))
	}
	return name
}

// what is a transfer without its ends: "fetch com_3 of A 0 0, 400 B".
func (n Names) what(i int32) string {
	t := &n.Run.Transfer
	kind := t.Kind.At(int(i))
	message := kind == trace.TransferMPI
	if message {
		kind = "message"
	}
	s := strings.TrimSpace(kind + " " + t.Key.At(int(i)))
	if int(i) < len(t.Handle) && t.Handle[i] >= 0 {
		s += " of " + n.Handle(t.Handle[i])
	}
	if int(i) < len(t.Bytes) && t.Bytes[i] > 0 {
		s += ", " + words.Bytes(t.Bytes[i])
	}
	return s
}

// Transfer is a transfer: "message mpicom_3, 1.2 MB from node 0 to node 1".
func (n Names) Transfer(i int32) string {
	s := n.what(i)
	if from := n.end(n.Run.Transfer.From, i); from != "" {
		s += " from " + from
	}
	if to := n.end(n.Run.Transfer.To, i); to != "" {
		s += " to " + to
	}
	return s
}

// end is where a transfer begins or ends: the node of a communication thread,
// else the name of the resource.
func (n Names) end(column []int32, i int32) string {
	if int(i) >= len(column) || column[i] < 0 {
		return ""
	}
	r := column[i]
	if n.Run.Resource.Level.At(int(r)) == trace.LevelComm {
		return "node " + strconv.Itoa(int(n.Run.Resource.Node[r]))
	}
	return n.Resource(r)
}
