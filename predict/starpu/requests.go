package starpu

import (
	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// level is how urgent a request is.
type level uint8

const (
	demand   level = iota // a task waits for it
	prefetch              // for a task that has been given to a worker
	idle                  // when nothing else is to be done
)

// Most requests of a handler, a peer and a direction under way, of all levels,
// when one of the given level is begun.
var mostPending = [3]int{demand: 5, prefetch: 2, idle: 1}

// longestServing is how long a worker goes on beginning requests, in s.
const longestServing = 1e-3

// request asks for a copy of a handle in a memory.
type request struct {
	handle   int32
	from, to int32 // from none: only memory is needed
	handler  int32
	peer     int32
	dir      direction
	mode     workload.Mode
	level    level
	priority int32
	task     int32
	after    int        // requests that it waits for
	next     []*request // that wait for it
	counts   int32      // tasks that it is a prefetch for
	cancel   uint8      // 1: not needed any more, 2: will not be carried out
	held     bool       // has a reference on its target
	arrived  bool       // the copy is over
	over     bool
	cleans   bool  // waits for others, and invalidates what they have brought
	watched  bool  // somebody waits for it
	copying  int32 // in the record, none
	done     []callback
	list     *requestList
	left     *request // in the list
	right    *request
	older    *request // of the handle
	newer    *request
}

// callback is what follows a request.
type callback struct {
	worker *worker  // whose task has one more piece of data
	hung   *request // that waited for this one to bring the same copy
	taking *taking  // of messages
}

// asking is what a caller wants of ask.
type asking struct {
	handle, to int32
	mode       workload.Mode
	level      level
	priority   int32
	task       int32
	detached   bool // no reference remains on the copy
	worker     *worker
	taking     *taking
}

// after is what follows.
func (q *asking) after() callback { return callback{worker: q.worker, taking: q.taking} }

// ask wants a copy of a handle in a memory.
func (e *engine) ask(a *actor, q asking) {
	d := &e.handles[q.handle]
	a.spin(&d.header)
	if q.mode&workload.Read != 0 && q.level > demand && !e.exists(q.handle) {
		d.header.taken = false
		return
	}
	if !q.detached {
		e.copyOf(q.handle, q.to).refs++
	}
	if e.askLocked(a, q) != nil {
		d.header.taken = false
	}
}

// exists says that some copy is valid.
func (e *engine) exists(h int32) bool {
	for n := range e.memories {
		if e.copyOf(h, int32(n)).state != invalid {
			return true
		}
	}
	return false
}

// askLocked does so while the header is held. Where nothing has to be done, the
// header is released, and there is no request.
func (e *engine) askLocked(a *actor, q asking) *request {
	d, r := &e.handles[q.handle], e.copyOf(q.handle, q.to)
	others := 0
	if q.mode&workload.Write != 0 {
		others = d.countRequests()
	}
	if r.state != invalid && (others == 0 || q.level > demand) {
		e.present(a, q, r)
		return nil
	}
	from := int32(none)
	if q.mode&workload.Read != 0 {
		from = q.to
		if r.state == invalid {
			from = e.source(q.handle, q.to)
		}
		if from == none {
			q.mode &^= workload.Read
		}
	} else if e.onlyMemory(a, q, r, others) {
		return nil
	}
	return e.issue(a, q, from, others)
}

// countRequests counts requests for copies of the handle.
func (d *handle) countRequests() int {
	n := 0
	for r := d.requests; r != nil; r = r.newer {
		n++
	}
	return n
}

// present uses a copy that is valid already.
func (e *engine) present(a *actor, q asking, r *replica) {
	e.changeState(q.handle, q.to, q.mode)
	if r.chunk != nil {
		if q.level == prefetch {
			r.awaited++
		}
		e.touched(r.chunk)
	}
	if q.task != none {
		e.cancelOf(q.handle, q.to, q.task)
	}
	e.handles[q.handle].header.taken = false
	e.call(a, q.after())
}

// cancelOf drops what has been asked for a task that has the data now.
func (e *engine) cancelOf(h, to, task int32) {
	for r := e.handles[h].requests; r != nil; r = r.newer {
		if r.to == to && r.task == task && r.cancel == 0 {
			r.cancel = 1
		}
	}
}

// onlyMemory serves a use that needs no content, in RAM, without a request.
func (e *engine) onlyMemory(a *actor, q asking, r *replica, others int) bool {
	if q.mode&workload.Write != 0 && q.level <= prefetch {
		r.filled = true
	}
	if e.memories[q.to].kind != platform.RAM || others > 0 || e.pins(q.to) {
		return false
	}
	if !e.allocate(a, q.handle, q.to, q.level) {
		return false
	}
	if q.level <= prefetch {
		e.changeState(q.handle, q.to, q.mode)
	}
	if r.chunk != nil {
		if q.level == prefetch {
			r.awaited++
		}
		e.touched(r.chunk)
	}
	e.handles[q.handle].header.taken = false
	e.call(a, q.after())
	return true
}

// issue makes the requests of the hops, and returns the last.
func (e *engine) issue(a *actor, q asking, from int32, others int) *request {
	cleaning := q.mode&workload.Write != 0 && others > 0 && q.level == demand
	var hops []hop
	switch {
	case from != none && from != q.to:
		hops = e.path(from, q.to)
	case !cleaning:
		hops = []hop{{from, q.to, q.to}}
		if e.memories[q.to].kind == platform.Disk {
			hops[0].handler = 0
		}
	}
	var first, last *request
	for i, p := range hops {
		r, reused := e.search(a, q, p)
		if !reused {
			r = e.newRequest(q, p, i > 0)
			e.log.requested(e, r)
			if last != nil {
				last.next = append(last.next, r)
			}
			if i == 0 {
				first = r
			}
		}
		last = r
	}
	if last != nil {
		if q.level == prefetch {
			last.counts++
		}
		if !cleaning && (q.worker != nil || q.taking != nil) {
			last.done = append(last.done, q.after())
		}
	}
	if cleaning {
		last = e.cleaner(a, q)
	}
	if first != nil {
		e.enqueue(a, first)
	}
	return last
}

// search finds a request that brings the same copy, and makes it do for this
// one too. Requests for different tasks are kept apart.
func (e *engine) search(a *actor, q asking, p hop) (*request, bool) {
	from := p.from
	if q.mode&workload.Read == 0 {
		from = p.to
	}
	for r := e.handles[q.handle].requests; r != nil; r = r.newer {
		if r.to != p.to || r.key() != from || r.cancel > 0 {
			continue
		}
		if q.task != none && r.task != none && q.task != r.task {
			continue
		}
		if q.level < r.level {
			e.promote(a, r, q.level)
		}
		r.mode |= q.mode & workload.ReadWrite
		return r, true
	}
	return nil, false
}

// key is what requests for a copy are told apart by.
func (r *request) key() int32 {
	if r.mode&workload.Read != 0 {
		return r.from
	}
	return r.to
}

func (e *engine) newRequest(q asking, p hop, chained bool) *request {
	r := e.requests.get()
	*r = request{handle: q.handle, from: p.from, to: p.to, handler: p.handler, mode: q.mode & workload.ReadWrite, level: q.level,
		priority: q.priority, task: q.task, next: r.next[:0], done: r.done[:0]}
	if chained {
		r.after = 1
	}
	if p.to == p.handler {
		r.peer, r.dir = p.from, in
		if p.from == none {
			r.peer = p.handler
		}
	} else {
		r.peer, r.dir = p.to, out
	}
	if q.level == demand {
		r.held = true
		e.copyOf(r.handle, r.to).refs++
	}
	if r.mode&workload.Read != 0 {
		e.copyOf(r.handle, r.from).refs++
	}
	e.handles[q.handle].append(r)
	return r
}

func (d *handle) append(r *request) {
	r.older, r.newer = d.lastRequest, nil
	if d.lastRequest == nil {
		d.requests = r
	} else {
		d.lastRequest.newer = r
	}
	d.lastRequest = r
}

func (d *handle) remove(r *request) {
	if r.older == nil {
		d.requests = r.newer
	} else {
		r.older.newer = r.newer
	}
	if r.newer == nil {
		d.lastRequest = r.older
	} else {
		r.newer.older = r.older
	}
	r.older, r.newer = nil, nil
}

// cleaner makes the request that waits for all others of a handle and
// invalidates what they have brought: the task writes.
func (e *engine) cleaner(a *actor, q asking) *request {
	d := &e.handles[q.handle]
	r := e.requests.get()
	*r = request{handle: q.handle, from: none, to: q.to, handler: q.to, peer: q.to, dir: in, mode: workload.Write, level: q.level,
		priority: q.priority, task: q.task, cleans: true, held: true, next: r.next[:0], done: r.done[:0]}
	e.copyOf(q.handle, q.to).refs++
	d.invalidation = r
	r.done = append(r.done, q.after())
	for o := d.requests; o != nil; o = o.newer {
		if q.level < o.level {
			e.promote(a, o, q.level)
		}
		o.next = append(o.next, r)
		r.after++
	}
	return r
}

// enqueue lists a request with its handler, and wakes the handler's workers.
func (e *engine) enqueue(a *actor, r *request) {
	if r.after > 0 {
		return
	}
	q := &e.memories[r.handler].lists[r.peer][r.dir]
	a.lock(&q.guard)
	q.waiting[r.level].pushBack(r)
	e.memories[r.handler].open[r.dir]++
	a.unlock(&q.guard)
	e.wakeDrivers(a, r.handler)
}

// promote makes a request more urgent.
func (e *engine) promote(a *actor, r *request, l level) {
	if l == demand && !r.held {
		r.held = true
		e.copyOf(r.handle, r.to).refs++
	}
	r.level = l
	if l >= idle {
		return
	}
	for _, n := range r.next {
		if n.level > l {
			e.promote(a, n, l)
		}
	}
	q := &e.memories[r.handler].lists[r.peer][r.dir]
	a.lock(&q.guard)
	if r.list == &q.waiting[prefetch] || r.list == &q.waiting[idle] {
		r.list.remove(r)
		q.waiting[l].pushBack(r)
	}
	a.unlock(&q.guard)
	e.wakeDrivers(a, r.handler)
}

// wakeDrivers wakes the workers that look after a memory.
func (e *engine) wakeDrivers(a *actor, m int32) {
	a.lock(&e.attached)
	for _, w := range e.memories[m].drivers {
		w.keepAwake = true
		if a.worker == w {
			continue
		}
		a.lock(&w.guard)
		w.keepAwake = true
		a.broadcast(&w.changed)
		a.unlock(&w.guard)
	}
	a.unlock(&e.attached)
	a.ring(&e.memories[m].bell)
}

// call goes on with what waited for a request.
func (e *engine) call(a *actor, c callback) {
	switch {
	case c.worker != nil:
		c.worker.have++
		a.ring(&e.memories[c.worker.memory].bell)
	case c.hung != nil:
		a.spin(&e.handles[c.hung.handle].header)
		e.complete(a, c.hung)
	case c.taking != nil:
		e.taken(a, c.taking)
	}
}
