package starpu

import "math"

// record is what a run records.
type record struct {
	end      float64 // s
	explicit int     // explicit dependencies seen
	devices  int
	cuda     bool
	sent     int32 // tasks submitted so far

	worker                     []int32
	submit, ready, begin, over []int64 // ns since the first submission, by task
	pairs                      []Pair
	peak                       []int64
	detail                     *traceLog // nil without Options.Record
}

func (l *record) start(e *engine) {
	n := len(e.g.Class)
	l.worker = make([]int32, n)
	for i := range l.worker {
		l.worker[i] = none
	}
	l.submit, l.ready = make([]int64, n), make([]int64, n)
	l.begin, l.over = make([]int64, n), make([]int64, n)
	for i := range l.over {
		l.over[i] = notOver
	}
	l.pairs = make([]Pair, len(e.memories)*len(e.memories))
	l.peak = make([]int64, len(e.memories))
	if e.o.Record {
		l.detail = newTraceLog(e)
	}
}

// notOver is the end of a task that has not ended.
const notOver = math.MinInt64

func (l *record) submitted(e *engine, t int32) {
	l.submit[t], l.sent = e.nanoseconds(e.now), t+1
	e.progress++
}

func (l *record) pushed(e *engine, id int32, ends bool) {
	if int(id) >= len(l.ready) {
		return
	}
	now := e.nanoseconds(e.now)
	l.ready[id] = now
	if ends {
		l.begin[id], l.over[id] = now, now
	}
}

func (l *record) popped(e *engine, w *worker, t int32) {
	if l.detail != nil {
		l.detail.popped[t] = e.nanoseconds(e.now)
	}
	l.setState(e, w, stateFetching)
}

func (l *record) state(e *engine, w *worker, s workerState) { l.setState(e, w, s) }

func (l *record) setState(e *engine, w *worker, what workerState) {
	if l.detail != nil {
		l.detail.setState(e.now, w.id, what)
	}
}

func (l *record) began(e *engine, w *worker, t int32) {
	l.worker[t] = w.id
	l.begin[t] = e.nanoseconds(e.now)
	e.progress++
	l.setState(e, w, stateExecuting)
}

func (l *record) finished(e *engine, w *worker, t int32) {
	l.over[t] = e.nanoseconds(e.now)
	e.progress++
	l.setState(e, w, stateCleaning)
	if e.o.Ended != nil {
		e.o.Ended()
	}
}

func (l *record) copyBegins(e *engine, r *request) int32 {
	p := &l.pairs[e.m.Pair(r.from, r.to)]
	p.Count++
	e.copies++
	p.Bytes += e.handles[r.handle].bytes
	if l.detail == nil {
		return none
	}
	l.detail.copies = append(l.detail.copies, copyRecord{begin: e.now, from: r.from, to: r.to, handle: r.handle, priority: r.priority, level: r.level})
	return int32(len(l.detail.copies)) // 0: nothing was copied
}

func (l *record) copyArrives(e *engine, r *request) {}

func (l *record) copyEnds(e *engine, r *request) {
	if l.detail != nil && r.recordNumber > 0 {
		l.detail.copies[r.recordNumber-1].end = e.now
	}
}

// updateStates is called when copies of a handle may have become valid or
// invalid.
func (l *record) updateStates(e *engine, h int32) {
	if l.detail != nil {
		l.detail.updateStates(e, h)
	}
}

func (l *record) setMemoryUse(m int32, bytes int64, now float64) {
	l.peak[m] = max(l.peak[m], bytes)
	if l.detail != nil {
		l.detail.memoryUses = append(l.detail.memoryUses, memoryUse{now, m, bytes})
	}
}

// searched is called when memory for a replica is searched, and says whether
// the attempts to allocate it are recorded: prefetches into a memory node that
// is known to be full are not.
func (l *record) searched(h, at int32, level level, now float64) bool {
	if l.detail == nil || level > fetchLevel && l.detail.full[at] {
		return false
	}
	l.memoryEvent(memoryEvent{begin: now, end: now, handle: h, memory: at, peer: none, what: searching, level: level})
	return true
}

// attempted is called when memory was allocated, or when there was none.
func (l *record) attempted(h, at int32, level level, begin, now float64, ok bool) {
	m := memoryEvent{begin: begin, end: now, handle: h, memory: at, peer: none, what: allocating, level: level}
	if !ok {
		m.what = allocationFailed
	}
	l.memoryEvent(m)
}

// setFull is called when it is known whether a memory node has any free memory.
func (l *record) setFull(at int32, free bool) {
	if l.detail != nil {
		l.detail.full[at] = !free
	}
}

func (l *record) dropped(h, at int32, now float64) {
	l.memoryEvent(memoryEvent{begin: now, end: now, handle: h, memory: at, peer: none, what: freeing})
}

// writtenBack is called when a replica was evicted, after it was written to
// another memory node if necessary; to is none where another replica takes its
// memory.
func (l *record) writtenBack(h, at, to int32, begin, now float64) {
	l.memoryEvent(memoryEvent{begin: begin, end: now, handle: h, memory: at, peer: to, what: writingBack})
}

func (l *record) memoryEvent(m memoryEvent) {
	if l.detail != nil {
		l.detail.memoryEvents = append(l.detail.memoryEvents, m)
	}
}

// requested is called when a transfer is requested.
func (l *record) requested(e *engine, r *request) {
	if l.detail != nil && r.from != none && r.from != r.to {
		l.detail.requests = append(l.detail.requests, requestRecord{e.now, r.from, r.to, r.handle, r.priority, r.level})
	}
}
