package sim

// record is what a run leaves behind.
type record struct {
	end        float64 // s
	explicit   int     // explicit dependencies seen
	devices    int
	cuda       bool
	prefetched []bool

	worker                     []int32
	submit, ready, begin, over []float64 // s, by task
	pairs                      []Pair
	peak                       []int64
	full                       bool
}

// workerState is what a worker does besides tasks.
type workerState uint8

const (
	stateSleeping workerState = iota
	stateScheduling
)

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
	l.full = e.o.Record
}

func (l *record) submitted(t int32, now float64) { l.submit[t] = now }

func (l *record) pushed(e *engine, id int32, ends bool) {
	if int(id) >= len(l.ready) {
		return
	}
	l.ready[id] = e.now
	if ends {
		l.begin[id], l.over[id] = e.now, e.now
	}
}

func (l *record) popped(e *engine, w *worker, t int32) {}

func (l *record) state(e *engine, w *worker, s workerState) {}

func (l *record) began(e *engine, w *worker, t int32) {
	l.worker[t] = w.id
	l.begin[t] = e.now
}

func (l *record) finished(e *engine, w *worker, t int32) { l.over[t] = e.now }

func (l *record) copyBegins(e *engine, r *request) int32 {
	p := &l.pairs[e.m.Pair(r.from, r.to)]
	p.Count++
	p.Bytes += e.handles[r.handle].bytes
	return none
}

func (l *record) copyArrives(e *engine, r *request) {}

func (l *record) copyEnds(e *engine, r *request) {}

func (l *record) usage(m int32, bytes int64, now float64) { l.peak[m] = max(l.peak[m], bytes) }

func (l *record) allocated(h, at int32, now float64) {}

func (l *record) dropped(h, at int32, now float64) {}
