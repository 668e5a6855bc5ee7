package starpu

// A CPU worker without a task looks for requests and for tasks each time it is
// woken, mostly in vain. Where the policy says in advance that there is no task
// (Probing), the kernel runs the whole loop, simcall by simcall as the worker
// would: see cpuDriverRunOnce, getWorkerTask and what a policy's Pop does before
// it returns no task.

// setIdleLoops lays out the loops of workers without tasks.
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

// idleSteps are the loop of workers with the given progress loop: mutexes and
// waiters are the worker's own.
func (e *engine) idleSteps(progress []step) []step {
	steps := []step{{op: opWaitReset}}
	for _, s := range progress {
		s.end++
		steps = append(steps, s)
	}
	locked := func(ops ...op) {
		steps = append(steps, step{op: opLock})
		for _, x := range ops {
			steps = append(steps, step{op: x})
		}
		steps = append(steps, step{op: opUnlock})
	}
	locked(opEnterSched)
	steps = append(steps, step{op: opPop})
	if e.stealing != nil {
		locked(opRelaxOn)
		steps = append(steps, step{op: opSteal})
		locked(opRelaxOff)
	}
	locked(opSetSleeping, opLeaveSched, opSimcall)
	return append(steps, step{op: opSkipWait}, step{op: opWait}, step{op: opRepeat})
}

// goOnUnless ends a step that takes no simcall, unless the worker itself has
// something to do there.
func (a *actor) goOnUnless(own bool) stepResult {
	if own {
		return resumeActor
	}
	a.loop.at++
	return nextStep
}

// stepEnterSched begins the search for a task. It stops where the worker's
// status changes.
func stepEnterSched(a *actor, _ *step) stepResult {
	w := a.worker
	w.engine.enterSchedOp(w)
	return a.goOnUnless(w.status&statusScheduling == 0)
}

// stepPop stops where Pop might have a task.
func stepPop(a *actor, _ *step) stepResult {
	w := a.worker
	return a.goOnUnless(len(w.local.tasks) > 0 || !w.engine.probing.NothingToPop(w.id))
}

// stepSteal stops where Steal might have a task.
func stepSteal(a *actor, _ *step) stepResult {
	w := a.worker
	return a.goOnUnless(!w.engine.stealing.NothingToSteal(w.id))
}

// stepSetSleeping stops where the worker's status changes.
func stepSetSleeping(a *actor, _ *step) stepResult {
	return a.goOnUnless(a.worker.status&statusSleeping == 0)
}

// stepRelaxOn lets others lock the worker's queue, and wakes those that wait for
// that.
func stepRelaxOn(a *actor, _ *step) stepResult {
	a.worker.relaxRefcnt++
	a.worker.schedCond.signalAll(a)
	return a.endStep()
}

// stepRelaxOff ends that.
func stepRelaxOff(a *actor, _ *step) stepResult {
	a.worker.relaxRefcnt--
	a.loop.at++
	return nextStep
}

// stepLeaveSched ends the search for a task.
func stepLeaveSched(a *actor, _ *step) stepResult {
	w := a.worker
	w.relaxRefcnt, w.schedOpPending = 1, false
	w.schedCond.signalAll(a)
	return a.endStep()
}

// runIdleLoop is what a CPU worker without a task does until it has one, or
// until it has looked for one in a way that the policy could not foresee.
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

// leaveSchedOpAfterPop ends a worker's search for a task.
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
