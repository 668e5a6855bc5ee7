package starpu

import (
	"dagscope/predict/platform"
)

// status of a worker, as others see it.
type status uint8

const (
	statusScheduling status = 1 << iota
	statusSleeping
	statusExecuting
	statusWaiting
	statusCallback
)

// worker runs tasks, one at a time on a CPU, several in a row on a device.
type worker struct {
	id           int32
	memory       int32
	kind         int32 // type
	device       bool
	single       bool // asks for tasks as CPU workers do (OpenCL)
	pipeline     int
	memoryNodes  []int32 // that it drives (_starpu_worker_drives_memory)
	progressLoop []step  // on them
	driverLoop   []step  // while it has tasks
	idleLoop     []step  // of a CPU worker without a task, nil without Probing
	progressed   bool    // the loop has handled requests
	actor        *actor
	engine       *engine

	schedMutex     mutex // of its queue (sched_mutex)
	schedCond      condition
	relaxRefcnt    int  // > 0: others may lock its queue (state_relax_refcnt)
	schedOpPending bool // it pushes or pops
	status         status
	keepAwake      bool
	wait           waiter
	waitQueue      waitQueue // broadcast when there is something to run

	transferring            int32 // task whose data it waits for (task_transferring)
	transferred, toTransfer int   // nb_buffers_transferred, nb_buffers_totransfer
	current                 [MaxPipeline]int32
	finished                [MaxPipeline]bool
	first                   int // oldest of these
	count                   int
	pipelineStuck           bool // a blocking kernel waits until the others have ended (pipeline_stuck)
	local                   localQueue

	kernels semaphore // queued on the device
	queued  []deviceKernel
	running bool // the first of them
	core    core
}

// deviceKernel is a kernel on a device.
type deviceKernel struct {
	slot     int
	duration float64
}

func (e *engine) setWorkers() {
	cpus := 0
	for _, w := range e.m.Workers {
		if w.Arch == platform.CPU {
			cpus++
		}
	}
	for i, x := range e.m.Workers {
		w := &worker{engine: e, id: int32(i), memory: x.Memory, kind: x.Type, device: x.Arch != platform.CPU, relaxRefcnt: 1, transferring: none}
		if w.device {
			w.pipeline, w.single = e.o.Pipeline, x.Arch == platform.OpenCL
		}
		e.workers = append(e.workers, w)
		e.memories[w.memory].workers++
		w.wait.worker = w
		w.waitQueue.add(&w.wait)
		e.driveMemory(w, 0)
		if w.device {
			e.driveMemory(w, w.memory)
		} else {
			e.driveDisks(w)
		}
		if x.Arch == platform.CUDA {
			e.log.cuda = true
		}
	}
	e.log.devices = e.countDevices()
	if cpus == 0 && len(e.workers) > 0 {
		for _, w := range e.workers {
			e.driveDisks(w)
		}
	}
}

// countDevices counts the devices that workers drive.
func (e *engine) countDevices() int {
	seen := map[int32]bool{}
	for _, w := range e.workers {
		if w.device {
			seen[w.memory] = true
		}
	}
	return len(seen)
}

func (e *engine) driveMemory(w *worker, m int32) {
	w.memoryNodes = append(w.memoryNodes, m)
	e.memories[m].drivers = append(e.memories[m].drivers, w)
	e.memories[m].waitQueue.add(&w.wait)
}

func (e *engine) driveDisks(w *worker) {
	for i, m := range e.m.Memories {
		if m.Kind == platform.Disk {
			e.driveMemory(w, int32(i))
		}
	}
}

// launch starts a worker.
func (e *engine) launch(w *worker) {
	w.actor = e.spawn(e.m.Workers[w.id].Name, func(a *actor) {
		if w.device {
			a.simcalls(deviceStart)
		} else {
			a.simcalls(cpuStart)
		}
		for {
			switch {
			case !w.device:
				e.cpuDriverRunOnce(a, w)
			case w.single:
				e.deviceDriverRunOnce(a, w)
			default:
				e.runDeviceDriver(a, w)
			}
		}
	})
	w.actor.worker = w
}

// setStatus and clearStatus change the status of a worker
// (_starpu_add_worker_status, _starpu_clear_worker_status).
func (e *engine) setStatus(a *actor, w *worker, s status) {
	if a.uncontended(&w.schedMutex) {
		w.status |= s
		a.countSimcalls(4)
		return
	}
	a.lock(&w.schedMutex)
	a.simcalls(2)
	w.status |= s
	a.unlock(&w.schedMutex)
}

func (e *engine) clearStatus(a *actor, w *worker, s status) {
	if a.uncontended(&w.schedMutex) {
		w.status &^= s
		a.countSimcalls(4)
		return
	}
	a.lock(&w.schedMutex)
	a.simcalls(2)
	w.status &^= s
	a.unlock(&w.schedMutex)
}

// enterSchedOp and leaveSchedOp bracket what a worker does with the queues of
// the policy (_starpu_worker_enter_sched_op, _starpu_worker_leave_sched_op).
// The worker's queue is locked.
func (e *engine) enterSchedOp(w *worker) {
	w.schedOpPending = true
	w.relaxRefcnt = 0
}

func (e *engine) leaveSchedOp(a *actor, w *worker) {
	w.relaxRefcnt = 1
	w.schedOpPending = false
	a.broadcast(&w.schedCond)
}

