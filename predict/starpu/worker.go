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
	id       int32
	memory   int32
	kind     int32 // type
	device   bool
	single   bool // asks for tasks as CPU workers do
	pipeline int
	drives   []int32 // memories that it looks after
	patrol   []stop  // along them
	turn     []stop  // while its tasks go on
	idling   []stop  // a turn of a CPU worker that has no task, nil if it is not foreseen
	some     bool    // such a turn has found requests
	actor    *actor
	engine   *engine

	guard      mutex // of its queue
	changed    condition
	relaxed    int  // others may hold its queue though it schedules
	scheduling bool // pushes or pops
	status     status
	keepAwake  bool
	bed        bed
	bell       bell // rung when there is something to run

	fetching   int32 // task whose data it waits for
	have, want int   // pieces of it
	current    [MostPipeline]int32
	finished   [MostPipeline]bool
	first      int // oldest of these
	count      int
	stuck      bool // a blocking kernel waits until the others are over
	local      localQueue

	kernels semaphore // queued on the device
	queued  []deviceKernel
	running bool // the first of them has begun
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
		w := &worker{engine: e, id: int32(i), memory: x.Memory, kind: x.Type, device: x.Arch != platform.CPU, relaxed: 1, fetching: none}
		if w.device {
			w.pipeline, w.single = e.o.Pipeline, x.Arch == platform.OpenCL
		}
		e.workers = append(e.workers, w)
		e.memories[w.memory].workers++
		w.bell.add(&w.bed)
		e.drive(w, 0)
		if w.device {
			e.drive(w, w.memory)
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

func (e *engine) drive(w *worker, m int32) {
	w.drives = append(w.drives, m)
	e.memories[m].drivers = append(e.memories[m].drivers, w)
	e.memories[m].bell.add(&w.bed)
}

func (e *engine) driveDisks(w *worker) {
	for i, m := range e.m.Memories {
		if m.Kind == platform.Disk {
			e.drive(w, int32(i))
		}
	}
}

// launch starts a worker.
func (e *engine) launch(w *worker) {
	w.actor = e.spawn(e.m.Workers[w.id].Name, func(a *actor) {
		if w.device {
			a.step(deviceStart)
		} else {
			a.step(cpuStart)
		}
		for {
			switch {
			case !w.device:
				e.cpuTurn(a, w)
			case w.single:
				e.deviceTurn(a, w)
			default:
				e.driveDevice(a, w)
			}
		}
	})
	w.actor.worker = w
}

// setStatus and clearStatus change what a worker is seen to do.
func (e *engine) setStatus(a *actor, w *worker, s status) {
	if a.free(&w.guard) {
		w.status |= s
		a.skip(4)
		return
	}
	a.lock(&w.guard)
	a.step(2)
	w.status |= s
	a.unlock(&w.guard)
}

func (e *engine) clearStatus(a *actor, w *worker, s status) {
	if a.free(&w.guard) {
		w.status &^= s
		a.skip(4)
		return
	}
	a.lock(&w.guard)
	a.step(2)
	w.status &^= s
	a.unlock(&w.guard)
}

// enter and leave bracket what a worker does with the queues of the policy.
func (e *engine) enter(w *worker) {
	w.scheduling = true
	w.relaxed = 0
}

func (e *engine) leave(a *actor, w *worker) {
	w.relaxed = 1
	w.scheduling = false
	a.broadcast(&w.changed)
}

// cpuTurn is one turn of a CPU worker.
func (e *engine) cpuTurn(a *actor, w *worker) {
	if w.idling != nil && w.fetching == none {
		e.idle(a, w)
		return
	}
	if w.fetching != none {
		e.awaitData(a, w)
		t := w.fetching
		e.fetched(a, w, t)
		w.fetching = none
		e.execute(a, w, t)
		return
	}
	a.makeBed(&w.bed)
	some := e.progress(a, true)
	task := e.popOne(a, w)
	if !some && task == none {
		a.lie(&w.bed)
	}
	if task != none {
		e.fetch(a, w, task)
	}
}

// popOne asks the policy for a task, unless the worker has as many as it takes.
func (e *engine) popOne(a *actor, w *worker) int32 {
	a.lock(&w.guard)
	e.enter(w)
	e.beginScheduling(a, w)
	t := int32(none)
	if !w.full() && w.fetching == none {
		a.unlock(&w.guard)
		t = e.pop(a, w)
		a.lock(&w.guard)
	}
	if t != none {
		e.endScheduling(a, w)
	} else {
		e.fallAsleep(a, w)
	}
	e.leave(a, w)
	a.step(1)
	a.unlock(&w.guard)
	return t
}

// full says that the worker has as many tasks as its pipeline takes.
func (w *worker) full() bool {
	return w.pipeline > 0 && (w.count == w.pipeline || w.stuck)
}

func (e *engine) beginScheduling(a *actor, w *worker) {
	if w.status&statusScheduling == 0 {
		a.step(2)
		w.status |= statusScheduling
		e.log.state(e, w, stateScheduling)
	}
}

func (e *engine) endScheduling(a *actor, w *worker) {
	a.step(2)
	w.status &^= statusScheduling
	if w.status&statusSleeping != 0 {
		a.step(2)
		w.status &^= statusSleeping
	}
}

func (e *engine) fallAsleep(a *actor, w *worker) {
	if w.status&statusSleeping == 0 {
		a.step(2)
		w.status |= statusSleeping
		e.log.state(e, w, stateSleeping)
	}
}

// pop asks for a task: of the worker's own first, then of the policy.
func (e *engine) pop(a *actor, w *worker) int32 {
	if t := w.local.pop(); t != none {
		e.mind.Pop(t, w.id, e.mind.Own(w.id), 0)
		return t
	}
	return e.policy.Pop(w.id)
}

// fetch asks for the data of a task.
func (e *engine) fetch(a *actor, w *worker, t int32) {
	w.fetching, w.have, w.want = t, 0, -1
	e.log.popped(e, w, t)
	want := 0
	accesses := e.accesses(t)
	for i, x := range accesses {
		if e.again(accesses, i) {
			continue
		}
		if e.scratch(x) {
			want++
			e.call(a, callback{worker: w})
		} else {
			want++
			e.ask(a, asking{handle: e.g.Handle[x], to: w.memory, mode: e.g.Mode[x], level: demand, priority: e.priority(t), task: t, worker: w})
		}
		a.pause(e.costs.fetch)
	}
	e.setStatus(a, w, statusWaiting)
	w.want = want
}

// execute runs a task on a CPU.
func (e *engine) execute(a *actor, w *worker, t int32) {
	e.begun(a, w, t)
	e.consult(a, t)
	a.compute(e.duration(t, w.kind))
	e.ended(a, w, t)
}

// begun notes that a task executes.
func (e *engine) begun(a *actor, w *worker, t int32) {
	if e.starting != nil {
		e.starting.Started(t, w.id)
	}
	e.setStatus(a, w, statusExecuting)
	e.log.began(e, w, t)
	e.touchContexts(a)
}

func (e *engine) touchContexts(a *actor) { a.touch(&e.contexts) }

// consult looks the duration of a task up.
func (e *engine) consult(a *actor, t int32) {
	class := &e.classes[e.g.Class[t]]
	if e.consulted[t] {
		a.touchAll(&e.models, class)
		return
	}
	e.consulted[t] = true
	a.touchAll(&e.models, &e.models, class)
}

// ended is the end of a task on its worker: its data is released, and its
// successors are pushed.
func (e *engine) ended(a *actor, w *worker, t int32) {
	e.log.finished(e, w, t)
	a.touch(&e.models)
	e.clearStatus(a, w, statusExecuting)
	a.touch(&e.models)
	a.step(2)
	e.releaseData(a, w, t)
	e.terminate(a, t)
}

func (e *engine) releaseData(a *actor, w *worker, t int32) {
	accesses := e.accesses(t)
	for i, x := range accesses {
		if e.again(accesses, i) || e.scratch(x) {
			continue
		}
		h := e.g.Handle[x]
		a.brush(&e.handles[h].header)
		e.takeHeader(a, h, true)
		e.copyOf(h, w.memory).leave()
		e.letGo(a, h)
	}
}
