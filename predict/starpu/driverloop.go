package starpu

// What a worker does over and over while its tasks go on: it makes its bed,
// begins and ends tasks, looks after requests, asks for a task if it drives a
// device, and sleeps unless something has been done. The kernel walks such
// turns, operation by operation, as it does patrols.

// setTurn lays out a worker's turn: locks and beds are its own.
func (e *engine) setDriverLoop(w *worker) {
	steps := []step{{op: opWaitReset}, {op: opTaskEvent}}
	for _, s := range w.progressLoop {
		s.end += 2
		steps = append(steps, s)
	}
	if w.device {
		steps = append(steps, step{op: opGetTask})
	}
	steps = append(steps, step{op: opSkipWait}, step{op: opWait})
	w.driverLoop = append(steps, step{op: opRepeat})
}

// driveDevice is the life of a worker that drives a device.
func (e *engine) runDeviceDriver(a *actor, w *worker) {
	for i := 0; ; {
		i = a.runSteps(w.driverLoop, i)
		switch w.driverLoop[i].op {
		case opTaskEvent:
			e.startTransferredTask(a, w)
			e.finishCompletedTask(a, w)
			i++
		case opGetTask:
			e.popLocked(a, w)
			i++
		default:
			i = e.makeProgress(a, w, i)
		}
	}
}

// awaitData lasts until the data of a CPU worker's task has come.
func (e *engine) awaitTaskInput(a *actor, w *worker) {
	w.progressed = false
	for i := a.runSteps(w.driverLoop, 0); w.driverLoop[i].op != opTaskEvent; i = a.runSteps(w.driverLoop, i) {
		i = e.makeProgress(a, w, i)
	}
}

// attend sees to requests at a stop of a worker's turn, and says which is next.
func (e *engine) makeProgress(a *actor, w *worker, i int) (next int) {
	s := &w.driverLoop[i]
	progressed, noMemory := e.handleRequestStep(a, s, true)
	w.progressed = w.progressed || progressed
	if noMemory {
		return int(s.end)
	}
	return i + 1
}

// due says that a task has its data, or that the oldest is over.
func (w *worker) taskEvent() bool {
	return w.transferring != none && w.transferred == w.toTransfer || w.kernelDone()
}

// popHeld asks for a task as drivers of devices do: the worker has its queue.
func (e *engine) popLocked(a *actor, w *worker) {
	t, awake := e.getMultiWorkerTask(a, w)
	e.leaveSchedOp(a, w)
	a.unlock(&w.schedMutex)
	w.progressed = w.progressed || awake || t != none
	if t != none {
		e.fetchTaskInput(a, w, t)
	}
}

// takeQueue is the visit of a driver to its own queue, which it holds: either it
// asks for a task, or it leaves. turn says whether it still is its turn.
func (a *actor) getTask(w *worker) (asks, turn bool) {
	r := &a.loop
	if !r.signalled {
		w.schedOpPending, w.relaxRefcnt = true, 0
		if w.wantsTask() {
			return true, true
		}
		w.relaxRefcnt, w.schedOpPending, r.signalled = 1, false, true
		for len(w.schedCond.waiting) > 0 {
			w.schedCond.signal(a)
		}
		if !a.k.ready.simcall(a) {
			return false, false
		}
	}
	w.schedMutex.handOver(a)
	return false, a.endStep()
}
