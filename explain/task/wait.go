package task

import (
	"slices"

	"dagscope/explain/chain"
	"dagscope/trace"
)

// wait is what happened from when a task could start to its start.
type wait struct {
	delay    *Delay
	from, to int64 // the window; empty if the task started no later than it could
	input    bool  // it depends on something
	elsewhere
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
	w.delay = &Delay{Ready: known(ready), Causes: []chain.Reason{}, Release: []chain.Reason{}}
	w.from, w.to = from, max(from, start)
	if could := max(last, timeAt(t.Submit, v)); could != trace.NoTime && could < min(from, start) {
		w.input = last != trace.NoTime
		w.delay.Held = min(from, start) - could
		w.delay.Release = x.reasons(v, could, min(from, start))
	}
	if from < start {
		w.delay.Total = start - from
		w.delay.Causes = x.reasons(v, from, start)
		w.elsewhere = x.idleElsewhere(v, worker, from, start)
	}
	return w
}

// reasons are those of a window before the start of a task.
func (x *Index) reasons(v int32, from, to int64) []chain.Reason {
	var parts []chain.Part
	x.why().Delay(v, from, func(p chain.Part) {
		if p = p.Within(from, to); p.From < p.To {
			parts = append(parts, p)
		}
	})
	return x.why().Reasons(v, parts)
}

// why divides delays: it is made at the first question.
func (x *Index) why() *chain.Index {
	x.causes.Do(func() {
		if x.chained == nil {
			x.chained = chain.New(x.whole, chain.Options{Lanes: x.lanes, Last: x.last})
		}
		x.whole = nil
	})
	return x.chained
}

// lastEnd is when the last dependency of a task ended, or trace.NoTime.
func (x *Index) lastEnd(v int32) int64 {
	if last := x.last.Of[v]; last != trace.None {
		return x.last.End(last)
	}
	return trace.NoTime
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

// busy reports whether the worker ran other tasks meanwhile.
func (d *Delay) busy() bool {
	return slices.ContainsFunc(d.Causes, func(c chain.Reason) bool { return len(c.Keys) > 0 })
}
