package openmp

// team runs a parallel region. Its members are the implicit tasks; with fewer
// threads than members each thread has several, which take turns at barriers.
type team struct {
	region  int32 // -1 outside
	threads int   // from thread 0 on
	members int
	arrived int   // members at the barrier
	ended   int   // members at the end of the region
	open    int64 // explicit tasks that are not complete
}

// fork begins a region.
func (e *engine) fork(t, r int32, now int64) int64 {
	if e.team.region >= 0 {
		e.nest(t, r, 0)
		return now
	}
	region := &e.regions[r]
	n := len(region.members)
	threads := min(n, len(e.threads))
	if region.scales {
		threads = len(e.threads)
	}
	e.team = team{region: r, threads: threads, members: max(n, threads), open: e.team.open}
	for m := e.team.members - 1; m >= 0; m-- {
		task := region.shadow
		if m < n {
			task = region.members[m]
		}
		th := &e.threads[m%threads]
		member := frame{task: task, pc: e.first[task], group: -1, member: int32(m), serial: -1}
		if m < threads {
			th.stack = append(th.stack, member)
		} else {
			th.next = append(th.next, member)
		}
		e.on[task] = int32(m % threads)
	}
	at := now
	for i := 1; i < threads; i++ {
		if th := &e.threads[i]; !th.made {
			th.made = true
			at += e.o.Costs.Start
		}
		e.schedule(int32(i), at+e.o.Costs.Fork)
	}
	if threads > 1 {
		at += e.o.Costs.Fork
	}
	return e.pay(now, at-now)
}

// nest begins the m-th member of a nested region: the thread runs all of them, one
// after the other.
func (e *engine) nest(t, r, m int32) {
	th := &e.threads[t]
	task := e.regions[r].members[m]
	e.on[task] = t
	th.stack = append(th.stack, frame{task: task, pc: e.first[task], group: -1, member: m, serial: r})
	e.begins(t, &th.stack[len(th.stack)-1])
}

// arrive is what a member does at a barrier, and at the end of the region.
func (e *engine) arrive(t int32, f *frame, ending bool, now int64) int64 {
	if f.serial >= 0 {
		return e.arriveAlone(t, f, ending, now)
	}
	th := &e.threads[t]
	n, parked := len(th.next), len(th.parked)
	switch {
	case ending && n+parked == 0:
		e.team.ended++
		f.until, f.ended = barrier, true
	case ending && n == 0: // others of this thread wait at the barrier
		e.team.members--
		*f, th.parked = th.parked[parked-1], th.parked[:parked-1]
		f.until = barrier
	case ending:
		e.team.members--
		*f, th.next = th.next[n-1], th.next[:n-1]
		return now
	case n > 0:
		e.team.arrived++
		th.parked = append(th.parked, *f)
		*f, th.next = th.next[n-1], th.next[:n-1]
		return now
	default:
		e.team.arrived++
		f.until = barrier
	}
	if e.release(t, now) {
		return now + e.o.Costs.Barrier
	}
	return now
}

// arriveAlone is arrive where one thread has all members.
func (e *engine) arriveAlone(t int32, f *frame, ending bool, now int64) int64 {
	if e.groups[f.group].open > 0 {
		f.until, f.arg = alone, f.group // the end is reached once more after it
		return now
	}
	if ending {
		r, m := f.serial, f.member+1
		th := &e.threads[t]
		th.stack = th.stack[:len(th.stack)-1]
		if int(m) < len(e.regions[r].members) {
			e.nest(t, r, m)
		}
	}
	return now
}

// release ends the barrier, or the region, when all are there and no task is left.
func (e *engine) release(t int32, now int64) bool {
	if e.team.region < 0 || e.team.arrived+e.team.ended < e.team.members || e.team.open > 0 {
		return false
	}
	over := e.team.arrived == 0
	for i := range e.team.threads {
		th, k := &e.threads[i], int32(i)
		top := &th.stack[len(th.stack)-1]
		switch {
		case over:
			th.stack = th.stack[:len(th.stack)-1]
			if k != 0 {
				if th.idle >= 0 {
					e.busy(k)
				}
				th.due = never
				continue
			}
		case top.ended:
			continue
		default:
			top.until, top.waited = running, false
			th.next, th.parked = th.parked, th.next[:0]
		}
		if k != t {
			if th.idle >= 0 {
				e.busy(k)
			}
			e.schedule(k, now+e.o.Costs.Barrier)
		}
	}
	e.team.arrived = 0
	if over {
		e.team.region, e.team.threads = -1, 0
	}
	return true
}

// place is which of how many shares of loops are a member's.
func (e *engine) place(f *frame) (m, of int) {
	switch {
	case f.serial >= 0:
		return int(f.member), len(e.regions[f.serial].members)
	case f.member >= 0:
		return int(f.member), e.team.threads
	}
	return 0, 1
}

// share does a member's share of a static loop, or the next chunk of another.
func (e *engine) share(f *frame, now int64) int64 {
	l := &e.loops[f.arg]
	m, of := e.place(f)
	if l.Schedule == Static || l.Schedule == even {
		f.until = running
		return now + l.share(m, of)
	}
	next := e.next[f.arg]
	if next >= l.n {
		f.until = running
		return now
	}
	size := max(l.Chunk, 1)
	if l.Schedule == Guided {
		size = max(size, (l.n-next)/int64(2*of))
	}
	size = min(size, l.n-next)
	e.next[f.arg] = next + size
	e.free[f.arg] = max(e.free[f.arg], now) + e.o.Costs.Chunk
	return e.pay(now, e.free[f.arg]-now) + l.before(next+size) - l.before(next)
}
