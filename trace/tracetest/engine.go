package tracetest

import (
	"dagscope/internal/heap"
	"dagscope/trace"
)

// engine is a list scheduler driven by three events: a node submits its next
// task, a worker ends a task, a message arrives. A task whose predecessors are
// there is queued at once on the worker of its node that would finish it
// first; workers take the most urgent of their queue. Ties go to the earlier
// event source and to the earlier submission.
type engine struct {
	g       *graph
	p       *platform
	task    *trace.Tasks
	data    *data
	noise   *noise
	waiting []uint8 // per row: predecessors and submission still to come
	workers []worker
	events  heap.Pairs[int64, int] // (time, worker) of ends, (time, workers + message) of arrivals
	submits heap.Pairs[int64, int] // (time, node)
	walkers []walker
	nextRow []int
	pace    int64
	zero    int64 // start of the first task
	end     int64 // end of the last task
	ran     ranOrder
	count   *counts
	seen    []bool // per node, for graph.destinations
}

type worker struct {
	queue   queue
	load    int64 // mean durations of the queue
	free    int64 // expected end of the running task
	running id
	row     int32
	busy    bool
}

func newEngine(run *trace.Run, g *graph, p *platform, o Options) *engine {
	e := &engine{g: g, p: p, task: &run.Task, noise: newNoise(o), waiting: make([]uint8, g.tasks()),
		workers: make([]worker, len(p.worker)), pace: o.Pace, zero: trace.NoTime, seen: make([]bool, g.nodes())}
	e.data = newData(run, g, p, o)
	if o.Without&(States|Counters) != States|Counters {
		e.ran = make([]int32, 0, g.tasks())
	}
	if o.Without&Counters == 0 {
		e.count = newCounts(g)
	}
	for node := range g.nodes() {
		row := g.first[node]
		for w := g.walk(node); w.ok; w.next() {
			e.waiting[row] = 1 + waits(w.k, w.n, w.m)
			row++
		}
		e.nextRow = append(e.nextRow, g.first[node])
		e.walkers = append(e.walkers, g.walk(node))
		if g.first[node] < g.first[node+1] {
			e.submits.Push(0, node, struct{}{})
		}
	}
	return e
}

// schedule runs all tasks.
func (e *engine) schedule() {
	for e.submits.Len() > 0 || e.events.Len() > 0 {
		if e.events.Len() == 0 || e.submits.Len() > 0 && e.submits.First().Key <= e.events.First().Key {
			next := e.submits.First()
			e.submit(next.Key, next.Tie)
			continue
		}
		event := e.events.Pop()
		if event.Tie < len(e.workers) {
			e.finish(event.Key, event.Tie)
		} else {
			e.arrive(event.Key, event.Tie-len(e.workers))
		}
	}
}

func (e *engine) submit(now int64, node int) {
	w := &e.walkers[node]
	row := e.nextRow[node]
	k, n, m := w.k, w.n, w.m
	w.next()
	e.nextRow[node]++
	if w.ok {
		e.submits.ReplaceFirst(now+e.pace, node, struct{}{})
	} else {
		e.submits.Pop()
	}
	e.task.Submit[row] = now
	if e.count != nil {
		e.count.submitted[node].add(now, 1)
	}
	e.release(now, int32(row), k, n, m, node)
}

// release takes away one of the things that a task waits for.
func (e *engine) release(now int64, row int32, k, n, m, node int) {
	e.waiting[row]--
	if e.waiting[row] == 0 {
		e.push(now, row, k, n, m, node)
	}
}

// push queues a ready task where it would end first.
func (e *engine) push(now int64, row int32, k, n, m, node int) {
	e.task.Ready[row] = now
	if e.count != nil {
		e.count.ready[node].add(now, 1)
	}
	t := newID(k, n, m)
	kind := t.kind()
	e.data.look(node, k, n, m)
	best, bestEnd := -1, int64(0)
	first := node * e.p.perNode()
	for i := range e.p.perNode() {
		w := &e.workers[first+i]
		start := max(now, w.free) + w.load
		if there := e.data.estimate(now, i); there > start {
			start = there
		}
		if end := start + e.p.mean[kind][e.p.arch(i)]; best < 0 || end < bestEnd {
			best, bestEnd = i, end
		}
	}
	w := &e.workers[first+best]
	// The column Start holds the arrival of the data until the task starts.
	e.task.Start[row] = e.data.fetch(now, best, w.busy)
	w.queue.push(uint64(2*e.g.n-e.g.priority(k, n, m))<<idBits | uint64(t))
	w.load += e.p.mean[kind][e.p.arch(best)]
	if !w.busy {
		e.start(now, first+best)
	}
}

// start runs the most urgent task of a worker's queue.
func (e *engine) start(now int64, worker int) {
	w := &e.workers[worker]
	t := id(w.queue.pop() & (1<<idBits - 1))
	k, n, m := t.split()
	row := e.g.rowOf(k, n, m)
	mean := e.p.mean[t.kind()][e.p.arch(worker%e.p.perNode())]
	start := max(now+launch, e.task.Start[row])
	end := start + e.noise.duration(mean)
	e.task.Start[row], e.task.End[row], e.task.Worker[row] = start, end, e.p.worker[worker]
	w.load -= mean
	w.free, w.running, w.row, w.busy = start+mean, t, row, true
	e.events.Push(end, worker, struct{}{})
	if e.zero == trace.NoTime {
		e.zero = start // every other task waits for this one
	}
	e.end = max(e.end, end)
	if e.ran != nil {
		e.ran = append(e.ran, row)
	}
	if e.count != nil {
		e.count.ready[worker/e.p.perNode()].add(now, -1)
	}
}

// finish ends a worker's task, releases what waits for it and takes the next.
func (e *engine) finish(now int64, worker int) {
	w := &e.workers[worker]
	k, n, m := w.running.split()
	w.busy, w.free = false, now
	node := worker / e.p.perNode()
	if e.count != nil {
		e.count.submitted[node].add(now, -1)
	}
	// First the own queue, as a worker does; what is released now may be more
	// urgent, but another worker may take it.
	row := w.row
	if len(w.queue) > 0 {
		e.start(now, worker)
	}
	if n > k {
		e.release(now, e.g.rowOf(k+1, n, m), k+1, n, m, node)
		return
	}
	e.notify(now, k, m, node)
	if e.p.comm != nil {
		e.g.destinations(k, m, e.seen, func(to int) {
			arrival, message := e.data.send(now, row, k, m, node, to)
			e.events.Push(arrival, len(e.workers)+message, struct{}{})
		})
	}
}

// notify releases the readers of tile (m, k) on a node.
func (e *engine) notify(now int64, k, m, node int) {
	e.g.readers(k, m, node, func(n, m int) {
		e.release(now, e.g.rowOf(k, n, m), k, n, m, node)
	})
}

func (e *engine) arrive(now int64, message int) {
	k, m, to := e.data.received(message)
	e.notify(now, k, m, to)
}