// cpuDriverRunOnce is one iteration of a CPU worker's driver loop
// (_starpu_cpu_driver_run_once).
func (e *engine) cpuDriverRunOnce(a *actor, w *worker) {
	if w.idleLoop != nil && w.transferring == none {
		e.runIdleLoop(a, w)
		return
	}
	if w.transferring != none {
		e.awaitTaskInput(a, w)
		t := w.transferring
		e.fetchTaskInputTail(a, w, t)
		w.transferring = none
		e.execute(a, w, t)
		return
	}
	a.waitReset(&w.wait)
	progressed := e.datawizardProgress(a, true)
	task := e.getWorkerTask(a, w)
	if !progressed && task == none {
		a.waitOn(&w.wait)
	}
	if task != none {
		e.fetchTaskInput(a, w, task)
	}
}

// getWorkerTask asks for a task, unless the worker has as many as its pipeline
// takes (_starpu_get_worker_task).
func (e *engine) getWorkerTask(a *actor, w *worker) int32 {
	a.lock(&w.schedMutex)
	e.enterSchedOp(w)
	e.setScheduling(a, w)
	t := int32(none)
	if !w.full() && w.transferring == none {
		a.unlock(&w.schedMutex)
		t = e.pop(a, w)
		a.lock(&w.schedMutex)
	}
	if t != none {
		e.clearSleeping(a, w)
	} else {
		e.setSleeping(a, w)
	}
	e.leaveSchedOp(a, w)
	a.simcalls(1)
	a.unlock(&w.schedMutex)
	return t
}

// full says that the worker has as many tasks as its pipeline takes.
func (w *worker) full() bool {
	return w.pipeline > 0 && (w.count == w.pipeline || w.pipelineStuck)
}

// setScheduling, clearSleeping and setSleeping change the status of a worker
// whose queue is locked (_starpu_worker_set_status_scheduling,
// _starpu_worker_set_status_scheduling_done,
// _starpu_worker_set_status_sleeping).
func (e *engine) setScheduling(a *actor, w *worker) {
	if w.status&statusScheduling == 0 {
		a.simcalls(2)
		w.status |= statusScheduling
		e.log.state(e, w, stateScheduling)
	}
}

func (e *engine) clearSleeping(a *actor, w *worker) {
	a.simcalls(2)
	w.status &^= statusScheduling
	if w.status&statusSleeping != 0 {
		a.simcalls(2)
		w.status &^= statusSleeping
	}
}

func (e *engine) setSleeping(a *actor, w *worker) {
	if w.status&statusSleeping == 0 {
		a.simcalls(2)
		w.status |= statusSleeping
		e.log.state(e, w, stateSleeping)
	}
}

// pop takes a task: from the worker's own queue first, then from the policy
// (_starpu_pop_task).
func (e *engine) pop(a *actor, w *worker) int32 {
	if t := w.local.pop(); t != none {
		e.decisions.Pop(t, w.id, e.decisions.WorkerQueue(w.id), 0)
		return t
	}
	return e.policy.Pop(w.id)
}

// fetchTaskInput requests the data of a task (_starpu_fetch_task_input).
func (e *engine) fetchTaskInput(a *actor, w *worker, t int32) {
	w.transferring, w.transferred, w.toTransfer = t, 0, -1
	e.log.popped(e, w, t)
	want := 0
	accesses := e.accesses(t)
	for i := range accesses {
		x := &accesses[i]
		if x.repeated() {
			continue
		}
		if x.scratch() {
			want++
			e.runCallback(a, callback{worker: w})
		} else {
			want++
			e.fetchOnNode(a, fetchArgs{handle: x.handle(), to: w.memory, mode: x.mode(), level: fetchLevel, priority: e.priority(t), task: t, worker: w})
		}
		a.pause(e.costs.fetch)
	}
	e.setStatus(a, w, statusWaiting)
	w.toTransfer = want
}

// execute runs a task on a CPU (execute_job_on_cpu).
func (e *engine) execute(a *actor, w *worker, t int32) {
	e.startJob(a, w, t)
	e.readModel(a, t)
	a.compute(e.duration(t, w.kind))
	e.finishJob(a, w, t)
}

// startJob marks a task as executing (_starpu_driver_start_job).
func (e *engine) startJob(a *actor, w *worker, t int32) {
	if e.starting != nil {
		e.starting.Started(t, w.id)
	}
	e.setStatus(a, w, statusExecuting)
	e.log.began(e, w, t)
	e.lockUnlockContexts(a)
}

func (e *engine) lockUnlockContexts(a *actor) { a.lockUnlock(&e.contextMutex) }

// readModel counts what reading the performance model of a task costs.
func (e *engine) readModel(a *actor, t int32) {
	class := &e.classMutexes[e.jobs[t].class]
	if e.jobs[t].modelRead {
		a.lockUnlockAll(&e.modelMutex, class)
		return
	}
	e.jobs[t].modelRead = true
	a.lockUnlockAll(&e.modelMutex, &e.modelMutex, class)
}

// finishJob ends a task on its worker: its data is released, and its successors
// are pushed (_starpu_driver_end_job, _starpu_handle_job_termination).
func (e *engine) finishJob(a *actor, w *worker, t int32) {
	e.log.finished(e, w, t)
	a.lockUnlock(&e.modelMutex)
	e.clearStatus(a, w, statusExecuting)
	a.lockUnlock(&e.modelMutex)
	a.simcalls(2)
	e.pushTaskOutput(a, w, t)
	e.handleJobTermination(a, t)
}

// pushTaskOutput releases the data of a task (_starpu_push_task_output).
func (e *engine) pushTaskOutput(a *actor, w *worker, t int32) {
	accesses := e.accesses(t)
	for i := range accesses {
		x := &accesses[i]
		if x.repeated() || x.scratch() {
			continue
		}
		h := x.handle()
		a.spinLockUnlock(&e.handles[h].header)
		e.lockHeader(a, h, true)
		e.replicaOf(h, w.memory).unref()
		e.notifyDataDeps(a, h)
	}
}
