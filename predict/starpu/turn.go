package starpu

// What a worker does over and over while its tasks go on: it makes its bed,
// begins and ends tasks, looks after requests, asks for a task if it drives a
// device, and sleeps unless something has been done. The kernel walks such
// turns, operation by operation, as it does patrols.

// setTurn lays out a worker's turn: locks and beds are its own.
func (e *engine) setTurn(w *worker) {
	stops := []stop{{errand: makes}, {errand: due}}
	for _, s := range w.patrol {
		s.end += 2
		stops = append(stops, s)
	}
	if w.device {
		stops = append(stops, stop{errand: take})
	}
	stops = append(stops, stop{errand: calm}, stop{errand: lies})
	w.turn = append(stops, stop{errand: again})
}

// driveDevice is the life of a worker that drives a device.
func (e *engine) driveDevice(a *actor, w *worker) {
	for i := 0; ; {
		i = a.walk(w.turn, i)
		switch w.turn[i].errand {
		case due:
			e.beginFetched(a, w)
			e.endFinished(a, w)
			i++
		case take:
			e.popHeld(a, w)
			i++
		default:
			i = e.attend(a, w, i)
		}
	}
}

// awaitData lasts until the data of a CPU worker's task has come.
func (e *engine) awaitData(a *actor, w *worker) {
	w.some = false
	for i := a.walk(w.turn, 0); w.turn[i].errand != due; i = a.walk(w.turn, i) {
		i = e.attend(a, w, i)
	}
}

// attend sees to requests at a stop of a worker's turn, and says which is next.
func (e *engine) attend(a *actor, w *worker, i int) (next int) {
	s := &w.turn[i]
	some, full := e.request(a, s, true)
	w.some = w.some || some
	if full {
		return int(s.end)
	}
	return i + 1
}

// due says that a task has its data, or that the oldest is over.
func (w *worker) due() bool { return w.fetching != none && w.have == w.want || w.over() }

// popHeld asks for a task as drivers of devices do: the worker has its queue.
func (e *engine) popHeld(a *actor, w *worker) {
	t, awake := e.popForDevice(a, w)
	e.leave(a, w)
	a.unlock(&w.guard)
	w.some = w.some || awake || t != none
	if t != none {
		e.fetch(a, w, t)
	}
}

// takeQueue is the visit of a driver to its own queue, which it holds: either it
// asks for a task, or it leaves. turn says whether it still is its turn.
func (a *actor) takeQueue(w *worker) (asks, turn bool) {
	r := &a.round
	if !r.done {
		w.scheduling, w.relaxed = true, 0
		if w.asks() {
			return true, true
		}
		w.relaxed, w.scheduling, r.done = 1, false, true
		for len(w.changed.waiting) > 0 {
			w.changed.release(a)
		}
		if !a.k.ready.pass(a) {
			return false, false
		}
	}
	w.guard.pass(a)
	return false, a.next()
}
