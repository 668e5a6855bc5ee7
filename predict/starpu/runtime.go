package starpu

import (
	"math"

	"dagscope/predict/workload"
)

// The engine as a policy sees it.

func (e *engine) actor() *actor { return e.current }

// Now is the time in µs.
func (e *engine) Now() float64 { return e.now * 1e6 }

// Workers is their number.
func (e *engine) Workers() int { return len(e.workers) }

// Self is the worker that pushes or pops, -1 for the program.
func (e *engine) Self() int32 {
	if w := e.actor().worker; w != nil {
		return w.id
	}
	return none
}

// Memory is the memory of a worker.
func (e *engine) Memory(worker int32) int32 { return e.workers[worker].memory }

// Speed is the relative speed of a worker.
func (e *engine) Speed(worker int32) float64 { return e.m.Workers[worker].Speed }

// Kind is the type of a worker.
func (e *engine) Kind(worker int32) int32 { return e.workers[worker].kind }

// Device says that a worker drives a device.
func (e *engine) Device(worker int32) bool { return e.workers[worker].device }

// Can says whether a worker may run a task.
func (e *engine) Can(task, worker int32) bool { return e.length(task, e.workers[worker].kind) > 0 }

// Length is how long a task takes on a worker, in µs.
func (e *engine) Length(task, worker int32) float64 {
	d := e.length(task, e.workers[worker].kind)
	if d <= 0 {
		return math.NaN()
	}
	return d
}

// Penalty predicts the transfers of a task's data to a worker, in µs.
func (e *engine) Penalty(task, worker int32) float64 {
	g, to, sum := e.g, e.workers[worker].memory, 0.0
	for x := g.AccessAt[task]; x < g.AccessAt[task+1]; x++ {
		if g.Mode[x]&workload.Read == 0 || e.comes(g.Handle[x], to) {
			continue
		}
		sum += e.penalty(g.Handle[x], to)
	}
	return sum
}

// comes says that a replica is valid or requested.
func (e *engine) comes(h, to int32) bool {
	if e.replicaOf(h, to).state != invalid {
		return true
	}
	for r := e.handles[h].requests; r != nil; r = r.nextOfHandle {
		if r.to == to {
			return true
		}
	}
	return false
}

func (e *engine) penalty(h, to int32) float64 {
	bytes := e.handles[h].bytes
	if bytes == 0 {
		return 0
	}
	e.current.spinLockUnlock(&e.handles[h].header)
	from := e.selectSource(h, to)
	if from == none || from == to {
		return 0
	}
	sum := 0.0
	for _, p := range e.requestPath(from, to) {
		sum += e.predict(p.from, p.to, bytes)
	}
	return sum
}

// Missing is how much of a task's data is not valid, not under way and not
// allocated in a worker's memory.
func (e *engine) Missing(task, worker int32) (absent, waiting, unallocated int64) {
	g, to := e.g, e.workers[worker].memory
	for x := g.AccessAt[task]; x < g.AccessAt[task+1]; x++ {
		if e.scratch(x) {
			continue
		}
		r, bytes := e.replicaOf(g.Handle[x], to), e.handles[g.Handle[x]].bytes
		if !r.allocated {
			unallocated += bytes
		}
		if g.Mode[x]&workload.Read != 0 && r.state == invalid {
			absent += bytes
			if r.loadRequest == nil {
				waiting += bytes
			}
		}
	}
	return absent, waiting, unallocated
}

// Priority of a task.
func (e *engine) Priority(task int32) int32 { return e.priority(task) }

// Prefetch asks for a task's data.
func (e *engine) Prefetch(task, worker int32) {
	if e.o.Prefetch {
		e.prefetchAll(e.actor(), task, e.workers[worker].memory)
	}
}

// Lock locks a worker's queue.
func (e *engine) Lock(worker int32) { e.lockSched(e.actor(), e.workers[worker]) }

