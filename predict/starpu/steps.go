package starpu

import "slices"

// Workers spend most of their time on loops that find little to do: they take
// one lock after the other and look whether a list is empty. Such loops are laid
// out as steps, which the kernel runs on behalf of the actor, one simcall after
// the other, without resuming its coroutine. The actor itself is resumed only
// where there is something to do. Results are the same as if it ran each step.

// op is what a step does; see stepFuncs for the function of each.
type op uint8

const (
	// _starpu_datawizard_progress, for each memory node that the worker drives.
	opSleep op = iota
	opProgress
	opPendingRequests
	opTidyMemChunks
	opRequests
	opSkipIdleRequests

	// Mutexes and wait queues (starpu_pthread_queue_t, starpu_pthread_wait_t).
	opLock
	opUnlock
	opLockUnlock
	opSimcall
	opSignal
	opWaitReset
	opWait

	// Driver loops of workers (_starpu_*_driver_run_once).
	opTaskEvent
	opGetTask
	opSkipWait
	opRepeat

	// Loop of a CPU worker without tasks (_starpu_get_worker_task).
	opEnterSched
	opPop
	opRelaxOn
	opSteal
	opRelaxOff
	opSetSleeping
	opLeaveSched

	// Waking workers (starpu_wake_worker_relax_light).
	opWakeNext
	opWakeTarget
	opWakeLockQueue
	opWakeSignal
	opWakeUnlockQueue
	opWakeStatus
	opWakeUnlock
	opWakeRelax
	opRepeatWake

	// Reading performance models (starpu_task_worker_expected_length).
	opModelNext
	opModelRead
)

// stepFuncs are the functions of steps, by op. To the right is the function of
// StarPU, or of SimGrid, that each does the work of.
var stepFuncs = [...]func(*actor, *step) stepResult{
	opSleep:            stepSleep,         // starpu_sleep(0.000001) in ___starpu_datawizard_progress
	opProgress:         stepProgress,      // ___starpu_datawizard_progress
	opPendingRequests:  stepList,          // _starpu_handle_pending_node_data_requests
	opTidyMemChunks:    stepTidyMemChunks, // starpu_memchunk_tidy
	opRequests:         stepList,          // _starpu_handle_node_{data,prefetch,idle}_requests
	opSkipIdleRequests: stepSkipIdle,      // _starpu_check_that_no_data_request_is_pending
	opLock:             stepLock,          // STARPU_PTHREAD_MUTEX_LOCK
	opUnlock:           stepUnlock,        // STARPU_PTHREAD_MUTEX_UNLOCK
	opLockUnlock:       stepList,          // both in a row
	opSimcall:          stepSimcall,       // any other simcall
	opSignal:           stepSignal,        // one waiter of starpu_pthread_queue_broadcast
	opWaitReset:        stepWaitReset,     // starpu_pthread_wait_reset
	opWait:             stepWait,          // starpu_pthread_wait_wait
	opTaskEvent:        stepTaskEvent,     // nb_buffers_transferred == nb_buffers_totransfer, or *finished
	opGetTask:          stepGetTask,       // _starpu_get_multi_worker_task
	opSkipWait:         stepSkipWait,      // if (!res) in _starpu_cuda_driver_run_once
	opRepeat:           stepRepeat,        // while (_starpu_machine_is_running())
	opEnterSched:       stepEnterSched,    // _starpu_worker_enter_sched_op
	opPop:              stepPop,           // _starpu_pop_task
	opRelaxOn:          stepRelaxOn,       // _starpu_worker_relax_on
	opSteal:            stepSteal,         // ws_pop_task, from select_victim on
	opRelaxOff:         stepRelaxOff,      // _starpu_worker_relax_off
	opSetSleeping:      stepSetSleeping,   // _starpu_worker_set_status_sleeping
	opLeaveSched:       stepLeaveSched,    // _starpu_worker_leave_sched_op
	opWakeNext:         stepWakeNext,      // starpu_wake_worker_relax_light, for each worker
	opWakeTarget:       stepWakeTarget,    // starpu_worker_lock
	opWakeLockQueue:    stepWakeLockQueue, // starpu_pthread_queue_broadcast, in starpu_wake_worker_locked
	opWakeSignal:       stepWakeSignal,
	opWakeUnlockQueue:  stepWakeUnlockQueue,
	opWakeStatus:       stepWakeStatus, // starpu_wake_worker_locked
	opWakeUnlock:       stepWakeUnlock, // starpu_worker_unlock
	opWakeRelax:        stepWakeRelax,
	opRepeatWake:       stepRepeatWake,
	opModelNext:        stepModelNext,
	opModelRead:        stepModelRead, // compute_all_performance_predictions, for each worker
}

// stepResult is how a loop goes on after a step.
type stepResult uint8

const (
	nextStep    stepResult = iota // with the step that the position says
	yieldActor                    // with that step, when it is the actor's turn again
	resumeActor                   // the actor itself has something to do at this step
)

