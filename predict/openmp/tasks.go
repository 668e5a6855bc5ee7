package openmp

// dequeSize is libomp's INITIAL_TASK_DEQUE_SIZE: with as many tasks in its deque, a
// thread runs a new one at once.
const dequeSize = 256

// throttle is how many tasks per thread wait in libgomp's queue at most.
const throttle = 64

// ring holds the tasks of a thread, the oldest first.
type ring struct {
	tasks      []int32 // as many as a power of two
	head, tail uint32
}

func (r *ring) len() int { return int(r.tail - r.head) }

func (r *ring) at(i int) *int32 { return &r.tasks[(r.head+uint32(i))&uint32(len(r.tasks)-1)] }

func (r *ring) push(task int32) {
	if n := r.len(); n == len(r.tasks) {
		more := make([]int32, max(8, 2*n))
		for i := range n {
			more[i] = *r.at(i)
		}
		r.tasks, r.head, r.tail = more, 0, uint32(n)
	}
	r.tail++
	*r.at(r.len() - 1) = task
}

// take takes out the i-th task; those behind it move up.
func (r *ring) take(i int) int32 {
	task := *r.at(i)
	if i == 0 {
		r.head++
		return task
	}
	for ; i < r.len()-1; i++ {
		*r.at(i) = *r.at(i + 1)
	}
	r.tail--
	return task
}

// shared is libgomp's queue: one for the team, and one of each task's children.
type shared struct {
	queue   []int32
	head    int
	family  [][]int32 // by task
	taken   []bool    // by task: it has started, or was never put there
	waiting int       // tasks that are in the queue and not taken
	busy    int64     // until when the queue is locked
}

// enter counts a new task where others wait for it.
func (e *engine) enter(f *frame, c int32) {
	e.groupOf[c] = f.group
	if f.group >= 0 {
		e.groups[f.group].open++
	}
	e.open[f.task]++
	e.team.open++
}

// create makes a task that may run later.
func (e *engine) create(t int32, f *frame, c int32, now int64) int64 {
	e.enter(f, c)
	e.left[c]--
	if e.team.threads > 1 && e.depends(c) {
		now = e.pay(now, e.o.Costs.Depend)
	}
	if e.left[c] > 0 {
		return e.pay(now, e.o.Costs.Create)
	}
	if e.crowded(t, c) {
		return e.begin(t, c, now, e.o.Costs.Inline)
	}
	cost := e.o.Costs.Create + e.queueing(now)
	e.enqueue(t, c, now+cost)
	return e.pay(now, cost)
}

// depends reports whether a task has dependences, as far as they matter.
func (e *engine) depends(c int32) bool { return e.preds[c] > 0 || e.succAt[c] < e.succAt[c+1] }

// pay is what the runtime takes of a thread's time.
func (e *engine) pay(now, cost int64) int64 {
	e.result.Runtime += cost
	return now + cost
}

// crowded reports whether a task that could wait runs at once.
func (e *engine) crowded(t, c int32) bool {
	switch {
	case e.team.threads <= 1:
		return true
	case e.libgomp:
		return e.shared.waiting > throttle*e.team.threads
	}
	return e.threads[t].deque.len() >= dequeSize && e.allowed(t, c)
}

// enqueue puts a task where threads find it, from a time on.
func (e *engine) enqueue(t, c int32, from int64) {
	e.pushed++
	if e.libgomp {
		e.shared.queue = append(e.shared.queue, c)
		e.shared.family[e.parent[c]] = append(e.shared.family[e.parent[c]], c)
		e.shared.waiting++
	} else {
		th := &e.threads[t]
		th.deque.push(c)
		if th.filled < 0 {
			th.filled = int32(len(e.filled))
			e.filled = append(e.filled, t)
		}
	}
	e.announce(c, from)
}

// announce wakes an idle thread that may run a task that has just been queued. Idle
// threads that have seen all others before it, and may not run it, have seen it.
func (e *engine) announce(c int32, from int64) {
	if len(e.idle) == 0 {
		return
	}
	at := e.below(len(e.idle))
	for range e.idle {
		if at == len(e.idle) {
			at = 0
		}
		t := e.idle[at]
		th := &e.threads[t]
		if e.wants(t, c) {
			th.offered = c
			e.busy(t)
			e.schedule(t, from)
			return
		}
		if th.tried == e.pushed-1 {
			th.tried = e.pushed
		}
		at++
	}
}

// wants reports whether an idle thread would take a task.
func (e *engine) wants(t, c int32) bool {
	if f := e.threads[t].stack; e.libgomp {
		switch top := &f[len(f)-1]; top.until {
		case children:
			if e.parent[c] != top.task {
				return false
			}
		case group:
			if e.groupOf[c] != top.arg {
				return false
			}
		}
	}
	return e.allowed(t, c)
}

// queueing is how long putting a task into libgomp's queue or taking one out waits
// for the queue's lock and holds it.
func (e *engine) queueing(now int64) int64 {
	if !e.libgomp || e.o.Costs.Queue == 0 {
		return 0
	}
	e.shared.busy = max(e.shared.busy, now) + e.o.Costs.Queue
	return e.shared.busy - now
}

// begin starts a task on top of a thread's stack.
func (e *engine) begin(t, c int32, now, cost int64) int64 {
	for _, h := range e.exclusive(c) {
		e.held[h] = true
	}
	e.result.Started++
	e.on[c] = t
	th := &e.threads[t]
	th.stack = append(th.stack, frame{task: c, pc: e.first[c], group: e.groupOf[c], member: -1, serial: -1})
	return e.pay(now, cost)
}

