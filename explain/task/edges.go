package task

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"dagscope/trace"
)

// maxEdges are listed of each side.
const maxEdges = 100

// Origins are listed for so many tasks together, and by blocks of so many rows
// of edges: both powers of two. Looking through a few dozen blocks takes less
// than a tenth of a millisecond, and a list of single rows three times the room.
const (
	originShift = 4
	edgeShift   = 10
)

// origins tell in which blocks of edges those are that come from a task: for
// each list of tasks the numbers of the blocks, ascending, as varints of the
// difference to the one before.
type origins struct {
	at     []int64 // by list, one more: its bytes
	blocks []byte
}

// origin is the task that an edge comes from, for messages without one the
// task that posted the send; trace.None if unknown.
func (x *Index) origin(e int32) int32 {
	if from := x.run.Dep.From[e]; from >= 0 {
		return from
	}
	if via := x.via(e); via >= 0 {
		return at(x.run.Transfer.SendTask, via)
	}
	return trace.None
}

// via is the transfer that an edge goes through, or trace.None.
func (x *Index) via(e int32) int32 { return at(x.run.Dep.Via, e) }

// sender is the task that posted the message of an edge, if that is another
// than where the edge comes from; else trace.None.
func (x *Index) sender(e int32) int32 {
	if via := x.via(e); via >= 0 {
		if v := at(x.run.Transfer.SendTask, via); v != x.origin(e) {
			return v
		}
	}
	return trace.None
}

// indexOrigins is done when the successors of a task are first asked for:
// about a byte an edge.
func (x *Index) indexOrigins() {
	lists := len(x.run.Task.Start)>>originShift + 1
	o := origins{at: make([]int64, lists+1)}
	x.eachBlock(lists, func(list int32, step uint64) {
		o.at[list+1] += int64(bits.Len64(step|1)+6) / 7
	})
	for i := range lists {
		o.at[i+1] += o.at[i]
	}
	o.blocks = make([]byte, o.at[lists])
	next := slices.Clone(o.at)
	x.eachBlock(lists, func(list int32, step uint64) {
		next[list] += int64(binary.PutUvarint(o.blocks[next[list]:], step))
	})
	x.after = o
}

// eachBlock calls f for each list and each block that has an edge from one of
// its tasks, blocks in order, with how much further the block is than the one
// before of the list (from -1).
func (x *Index) eachBlock(lists int, f func(list int32, step uint64)) {
	last := slices.Repeat([]int32{-1}, lists)
	x.eachOrigin(func(e, v int32) {
		list, block := v>>originShift, e>>edgeShift
		if last[list] != block {
			f(list, uint64(block-last[list]))
			last[list] = block
		}
	})
}

// eachOrigin calls f for each edge and each task that it comes from.
func (x *Index) eachOrigin(f func(e, v int32)) {
	for e := range int32(len(x.run.Dep.From)) {
		if v := x.origin(e); v >= 0 {
			f(e, v)
		}
		if v := x.sender(e); v >= 0 {
			f(e, v)
		}
	}
}

// leaving lists the edges that come from a task, in the order of their rows.
func (x *Index) leaving(v int32) (edges []int32) {
	x.once.Do(x.indexOrigins)
	list := x.after.blocks[x.after.at[v>>originShift]:x.after.at[v>>originShift+1]]
	for block := int32(-1); len(list) > 0; {
		step, n := binary.Uvarint(list)
		list, block = list[n:], block+int32(step)
		end := min(int64(block+1)<<edgeShift, int64(len(x.run.Dep.From)))
		for e := block << edgeShift; int64(e) < end; e++ {
			if x.origin(e) == v || x.sender(e) == v {
				edges = append(edges, e)
			}
		}
	}
	return edges
}

// addEdges lists what a task depends on, the last of it first, then by end,
// the latest first; and what depends on it, in order of start. It returns the
// task that v released, or trace.None.
func (x *Index) addEdges(v int32, t *Task) (released int32) {
	first, end := x.last.Edges(v)
	into := make([]int32, end-first)
	for i := range into {
		into[len(into)-1-i] = first + int32(i) // later rows mostly end later: least then rejects early
	}
	out := x.leaving(v)
	t.PredecessorCount, t.SuccessorCount = len(into), len(out)
	t.Predecessors, t.Successors = []Edge{}, []Edge{}
	for _, e := range least(into, maxEdges, x.compareOrigins) {
		from := x.predecessor(e)
		t.Predecessors = append(t.Predecessors, x.edge(e, from, from))
	}
	for _, e := range least(out, maxEdges, x.compareTargets) {
		t.Successors = append(t.Successors, x.edge(e, v, x.target(e)))
	}
	for i := 1; i < len(t.Predecessors); i++ { // several may lead to it by way of tasks that did not run
		t.Predecessors[i].Last = false
	}
	if released = x.released(out, v); released != trace.None {
		key := x.run.Task.Key.At(int(released))
		t.Released = &key
	}
	return released
}

func (x *Index) target(e int32) int32 { return x.last.Target(e) }

