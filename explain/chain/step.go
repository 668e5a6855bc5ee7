package chain

import (
	"dagscope/internal/interval"
	"dagscope/trace"
)

// position is where a walk back in time stands: what happens there and when.
type position struct {
	kind positionKind
	row  int32 // piece, transfer, task or node, as kind says
	at   int64 // ns

	// busy is set where a piece was only in the way: it kept the worker of piece
	// next busy, which had been ready from since on. held is set where it held a
	// handle that another task was waiting for from since on.
	busy, held bool
	next       int32
	since      int64
}

type positionKind uint8

const (
	nowhere       positionKind = iota // nothing is known before
	inPiece                           // row is a piece that runs until at
	pieceStart                        // row is a piece that starts at at
	inTransfer                        // row is a transfer that ends at at
	transferStart                     // row is a transfer that starts at at
	pushed                            // row is a task that became ready at at
	created                           // row is a piece whose task creates another at at
	submitting                        // row is a node whose program is submitting at at
)

// Part is an interval of a chain.
type Part struct {
	From, To int64
	Class    Class
	Mark     Mark
	Piece    int32 // Execute: the piece of [schedule.Lanes]; else the piece that waits, trace.None if none does
	Transfer int32 // the transfer or message on its way or waited for, trace.None if none is
	Memory   int32 // MemoryWait: a resource of the memory where room was made, else trace.None
	Resource int32 // where: the worker; of transfers the destination; of submission the thread; trace.None if unknown
}

// enabler collects candidates: the latest no later than its limit wins, of
// equals the first that is offered.
type enabler struct {
	limit int64
	best  position
	late  int // candidates after the limit
}

func (e *enabler) offer(p position) {
	switch {
	case p.at == trace.NoTime:
	case p.at > e.limit:
		e.late++
	case e.best.kind == nowhere || p.at > e.best.at:
		e.best = p
	}
}

// several are candidates of one kind: the latest is offered, of those at an
// instant the one of the earliest row of their table.
type several struct {
	best  position
	order int32
}

func (s *several) add(p position, order int32) {
	if s.best.kind == nowhere || p.at > s.best.at || p.at == s.best.at && order < s.order {
		s.best, s.order = p, order
	}
}

func (e *enabler) offerOf(s *several) {
	if s.best.kind != nowhere {
		e.offer(s.best)
	}
}

// dependencies offers the ends of what task v depends on: predecessors and
// messages, tasks that did not run walked through.
func (x *Index) dependencies(v int32, e *enabler) {
	last := x.last.Of[v]
	if last == trace.None {
		return
	}
	if end := x.last.End(last); end <= e.limit {
		e.offer(x.ended(last))
		return
	}
	e.late++
	links, before := x.last.All(v), e.best
	var all several
	for i, node := range links.Node { // rare: clocks disagree
		if node == v && links.Last[i] != last && x.last.End(links.Last[i]) <= e.limit {
			all.add(x.ended(links.Last[i]), links.Last[i])
		}
	}
	e.offerOf(&all)
	if p := x.ended(last); e.best == before && p.kind == inPiece && x.lanes.Start[p.row] < e.limit {
		p.at = e.limit // it must have been over
		e.offer(p)
	}
}

// ended is the end of a node of the graph.
func (x *Index) ended(node int32) position {
	if row, ok := x.last.Transfer(node); ok {
		return position{kind: inTransfer, row: row, at: x.run.Transfer.End[row]}
	}
	if p := x.final[node]; p != trace.None {
		return position{kind: inPiece, row: p, at: x.lanes.End[p]}
	}
	return position{at: trace.NoTime}
}

// arrived offers the transfers that brought data of task v to where it runs.
func (x *Index) arrived(v, worker int32, e *enabler) {
	m := x.memory[worker]
	if m < 0 || len(x.arrivals.item) == 0 {
		return
	}
	var all several
	for i := x.access[v]; i < x.access[v+1]; i++ {
		if h := x.run.Access.Handle[i]; h >= 0 {
			if k := x.arrivals.latest(x.place(h, m), e.limit); k >= 0 {
				row := x.arrivals.item[k]
				all.add(position{kind: inTransfer, row: row, at: x.arrivals.time[k]}, row)
			}
		}
	}
	e.offerOf(&all)
}

// released offers the tasks that held a handle of v commutatively before it.
func (x *Index) released(v int32, e *enabler) {
	if len(x.holders.item) == 0 {
		return
	}
	since := max(0, x.run.Task.Submit[v])
	if e.best.kind != nowhere {
		since = max(since, e.best.at)
	}
	var all several
	for i := x.access[v]; i < x.access[v+1]; i++ {
		h, mode := x.run.Access.Handle[i], x.run.Access.Mode.Index[i]
		if h < 0 || mode < 0 || !x.commutes[mode] {
			continue
		}
		if k := x.holders.latestBut(h, e.limit, x.final[v]); k >= 0 {
			p := x.holders.item[k]
			all.add(position{kind: inPiece, row: p, at: x.holders.time[k], held: true, since: since}, x.lanes.Task[p])
		}
	}
	e.offerOf(&all)
}