// step of a loop. Workers that drive the same memory nodes share their steps as
// far as they can, and nodes take turns: steps are small, so that caches hold
// them.
type step struct {
	op       op
	dir      direction
	level    level
	end      int32 // where the steps of the next peers begin
	memory   int32
	peer, to int32   // of a list its peer; else the first peer, and the end of the last
	mutex    *mutex  // nil: the worker's schedMutex
	size     *int    // of the list that the mutex protects
	waiter   *waiter // nil: the worker's own
}

// position is where an actor is in the steps of a loop.
type position struct {
	steps     []step
	at        int
	locked    bool // has the mutex of the step, or waits for it
	signalled bool // has done what there is to do under it
}

// runSteps goes from the i-th step to the first at which the actor itself has
// something to do, and returns its number, with its mutex locked; none if there
// is none.
func (a *actor) runSteps(steps []step, i int) int {
	if i == len(steps) {
		return none
	}
	a.loop = position{steps: steps, at: i}
	if !a.advance() {
		a.yieldTurn()
	}
	a.loop.steps = nil
	if a.loop.at == len(steps) {
		return none
	}
	return a.loop.at
}

// advance runs steps of an actor's loop. It returns false when it is another
// actor's turn, and true when the actor is to be resumed.
func (a *actor) advance() bool {
	r := &a.loop
	for r.at < len(r.steps) {
		s := &r.steps[r.at]
		if result := stepFuncs[s.op](a, s); result != nextStep {
			return result == resumeActor
		}
	}
	return true
}

// afterSimcall counts a simcall, and says whether it is still the actor's turn.
func (a *actor) afterSimcall() stepResult {
	if a.k.ready.simcall(a) {
		return nextStep
	}
	return yieldActor
}

// endStep ends a step with a simcall.
func (a *actor) endStep() stepResult {
	r := &a.loop
	r.at++
	r.locked, r.signalled = false, false
	return a.afterSimcall()
}

// lockAtStep takes the mutex of a step, and says whether it is the actor's turn
// with it.
func (a *actor) lockAtStep(m *mutex) bool {
	if a.loop.locked {
		return true
	}
	a.loop.locked = true
	if m.owner != nil {
		m.enqueue(a)
		a.suspend()
		return false
	}
	m.owner = a
	return a.k.ready.simcall(a)
}

// lock is the mutex of a step.
func (s *step) lock(a *actor) *mutex {
	if s.mutex != nil {
		return s.mutex
	}
	return &a.worker.schedMutex
}

// waiting is the waiter of a step.
func (s *step) waiting(a *actor) *waiter {
	if s.waiter != nil {
		return s.waiter
	}
	return &a.worker.wait
}

// stepSleep lets a microsecond pass, which polling a memory node takes under
// SimGrid.
func stepSleep(a *actor, _ *step) stepResult {
	a.loop.at++
	if !a.startSleep(microsecond) {
		return yieldActor
	}
	return nextStep
}

// stepProgress skips some peers of a memory node, in one direction, where no
// request is unfinished: their mutexes are then locked and unlocked in vain.
func stepProgress(a *actor, s *step) stepResult {
	r := &a.loop
	r.at++
	if n := &a.k.memoryNodes[s.memory]; n.unfinished[s.dir] == 0 && a.k.ready.count == 1 && !n.needsTidy() {
		a.simcallCount += 8 * int64(s.to-s.peer)
		r.at = int(s.end)
	}
	return nextStep
}

// stepTidyMemChunks stops where too few memory chunks are clean.
func stepTidyMemChunks(a *actor, s *step) stepResult {
	if a.k.memoryNodes[s.memory].needsTidy() {
		return resumeActor
	}
	a.loop.at++
	return nextStep
}

// stepSkipIdle leaves idle requests alone while others are pending.
func stepSkipIdle(a *actor, s *step) stepResult {
	r := &a.loop
	r.at++
	if a.k.memoryNodes[s.memory].anyPending(s.peer, s.to, s.dir) {
		r.at = int(s.end)
	}
	return nextStep
}

// stepList locks the mutex of a list, stops where the list has something, and
// unlocks it otherwise.
func stepList(a *actor, s *step) stepResult {
	r, k := &a.loop, a.k
	m := s.mutex
	if !r.locked {
		if m.owner == nil && k.ready.count == 1 && *s.size == 0 {
			a.simcallCount += 2
			r.at++
			return nextStep
		}
		if !a.lockAtStep(m) {
			return yieldActor
		}
	}
	if *s.size != 0 {
		return resumeActor
	}
	if m.last == nil {
		m.owner = nil
	} else {
		m.handOver(a)
	}
	r.at++
	r.locked = false
	return a.afterSimcall()
}

// stepLock locks a mutex, which stays locked.
func stepLock(a *actor, s *step) stepResult {
	if !a.lockAtStep(s.lock(a)) {
		return yieldActor
	}
	a.loop.at++
	a.loop.locked = false
	return nextStep
}