// exclusive are the handles that a task holds while it runs.
func (e *engine) exclusive(c int32) []int32 {
	if e.excl == nil {
		return nil
	}
	return e.excl[e.exclAt[c]:e.exclAt[c+1]]
}

// fetch takes a task that the thread may run, -1 if there is none.
func (e *engine) fetch(t int32, f *frame, now int64) (task int32, stolen bool) {
	if e.libgomp {
		return e.fetchShared(t, f), false
	}
	th := &e.threads[t]
	if n := th.deque.len(); n > 0 && e.allowed(t, *th.deque.at(n - 1)) {
		task = *th.deque.at(n - 1)
		th.deque.tail--
		e.emptied(t)
		return task, false
	}
	if th.victim >= 0 {
		if task = e.steal(t, th.victim, now); task >= 0 {
			return task, true
		}
	}
	th.victim = -1
	if n := len(e.filled); n > 0 {
		at := e.below(n)
		for i := range n {
			v := e.filled[(at+i)%n]
			if v == t {
				continue
			}
			if task = e.steal(t, v, now); task >= 0 {
				th.victim = v
				return task, true
			}
		}
	}
	return -1, false
}

// steal takes the oldest task of another thread that this one may run.
func (e *engine) steal(t, victim int32, now int64) int32 {
	d := &e.threads[victim].deque
	for i := range d.len() {
		if e.allowed(t, *d.at(i)) {
			task := d.take(i)
			e.emptied(victim)
			if e.threads[victim].idle >= 0 && d.len() > 0 { // it may run what is its youngest now
				e.busy(victim)
				e.schedule(victim, now)
			}
			return task
		}
	}
	return -1
}

// emptied takes a thread off the list of those with tasks if it has none.
func (e *engine) emptied(t int32) {
	th := &e.threads[t]
	if th.deque.len() > 0 {
		return
	}
	last := e.filled[len(e.filled)-1]
	e.filled[th.filled], e.threads[last].filled = last, th.filled
	e.filled = e.filled[:len(e.filled)-1]
	th.filled = -1
}

// allowed reports whether a thread may start a task: a tied task must descend from
// the tied task that the thread has suspended last, unless that waits in a barrier
// (task scheduling constraint, OpenMP 5.2, 12.9, as libomp checks it); and
// nobody may hold what it needs for itself.
func (e *engine) allowed(t, c int32) bool {
	for _, h := range e.exclusive(c) {
		if e.held[h] {
			return false
		}
	}
	if e.flags[c]&untied != 0 {
		return true
	}
	stack := e.threads[t].stack
	for i := len(stack) - 1; i >= 0; i-- {
		f := &stack[i]
		if e.flags[f.task]&untied != 0 {
			continue
		}
		if e.flags[f.task]&implicit != 0 && f.until != children {
			return true
		}
		return e.descends(c, f.task)
	}
	return true
}

func (e *engine) descends(c, from int32) bool {
	p := e.parent[c]
	for p != from && e.level[p] > e.level[from] {
		p = e.parent[p]
	}
	return p == from
}

// fetchShared takes a task as libgomp does: in a taskwait the youngest child, in a
// barrier the oldest task of the team.
func (e *engine) fetchShared(t int32, f *frame) int32 {
	s := &e.shared
	if f.until == children {
		family := s.family[f.task]
		for len(family) > 0 && s.taken[family[len(family)-1]] {
			family = family[:len(family)-1]
		}
		s.family[f.task] = family
		for i := len(family) - 1; i >= 0; i-- {
			if c := family[i]; !s.taken[c] && e.allowed(t, c) {
				return s.take(c)
			}
		}
		return -1
	}
	for s.head < len(s.queue) && s.taken[s.queue[s.head]] {
		s.head++
	}
	for _, c := range s.queue[s.head:] {
		if s.taken[c] || f.until == group && e.groupOf[c] != f.arg {
			continue
		}
		if e.allowed(t, c) {
			return s.take(c)
		}
	}
	return -1
}

func (s *shared) take(c int32) int32 {
	s.taken[c] = true
	s.waiting--
	return c
}

// end ends the task on top.
func (e *engine) end(t int32, f *frame, now int64) int64 {
	switch {
	case f.task == e.root:
		e.result.Makespan, e.done = now, true
		return nobody
	case e.flags[f.task]&implicit != 0:
		return e.arrive(t, f, true, now)
	}
	task := f.task
	th := &e.threads[t]
	th.stack = th.stack[:len(th.stack)-1]
	if e.complete(t, task, now) {
		return now + e.o.Costs.Barrier
	}
	return now
}

// complete lets all go on that waited for a task, and reports whether it ends a
// barrier.
func (e *engine) complete(t, task int32, now int64) bool {
	if held := e.exclusive(task); len(held) > 0 {
		for _, h := range held {
			e.held[h] = false
		}
		e.pushed++
		e.offer(now)
	}
	for _, s := range e.succ[e.succAt[task]:e.succAt[task+1]] {
		switch e.left[s]--; e.left[s] {
		case 0:
			e.enqueue(t, s, now)
		case 1:
			e.wake(e.on[e.parent[s]], now)
		}
	}
	p := e.parent[task]
	if e.open[p]--; e.open[p] == 0 {
		e.wake(e.on[p], now)
	}
	if g := e.groupOf[task]; g >= 0 {
		if e.groups[g].open--; e.groups[g].open == 0 {
			e.wake(e.groups[g].thread, now)
		}
	}
	e.team.open--
	return e.release(t, now)
}
