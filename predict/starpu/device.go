package starpu

// deviceTurn is one turn of a worker that drives a device and asks for tasks as
// CPU workers do.
func (e *engine) deviceTurn(a *actor, w *worker) {
	a.makeBed(&w.bed)
	e.beginFetched(a, w)
	e.endFinished(a, w)
	some := e.progress(a, true)
	task := e.popOne(a, w)
	if !some && task == none && !w.over() {
		a.lie(&w.bed)
	}
	if task != none {
		w.add(task)
		e.fetch(a, w, task)
	}
}

// over says that the kernel of the oldest task has ended. Where two end within
// a turn, nothing would wake the worker for the second; StarPU's simulation
// stops there.
func (w *worker) over() bool {
	return w.count > 0 && w.oldest() != w.fetching && w.finished[w.first]
}

// beginFetched executes the task whose data has come.
func (e *engine) beginFetched(a *actor, w *worker) {
	t := w.fetching
	if t == none || w.have != w.want {
		return
	}
	e.fetched(a, w, t)
	w.fetching = none
	if w.count > 1 && e.g.Classes[e.g.Class[t]].Blocking {
		w.stuck = true
		return
	}
	e.executeOnDevice(a, w, t)
}

// endFinished ends the oldest task if its kernel is over.
func (e *engine) endFinished(a *actor, w *worker) {
	if !w.over() {
		return
	}
	e.endOldest(a, w)
	if w.count == 0 || w.oldest() == w.fetching {
		return
	}
	if t := w.oldest(); e.g.Classes[e.g.Class[t]].Blocking {
		e.executeOnDevice(a, w, t)
		w.stuck = false
	} else {
		e.begun(a, w, t)
	}
}

func (w *worker) oldest() int32 { return w.current[w.first] }

// asks says that the worker takes another task.
func (w *worker) asks() bool {
	return !(w.full() || w.pipeline == 0 && w.count > 0) && w.fetching == none
}

// popForDevice asks for a task. It says whether the worker has been told to
// stay awake.
func (e *engine) popForDevice(a *actor, w *worker) (int32, bool) {
	e.beginScheduling(a, w)
	a.unlock(&w.guard)
	t := e.pop(a, w)
	a.lock(&w.guard)
	awake := w.keepAwake
	w.keepAwake = false
	if t == none && !awake {
		e.fallAsleep(a, w)
		a.step(1)
		return none, false
	}
	e.endScheduling(a, w)
	a.step(1)
	if t != none {
		w.add(t)
	}
	return t, true
}

// add puts a task behind those that the worker has.
func (w *worker) add(t int32) {
	w.current[(w.first+w.count)%MostPipeline] = t
	w.count++
}

// executeOnDevice queues the kernel of a task, or runs it if it blocks.
func (e *engine) executeOnDevice(a *actor, w *worker, t int32) {
	slot := (w.first + w.count - 1) % MostPipeline
	if w.count == 1 {
		e.begun(a, w, t)
	}
	e.consult(a, t)
	d := e.duration(t, w.kind)
	if e.g.Classes[e.g.Class[t]].Blocking {
		e.awaitKernels(a, w)
		a.computeOn(&w.core, d)
		e.endOldest(a, w)
		return
	}
	w.finished[slot] = false
	a.pause(e.costs.queue)
	w.queued = append(w.queued, deviceKernel{slot, d})
	a.post(&w.kernels)
	if w.pipeline == 0 {
		e.awaitKernels(a, w)
		e.endOldest(a, w)
	}
}

// awaitKernels waits for the kernel that was queued last, unless it has begun:
// StarPU's simulation forgets a kernel when it begins. So without a pipeline, a
// task whose kernel finds the device idle is over for the runtime as soon as it
// is queued, and a blocking kernel may share the device with another.
func (e *engine) awaitKernels(a *actor, w *worker) {
	if n := len(w.queued); n == 0 || n == 1 && w.running {
		return
	}
	last := w.queued[len(w.queued)-1].slot
	b := &bed{}
	a.step(2)
	w.bell.add(b)
	for {
		a.makeBed(b)
		if w.finished[last] {
			break
		}
		a.lie(b)
	}
	w.bell.remove(b)
	a.step(2)
}

func (e *engine) endOldest(a *actor, w *worker) {
	t := w.oldest()
	w.first = (w.first + 1) % MostPipeline
	w.count--
	e.ended(a, w, t)
}

// runKernels is the life of a device: kernels one after the other.
func (e *engine) runKernels(a *actor, w *worker) {
	for {
		a.acquire(&w.kernels)
		k := w.queued[0]
		w.running = true
		a.computeOn(&w.core, k.duration)
		w.running = false
		w.queued = w.queued[:copy(w.queued, w.queued[1:])]
		w.finished[k.slot] = true
		e.lockWorker(a, w)
		e.wakeLocked(a, w)
		a.unlock(&w.guard)
	}
}