// edge describes an edge that comes from a task, by its far end. A predecessor
// that did not run stands for its own last dependency.
func (x *Index) edge(e, from, far int32) Edge {
	d := Edge{How: x.how(e), Last: x.isLast(e, from)}
	if from >= 0 {
		d.Slack = since(x.run.Task.End[from], x.run.Task.Start[x.target(e)])
	}
	if far >= 0 {
		d.Ref = x.Ref(far)
	}
	if far == from && far >= 0 && !x.ran(far) && x.last.Of[far] != trace.None {
		d.How += ", for " + x.last.Key(x.last.Of[far])
	}
	return d
}

// compareOrigins puts the last dependency first, then the latest end.
func (x *Index) compareOrigins(a, b int32) int {
	if la, lb := x.isLast(a, x.predecessor(a)), x.isLast(b, x.predecessor(b)); la != lb {
		if la {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(x.arrival(b), x.arrival(a)), cmp.Compare(a, b))
}

// arrival is when an edge was satisfied: the end of its message, or of where
// it comes from.
func (x *Index) arrival(e int32) int64 {
	if via := x.via(e); via >= 0 && x.run.Transfer.End[via] != trace.NoTime {
		return x.run.Transfer.End[via]
	}
	if v := x.origin(e); v >= 0 {
		return x.run.Task.End[v]
	}
	return trace.NoTime
}

// compareTargets orders by start; what never ran comes last.
func (x *Index) compareTargets(a, b int32) int {
	return x.compareStarts(x.target(a), x.target(b))
}

// compareStarts orders tasks by start, ties in submission order.
func (x *Index) compareStarts(v, w int32) int {
	// One less than NoTime, as unsigned numbers, is greater than all times.
	key := func(v int32) uint64 { return uint64(x.run.Task.Start[v]-1) ^ 1<<63 }
	return cmp.Or(cmp.Compare(key(v), key(w)), cmp.Compare(v, w))
}

// isLast tells whether the last dependency of an edge's target is the message
// of the edge, or is found in its origin v.
func (x *Index) isLast(e, v int32) bool {
	last := x.last.Of[x.target(e)]
	if via := x.via(e); via >= 0 && x.run.Transfer.End[via] != trace.NoTime {
		return last == int32(x.last.Tasks)+via
	}
	return v >= 0 && last != trace.None && last == x.through(v)
}

// predecessor is where an edge comes from: of two senders the one in which the
// last dependency is found, else the one that the edge names.
func (x *Index) predecessor(e int32) int32 {
	if v := x.sender(e); v >= 0 && x.isLast(e, v) {
		return v
	}
	return x.origin(e)
}

// through is what stands for a task among last dependencies.
func (x *Index) through(v int32) int32 {
	if x.ran(v) {
		return v
	}
	return x.last.Of[v]
}

// released is the task that started first of those whose last dependency v
// was, directly, by a message, or by way of tasks that did not run.
func (x *Index) released(edges []int32, v int32) int32 {
	first, met := trace.None, map[int32]bool{}
	for todo := slices.Clone(edges); len(todo) > 0; {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		w := x.target(e)
		if !x.ran(w) {
			if !met[w] {
				met[w] = true
				todo = append(todo, x.leaving(w)...)
			}
			continue
		}
		if x.heldUp(w, v) && (first == trace.None || x.compareStarts(w, first) < 0) {
			first = w
		}
	}
	return first
}

// heldUp tells whether v was the last dependency of w, or sent the message that
// was.
func (x *Index) heldUp(w, v int32) bool {
	last := x.last.Of[w]
	if _, ok := x.last.Transfer(last); ok {
		last = x.last.Of[last]
	}
	return last == v && v != trace.None
}

// how says what an edge is: a message, data that one of its ends writes, or
// what the program declared.
func (x *Index) how(e int32) string {
	if via := x.via(e); via >= 0 {
		return "communication " + x.run.Transfer.Key.At(int(via))
	}
	from, to := x.origin(e), x.target(e)
	a := &x.run.Access
	if from < 0 || len(a.Task) == 0 || len(a.Handle) < len(a.Task) {
		return "task"
	}
	first, end := rowsOf(a.Task, from)
	otherFirst, otherEnd := rowsOf(a.Task, to)
	for i := first; i < end; i++ {
		for k := otherFirst; k < otherEnd; k++ {
			if a.Handle[i] >= 0 && a.Handle[i] == a.Handle[k] && (a.Mode.At(i) != "R" || a.Mode.At(k) != "R") {
				return "data " + x.names.Handle(a.Handle[i])
			}
		}
	}
	if end > first && otherEnd > otherFirst && len(x.run.Task.Tag) > 0 && x.run.Task.Tag[from] != 0 {
		return "tag " + hexadecimal(x.run.Task.Tag[from])
	}
	return "task"
}

// least returns the k rows that come first, in order, without sorting all.
func least(rows []int32, k int, compare func(a, b int32) int) []int32 {
	best := make([]int32, 0, min(k, len(rows))+1)
	for _, r := range rows {
		if len(best) == k && compare(r, best[k-1]) > 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(best, r, compare)
		best = slices.Insert(best, i, r)
		best = best[:min(len(best), k)]
	}
	return best
}
