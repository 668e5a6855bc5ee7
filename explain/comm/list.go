package comm

import (
	"slices"

	"dagscope/trace"
)

// Ends says between what places transfers are counted.
type Ends uint8

// Ends of transfers.
const (
	Nodes    Ends = iota // messages between nodes
	Memories             // transfers between memory nodes
)

// Place is an end of transfers: a node, or a memory node.
type Place struct {
	Node     int32 // rank, trace.None if unknown
	Resource int32 // memory node's manager; trace.None for a node
}

// List are the transfers between places, in the order of the transfer table.
type List struct {
	Places   []Place // by node, then resource; every node and memory manager of the run, used or not
	Row      []int32 // of the transfer table
	From, To []int32 // places
	Unplaced int     // transfers one end of which is not known

	run *trace.Run
}

// memoryKinds are the kinds of transfers between memory nodes.
var memoryKinds = []string{trace.TransferFetch, trace.TransferTaskPrefetch, trace.TransferPrefetch, trace.TransferIdleFetch}

// Find lists the transfers between nodes or memory nodes.
func Find(run *trace.Run, ends Ends) *List {
	l := &List{run: run}
	place := l.places(ends)
	t := &run.Transfer
	kinds := memoryKinds
	if ends == Nodes {
		kinds = []string{trace.TransferMPI}
	}
	counted := make([]bool, len(t.Kind.Dict))
	for k, name := range t.Kind.Dict {
		counted[k] = slices.Contains(kinds, name)
	}
	of := func(resource int32) int32 {
		if resource < 0 {
			return trace.None
		}
		return place[resource]
	}
	for i, k := range t.Kind.Index {
		if k < 0 || !counted[k] {
			continue
		}
		from, to := of(t.From[i]), of(t.To[i])
		if from < 0 || to < 0 {
			l.Unplaced++
			continue
		}
		l.Row, l.From, l.To = append(l.Row, int32(i)), append(l.From, from), append(l.To, to)
	}
	return l
}

// places lists the places and returns that of each resource, trace.None for
// none.
func (l *List) places(ends Ends) (of []int32) {
	re := &l.run.Resource
	at := make([]Place, len(re.Parent))
	for r := range at {
		at[r] = Place{re.Node[r], trace.None}
		if ends == Memories {
			at[r] = l.memory(int32(r))
		}
		if at[r].Node >= 0 && (ends == Nodes || at[r].Resource >= 0) {
			l.Places = append(l.Places, at[r])
		}
	}
	slices.SortFunc(l.Places, comparePlaces)
	l.Places = slices.Compact(l.Places)
	of = make([]int32, len(at))
	for r, p := range at {
		of[r] = trace.None
		if i, ok := slices.BinarySearchFunc(l.Places, p, comparePlaces); ok {
			of[r] = int32(i)
		}
	}
	return of
}

// memory is the memory node that transfers at a resource belong to: its
// manager, of any other resource none.
func (l *List) memory(r int32) Place {
	re := &l.run.Resource
	if re.Level.At(int(r)) != trace.LevelMemoryManager {
		return Place{trace.None, trace.None}
	}
	return Place{re.Node[r], r}
}

func comparePlaces(a, b Place) int {
	if a.Node != b.Node {
		return int(a.Node) - int(b.Node)
	}
	return int(a.Resource) - int(b.Resource)
}

// span is when a transfer was under way. ok is false where that is not known or
// it seems to end before it starts.
func (l *List) span(i int) (start, end int64, ok bool) {
	t, row := &l.run.Transfer, l.Row[i]
	start, end = t.Start[row], t.End[row]
	return start, end, start != trace.NoTime && end != trace.NoTime && end >= start
}

// Backward tells whether a transfer seems to end before it starts: the clocks
// of its ends differ by more than it took.
func (l *List) Backward(i int) bool {
	t, row := &l.run.Transfer, l.Row[i]
	return t.Start[row] != trace.NoTime && t.End[row] != trace.NoTime && t.End[row] < t.Start[row]
}

// Bytes is the size of a transfer, 0 if unknown.
func (l *List) Bytes(i int) int64 { return max(0, l.run.Transfer.Bytes[l.Row[i]]) }
