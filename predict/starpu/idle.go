package starpu

// A CPU worker without a task looks for requests and for tasks each time that it
// is woken, mostly in vain. Where the policy foresees that, the kernel walks the
// whole turn, operation by operation as the worker would: see cpuTurn, popOne
// and what a policy's Pop does on its way to nothing.

// setIdling lays out the turns of workers without tasks.
func (e *engine) setIdling() {
	e.foreseeing, _ = e.policy.(Foreseeing)
	e.stealing, _ = e.policy.(Stealing)
	if e.foreseeing == nil {
		return
	}
	same := map[*stop][]stop{}
	for _, w := range e.workers {
		if w.device || len(w.patrol) == 0 {
			continue
		}
		first := &w.patrol[0]
		if same[first] == nil {
			same[first] = e.idlingOf(w.patrol)
		}
		w.idling = same[first]
	}
}

// idlingOf is the turn of workers on a patrol: locks and beds are their own.
func (e *engine) idlingOf(patrol []stop) []stop {
	stops := []stop{{errand: makes}}
	for _, s := range patrol {
		s.end++
		stops = append(stops, s)
	}
	held := func(errands ...errand) {
		stops = append(stops, stop{errand: hold})
		for _, x := range errands {
			stops = append(stops, stop{errand: x})
		}
		stops = append(stops, stop{errand: drop})
	}
	held(schedules)
	stops = append(stops, stop{errand: seek})
	if e.stealing != nil {
		held(relaxes)
		stops = append(stops, stop{errand: hunt})
		held(tightens)
	}
	held(drowse, departs, pass)
	return append(stops, stop{errand: retire}, stop{errand: lies}, stop{errand: again})
}

// chance is a stop at which the worker may have something to do: it returns
// true if that is so.
func (a *actor) chance(s *stop) bool {
	r, w := &a.round, a.worker
	switch s.errand {
	case schedules:
		w.engine.enter(w)
		if w.status&statusScheduling == 0 {
			return true
		}
	case seek:
		if len(w.local.tasks) > 0 || !w.engine.foreseeing.Barren(w.id) {
			return true
		}
	case hunt:
		if !w.engine.stealing.Hopeless(w.id) {
			return true
		}
	case drowse:
		if w.status&statusSleeping == 0 {
			return true
		}
	case retire:
		if w.some {
			r.at++ // it does not lie down
		}
	case again:
		w.some = false
		r.at = 0
		return false
	}
	r.at++
	return false
}

// letIn is an operation after which others may have the worker's queue.
func (a *actor) letIn(s *stop) {
	w := a.worker
	switch s.errand {
	case relaxes:
		w.relaxed++
	case departs:
		w.relaxed, w.scheduling = 1, false
	default:
		return
	}
	for len(w.changed.waiting) > 0 {
		w.changed.release(a)
	}
}

// idle is what a CPU worker without a task does until it has one, or until it
// has looked for one in a way that is not foreseen.
func (e *engine) idle(a *actor, w *worker) {
	w.some = false
	stops := w.idling
	for i := a.walk(stops, 0); ; i = a.walk(stops, i) {
		s := &stops[i]
		i++
		task := int32(none)
		switch s.errand {
		case schedules:
			e.beginScheduling(a, w)
			continue
		case drowse:
			e.fallAsleep(a, w)
			continue
		case seek:
			task = e.pop(a, w)
		case hunt:
			task = e.stealing.Steal(w.id)
		default:
			some, full := e.request(a, s, true)
			w.some = w.some || some
			if full {
				i = int(s.end)
			}
			continue
		}
		e.endPop(a, w, task)
		switch {
		case task != none:
			e.fetch(a, w, task)
		case !w.some:
			a.lie(&w.bed)
		}
		return
	}
}

// endPop ends a worker's looking for a task.
func (e *engine) endPop(a *actor, w *worker, t int32) {
	a.lock(&w.guard)
	if t != none {
		e.endScheduling(a, w)
	} else {
		e.fallAsleep(a, w)
	}
	e.leave(a, w)
	a.step(1)
	a.unlock(&w.guard)
}
