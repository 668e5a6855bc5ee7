package openmp

import (
	"errors"
	"fmt"

	"dagscope/internal/heap"
)

// wait is what ends the wait of the task on top of a thread's stack.
type wait uint8

const (
	running   wait = iota
	children       // all its children are complete
	group          // all tasks of its taskgroup are
	yielding       // nothing that it may run is left
	barrier        // all members are there and all tasks of the team complete
	alone          // all tasks of a nested region whose members one thread has are
	preceding      // the predecessors of the task that it is to run are complete
	looping        // no chunk of its loop is left
	locking        // it gets its lock
)

// frame is a task on a thread's stack.
type frame struct {
	task   int32
	pc     int32 // step
	passed bool  // the step's work is done
	ended  bool  // member that is at the end of its region
	until  wait
	waited bool  // since until was set: going on costs
	arg    int32 // what it waits for: group, task, loop or lock
	group  int32 // innermost taskgroup, -1
	member int32 // number in the team of an implicit task of a region that has threads, else -1
	serial int32 // its region, whose members this thread runs one after the other, else -1
}

type thread struct {
	stack   []frame
	deque   ring
	filled  int32   // place in engine.filled, -1 where the deque is empty
	idle    int32   // place in engine.idle, -1
	tried   uint64  // engine.pushed when it last found nothing
	victim  int32   // thread that it last stole from, -1
	next    []frame // members of the team that have not reached the barrier, of this thread
	parked  []frame // those that have
	made    bool
	offered int32 // task that it was woken for, -1
	due     int64 // its event that counts, or never
}

type taskgroup struct{ up, open, thread int32 }

type lock struct {
	held  bool
	queue []waiter
}

type waiter struct {
	thread int32
	since  int64
}

type engine struct {
	*Program
	o       Options
	libgomp bool
	threads []thread
	events  heap.Pairs[int64, int32]
	idle    []int32
	filled  []int32 // threads that have tasks in their deques
	pushed  uint64  // counts what idle threads could run
	open    []int32 // by task: children that are not complete
	left    []int32 // by task: predecessors that are not complete, and one until it is created
	groupOf []int32 // by task
	on      []int32 // by task: thread whose stack holds it
	groups  []taskgroup
	held    []bool // by handle
	locked  []lock
	next    []int64 // by loop: first iteration that nobody has
	free    []int64 // by loop: when the next chunk can be handed out
	team    team
	shared  shared
	random  uint64
	result  Result
	done    bool
}

// MaxThreads bounds what is simulated.
const MaxThreads = 1 << 14

// Simulate runs the program.
func Simulate(p *Program, o Options) (Result, error) {
	switch {
	case o.Threads < 1 || o.Threads > MaxThreads:
		return Result{}, fmt.Errorf("simulate an OpenMP program: found %d threads, want 1 to %d", o.Threads, MaxThreads)
	case o.Runtime != "" && o.Runtime != LLVM && o.Runtime != GCC:
		return Result{}, fmt.Errorf("simulate an OpenMP program: found runtime %q, want %s or %s", o.Runtime, LLVM, GCC)
	}
	e := &engine{Program: p, o: o, libgomp: o.Runtime == GCC, random: o.Seed}
	n := len(p.parent)
	e.threads = make([]thread, o.Threads)
	for i := range e.threads {
		e.threads[i].filled, e.threads[i].idle, e.threads[i].victim, e.threads[i].offered, e.threads[i].due = -1, -1, -1, -1, never
	}
	e.open, e.groupOf, e.on, e.left = make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
	for i, v := range p.preds {
		e.left[i], e.on[i] = v+1, -1
	}
	e.held, e.locked = make([]bool, p.handles), make([]lock, p.locks)
	e.next, e.free = make([]int64, len(p.loops)), make([]int64, len(p.loops))
	if e.libgomp {
		e.shared.taken, e.shared.family = make([]bool, n), make([][]int32, n)
	}
	e.team.region = -1
	e.threads[0].made, e.on[p.root] = true, 0
	e.threads[0].stack = append(e.threads[0].stack, frame{task: p.root, pc: p.first[p.root], group: -1, member: -1, serial: -1})
	e.schedule(0, 0)
	for e.events.Len() > 0 && !e.done {
		if v := e.events.Pop(); e.threads[v.Tie].due == v.Key {
			e.threads[v.Tie].due = never
			e.proceed(v.Tie, v.Key)
		}
	}
	if !e.done {
		return Result{}, errors.New("simulate an OpenMP program: all threads wait for something that never happens: does a task depend on one that never ran?")
	}
	r := &e.result
	r.Threads, r.Work = o.Threads, p.Work()
	r.Idle = r.Makespan*int64(o.Threads) - r.Work - r.Runtime - r.Locked
	return *r, nil
}

const (
	nobody = -1 // in place of a time: others let the thread go on
	never  = -1
)

// schedule says when a thread goes on, whatever was said before.
func (e *engine) schedule(t int32, at int64) {
	e.threads[t].due = at
	e.events.Push(at, t, struct{}{})
}

// proceed lets a thread do what it does until another comes first.
func (e *engine) proceed(t int32, now int64) {
	th := &e.threads[t]
	if th.idle >= 0 {
		e.busy(t)
	}
	for len(th.stack) > 0 {
		f := &th.stack[len(th.stack)-1]
		if f.until == running {
			now = e.advance(t, f, now)
		} else {
			now = e.waiting(t, f, now)
		}
		if now == nobody || e.done {
			return
		}
		if e.events.Len() > 0 {
			if first := e.events.First(); first.Key < now || first.Key == now && first.Tie < t {
				e.schedule(t, now)
				return
			}
		}
	}
}

