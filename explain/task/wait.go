package task

import (
	"cmp"
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// wait is what happened from when a task could start to its start. The
// partition is that of depend.Delays, here for one task and without an index:
// a cause counts where no earlier one holds, in the order transfer, busy,
// runtime, dependency. Windows may hold a hundred thousand tasks: everything is
// one pass over what is in them.
type wait struct {
	delay    *Delay
	from, to int64      // the window; empty if the task started no later than it could
	moving   []movement // transfers of its data and messages to it
	ran      tally      // tasks that its worker ran, outside of these
	states   []part     // states of the runtime outside of both, the longest first
	elsewhere
}

// movement is a transfer inside the window.
type movement struct {
	transfer   int32
	start, end int64
}

// part is time that a task or a state took of the window.
type part struct {
	of int32 // task, or kind of state
	ns int64
}

// wait divides the delay of a task. The delay is nil if nothing tells when the
// task could start, or if it never ran on a worker.
func (x *Index) wait(v int32) (w wait) {
	t := &x.run.Task
	start, worker := t.Start[v], t.Worker[v]
	if !x.executed(v) || worker < 0 {
		return w
	}
	last, ready := x.lastEnd(v), timeAt(t.Ready, v)
	from := ready
	if from == trace.NoTime {
		from = last
	}
	if from == trace.NoTime {
		return w
	}
	w.delay = &Delay{Ready: known(ready)}
	w.from, w.to = from, max(from, start)
	if from < start {
		w.delay.Total = start - from
		x.divide(v, worker, last, &w)
		w.elsewhere = x.idleElsewhere(v, worker, from, start)
	}
	return w
}

// lastEnd is when the last dependency of a task ended, or trace.NoTime.
func (x *Index) lastEnd(v int32) int64 {
	if last := x.last.Of[v]; last != trace.None {
		return x.last.End(last)
	}
	return trace.NoTime
}

// divide finds the causes inside the window.
func (x *Index) divide(v, worker int32, last int64, w *wait) {
	d := w.delay
	x.measure(v, worker, w)
	if last > w.from { // what is unexplained until then
		part := wait{delay: &Delay{}, from: w.from, to: min(w.to, last)}
		x.measure(v, worker, &part)
		d.Dependency = part.to - part.from - part.delay.Transfer - part.delay.Busy - part.delay.Runtime
	}
	d.Unexplained = d.Total - d.Transfer - d.Busy - d.Runtime - d.Dependency
}

// measure determines the time of the first three causes.
func (x *Index) measure(v, worker int32, w *wait) {
	moving := x.moving(v, w)
	w.delay.Transfer = moving.Length()
	work := x.work(v, worker, moving, w)
	covered := join(moving, work)
	w.delay.Busy = covered.Length() - w.delay.Transfer
	x.inStates(worker, w, covered)
	for _, p := range w.states {
		w.delay.Runtime += p.ns
	}
}

// join is the union of two unions.
func join(a, b interval.Spans) interval.Spans {
	if a.Len() == 0 {
		return b
	}
	n := a.Len() + b.Len()
	both := interval.Spans{Start: make([]int64, 0, n), End: make([]int64, 0, n)}
	i := 0
	for k := range b.Start {
		for ; i < a.Len() && a.Start[i] <= b.Start[k]; i++ {
			both.Extend(a.Start[i], a.End[i])
		}
		both.Extend(b.Start[k], b.End[k])
	}
	for ; i < a.Len(); i++ {
		both.Extend(a.Start[i], a.End[i])
	}
	return both
}

// work is when the worker ran something inside the window. Other tasks are
// counted with their time outside of when data was moving.
func (x *Index) work(v, worker int32, moving interval.Spans, w *wait) (work interval.Spans) {
	first, end := x.lanes.Of(worker)
	w.ran.repeats = x.lanes.First != nil
	n := 0
	x.pieces.ranges(int(first), int(end), w.from, w.to, func(i, end int) { n += end - i })
	work = interval.Spans{Start: make([]int64, 0, n), End: make([]int64, 0, n)}
	x.pieces.each(int(first), int(end), w.from, w.to, func(i int, start, end int64) {
		work.Extend(start, end)
		if ns := outside(start, end, moving); ns > 0 && x.lanes.Task[i] != v {
			w.ran.add(part{x.lanes.Task[i], ns})
		}
	})
	w.ran.finish()
	return work
}

// outside is the length of the part of [start, end) that a union does not cover.
func outside(start, end int64, union interval.Spans) int64 {
	ns := end - start
	if union.Len() == 0 {
		return ns
	}
	for i := interval.FirstAfter(union.End, start); i < union.Len() && union.Start[i] < end; i++ {
		ns -= min(end, union.End[i]) - max(start, union.Start[i])
	}
	return ns
}

// named tasks are told of by their names, others by their number.
const named = 2

// tally counts tasks and knows the longest of them.
type tally struct {
	count   int
	longest []part
	repeats bool // a task may have several pieces
	all     []part
}

func (t *tally) add(p part) {
	if t.repeats {
		t.all = append(t.all, p)
		return
	}
	t.count++
	if len(t.longest) == named && compareParts(p, t.longest[named-1]) > 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(t.longest, p, compareParts)
	t.longest = slices.Insert(t.longest, i, p)
	t.longest = t.longest[:min(named, len(t.longest))]
}

// finish adds up the pieces of each task.
func (t *tally) finish() {
	if t.repeats {
		sum(&t.all)
		t.count, t.longest = len(t.all), t.all[:min(named, len(t.all))]
	}
}

// compareParts puts the longest first.
func compareParts(a, b part) int { return cmp.Or(cmp.Compare(b.ns, a.ns), cmp.Compare(a.of, b.of)) }

// sum adds up the parts of the same task or state and puts the longest first.
func sum(parts *[]part) {
	p := *parts
	slices.SortFunc(p, func(a, b part) int { return cmp.Compare(a.of, b.of) })
	n := 0
	for i := range p {
		if n > 0 && p[n-1].of == p[i].of {
			p[n-1].ns += p[i].ns
			continue
		}
		p[n] = p[i]
		n++
	}
	*parts = p[:n]
	slices.SortFunc(p[:n], compareParts)
}

// moving is when data that a task uses was on its way to where it ran, inside
// the window: copies of its handles, and messages that it depends on.
func (x *Index) moving(v int32, w *wait) interval.Spans {
	t := &x.run.Transfer
	add := func(i int, start, end int64) { w.moving = append(w.moving, movement{int32(i), start, end}) }
	handles := x.handlesOf(v)
	if place := x.place[x.run.Task.Worker[v]]; place >= 0 && len(handles) > 0 && len(t.Handle) == len(t.To) {
		x.transfers.ranges(0, len(t.Start), w.from, w.to, func(first, end int) {
			for i := first; i < end; i++ {
				if h := t.Handle[i]; h >= 0 && slices.Contains(handles, h) && t.To[i] >= 0 && x.place[t.To[i]] == place {
					x.transfers.each(i, i+1, w.from, w.to, add)
				}
			}
		})
	}
	first, end := x.last.Edges(v)
	for e := first; e < end; e++ {
		if via := x.via(e); via >= 0 {
			x.transfers.each(int(via), int(via)+1, w.from, w.to, add)
		}
	}
	slices.SortFunc(w.moving, func(a, b movement) int { return cmp.Compare(a.transfer, b.transfer) })
	w.moving = slices.CompactFunc(w.moving, func(a, b movement) bool { return a.transfer == b.transfer })
	var spans interval.Spans
	for _, c := range w.moving {
		spans.Add(c.start, c.end)
	}
	return interval.Union(spans)
}

// handlesOf are the pieces of data that a task uses.
func (x *Index) handlesOf(v int32) (handles []int32) {
	first, end := rowsOf(x.run.Access.Task, v)
	for i := first; i < min(end, len(x.run.Access.Handle)); i++ {
		if h := x.run.Access.Handle[i]; h >= 0 {
			handles = append(handles, h)
		}
	}
	return handles
}

// places numbers the memories of each node and gives each resource that of the
// memory that it is, lies in or uses: handles belong to one node, so that this
// number tells where a copy of them goes.
func places(run *trace.Run) []int32 {
	re := &run.Resource
	place, used := make([]int32, len(re.Parent)), map[int32]int32{}
	for r := range place {
		place[r] = trace.None
		up := re.Parent[r]
		switch {
		case re.Level.At(r) == trace.LevelMemory:
			place[r] = used[re.Node[r]]
			used[re.Node[r]]++
		case up >= 0 && int(up) < r:
			place[r] = place[up]
		}
	}
	return place
}

// elsewhere are the other workers of the same architecture and node.
type elsewhere struct {
	others int
	idle   int   // of these, how many stood still for long enough in the window
	stood  int64 // what is long enough, ns
	first  int32 // the one of them that did so first
	since  int64
}

// idleElsewhere looks for workers on which the task could have started: those
// that ran nothing for as long as it took, or for the whole window if that is
// shorter.
func (x *Index) idleElsewhere(v, worker int32, from, to int64) (e elsewhere) {
	re := &x.run.Resource
	e.stood, e.first = max(1, min(x.duration(v), to-from)), trace.None
	for _, other := range x.workers {
		if other == worker || re.Node[other] != re.Node[worker] || re.Arch.Index[other] != re.Arch.Index[worker] {
			continue
		}
		e.others++
		if since, ok := x.gap(other, from, to, e.stood); ok {
			if e.idle++; e.idle == 1 || since < e.since {
				e.first, e.since = other, since
			}
		}
	}
	return e
}

// gap is the beginning of the first time of that length inside [from, to) in
// which a worker ran nothing.
func (x *Index) gap(worker int32, from, to, length int64) (start int64, ok bool) {
	first, end := x.lanes.Of(worker)
	free := from
	for _, r := range x.blockStarts(first, end, from, to) {
		x.pieces.each(r[0], r[1], from, to, func(_ int, start, end int64) {
			if !ok && start-free >= length {
				ok = true
			}
			if !ok {
				free = max(free, end)
			}
		})
		if ok {
			return free, true
		}
	}
	return free, to-free >= length
}

// blockStarts lists the ranges of pieces to look through, so that a search can
// stop early.
func (x *Index) blockStarts(first, end int32, from, to int64) (ranges [][2]int) {
	x.pieces.ranges(int(first), int(end), from, to, func(i, k int) { ranges = append(ranges, [2]int{i, k}) })
	return ranges
}
