package plain

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dagscope/internal/heap"
	"dagscope/predict/workload"
)

// Run simulates a graph. Dependencies that are nil are inferred. The error says
// what is wrong with the options, that tasks wait for each other, or that the
// memory is too small.
func Run(g *workload.Graph, d *Deps, o Options) (*Result, error) {
	if d == nil {
		var err error
		if d, err = Infer(g); err != nil {
			return nil, err
		}
	}
	if err := o.check(g, d); err != nil {
		return nil, err
	}
	e := newEngine(g, d, &o)
	if err := e.run(); err != nil {
		return nil, err
	}
	if e.now > maxEnd {
		return nil, fmt.Errorf("simulate: found a run of more than %.3g s, want less: how long are the tasks?", float64(maxEnd)/1e9)
	}
	if e.ended < d.Tasks {
		return nil, e.stuck()
	}
	return e.result(), nil
}

// engine is a simulation.
type engine struct {
	g   *workload.Graph
	d   *Deps
	o   *Options
	now int64
	r   *Result

	need       []int32 // by node: predecessors that have not ended
	next       []int32 // by task: the next in a list of ready tasks or of tasks that wait for data
	queue      queue
	idle       set
	free       int                      // idle workers
	running    heap.Pairs[int64, int32] // ends of tasks, and their workers
	task       []int32                  // by worker
	locks      locks
	program    program
	ended      int
	changes    []Change // of memory
	newlyReady []int32  // tasks that wait for nobody any more
}

func newEngine(g *workload.Graph, d *Deps, o *Options) *engine {
	e := &engine{g: g, d: d, o: o, r: &Result{g: g, d: d, o: *o}}
	e.need = append(make([]int32, 0, len(d.Need)), d.Need...)
	e.next = make([]int32, g.Tasks())
	e.idle, e.free = newSet(len(o.Workers)), len(o.Workers)
	e.task = make([]int32, len(o.Workers))
	for w := range o.Workers {
		e.idle.add(int32(w))
	}
	e.locks = newLocks(d.Locks)
	e.queue = newQueue(e)
	e.r.Busy = make([]int64, len(o.Workers))
	if o.Record {
		n := g.Tasks()
		e.r.Worker, e.r.Begin, e.r.End, e.r.Submit = make([]int32, n), make([]int64, n), make([]int64, n), make([]int64, n)
		for i := range e.r.Worker {
			e.r.Worker[i] = none
		}
	}
	return e
}

// run goes from instant to instant, up to maxEnd. Each of them ends or submits a
// task, so that there is an end. The error is that of a caller who does not want the
// result any more.
func (e *engine) run() error {
	const lookEvery = 1 << 10 // instants
	for n := 1; e.now <= maxEnd; n++ {
		if c := e.o.Context; c != nil && n%lookEvery == 0 && c.Err() != nil {
			return fmt.Errorf("simulate: interrupted at %.6f s of the simulated time: %w", float64(e.now)/1e9, context.Cause(c))
		}
		submission, more := e.nextSubmission()
		switch {
		case e.running.Len() > 0 && (!more || e.running.First().Key <= submission):
			e.now = e.running.First().Key
		case more:
			e.now = submission
		default:
			return nil
		}
		for e.running.Len() > 0 && e.running.First().Key == e.now {
			e.end(e.running.Pop().Tie)
		}
		e.submit()
		e.dispatch()
	}
	return nil
}

// dispatch lets idle workers pop tasks.
func (e *engine) dispatch() {
	for w := e.idle.next(0); w != none && e.queue.length() > 0; w = e.idle.next(w + 1) {
		if t := e.queue.pop(w); t != none {
			e.start(t, w)
		}
	}
}

