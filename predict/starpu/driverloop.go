package starpu

// The driver loop of a worker that has tasks (_starpu_cpu_driver_run_once,
// _starpu_cuda_driver_run_once): it resets its waiter, starts and finishes tasks,
// makes requests progress, asks for a task if it drives a device, and waits
// unless something has been done.

// setDriverLoop lays out the driver loop of a worker. Mutexes and waiters are
// the worker's own.
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

// stepTaskEvent stops where a task has its data, or the oldest has ended.
func stepTaskEvent(a *actor, _ *step) stepResult {
	if a.worker.taskEvent() {
		return resumeActor
	}
	a.loop.at++
	return nextStep
}

// stepGetTask is a device worker's visit to its own queue: it stops, with the
// queue locked, where the worker takes another task, and leaves otherwise.
func stepGetTask(a *actor, _ *step) stepResult {
	r, w := &a.loop, a.worker
	if !a.lockAtStep(&w.schedMutex) {
		return yieldActor
	}
	if !r.signalled {
		w.schedOpPending, w.relaxRefcnt = true, 0
		if w.wantsTask() {
			return resumeActor
		}
		w.relaxRefcnt, w.schedOpPending, r.signalled = 1, false, true
		w.schedCond.signalAll(a)
		if !a.k.ready.simcall(a) {
			return yieldActor
		}
	}
	w.schedMutex.handOver(a)
	return a.endStep()
}

// stepSkipWait skips the wait that follows if something has been done.
func stepSkipWait(a *actor, _ *step) stepResult {
	a.loop.at++
	if a.worker.progressed || a.worker.kernelDone() {
		a.loop.at++
	}
	return nextStep
}

// stepRepeat begins the loop again.
func stepRepeat(a *actor, _ *step) stepResult {
	a.worker.progressed = false
	a.loop.at = 0
	return nextStep
}

// runDeviceDriver is the life of a worker that drives a device.
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

// awaitTaskInput returns when the data of a CPU worker's task has arrived.
func (e *engine) awaitTaskInput(a *actor, w *worker) {
	w.progressed = false
	for i := a.runSteps(w.driverLoop, 0); w.driverLoop[i].op != opTaskEvent; i = a.runSteps(w.driverLoop, i) {
		i = e.makeProgress(a, w, i)
	}
}

// makeProgress handles the requests of the i-th step of a worker's driver loop,
// and returns the number of the step that follows.
func (e *engine) makeProgress(a *actor, w *worker, i int) (next int) {
	s := &w.driverLoop[i]
	progressed, noMemory := e.handleRequestStep(a, s, true)
	w.progressed = w.progressed || progressed
	if noMemory {
		return int(s.end)
	}
	return i + 1
}

// taskEvent says that a task has its data, or that the oldest has ended.
func (w *worker) taskEvent() bool {
	return w.transferring != none && w.transferred == w.toTransfer || w.kernelDone()
}

// popLocked asks for a task as drivers of devices do, with the worker's queue
// locked.
func (e *engine) popLocked(a *actor, w *worker) {
	t, awake := e.getMultiWorkerTask(a, w)
	e.leaveSchedOp(a, w)
	a.unlock(&w.schedMutex)
	w.progressed = w.progressed || awake || t != none
	if t != none {
		e.fetchTaskInput(a, w, t)
	}
}