// advance passes the work of the next step, and then does what ends it.
func (e *engine) advance(t int32, f *frame, now int64) int64 {
	s := &e.steps[f.pc]
	if !f.passed && s.work > 0 {
		f.passed = true
		return now + s.work
	}
	f.passed = false
	f.pc++
	switch s.op {
	case opEnd:
		f.pc--
		return e.end(t, f, now)
	case opCreate:
		return e.create(t, f, s.arg, now)
	case opUndeferred:
		e.enter(f, s.arg)
		f.until, f.arg = preceding, s.arg
	case opTaskwait:
		f.until = children
	case opGroup:
		e.begins(t, f)
	case opGroupEnd:
		if f.group >= 0 {
			f.until, f.arg = group, f.group
		}
	case opYield:
		f.until = yielding
	case opBarrier:
		return e.arrive(t, f, false, now)
	case opParallel:
		return e.fork(t, s.arg, now)
	case opLoop:
		if m, of := e.place(f); m < of {
			f.until, f.arg = looping, s.arg
		}
	case opLock:
		l := &e.locked[s.arg]
		if l.held {
			l.queue = append(l.queue, waiter{t, now})
			f.until, f.arg = locking, s.arg
			return nobody
		}
		l.held = true
	case opUnlock:
		e.unlock(&e.locked[s.arg], now)
	}
	return now
}

func (e *engine) begins(t int32, f *frame) {
	e.groups = append(e.groups, taskgroup{up: f.group, thread: t})
	f.group = int32(len(e.groups) - 1)
}

// unlock hands a lock to the thread that has waited longest.
func (e *engine) unlock(l *lock, now int64) {
	if len(l.queue) == 0 {
		l.held = false
		return
	}
	w := l.queue[0]
	l.queue = l.queue[1:]
	got := now + e.o.Costs.Lock
	e.result.Locked += got - w.since
	e.schedule(w.thread, got)
}

// over reports whether the wait of a task is over.
func (e *engine) over(f *frame) bool {
	switch f.until {
	case children:
		return e.open[f.task] == 0
	case group:
		return e.groups[f.arg].open == 0
	case preceding:
		return e.left[f.arg] == 1
	case alone:
		return e.groups[f.arg].open == 0
	}
	return false
}

// waiting goes on where the wait of the top task is over, or looks for something
// else to do.
func (e *engine) waiting(t int32, f *frame, now int64) int64 {
	switch f.until {
	case looping:
		return e.share(f, now)
	case locking:
		f.until = running
		return now
	}
	if e.over(f) {
		was, waited := f.until, f.waited
		f.until, f.waited = running, false
		if was == group {
			f.group = e.groups[f.arg].up
		}
		if waited {
			now = e.pay(now, e.o.Costs.Resume)
		}
		if was == preceding {
			e.left[f.arg] = 0
			return e.begin(t, f.arg, now, e.o.Costs.Inline)
		}
		return now
	}
	f.waited = f.until != yielding
	if task, stolen := e.fetch(t, f, now); task >= 0 {
		cost := e.o.Costs.Dispatch
		if stolen {
			cost = e.o.Costs.Steal
			e.result.Steals++
		}
		if e.depends(task) {
			cost += e.o.Costs.Release
		}
		if was := e.threads[t].offered; was >= 0 {
			if e.threads[t].offered = -1; was != task && e.on[was] < 0 {
				e.announce(was, now) // it was woken for another one
			}
		}
		return e.begin(t, task, now, cost+e.queueing(now))
	}
	if f.until == yielding {
		f.until = running
		return now
	}
	th := &e.threads[t]
	th.tried, th.idle = e.pushed, int32(len(e.idle))
	e.idle = append(e.idle, t)
	e.offer(now) // what this one may not run, another may
	return nobody
}

// busy takes a thread off the list of idle ones.
func (e *engine) busy(t int32) {
	i, last := e.threads[t].idle, e.idle[len(e.idle)-1]
	e.idle[i], e.threads[last].idle = last, i
	e.idle = e.idle[:len(e.idle)-1]
	e.threads[t].idle = -1
}

// offer lets one idle thread look for tasks if there are some that it has not seen.
func (e *engine) offer(now int64) {
	if len(e.idle) == 0 || len(e.filled) == 0 && e.shared.waiting == 0 {
		return
	}
	at := e.below(len(e.idle))
	for i := range e.idle {
		if t := e.idle[(at+i)%len(e.idle)]; e.threads[t].tried != e.pushed {
			e.busy(t)
			e.schedule(t, now)
			return
		}
	}
}

// wake lets an idle thread go on whose wait is over.
func (e *engine) wake(t int32, now int64) {
	if t < 0 {
		return // a task that another process created
	}
	th := &e.threads[t]
	if th.idle < 0 || !e.over(&th.stack[len(th.stack)-1]) {
		return
	}
	e.busy(t)
	e.schedule(t, now)
}

// below is a random number (splitmix64) below n.
func (e *engine) below(n int) int {
	if n == 1 {
		return 0
	}
	e.random += 0x9e3779b97f4a7c15
	z := e.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}
