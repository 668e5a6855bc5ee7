package chain

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// walker walks back from a position to a time.
type walker struct {
	*Index
	until   int64
	emit    func(Part)
	late    int
	piece   int64 // where it began the last piece
	instant int64 // where the walk was last, and
	hops    int   // how many steps it has taken there

	// What divisions work on, kept from one to the next.
	layers     []layer
	left, next []span
	parts      []Part
	elsewhere  interval.Spans
}

// walkers keep what walks work on: there are as many walks as gaps.
var walkers = sync.Pool{New: func() any { return new(walker) }}

// Walk follows enablers back from the end of a piece to a time and calls emit for
// every interval, the latest first. Intervals are not empty and tile [until, end
// of the piece). It returns how many causes were left out because they seem to
// come later than what they caused.
func (x *Index) Walk(piece int32, until int64, emit func(Part)) (late int) {
	return x.walk(position{kind: inPiece, row: piece, at: x.lanes.End[piece]}, until, emit)
}

func (x *Index) walk(p position, until int64, emit func(Part)) (late int) {
	w := x.walker(until, emit)
	for p.at > until && p.kind != nowhere {
		p = w.back(p)
	}
	late = w.late
	w.done()
	return late
}

// walker starts a walk.
func (x *Index) walker(until int64, emit func(Part)) *walker {
	w := walkers.Get().(*walker)
	w.Index, w.until, w.emit, w.late, w.hops = x, until, emit, 0, 0
	w.piece, w.instant = math.MaxInt64, math.MaxInt64
	return w
}

// done keeps what the walk worked on for another.
func (w *walker) done() {
	w.Index, w.emit = nil, nil // what is kept must not keep a run alive
	clear(w.layers[:cap(w.layers)])
	walkers.Put(w)
}

func (w *walker) part(from, to int64, c Class, piece, transfer, resource int32) {
	w.put(Part{From: from, To: to, Class: c, Piece: piece, Transfer: transfer, Memory: trace.None, Resource: resource})
}

// put emits what of a part is later than where the walk ends.
func (w *walker) put(p Part) {
	if p.From = max(p.From, w.until); p.From >= p.To {
		return
	}
	if p.Class == Execute && p.Piece >= 0 {
		p = w.suspended(p, w.worker[p.Piece])
	}
	w.give(p)
}

// give emits a part. Where the kernel only counted how long a thread had no processor,
// that is taken from the end of what the thread executed, or of what nothing but the
// runtime explains: where in a part it was is not known.
func (w *walker) give(p Part) {
	if p.From >= p.To {
		return
	}
	if w.lost != nil && p.Resource >= 0 && (p.Class == Execute || p.Class == Runtime || p.Class == Unexplained) {
		if lost := int64(w.lost.Within(p.Resource, p.From, p.To)); lost > 0 {
			off := p
			off.From, off.Class, off.Mark = max(p.From, p.To-lost), OffCPU, NoMark
			w.emit(off)
			p.To = off.From
		}
	}
	if p.From < p.To {
		w.emit(p)
	}
}

// suspended emits what of a piece its thread waited for locks, or was off the processor,
// and what it did between: to its task it is running then. It leaves the first part.
func (w *walker) suspended(p Part, worker int32) Part {
	locks, off := w.locks[worker], w.off[worker]
	for p.From < p.To && (len(locks.Start) > 0 || len(off.Start) > 0) {
		from, to, class := p.From, p.From, Execute // the last of either before the end of the part
		for _, s := range []struct {
			spans interval.Spans
			class Class
		}{{off, OffCPU}, {locks, Lock}} {
			if i := interval.FirstAfter(s.spans.Start, p.To-1) - 1; i >= 0 && min(s.spans.End[i], p.To) > to {
				from, to, class = max(s.spans.Start[i], p.From), min(s.spans.End[i], p.To), s.class
			}
		}
		if class == Execute {
			break
		}
		if to < p.To {
			rest := p
			rest.From = to
			w.give(rest)
		}
		lost := p
		lost.From, lost.To, lost.Class, lost.Mark = from, to, class, NoMark
		w.emit(lost)
		p.To = from
	}
	return p
}

