package starpu

// deviceDriverRunOnce is one iteration of the driver loop of a worker that
// drives a device and asks for tasks as CPU workers do
// (_starpu_opencl_driver_run_once).
func (e *engine) deviceDriverRunOnce(a *actor, w *worker) {
	a.waitReset(&w.wait)
	e.startTransferredTask(a, w)
	e.finishCompletedTask(a, w)
	progressed := e.datawizardProgress(a, true)
	task := e.getWorkerTask(a, w)
	if !progressed && task == none && !w.kernelDone() {
		a.waitOn(&w.wait)
	}
	if task != none {
		w.add(task)
		e.fetchTaskInput(a, w, task)
	}
}

// kernelDone says that the kernel of the oldest task has ended. Where two end
// within an iteration, nothing would wake the worker for the second; StarPU's
// simulation stops there.
func (w *worker) kernelDone() bool {
	return w.count > 0 && w.oldest() != w.transferring && w.finished[w.first]
}

// startTransferredTask runs the task whose data has arrived.
func (e *engine) startTransferredTask(a *actor, w *worker) {
	t := w.transferring
	if t == none || w.transferred != w.toTransfer {
		return
	}
	e.fetchTaskInputTail(a, w, t)
	w.transferring = none
	if w.count > 1 && e.g.Classes[e.g.Class[t]].Blocking {
		w.pipelineStuck = true
		return
	}
	e.executeOnDevice(a, w, t)
}

// finishCompletedTask ends the oldest task if its kernel has ended.
func (e *engine) finishCompletedTask(a *actor, w *worker) {
	if !w.kernelDone() {
		return
	}
	e.finishOldest(a, w)
	if w.count == 0 || w.oldest() == w.transferring {
		return
	}
	if t := w.oldest(); e.g.Classes[e.g.Class[t]].Blocking {
		e.executeOnDevice(a, w, t)
		w.pipelineStuck = false
	} else {
		e.startJob(a, w, t)
	}
}

func (w *worker) oldest() int32 { return w.current[w.first] }

// wantsTask says that the worker takes another task.
func (w *worker) wantsTask() bool {
	return !(w.full() || w.pipeline == 0 && w.count > 0) && w.transferring == none
}

// getMultiWorkerTask asks for a task, and says whether the worker is to stay
// awake (_starpu_get_multi_worker_task).
func (e *engine) getMultiWorkerTask(a *actor, w *worker) (int32, bool) {
	e.setScheduling(a, w)
	a.unlock(&w.schedMutex)
	t := e.pop(a, w)
	a.lock(&w.schedMutex)
	awake := w.keepAwake
	w.keepAwake = false
	if t == none && !awake {
		e.setSleeping(a, w)
		a.simcalls(1)
		return none, false
	}
	e.clearSleeping(a, w)
	a.simcalls(1)
	if t != none {
		w.add(t)
	}
	return t, true
}

// add appends a task to those that the worker has.
func (w *worker) add(t int32) {
	w.current[(w.first+w.count)%MaxPipeline] = t
	w.count++
}

// executeOnDevice queues the kernel of a task, or runs it if it blocks
// (execute_job_on_cuda, _starpu_simgrid_submit_job).
func (e *engine) executeOnDevice(a *actor, w *worker, t int32) {
	slot := (w.first + w.count - 1) % MaxPipeline
	if w.count == 1 {
		e.startJob(a, w, t)
	}
	e.readModel(a, t)
	d := e.duration(t, w.kind)
	if e.g.Classes[e.g.Class[t]].Blocking {
		e.waitTasks(a, w)
		a.computeOn(&w.core, d)
		e.finishOldest(a, w)
		return
	}
	w.finished[slot] = false
	a.pause(e.costs.queue)
	w.queued = append(w.queued, deviceKernel{slot, d})
	a.post(&w.kernels)
	if w.pipeline == 0 {
		e.waitTasks(a, w)
		e.finishOldest(a, w)
	}
}

// waitTasks waits for the kernel that was queued last, unless it runs already:
// StarPU's simulation forgets a kernel when it begins
// (_starpu_simgrid_wait_tasks). So without a pipeline, a task whose kernel
// finds the device idle has ended for the runtime as soon as it is queued, and
// a blocking kernel may share the device with another.
func (e *engine) waitTasks(a *actor, w *worker) {
	if n := len(w.queued); n == 0 || n == 1 && w.running {
		return
	}
	last := w.queued[len(w.queued)-1].slot
	b := &waiter{}
	a.simcalls(2)
	w.waitQueue.add(b)
	for {
		a.waitReset(b)
		if w.finished[last] {
			break
		}
		a.waitOn(b)
	}
	w.waitQueue.remove(b)
	a.simcalls(2)
}

func (e *engine) finishOldest(a *actor, w *worker) {
	t := w.oldest()
	w.first = (w.first + 1) % MaxPipeline
	w.count--
	e.finishJob(a, w, t)
}

// runKernelQueue is the actor of a device: it runs kernels one after the other
// (task_execute).
func (e *engine) runKernelQueue(a *actor, w *worker) {
	for {
		a.acquire(&w.kernels)
		k := w.queued[0]
		w.running = true
		a.computeOn(&w.core, k.duration)
		w.running = false
		w.queued = w.queued[:copy(w.queued, w.queued[1:])]
		w.finished[k.slot] = true
		e.lockSched(a, w)
		e.wakeLocked(a, w)
		a.unlock(&w.schedMutex)
	}
}