// lockSched locks a worker's queue once the worker lets others have it.
func (e *engine) lockSched(a *actor, w *worker) {
	if a.worker == w {
		a.lock(&w.schedMutex)
		return
	}
	e.relaxOn(a)
	a.lock(&w.schedMutex)
	for w.relaxRefcnt == 0 {
		a.wait(&w.schedCond, &w.schedMutex)
	}
}

// Unlock unlocks it.
func (e *engine) Unlock(worker int32) { e.unlockSched(e.actor(), e.workers[worker]) }

func (e *engine) unlockSched(a *actor, w *worker) {
	a.unlock(&w.schedMutex)
	if a.worker != w {
		e.relaxOff(a)
	}
}

// relaxOn lets others lock the queue of an actor's own worker, until relaxOff.
func (e *engine) relaxOn(a *actor) {
	w := a.worker
	if w == nil || !w.schedOpPending {
		return
	}
	a.lock(&w.schedMutex)
	w.relaxRefcnt++
	a.broadcast(&w.schedCond)
	a.unlock(&w.schedMutex)
}

func (e *engine) relaxOff(a *actor) {
	w := a.worker
	if w == nil || !w.schedOpPending {
		return
	}
	a.lock(&w.schedMutex)
	w.relaxRefcnt--
	a.unlock(&w.schedMutex)
}

// TryLock locks another worker's queue unless it is locked.
func (e *engine) TryLock(worker int32) bool {
	a, w := e.actor(), e.workers[worker]
	own := a.worker
	if !a.tryLock(&own.schedMutex) {
		return false
	}
	if own == w {
		return true
	}
	got := a.tryLock(&w.schedMutex)
	if got && w.relaxRefcnt == 0 {
		a.unlock(&w.schedMutex)
		got = false
	}
	if got && own.schedOpPending {
		own.relaxRefcnt++
		a.broadcast(&own.schedCond)
	}
	a.unlock(&own.schedMutex)
	return got
}

// tryLock locks a mutex unless another actor has it.
func (a *actor) tryLock(m *mutex) bool {
	free := m.owner == nil
	if free {
		m.owner = a
	}
	a.simcalls(1)
	return free
}

// WakeLocked wakes a worker whose queue is locked.
func (e *engine) WakeLocked(worker int32) bool { return e.wakeLocked(e.actor(), e.workers[worker]) }

// wakeLocked wakes a worker whose queue is locked, and is about to be unlocked:
// see wakeIdle for what is in closed form.
func (e *engine) wakeLocked(a *actor, w *worker) bool {
	if w.schedMutex.owner == a && w.schedMutex.last == nil && e.sleepsUndisturbed(a, w) {
		const ring, status = 5, 1
		a.countSimcalls(ring + status)
		slept := !w.keepAwake
		w.keepAwake = true
		w.pollAgain()
		return slept
	}
	a.broadcastQueue(&w.waitQueue)
	slept := false
	switch {
	case w.status&statusSleeping != 0:
		slept = !w.keepAwake
		w.keepAwake = true
		a.broadcast(&w.schedCond)
	case w.status&statusScheduling != 0:
		w.keepAwake = true
	}
	return slept
}

// Wake wakes a worker.
func (e *engine) Wake(worker int32) bool {
	a, w := e.actor(), e.workers[worker]
	other := a.worker != w
	if e.nobodyWaitsFor(a, w) {
		return e.setKeepAwake(a, w, other)
	}
	if other {
		e.relaxOn(a)
	}
	a.lock(&w.schedMutex)
	for other && w.relaxRefcnt == 0 {
		if w.status&statusScheduling != 0 {
			w.keepAwake = true
			a.unlock(&w.schedMutex)
			e.relaxOff(a)
			return true
		}
		a.wait(&w.schedCond, &w.schedMutex)
	}
	slept := e.wakeLocked(a, w)
	a.unlock(&w.schedMutex)
	if other {
		e.relaxOff(a)
	}
	return slept
}

