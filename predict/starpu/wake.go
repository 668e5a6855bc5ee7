package starpu

// A worker that pushes a task wakes others, one after the other: all of them, or
// until one slept. Among many workers that is most of what happens in an
// instant, so the kernel runs these loops too (steps), and wakes a worker that
// has no task in closed form where nothing else happens meanwhile.

// wakeLoop is where an actor is in waking workers.
type wakeLoop struct {
	engine     *engine
	next       int32   // number of the worker to come
	task       int32   // only workers that can run it; none: all
	untilSlept bool    // ends with the first worker that slept
	target     *worker // being woken
	slept      bool    // the target slept, and had not been woken yet
}

// Parts of wakeSteps at which a loop goes on out of order.
const (
	wakeTargetAt = 4  // the queue of the target is locked
	wakeStatusAt = 8  // the target has been signalled
	wakeUnlockAt = 9  // its queue is unlocked
	wakeRelaxAt  = 10 // the actor's own queue is its own again
)

// wakeSteps are Wake for one worker after the other.
var wakeSteps = []step{
	{op: opWakeNext},
	{op: opLock}, {op: opRelaxOn}, {op: opUnlock}, // relaxOn
	{op: opWakeTarget},
	{op: opWakeLockQueue}, {op: opWakeSignal}, {op: opWakeUnlockQueue}, // broadcastQueue
	{op: opWakeStatus},
	{op: opWakeUnlock},
	{op: opWakeRelax}, {op: opLock}, {op: opRelaxOff}, {op: opUnlock}, // relaxOff
	{op: opRepeatWake},
}

// WakeAll wakes all workers.
func (e *engine) WakeAll() { e.wakeEach(wakeLoop{engine: e, task: none}) }

// WakeFirst wakes workers that can run a task until one slept.
func (e *engine) WakeFirst(task int32) { e.wakeEach(wakeLoop{engine: e, task: task, untilSlept: true}) }

// wakeEach wakes workers. Loops may nest: while the actor waits in one, it does
// nothing else.
func (e *engine) wakeEach(of wakeLoop) {
	a := e.actor()
	outer, n := a.waking, len(e.freeWakes)
	if n == 0 {
		e.freeWakes, n = append(e.freeWakes, new(wakeLoop)), 1
	}
	l := e.freeWakes[n-1]
	e.freeWakes = e.freeWakes[:n-1]
	*l, a.waking = of, l
	for i := a.runSteps(wakeSteps, 0); i != none; i = a.runSteps(wakeSteps, i) {
		// The target has more waiters than its own: kernels that a device waits for.
		l.slept = e.wakeLocked(a, l.target)
		i = wakeUnlockAt
	}
	a.waking = outer
	e.freeWakes = append(e.freeWakes, l)
}

// stepWakeNext chooses the next worker. Those that nobody waits for, and those
// asleep for want of a task, are woken at once while the actor is alone.
func stepWakeNext(a *actor, _ *step) stepResult {
	l := a.waking
	e := l.engine
	for n := int32(len(e.workers)); l.next < n; {
		w := e.workers[l.next]
		l.next++
		if l.task != none && !e.Can(l.task, w.id) {
			continue
		}
		switch {
		case e.nobodyWaitsFor(a, w):
			l.slept = e.setKeepAwake(a, w, a.worker != w)
		case e.sleepsIdle(a, w):
			l.slept = e.wakeIdle(a, w)
		default:
			l.target = w
			if a.loop.at++; !a.relaxes(w) {
				a.loop.at = wakeTargetAt
			}
			return nextStep
		}
		if l.untilSlept && l.slept {
			break
		}
	}
	a.loop.at = len(wakeSteps)
	return nextStep
}

// relaxes says that the actor lets others have its own queue while it waits for
// that of a worker.
func (a *actor) relaxes(target *worker) bool {
	return a.worker != target && a.worker != nil && a.worker.schedOpPending
}

// stepWakeTarget locks the worker's queue once the worker lets others have it. A
// worker that looks for a task does so once more.
func stepWakeTarget(a *actor, _ *step) stepResult {
	l := a.waking
	w := l.target
	if !a.lockAtStep(&w.schedMutex) {
		return yieldActor
	}
	if a.worker != w && w.relaxRefcnt == 0 {
		if w.status&statusScheduling == 0 {
			a.startWait(&w.schedCond, &w.schedMutex)
			return yieldActor
		}
		w.keepAwake, l.slept = true, true
		a.loop.at, a.loop.locked = wakeUnlockAt, false
		return nextStep
	}
	a.loop.at++
	a.loop.locked = false
	return nextStep
}

