package starpu

// record is what a run leaves behind.
type record struct {
	end        float64 // s
	explicit   int     // explicit dependencies seen
	devices    int
	cuda       bool
	prefetched []bool
	sent       int32 // tasks submitted so far

	worker                     []int32
	submit, ready, begin, over []float64 // s, by task
	pairs                      []Pair
	peak                       []int64
	trail                      *trail // nil unless it is asked for
}

func (l *record) start(e *engine) {
	n := len(e.g.Class)
	l.prefetched = make([]bool, n)
	l.worker = make([]int32, n)
	for i := range l.worker {
		l.worker[i] = none
	}
	l.submit, l.ready = make([]float64, n), make([]float64, n)
	l.begin, l.over = make([]float64, n), make([]float64, n)
	l.pairs = make([]Pair, len(e.memories)*len(e.memories))
	l.peak = make([]int64, len(e.memories))
	if e.o.Record {
		l.trail = newTrail(e)
	}
}

func (l *record) submitted(t int32, now float64) { l.submit[t], l.sent = now, t+1 }

func (l *record) pushed(e *engine, id int32, ends bool) {
	if int(id) >= len(l.ready) {
		return
	}
	l.ready[id] = e.now
	if ends {
		l.begin[id], l.over[id] = e.now, e.now
	}
}

func (l *record) popped(e *engine, w *worker, t int32) {
	if l.trail != nil {
		l.trail.popped[t] = e.now
	}
	l.mark(e, w, stateFetching)
}

func (l *record) state(e *engine, w *worker, s workerState) { l.mark(e, w, s) }

func (l *record) mark(e *engine, w *worker, what workerState) {
	if l.trail != nil {
		l.trail.mark(e.now, w.id, what)
	}
}

func (l *record) began(e *engine, w *worker, t int32) {
	l.worker[t] = w.id
	l.begin[t] = e.now
	l.mark(e, w, stateExecuting)
}

func (l *record) finished(e *engine, w *worker, t int32) {
	l.over[t] = e.now
	l.mark(e, w, stateCleaning)
}

func (l *record) copyBegins(e *engine, r *request) int32 {
	p := &l.pairs[e.m.Pair(r.from, r.to)]
	p.Count++
	p.Bytes += e.handles[r.handle].bytes
	if l.trail == nil {
		return none
	}
	l.trail.copies = append(l.trail.copies, copied{begin: e.now, from: r.from, to: r.to, handle: r.handle, priority: r.priority, level: r.level})
	return int32(len(l.trail.copies)) // 0: nothing was copied
}

func (l *record) copyArrives(e *engine, r *request) {}

func (l *record) copyEnds(e *engine, r *request) {
	if l.trail != nil && r.copying > 0 {
		l.trail.copies[r.copying-1].end = e.now
	}
}

// coherent is called when copies of a handle may have become valid or invalid.
func (l *record) coherent(e *engine, h int32) {
	if l.trail != nil {
		l.trail.coherent(e, h)
	}
}

func (l *record) usage(m int32, bytes int64, now float64) {
	l.peak[m] = max(l.peak[m], bytes)
	if l.trail != nil {
		l.trail.used = append(l.trail.used, usage{now, m, bytes})
	}
}

// searched is called when room for a copy is looked for, and says whether the
// attempts to allocate it are noted: prefetches into a memory that is known to be
// full are not.
func (l *record) searched(h, at int32, level level, now float64) bool {
	if l.trail == nil || level > demand && l.trail.full[at] {
		return false
	}
	l.manage(managed{begin: now, end: now, handle: h, memory: at, peer: none, what: searching, level: level})
	return true
}

// attempted is called when memory was allocated, or was not there.
func (l *record) attempted(h, at int32, level level, begin, now float64, ok bool) {
	m := managed{begin: begin, end: now, handle: h, memory: at, peer: none, what: allocating, level: level}
	if !ok {
		m.what = failing
	}
	l.manage(m)
}

// room is called when it turns out whether a memory has any.
func (l *record) room(at int32, some bool) {
	if l.trail != nil {
		l.trail.full[at] = !some
	}
}

func (l *record) dropped(h, at int32, now float64) {
	l.manage(managed{begin: now, end: now, handle: h, memory: at, peer: none, what: freeing})
}

// writtenBack is called when a copy has made room, after it was written to
// another memory if that had to be; to is none where another takes its place.
func (l *record) writtenBack(h, at, to int32, begin, now float64) {
	l.manage(managed{begin: begin, end: now, handle: h, memory: at, peer: to, what: writingBack})
}

func (l *record) manage(m managed) {
	if l.trail != nil {
		l.trail.managed = append(l.trail.managed, m)
	}
}

// requested is called when a transfer is asked for.
func (l *record) requested(e *engine, r *request) {
	if l.trail != nil && r.from != none && r.from != r.to {
		l.trail.requests = append(l.trail.requests, wish{e.now, r.from, r.to, r.handle, r.priority, r.level})
	}
}