// submitted offers the submission of v, or its creation by its parent.
func (x *Index) submitted(v int32, e *enabler) {
	t := &x.run.Task
	at := t.Submit[v]
	if at == trace.NoTime {
		return
	}
	if t.Parent != nil && t.Parent[v] >= 0 {
		if p := x.creator(t.Parent[v], at); p != trace.None {
			e.offer(position{kind: created, row: p, at: at})
			return
		}
	}
	e.offer(position{kind: submitting, row: x.owner(v), at: at})
}

// owner is the node that submits a task.
func (x *Index) owner(v int32) int32 {
	if x.run.Task.Node != nil {
		return x.run.Task.Node[v]
	}
	if w := x.run.Task.Worker[v]; w >= 0 {
		return x.nodeOf(w)
	}
	return trace.None
}

// creator is the piece of a task that ran at a time, or the last that had ended:
// what runtimes do to create a task may lie between two pieces of its creator.
func (x *Index) creator(v int32, at int64) int32 {
	f := x.first[v]
	if f == trace.None || x.lanes.Start[f] > at {
		return trace.None
	}
	return x.pieces.item[x.pieces.after(v, at)-1]
}

// step finds what let the position happen, and when: no later than limit.
func (x *Index) step(p position, limit int64) enabler {
	e := enabler{limit: limit}
	switch p.kind {
	case pieceStart:
		v, w := x.lanes.Task[p.row], x.worker[p.row]
		if x.begins(p.row) {
			x.dependencies(v, &e)
			x.arrived(v, w, &e)
			x.released(v, &e)
		} else {
			x.resumed(p.row, &e)
		}
		x.occupied(p.row, &e)
		x.submitted(v, &e)
	case pushed:
		x.dependencies(p.row, &e)
		x.released(p.row, &e)
		x.submitted(p.row, &e)
	case transferStart:
		x.moved(p.row, &e)
	}
	return e
}

// occupied offers the end of what the worker of a piece ran before it.
func (x *Index) occupied(piece int32, e *enabler) {
	b := x.before[piece]
	if b == trace.None {
		return
	}
	if !x.timed { // whether the piece was waiting for its worker is not known
		e.offer(position{kind: inPiece, row: b, at: x.lanes.End[b]})
		return
	}
	p := position{kind: inPiece, row: b, at: x.lanes.End[b], busy: true, next: piece, since: x.run.Task.Ready[x.lanes.Task[piece]]}
	if p.since == trace.NoTime {
		p.since = max(0, e.best.at)
		if e.best.kind == nowhere {
			p.since = 0
		}
	}
	e.offer(p)
}

// begins reports whether a task began with a piece: others go on after a wait.
func (x *Index) begins(piece int32) bool {
	return x.lanes.IsFirst(piece) || x.lanes.Start[piece] == x.run.Task.Start[x.lanes.Task[piece]]
}

// resumed offers what let the task of a piece go on: the last of its children
// that has ended; where it left a barrier, the last of all tasks.
func (x *Index) resumed(piece int32, e *enabler) {
	v := x.lanes.Task[piece]
	if x.children.at != nil {
		if k := x.children.latest(v, e.limit); k >= 0 {
			e.offer(position{kind: inPiece, row: x.children.item[k], at: x.children.time[k]})
		}
	}
	if s := x.syncs[x.worker[piece]]; x.run.Task.Internal[v] && s.Len() > 0 && x.pieces.at != nil {
		k := interval.FirstAfter(s.End, x.lanes.Start[piece]) - 1
		before := x.pieces.after(v, x.lanes.Start[piece]-1) - 1
		if k < 0 || before < x.pieces.at[v] || s.End[k] < x.lanes.End[x.pieces.item[before]] {
			return // it was not at a barrier since it ran last
		}
		if k := x.nodeEnds.latest(x.owner(v)+1, e.limit); k >= 0 {
			e.offer(position{kind: inPiece, row: x.nodeEnds.item[k], at: x.nodeEnds.time[k]})
		}
	}
}