// back goes one step back.
func (w *walker) back(p position) position {
	switch p.kind {
	case inPiece:
		start := min(p.at, w.lanes.Start[p.row])
		w.execute(p, start)
		return position{kind: pieceStart, row: p.row, at: start}
	case inTransfer:
		return w.flight(p)
	case created:
		end := min(p.at, w.lanes.End[p.row])
		w.part(end, p.at, Creation, p.row, trace.None, w.worker[p.row])
		return position{kind: inPiece, row: p.row, at: end}
	case submitting:
		return w.program(p)
	}
	if w.isStart(p) && p.at < w.piece { // where it goes from here does not depend on where it came from
		w.piece, w.instant = p.at, math.MaxInt64
	}
	e := w.step(p, w.limit(p.at))
	w.late += e.late
	if e.best.kind == nowhere {
		w.divide(p, w.until, e.best)
	} else {
		w.divide(p, e.best.at, e.best)
	}
	return e.best
}

// isStart reports whether a position is the start of a piece, not only a part
// of it.
func (w *walker) isStart(p position) bool {
	return p.kind == pieceStart && p.at == w.lanes.Start[p.row]
}

// limit is until when causes of something at an instant are looked for: up to
// that instant, or before it once the walk has taken many steps there. Things of
// no length can be each other's causes without end, and steps that take no time
// say nothing.
func (w *walker) limit(at int64) int64 {
	if at < w.instant {
		w.instant, w.hops = at, 0
	}
	if w.hops++; w.hops > maxHops {
		return at - 1
	}
	return at
}

const maxHops = 32

// program emits what the program's thread did before it submitted a task.
func (w *walker) program(p position) position {
	thread := w.submitter(p.row)
	next, waited := w.thread(p)
	if next.kind == nowhere {
		w.part(w.until, p.at, Submission, trace.None, trace.None, thread)
		return next
	}
	w.part(waited, p.at, Submission, trace.None, trace.None, thread)
	w.part(next.at, waited, Synchronisation, trace.None, trace.None, thread)
	return next
}

// execute emits a piece; where it kept a worker busy, or a handle from another
// task, with the reason.
func (w *walker) execute(p position, start int64) {
	if p.busy && max(start, p.since) < p.at {
		from := max(start, p.since)
		w.marked(p, from)
		p.at = from
	}
	if p.held && max(start, p.since) < p.at {
		from := max(start, p.since)
		w.put(Part{From: from, To: p.at, Class: Execute, Mark: Exclusion, Piece: p.row, Transfer: trace.None, Memory: trace.None, Resource: w.worker[p.row]})
		p.at = from
	}
	w.part(start, p.at, Execute, p.row, trace.None, w.worker[p.row])
}

// communicator is the communication thread of a node, trace.None without.
func (x *Index) communicator(node int32) int32 {
	if node+1 >= 0 && int(node)+1 < len(x.comms) {
		return x.comms[node+1]
	}
	return trace.None
}

// ram is the first memory of the node of a resource, trace.None without.
func (x *Index) ram(resource int32) int32 {
	if resource < 0 {
		return trace.None
	}
	return x.rams[x.nodeOf(resource)+1]
}

// submitter is the thread of the program on a node, trace.None if unknown.
func (x *Index) submitter(node int32) int32 {
	if node+1 >= 0 && int(node)+1 < len(x.submits) {
		return x.submits[node+1]
	}
	return trace.None
}

// flight emits a transfer: what it needs first, contention last. A message is on
// its way from when both sides have posted it.
func (w *walker) flight(p position) position {
	t := &w.run.Transfer
	start := t.Start[p.row]
	if start == trace.NoTime || start > p.at {
		start = p.at
	}
	alone, slow, sent := Transfer, TransferContention, start
	if t.Kind.At(int(p.row)) == trace.TransferMPI {
		alone, slow = MessageFlight, MessageContention
		if w.posted != nil && w.posted[p.row] != trace.NoTime {
			sent = min(p.at, max(start, w.posted[p.row]))
		}
	}
	split := p.at
	if ns, ok := w.alone(p.row); ok {
		split = min(p.at, sent+ns)
	}
	d := w.division(max(split, w.until), p.at)
	d.unseen(p.row, slow)
	d.finish(Part{Class: slow, Piece: trace.None, Transfer: p.row, Resource: t.To[p.row]})
	w.part(sent, split, alone, trace.None, p.row, t.To[p.row])
	if start < sent {
		d := w.division(max(start, w.until), sent)
		if m := w.ram(t.To[p.row]); m >= 0 {
			d.stalls(m)
		}
		d.finish(Part{Class: MessageReceiveLate, Piece: trace.None, Transfer: p.row, Resource: t.To[p.row]})
	}
	return position{kind: transferStart, row: p.row, at: start}
}