// stepUnlock unlocks it.
func stepUnlock(a *actor, s *step) stepResult {
	s.lock(a).handOver(a)
	return a.endStep()
}

// stepSimcall is a simcall that concerns nobody else.
func stepSimcall(a *actor, _ *step) stepResult { return a.endStep() }

// stepSignal wakes a waiter of a wait queue.
func stepSignal(a *actor, s *step) stepResult {
	if w := s.waiter; a.k.ready.count == 1 && !a.loop.locked && w.notWaiting() {
		w.block = false
		a.simcallCount += 3
		a.loop.at++
		return nextStep
	}
	return a.signalAtStep(s.waiter)
}

func (a *actor) signalAtStep(w *waiter) stepResult {
	r := &a.loop
	if !a.lockAtStep(&w.mutex) {
		return yieldActor
	}
	if !r.signalled {
		r.signalled = true
		w.block = false
		if c := &w.cond; len(c.waiting) > 0 {
			c.signal(a)
		}
		if !a.k.ready.simcall(a) {
			return yieldActor
		}
	}
	w.mutex.handOver(a)
	return a.endStep()
}

// stepWaitReset forgets earlier signals to a waiter.
func stepWaitReset(a *actor, s *step) stepResult {
	w := s.waiting(a)
	if !a.lockAtStep(&w.mutex) {
		return yieldActor
	}
	w.block = true
	w.mutex.handOver(a)
	return a.endStep()
}

// stepWait sleeps until the waiter is signalled, unless it has been since it was
// reset.
func stepWait(a *actor, s *step) stepResult {
	w := s.waiting(a)
	if !a.lockAtStep(&w.mutex) {
		return yieldActor
	}
	if w.block {
		a.startWait(&w.cond, &w.mutex)
		return yieldActor
	}
	w.mutex.handOver(a)
	return a.endStep()
}

// emptyList is the size of a list that never has anything.
var emptyList int

// lockUnlockAll locks and unlocks one mutex after the other.
func (a *actor) lockUnlockAll(mutexes ...*mutex) {
	for len(mutexes) > 0 && a.uncontended(mutexes[0]) {
		a.simcallCount += 2
		mutexes = mutexes[1:]
	}
	if len(mutexes) == 0 {
		return
	}
	steps := a.scratchSteps[:0]
	for _, m := range mutexes {
		steps = append(steps, step{op: opLockUnlock, mutex: m, size: &emptyList})
	}
	a.runSteps(steps, 0)
}

// suspend takes the actor out of those that are ready.
func (a *actor) suspend() { a.k.ready.remove(a) }

// setProgressSteps lays out the loops of workers and of the program.
func (e *engine) setProgressSteps() {
	e.kernel.memoryNodes = e.memories
	e.progressLoop = e.progressSteps(0)
	for i, w := range e.workers {
		k := slices.IndexFunc(e.workers[:i], func(v *worker) bool { return slices.Equal(v.memoryNodes, w.memoryNodes) })
		if k >= 0 {
			w.progressLoop = e.workers[k].progressLoop
		} else {
			w.progressLoop = e.progressSteps(w.memoryNodes...)
		}
		if k >= 0 && e.workers[k].device == w.device {
			w.driverLoop = e.workers[k].driverLoop
		} else {
			e.setDriverLoop(w)
		}
	}
}

// progressSteps are _starpu_datawizard_progress on memory nodes: on each, the
// incoming requests of all peers at once, then the outgoing ones by peer.
func (e *engine) progressSteps(memories ...int32) []step {
	var steps []step
	for _, m := range memories {
		steps = append(steps, step{op: opSleep})
		peers := int32(len(e.memories))
		steps = e.appendPeerSteps(steps, step{memory: m, dir: in, to: peers})
		for p := range peers {
			steps = e.appendPeerSteps(steps, step{memory: m, dir: out, peer: p, to: p + 1})
		}
	}
	return steps
}

// appendPeerSteps adds the steps for some peers of a memory node, in one
// direction.
func (e *engine) appendPeerSteps(steps []step, s step) []step {
	from := len(steps)
	lists := e.memories[s.memory].requests
	add := func(op op, peer int32, m *mutex, size *int) {
		x := s
		x.op, x.peer, x.mutex, x.size = op, peer, m, size
		steps = append(steps, x)
	}
	add(opProgress, s.peer, nil, nil)
	for p := s.peer; p < s.to; p++ {
		q := &lists[p][s.dir]
		add(opPendingRequests, p, &q.pendingListMutex, &q.pending.size)
	}
	add(opTidyMemChunks, s.peer, nil, nil)
	for s.level = fetchLevel; s.level <= idleLevel; s.level++ {
		if s.level == idleLevel {
			add(opSkipIdleRequests, s.peer, nil, nil)
		}
		for p := s.peer; p < s.to; p++ {
			q := &lists[p][s.dir]
			add(opRequests, p, &q.listMutex, &q.waiting[s.level].size)
		}
	}
	for i := from; i < len(steps); i++ {
		steps[i].end = int32(len(steps))
	}
	return steps
}
