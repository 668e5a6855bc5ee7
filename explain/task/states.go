package task

import (
	"cmp"
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// stateTime is time in a state of the runtime.
type stateTime struct {
	start, end  int64
	kind, depth int32
}

// inStates sums, by kind, when the worker or the thread that drives it was in
// states of the runtime inside the window and outside of what is covered. Time
// in several states counts for the innermost.
func (x *Index) inStates(worker int32, w *wait, covered interval.Spans) {
	ns := make([]int64, len(x.run.State.Kind.Dict))
	times := x.stateTimes(worker, w, covered)
	for len(times) > 0 {
		n, until := 1, times[0].end // these overlap
		for n < len(times) && times[n].start < until {
			until = max(until, times[n].end)
			n++
		}
		share(times[:n], ns)
		times = times[n:]
	}
	for k, t := range ns {
		if t > 0 {
			w.states = append(w.states, part{int32(k), t})
		}
	}
	slices.SortFunc(w.states, compareParts)
}

// share adds up states that overlap: each has what none inside it has.
func share(times []stateTime, ns []int64) {
	if len(times) == 1 {
		ns[times[0].kind] += times[0].end - times[0].start
		return
	}
	slices.SortStableFunc(times, func(a, b stateTime) int { return cmp.Compare(b.depth, a.depth) })
	var taken interval.Spans
	for _, t := range times {
		own := interval.Spans{Start: []int64{t.start}, End: []int64{t.end}}
		ns[t.kind] += interval.Subtract(own, taken).Length()
		taken = join(taken, own)
	}
}

// stateTimes lists the states of the runtime by start.
func (x *Index) stateTimes(worker int32, w *wait, covered interval.Spans) (times []stateTime) {
	s := &x.run.State
	for _, r := range x.withThread(worker) {
		first, end := rowsOf(s.Resource, r)
		c := cursor{covered, 0}
		x.states.each(first, min(end, len(s.Kind.Index)), w.from, w.to, func(i int, start, end int64) {
			if k := s.Kind.Index[i]; k >= 0 && x.runtime[k] {
				depth := at(s.Depth, int32(i))
				c.outside(start, end, func(start, end int64) { times = append(times, stateTime{start, end, k, depth}) })
			}
		})
	}
	byStart := func(a, b stateTime) int { return cmp.Compare(a.start, b.start) }
	if !slices.IsSortedFunc(times, byStart) {
		slices.SortStableFunc(times, byStart)
	}
	return times
}

// cursor goes along a union.
type cursor struct {
	union interval.Spans
	next  int // the first span that may end after what is asked for
}

// outside calls f for the parts of a span that the union does not cover. Spans
// that ascend cost one pass.
func (c *cursor) outside(start, end int64, f func(start, end int64)) {
	u := &c.union
	if c.next > 0 && u.End[c.next-1] > start { // back to another type of states
		c.next = interval.FirstAfter(u.End, start)
	}
	for c.next < u.Len() && u.End[c.next] <= start {
		c.next++
	}
	for i := c.next; i < u.Len() && u.Start[i] < end; i++ {
		if start < u.Start[i] {
			f(start, u.Start[i])
		}
		start = max(start, u.End[i])
	}
	if start < end {
		f(start, end)
	}
}

// withThread are a worker and the thread that drives it, as depend.Delays has
// them.
func (x *Index) withThread(worker int32) []int32 {
	re := &x.run.Resource
	up := re.Parent[worker]
	if re.Level.At(int(worker)) != trace.LevelWorker || up < 0 || re.Level.At(int(up)) != trace.LevelThread {
		return []int32{worker}
	}
	return []int32{worker, up}
}