// unseen adds when a transfer may have arrived and nobody looked, as the threads
// that would have waited for memory.
func (d *division) unseen(row int32, c Class) {
	to := d.run.Transfer.To[row]
	if to < 0 {
		return
	}
	if c == MessageContention {
		d.held(to, d.ram(to))
		return
	}
	if m := d.memory[to]; m >= 0 {
		for _, r := range d.threads[m] {
			d.held(r, m)
			d.held(r, d.ram(to))
		}
	}
}

// layer is time that a class takes where no earlier layer does.
type layer struct {
	spans    interval.Spans // of these what is in
	from, to int64
	class    Class
	memory   int32
	transfer int32 // that it is about, trace.None for that of the division
}

type span struct{ from, to int64 }

// divide emits [from, p.at), in which nothing but the runtime and memory stood
// between the enabler and the position.
func (w *walker) divide(p position, from int64, cause position) {
	from = max(from, w.until)
	if from >= p.at {
		return
	}
	d := w.division(from, p.at)
	piece, transfer, resource := trace.None, trace.None, trace.None
	switch p.kind {
	case pieceStart:
		piece, resource = p.row, w.worker[p.row]
		v := w.lanes.Task[piece]
		ready := w.run.Task.Ready[v]
		if !w.begins(piece) {
			d.cover(Synchronisation, w.syncs[resource], from, p.at, trace.None)
		}
		if cause.kind == inTransfer && w.run.Transfer.Kind.At(int(cause.row)) == trace.TransferMPI && ready != trace.NoTime {
			d.add(MessageReceive, cause.row, from, min(ready, p.at))
		}
		if m := w.memory[resource]; m >= 0 {
			for i := w.access[v]; i < w.access[v+1]; i++ {
				d.room(m, w.run.Access.Handle[i])
			}
			d.held(resource, m)
			d.held(w.run.Resource.Parent[resource], m)
		}
		d.cover(OffCPU, w.off[resource], from, p.at, trace.None)
		d.cover(Lock, w.locks[resource], from, p.at, trace.None)
		d.runtimeOf(resource)
		d.runtimeOf(w.run.Resource.Parent[resource])
		if cause.kind == inPiece && ready != trace.NoTime {
			d.runtimeUntil(w.worker[cause.row], ready)
			d.runtimeUntil(w.run.Resource.Parent[w.worker[cause.row]], ready)
		}
		if c := w.communicator(w.nodeOf(resource)); c != trace.None && ready != trace.NoTime && ready > from {
			d.heldUntil(c, w.ram(c), ready)
		}
		if m := w.memory[resource]; m >= 0 {
			d.stalls(m)
		}
	case pushed:
		if c := w.communicator(w.owner(p.row)); c != trace.None {
			d.held(c, w.ram(c))
		}
		if cause.kind == inPiece {
			d.runtimeOf(w.worker[cause.row])
			d.runtimeOf(w.run.Resource.Parent[w.worker[cause.row]])
		}
		if cause.kind == inTransfer && w.run.Transfer.Kind.At(int(cause.row)) == trace.TransferMPI {
			d.add(MessageReceive, cause.row, from, p.at)
		}
	case transferStart:
		t := &w.run.Transfer
		transfer, resource = p.row, t.To[p.row]
		if t.Kind.At(int(p.row)) == trace.TransferMPI {
			d.held(t.From[p.row], w.ram(t.From[p.row]))
			d.add(MessagePost, p.row, from, p.at)
			break
		}
		for _, end := range []int32{t.To[p.row], t.From[p.row]} {
			if m := w.memory[end]; m >= 0 {
				d.room(m, t.Handle[p.row])
			}
		}
		for _, end := range []int32{t.To[p.row], t.From[p.row]} {
			if m := w.memory[end]; m >= 0 {
				for _, r := range w.threads[m] {
					d.held(r, m)
					d.held(r, w.ram(r))
				}
			}
		}
		for _, end := range []int32{t.To[p.row], t.From[p.row]} {
			if m := w.memory[end]; m >= 0 {
				for _, r := range w.threads[m] {
					d.runtimeOf(r)
				}
			}
		}
		for _, end := range []int32{t.To[p.row], t.From[p.row]} {
			if m := w.memory[end]; m >= 0 {
				d.stalls(m)
			}
		}
	}
	rest := Unexplained
	if !w.states && w.timed && p.at-from < w.silence { // nothing else is left that it can be
		rest = Runtime
	}
	d.finish(Part{Class: rest, Piece: piece, Transfer: transfer, Resource: resource})
}

