package starpu

// A CPU worker without a task looks for requests and for tasks each time that it
// is woken, mostly in vain. Where the policy foresees that, the kernel walks the
// whole turn, operation by operation as the worker would: see cpuTurn, popOne
// and what a policy's Pop does on its way to nothing.

// setIdling lays out the turns of workers without tasks.
func (e *engine) setIdleLoops() {
	e.probing, _ = e.policy.(Probing)
	e.stealing, _ = e.policy.(Stealing)
	if e.probing == nil {
		return
	}
	same := map[*step][]step{}
	for _, w := range e.workers {
		if w.device || len(w.progressLoop) == 0 {
			continue
		}
		first := &w.progressLoop[0]
		if same[first] == nil {
			same[first] = e.idleSteps(w.progressLoop)
		}
		w.idleLoop = same[first]
	}
}

// idlingOf is the turn of workers on a patrol: locks and beds are their own.
func (e *engine) idleSteps(patrol []step) []step {
	steps := []step{{op: opWaitReset}}
	for _, s := range patrol {
		s.end++
		steps = append(steps, s)
	}
	held := func(errands ...op) {
		steps = append(steps, step{op: opLock})
		for _, x := range errands {
			steps = append(steps, step{op: x})
		}
		steps = append(steps, step{op: opUnlock})
	}
	held(opEnterSched)
	steps = append(steps, step{op: opPop})
	if e.stealing != nil {
		held(opRelaxOn)
		steps = append(steps, step{op: opSteal})
		held(opRelaxOff)
	}
	held(opSetSleeping, opLeaveSched, opSimcall)
	return append(steps, step{op: opRetire}, step{op: opWait}, step{op: opRepeat})
}

// chance is a stop at which the worker may have something to do: it returns
// true if that is so.
func (a *actor) tryToPop(s *step) bool {
	r, w := &a.loop, a.worker
	switch s.op {
	case opEnterSched:
		w.engine.enterSchedOp(w)
		if w.status&statusScheduling == 0 {
			return true
		}
	case opPop:
		if len(w.local.tasks) > 0 || !w.engine.probing.NothingToPop(w.id) {
			return true
		}
	case opSteal:
		if !w.engine.stealing.NothingToSteal(w.id) {
			return true
		}
	case opSetSleeping:
		if w.status&statusSleeping == 0 {
			return true
		}
	case opRetire:
		if w.progressed {
			r.at++ // it does not lie down
		}
	case opRepeat:
		w.progressed = false
		r.at = 0
		return false
	}
	r.at++
	return false
}

// letIn is an operation after which others may have the worker's queue.
func (a *actor) broadcastSched(s *step) {
	w := a.worker
	switch s.op {
	case opRelaxOn:
		w.relaxRefcnt++
	case opLeaveSched:
		w.relaxRefcnt, w.schedOpPending = 1, false
	default:
		return
	}
	for len(w.schedCond.waiting) > 0 {
		w.schedCond.signal(a)
	}
}

// idle is what a CPU worker without a task does until it has one, or until it
// has looked for one in a way that is not foreseen.
func (e *engine) runIdleLoop(a *actor, w *worker) {
	w.progressed = false
	steps := w.idleLoop
	for i := a.runSteps(steps, 0); ; i = a.runSteps(steps, i) {
		s := &steps[i]
		i++
		task := int32(none)
		switch s.op {
		case opEnterSched:
			e.setScheduling(a, w)
			continue
		case opSetSleeping:
			e.setSleeping(a, w)
			continue
		case opPop:
			task = e.pop(a, w)
		case opSteal:
			task = e.stealing.Steal(w.id)
		default:
			progressed, noMemory := e.handleRequestStep(a, s, true)
			w.progressed = w.progressed || progressed
			if noMemory {
				i = int(s.end)
			}
			continue
		}
		e.leaveSchedOpAfterPop(a, w, task)
		switch {
		case task != none:
			e.fetchTaskInput(a, w, task)
		case !w.progressed:
			a.waitOn(&w.wait)
		}
		return
	}
}

// endPop ends a worker's looking for a task.
func (e *engine) leaveSchedOpAfterPop(a *actor, w *worker, t int32) {
	a.lock(&w.schedMutex)
	if t != none {
		e.clearSleeping(a, w)
	} else {
		e.setSleeping(a, w)
	}
	e.leaveSchedOp(a, w)
	a.simcalls(1)
	a.unlock(&w.schedMutex)
}