func (e *engine) start(t, w int32) {
	e.idle.remove(w)
	e.free--
	begin := e.now + e.o.Overhead
	ns := e.o.duration(e.g, t, e.o.Workers[w])
	if e.o.Slowdown != nil {
		ns = e.slowed(t, ns)
	}
	e.task[w] = t
	e.running.Push(begin+ns, w, struct{}{})
	e.r.Busy[w] += ns
	e.change(begin, e.g.StartBytes, t)
	if e.o.Record {
		e.r.Worker[t], e.r.Begin[t], e.r.End[t] = w, begin, begin+ns
	}
}

// slowed is the duration of a task among busy workers.
func (e *engine) slowed(t int32, ns int64) int64 {
	curve := e.o.Slowdown[e.g.Class[t]]
	if len(curve) == 0 {
		return ns
	}
	busy := min(len(e.o.Workers)-e.free, len(curve))
	return max(1, int64(float64(ns)*curve[busy-1]+0.5))
}

// end ends what a worker does.
func (e *engine) end(worker int32) {
	t := e.task[worker]
	e.idle.add(worker)
	e.free++
	e.r.Makespan = e.now
	e.change(e.now, e.g.EndBytes, t)
	if e.o.Ended != nil {
		e.o.Ended()
	}
	if e.g.EndBytes != nil {
		e.program.used += e.g.EndBytes[t]
	}
	e.done(t, worker)
}

// change notes a change of the memory allocated.
func (e *engine) change(at int64, bytes []int64, t int32) {
	if bytes != nil && bytes[t] != 0 {
		e.changes = append(e.changes, Change{at, bytes[t]})
	}
}

// done releases the tasks that wait for one that has ended: first those that wait
// for its data, then its successors, in the order of submission.
func (e *engine) done(t, by int32) {
	e.ended++
	mine := e.d.locks(t)
	for _, l := range mine {
		e.locks.held[l] = false
	}
	for _, l := range mine {
		e.wake(l, by)
	}
	first := len(e.newlyReady)
	e.release(t)
	if fresh := e.newlyReady[first:]; !slices.IsSorted(fresh) {
		slices.Sort(fresh)
	}
	for i := first; i < len(e.newlyReady); i++ {
		e.ready(e.newlyReady[i], by)
	}
	e.newlyReady = e.newlyReady[:first]
}

// release counts down the successors of a node. Joins end at once.
func (e *engine) release(node int32) {
	for _, s := range e.d.Succs(node) {
		if e.need[s]--; e.need[s] > 0 {
			continue
		}
		switch {
		case int(s) >= e.d.Tasks:
			e.release(s)
		case s < e.program.submitted:
			e.newlyReady = append(e.newlyReady, s)
		}
	}
}

// ready pushes a task without unfinished predecessors to the policy, once it holds
// its data exclusively.
func (e *engine) ready(t, by int32) {
	switch {
	case !e.acquire(t):
	case e.g.Sync != nil && e.g.Sync[t]:
		if e.o.Record {
			e.r.Begin[t], e.r.End[t] = e.now, e.now
		}
		e.done(t, by)
	default:
		e.queue.push(t, by)
	}
}

// stuck reports why not all tasks have ended.
func (e *engine) stuck() error {
	if int(e.program.submitted) < e.d.Tasks {
		return e.tooSmall()
	}
	return fmt.Errorf("simulate: found %d tasks that wait for each other, want none", e.d.Tasks-e.ended)
}

// tooSmall reports the memory limit that would let the program go on.
func (e *engine) tooSmall() error {
	p, t, base := &e.program, e.program.submitted, e.o.Base
	used, more := p.used+base, e.g.StartBytes[t]
	sequential := SequentialPeak(e.g) + base
	return fmt.Errorf("simulate: found task %d (%s), which allocates %d bytes while %d are allocated and nothing runs any more, want a memory limit of at least %d instead of %d, %.4g of the sequential peak instead of %.4g; with all of it, %d, tasks can always run one after another",
		t, e.g.Classes[e.g.Class[t]].Kind, more, used, used+more, e.o.MemoryLimit,
		math.Ceil(1e4*float64(used+more)/float64(sequential))/1e4, float64(e.o.MemoryLimit)/float64(sequential), sequential)
}