// division cuts an interval by layers, the earlier of which win. A walker makes
// one after the other.
type division struct {
	*walker
	from, to int64
}

func (w *walker) division(from, to int64) division {
	w.layers = w.layers[:0]
	return division{w, from, to}
}

// add adds an interval that is about a transfer.
func (d *division) add(c Class, transfer int32, from, to int64) {
	if from, to = max(from, d.from), min(to, d.to); from < to {
		d.layers = append(d.layers, layer{interval.Spans{Start: []int64{from}, End: []int64{to}}, from, to, c, trace.None, transfer})
	}
}

// cover adds what of a union is in a window of the division.
func (d *division) cover(c Class, s interval.Spans, from, to int64, memory int32) {
	from, to = max(from, d.from), min(to, d.to)
	if s = overlapping(s, from, to); s.Len() > 0 {
		d.layers = append(d.layers, layer{s, from, to, c, memory, trace.None})
	}
}

// overlapping are the intervals of a union that overlap a window, whole.
func overlapping(s interval.Spans, from, to int64) interval.Spans {
	if s.Len() == 0 {
		return s
	}
	i := interval.FirstAfter(s.End, from)
	j := i
	for j < s.Len() && s.Start[j] < to {
		j++
	}
	return interval.Spans{Start: s.Start[i:j], End: s.End[i:j]}
}

// room adds what the manager of a memory did for a handle.
func (d *division) room(m, handle int32) {
	if handle >= 0 {
		d.cover(MemoryWait, d.managing[m].handle[handle], d.from, d.to, m)
	}
}

// stalls adds when the manager of a memory made room, for whatever it was.
func (d *division) stalls(m int32) {
	d.cover(MemoryWait, d.managing[m].all, d.from, d.to, m)
}

// held adds when a thread was held up while the manager of a memory made room.
func (d *division) held(r, m int32) { d.heldUntil(r, m, d.to) }

func (d *division) heldUntil(r, m int32, until int64) {
	if r < 0 || m < 0 {
		return
	}
	to := min(d.to, until)
	making := overlapping(d.managing[m].all, d.from, to)
	if making.Len() == 0 {
		return
	}
	if blocked := overlapping(d.blocked[r], d.from, to); blocked.Len() > 0 {
		d.cover(MemoryWait, interval.Intersect(blocked, making), d.from, to, m)
	}
}

func (d *division) runtimeOf(r int32) { d.runtimeUntil(r, d.to) }

func (d *division) runtimeUntil(r int32, until int64) {
	if r >= 0 {
		d.cover(Runtime, d.runtime[r], d.from, until, trace.None)
	}
}

// finish emits all of the interval, the latest part first: rest is what parts
// are that no layer covers.
func (d *division) finish(rest Part) {
	rest.From, rest.To, rest.Memory = d.from, d.to, trace.None
	if len(d.layers) == 0 || d.from >= d.to {
		d.put(rest)
		return
	}
	d.left, d.parts = append(d.left[:0], span{d.from, d.to}), d.parts[:0]
	for _, l := range d.layers {
		p := rest
		p.Class, p.Memory = l.class, l.memory
		if l.transfer != trace.None {
			p.Transfer = l.transfer
		}
		d.take(l, p)
	}
	for _, gap := range d.left {
		rest.From, rest.To = gap.from, gap.to
		d.parts = append(d.parts, rest)
	}
	slices.SortFunc(d.parts, func(a, b Part) int { return cmp.Compare(b.From, a.From) })
	for _, p := range d.parts {
		d.put(p)
	}
}

// take moves what a layer covers of what is left to the parts.
func (d *division) take(l layer, p Part) {
	d.next = d.next[:0]
	k := 0
	for _, gap := range d.left {
		at := gap.from
		for k < l.spans.Len() && l.spans.End[k] <= at {
			k++
		}
		for i := k; i < l.spans.Len() && l.spans.Start[i] < gap.to; i++ {
			from, to := max(at, l.from, l.spans.Start[i]), min(gap.to, l.to, l.spans.End[i])
			if from >= to {
				continue
			}
			if at < from {
				d.next = append(d.next, span{at, from})
			}
			p.From, p.To = from, to
			d.parts = append(d.parts, p)
			at = to
		}
		if at < gap.to {
			d.next = append(d.next, span{at, gap.to})
		}
	}
	d.left, d.next = d.next, d.left
}