// moved offers what a transfer waited for.
func (x *Index) moved(row int32, e *enabler) {
	t := &x.run.Transfer
	node := int32(x.last.Tasks) + row
	if t.Kind.At(int(row)) == trace.TransferMPI {
		if s := x.last.Of[node]; s != trace.None && x.last.End(s) <= e.limit {
			e.offer(x.ended(s))
		}
		x.sent(row, e)
		if h, m := t.Handle[row], x.ram(t.From[row]); h >= 0 && m >= 0 { // what is sent is in the node's own memory
			if k := x.arrivals.latest(x.place(h, m), e.limit); k >= 0 {
				e.offer(position{kind: inTransfer, row: x.arrivals.item[k], at: x.arrivals.time[k]})
			}
		}
		return
	}
	h, from, to := t.Handle[row], trace.None, trace.None
	if t.From[row] >= 0 && t.To[row] >= 0 {
		from, to = x.memory[t.From[row]], x.memory[t.To[row]]
	}
	if h >= 0 {
		if k := x.writers.latest(h, e.limit); k >= 0 {
			e.offer(position{kind: inPiece, row: x.writers.item[k], at: x.writers.time[k]})
		}
		if from >= 0 {
			if k := x.arrivals.latest(x.place(h, from), e.limit); k >= 0 {
				e.offer(position{kind: inTransfer, row: x.arrivals.item[k], at: x.arrivals.time[k]})
			}
		}
		if to >= 0 {
			x.asked(row, e)
		}
		if t.Kind.At(int(row)) == trace.TransferIdleFetch {
			x.idled(from, e)
			x.idled(to, e)
			if to >= 0 { // it may have needed the room that another left there
				if k := x.evictions.latestBut(x.local[to], e.limit, row); k >= 0 {
					e.offer(position{kind: inTransfer, row: x.evictions.item[k], at: x.evictions.time[k]})
				}
			}
		}
	}
	if k := x.links.latestBut(x.linkOf[row], e.limit, row); k >= 0 {
		e.offer(position{kind: inTransfer, row: x.links.item[k], at: x.links.time[k]})
	}
}

// sent offers the submission of the task that sends a message.
func (x *Index) sent(row int32, e *enabler) {
	if int(row) < len(x.sender) {
		if s := x.sender[row]; s >= 0 && x.run.Task.Submit[s] != trace.NoTime {
			e.offer(position{kind: submitting, row: x.owner(s), at: x.run.Task.Submit[s]})
		}
	}
}

// asked offers the tasks for which data was moved: a prefetch when they were
// pushed, a fetch when their worker had ended what it ran before it asked.
func (x *Index) asked(row int32, e *enabler) {
	t := &x.run.Transfer
	fetch := t.Kind.At(int(row)) == trace.TransferFetch
	x.purposes(row, func(piece int32) {
		v := x.lanes.Task[piece]
		if ready := x.run.Task.Ready[v]; ready != trace.NoTime && ready <= e.limit {
			e.offer(position{kind: pushed, row: v, at: ready})
		}
		if !fetch {
			return
		}
		if b := x.endedLast(x.worker[piece], e.limit); b != trace.None {
			e.offer(position{kind: inPiece, row: b, at: x.lanes.End[b]})
		}
	})
}

// idled offers the last piece of those workers that alone drive a memory: what is
// moved when there is nothing else to do had to wait for it.
func (x *Index) idled(memory int32, e *enabler) {
	if memory < 0 {
		return
	}
	for _, r := range x.threads[memory] {
		if b := x.endedLast(r, e.limit); b != trace.None {
			e.offer(position{kind: inPiece, row: b, at: x.lanes.End[b]})
		}
	}
}

// purposes calls f with the pieces for which a transfer may have been made: the
// first that begins, after it arrived, to use the data there, and where the data
// was sent on before that, from a disk through the main memory to a device, the
// first at its next stop.
func (x *Index) purposes(row int32, f func(piece int32)) {
	t := &x.run.Transfer
	for range maxStops {
		h := t.Handle[row]
		if h < 0 || t.To[row] < 0 || x.memory[t.To[row]] < 0 {
			return
		}
		place := x.place(h, x.memory[t.To[row]])
		user, next := x.users.following(place, t.End[row]), x.departures.following(place, t.End[row])
		if user >= 0 {
			f(x.users.item[user])
		}
		if next < 0 || user >= 0 && x.users.time[user] <= x.departures.time[next] {
			return
		}
		row = x.departures.item[next]
	}
}

// maxStops is over how many transfers a request is followed.
const maxStops = 4

// endedLast is the piece that a worker began last of those that had ended at a
// time.
func (x *Index) endedLast(worker int32, t int64) int32 {
	first, end := x.lanes.Of(worker)
	i := first + int32(interval.FirstAfter(x.lanes.Start[first:end], t)) - 1
	for i >= first && x.lanes.End[i] > t {
		i--
	}
	if i < first {
		return trace.None
	}
	return i
}

// thread finds what the program's thread waited for before it submitted
// something at p: the task that ended last in its last wait, and when that wait
// was over. Without a wait it submitted all the time.
func (x *Index) thread(p position) (next position, waited int64) {
	r := x.submitter(p.row)
	if r == trace.None {
		return position{}, 0
	}
	w := x.waits[r]
	for k := interval.FirstAfter(w.End, p.at) - 1; k >= 0; k-- {
		if i := x.nodeEnds.latest(p.row+1, w.End[k]); i >= 0 && x.nodeEnds.time[i] > w.Start[k] {
			return position{kind: inPiece, row: x.nodeEnds.item[i], at: x.nodeEnds.time[i]}, w.End[k]
		}
	}
	return position{}, 0
}