// nobodyWaitsFor says that no actor waits for a worker's queue, and that the
// worker does not wait: to wake it, simcalls need only be counted.
func (e *engine) nobodyWaitsFor(a *actor, w *worker) bool {
	if !a.uncontended(&w.schedMutex) || w.relaxRefcnt == 0 && a.worker != w || len(w.schedCond.waiting) > 0 || w.waitQueue.mutex.owner != nil {
		return false
	}
	own := a.worker
	return len(w.waitQueue.waiters) == 1 && w.wait.notWaiting() && (own == nil || own.schedMutex.owner == nil && len(own.schedCond.waiting) == 0)
}

// setKeepAwake makes a worker that does not sleep look for a task once more
// before it does.
func (e *engine) setKeepAwake(a *actor, w *worker, other bool) (slept bool) {
	const locks, ring, relax = 2, 5, 5
	a.countSimcalls(locks + ring)
	if other && a.worker != nil && a.worker.schedOpPending {
		a.countSimcalls(relax)
	}
	w.wait.block = false
	switch {
	case w.status&statusSleeping != 0:
		a.countSimcalls(1)
		slept = !w.keepAwake
		w.keepAwake = true
	case w.status&statusScheduling != 0:
		w.keepAwake = true
	}
	return slept
}

// LockPolicy locks what workers share.
func (e *engine) LockPolicy() {
	a := e.actor()
	e.relaxOn(a)
	a.lock(&e.policyMutex)
	e.relaxOff(a)
}

// UnlockPolicy unlocks it.
func (e *engine) UnlockPolicy() { e.actor().unlock(&e.policyMutex) }

// RelaxOn lets others lock the calling worker's own queue, until RelaxOff.
func (e *engine) RelaxOn() { e.relaxOn(e.actor()) }

// RelaxOff ends that.
func (e *engine) RelaxOff() { e.relaxOff(e.actor()) }

// Retry makes the worker ask again in a microsecond.
func (e *engine) Retry() {
	a := e.actor()
	a.sleep(microsecond)
	a.lock(&a.worker.schedMutex)
	e.wakeLocked(a, a.worker)
	a.unlock(&a.worker.schedMutex)
}

// KeepAwake says whether a worker was woken since it last began to look for a
// task.
func (e *engine) KeepAwake(worker int32) bool { return e.workers[worker].keepAwake }

// ClearKeepAwake resets that.
func (e *engine) ClearKeepAwake(worker int32) { e.workers[worker].keepAwake = false }

// Simcalls counts n simcalls.
func (e *engine) Simcalls(n int) { e.actor().simcalls(int64(n)) }

// Pause makes the calling actor sleep.
func (e *engine) Pause(us float64) { e.actor().pause(us * 1e-6) }

// ReadModel reads the performance model of a task.
func (e *engine) ReadModel(task int32) { e.readModel(e.actor(), task) }

// Random is uniform in [0, 1).
func (e *engine) Random() float64 { return e.random.uniform() }

// PushLocal puts a task into a worker's own queue.
func (e *engine) PushLocal(task, worker int32) {
	a, w := e.actor(), e.workers[worker]
	e.lockSched(a, w)
	e.decisions.Push(task, e.decisions.WorkerQueue(worker), w.local.push(task, e.priority(task)))
	e.wakeLocked(a, w)
	e.unlockSched(a, w)
}

// localQueue holds the tasks pushed to a worker directly, by priority.
type localQueue struct {
	tasks      []int32
	priorities []int32
}

// push inserts a task behind those of at least its priority, and returns its
// position.
func (q *localQueue) push(t, priority int32) int {
	i := len(q.tasks)
	q.tasks = append(q.tasks, t)
	q.priorities = append(q.priorities, priority)
	for ; i > 0 && q.priorities[i-1] < priority; i-- {
		q.tasks[i], q.priorities[i] = q.tasks[i-1], q.priorities[i-1]
	}
	q.tasks[i], q.priorities[i] = t, priority
	return i
}

func (q *localQueue) pop() int32 {
	if len(q.tasks) == 0 {
		return none
	}
	t := q.tasks[0]
	q.tasks, q.priorities = q.tasks[1:], q.priorities[1:]
	return t
}
