package decode

import (
	"dagscope/read/spans"
	"dagscope/trace"
)

// set replaces the state of a stream, push nests one, pop returns from it.

func (r *rank) set(stream, kind int32) int32 {
	return r.states.Add(stream, spans.Set, r.now, kind, trace.None, 0)
}

func (r *rank) push(stream, kind int32) {
	r.states.Add(stream, spans.Push, r.now, kind, trace.None, 0)
}

func (r *rank) pop(stream int32) {
	r.states.Add(stream, spans.Pop, r.now, trace.None, trace.None, 0)
}

// setWorker sets the state of a worker. While the program has switched tracing
// off, those few events that come all the same say nothing about workers.
func (r *rank) setWorker(w *worker, kind int32) {
	if !r.paused {
		r.set(w.stream, kind)
	}
}

// setThread sets the state of a thread that drives a worker.
func (r *rank) setThread(t *thread, kind int32) {
	if t.driving != trace.None && (!t.sync || !r.paused) {
		r.set(t.driving, kind)
	}
}

// pushThread nests a state of any thread.
func (r *rank) pushThread(t *thread, kind int32) {
	if t.stream != trace.None && (!t.sync || !r.paused) {
		r.push(t.stream, kind)
	}
}

func (r *rank) popThread(t *thread) {
	if t.stream != trace.None && (!t.sync || !r.paused) {
		r.pop(t.stream)
	}
}