// stepWakeLockQueue locks the wait queue of the worker.
func stepWakeLockQueue(a *actor, _ *step) stepResult {
	q := &a.waking.target.waitQueue
	if !a.loop.locked && len(q.waiters) != 1 {
		return resumeActor
	}
	if !a.lockAtStep(&q.mutex) {
		return yieldActor
	}
	a.loop.at++
	a.loop.locked = false
	return nextStep
}

// stepWakeSignal signals its waiter.
func stepWakeSignal(a *actor, _ *step) stepResult {
	return a.signalAtStep(a.waking.target.waitQueue.waiters[0])
}

// stepWakeUnlockQueue unlocks the wait queue.
func stepWakeUnlockQueue(a *actor, _ *step) stepResult {
	a.waking.target.waitQueue.mutex.handOver(a)
	return a.endStep()
}

// stepWakeStatus makes the worker stay awake.
func stepWakeStatus(a *actor, _ *step) stepResult {
	l := a.waking
	w := l.target
	l.slept = false
	switch {
	case w.status&statusSleeping != 0:
		l.slept = !w.keepAwake
		w.keepAwake = true
		w.schedCond.signalAll(a)
		return a.endStep()
	case w.status&statusScheduling != 0:
		w.keepAwake = true
	}
	a.loop.at++
	return nextStep
}

// stepWakeUnlock unlocks the worker's queue.
func stepWakeUnlock(a *actor, _ *step) stepResult {
	a.waking.target.schedMutex.handOver(a)
	return a.endStep()
}

// stepWakeRelax skips the end of relaxation where there was none.
func stepWakeRelax(a *actor, _ *step) stepResult {
	if a.loop.at++; !a.relaxes(a.waking.target) {
		a.loop.at = len(wakeSteps) - 1
	}
	return nextStep
}

// stepRepeatWake goes on with the next worker.
func stepRepeatWake(a *actor, _ *step) stepResult {
	a.loop.at = 0
	if l := a.waking; l.untilSlept && l.slept {
		a.loop.at = len(wakeSteps)
	}
	return nextStep
}

// sleepsIdle says that a worker without a task waits to be woken, that no actor
// but this one is ready, and that no other waits for what it takes to wake the
// worker.
func (e *engine) sleepsIdle(a *actor, w *worker) bool {
	own := a.worker
	return w.schedMutex.owner == nil && w.relaxRefcnt > 0 && e.sleepsUndisturbed(a, w) &&
		(own == nil || own.schedMutex.owner == nil && len(own.schedCond.waiting) == 0)
}

// sleepsUndisturbed says so of all but the lock of the worker's queue.
func (e *engine) sleepsUndisturbed(a *actor, w *worker) bool {
	return a.k.alone() && w.status&statusSleeping != 0 && len(w.schedCond.waiting) == 0 &&
		w.waitQueue.mutex.owner == nil && len(w.waitQueue.waiters) == 1 && w.wait.idle()
}

// idle says that a worker without a task sleeps there, at the end of its loop.
func (x *waiter) idle() bool {
	if x.worker == nil || x.mutex.owner != nil || len(x.cond.waiting) != 1 {
		return false
	}
	r := &x.worker.actor.loop
	return len(r.steps) > 0 && len(r.steps) == len(x.worker.idleLoop) && &r.steps[0] == &x.worker.idleLoop[0]
}

// wakeIdle is Wake of such a worker in closed form. The two take turns: of the
// simcalls that the actor makes from the signal on (the end of the signal, the
// unlocking of the wait queue, the broadcast to those that wait for the worker,
// the unlocking of its queue), the worker makes one after each (it ends its
// wait, locks and unlocks its waiter to reset it) and, the fourth time, begins
// to poll. So it sleeps when its queue is unlocked, and the actor is alone again.
func (e *engine) wakeIdle(a *actor, w *worker) (slept bool) {
	const locks, ring, status, relax = 2, 5, 1, 5
	a.countSimcalls(locks + ring + status)
	if a.relaxes(w) {
		a.countSimcalls(relax)
	}
	slept = !w.keepAwake
	w.keepAwake = true
	w.pollAgain()
	return slept
}

// pollAgain makes a worker that waits in its idle loop begin the loop again, up
// to the microsecond that polling takes.
func (w *worker) pollAgain() {
	const afterSleep = 2 // the loop begins with opWaitReset and opSleep
	a := w.actor
	w.wait.cond.waiting = w.wait.cond.waiting[:0]
	w.wait.block, w.progressed = true, false
	a.loop.at, a.loop.locked, a.loop.signalled = afterSleep, false, false
	a.date = a.k.now + microsecond
	a.k.asleep = append(a.k.asleep, a)
}
