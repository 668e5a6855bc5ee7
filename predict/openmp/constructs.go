package openmp

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// locked are where tasks get locks and give them back. What a task waits is left
// out of its work: the simulation says how long it waits.
func (r *reading) locked() {
	m := &r.run.Mutex
	number := map[int32]int32{}
	for i := range m.Request {
		if m.Task == nil || m.Task[i] == trace.None || m.Acquire[i] == trace.NoTime || m.Release[i] == trace.NoTime || m.Depth[i] > 0 {
			continue
		}
		n, ok := number[m.Lock.Index[i]]
		if !ok {
			n = int32(len(number))
			number[m.Lock.Index[i]] = n
		}
		r.actions = append(r.actions,
			action{task: m.Task[i], time: m.Request[i], end: m.Acquire[i], op: opLock, arg: n},
			action{task: m.Task[i], time: m.Release[i], op: opUnlock, arg: n})
	}
	r.locks = len(number)
}

// unknownIterations stand for a loop whose number is not recorded.
const unknownIterations = 1 << 20

// looped are the shares of loops and sections. A loop in which tasks are created or
// locks are asked for stays work of who ran it.
func (r *reading) looped() {
	c, s := &r.run.Construct, &r.run.Share
	busy := r.meetings()
	from := 0
	kept := 0
	for k := range c.Start {
		to := from
		for to < len(s.Construct) && s.Construct[to] == int32(k) {
			to++
		}
		if kind := c.Kind.At(k); kind == trace.ConstructLoop || kind == trace.ConstructSections {
			if slices.ContainsFunc(r.shares(from, to), func(a action) bool { return a.task == trace.None || meets(busy[a.task], a.time, a.end) }) {
				kept++
			} else {
				r.loop(k, from, to)
			}
		}
		from = to
	}
	if len(r.loops) > 0 && r.Threads == 1 {
		r.warn("loops recorded on one thread divide evenly: only a recording on several shows their imbalance")
	}
	if kept > 0 {
		r.warn("%d loops that create tasks or ask for locks stay divided as they were", kept)
	}
}

func (r *reading) shares(from, to int) (all []action) {
	s := &r.run.Share
	for i := from; i < to; i++ {
		all = append(all, action{task: s.Task[i], time: s.Start[i], end: s.End[i], op: opLoop})
	}
	return all
}

// meetings are by task when it meets the runtime, in order.
func (r *reading) meetings() map[int32][]int64 {
	at := map[int32][]int64{}
	for i := range r.actions {
		at[r.actions[i].task] = append(at[r.actions[i].task], r.actions[i].time)
	}
	for _, times := range at {
		slices.Sort(times)
	}
	return at
}

func meets(times []int64, from, to int64) bool {
	i, _ := slices.BinarySearch(times, from)
	return i < len(times) && times[i] < to
}

// loop makes a loop of the rows of its shares.
func (r *reading) loop(construct, from, to int) {
	c, ch := &r.run.Construct, &r.run.Chunk
	l := Loop{Schedule: c.Schedule.At(construct), n: c.Iterations[construct]}
	if c.Kind.At(construct) == trace.ConstructSections || l.Schedule != Static && l.Schedule != Guided {
		l.Schedule, l.Chunk = Dynamic, 1
	}
	type part struct{ first, n, work int64 }
	var parts []part
	at, _ := slices.BinarySearch(ch.Share, int32(from))
	several := false
	for ; at < len(ch.Share) && ch.Share[at] < int32(to); at++ {
		if ch.Iterations[at] > 0 {
			parts = append(parts, part{ch.First[at], ch.Iterations[at], ch.End[at] - ch.Start[at]})
			several = several || len(parts) > to-from
		}
	}
	for i, a := range r.shares(from, to) {
		a.arg = int32(len(r.loops))
		r.actions = append(r.actions, a)
		if len(parts) == 0 {
			l.work += r.run.Share.End[from+i] - r.run.Share.Start[from+i]
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.first, b.first) })
	n := int64(0)
	for _, p := range parts {
		l.first, l.until = append(l.first, n), append(l.until, l.work)
		n += p.n
		l.work += p.work
		if several || l.Schedule != Static {
			l.Chunk = max(l.Chunk, p.n)
		}
	}
	if l.Schedule == Guided {
		l.Chunk = 1
	}
	if len(parts) > 0 {
		l.n = n
	} else {
		if l.n <= 0 {
			l.n = unknownIterations
		}
		l.first, l.until = []int64{0}, []int64{0}
	}
	r.loops = append(r.loops, l)
}
