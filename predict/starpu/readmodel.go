package starpu

// Estimating is what a policy works out for each worker around the reading of a
// task's performance model (Runtime.ReadModels).
type Estimating interface {
	BeforeModel(worker int32)
	AfterModel(worker int32)
}

// modelLoop is where an actor is in reading the model of a task for one worker
// after the other. The kernel runs the loop (steps): among many workers, others
// take turns at each lock.
type modelLoop struct {
	engine       *engine
	task         int32
	next, worker int32
	of           Estimating
	steps        [5]step
}

// Parts of modelLoop.steps.
const (
	modelFirstAt = 1 // the first time, a model is looked up twice
	modelAgainAt = 2
)

// ReadModels reads the model of a task for each worker that can run it.
func (e *engine) ReadModels(task int32, of Estimating) {
	a := e.actor()
	l := a.models
	if l == nil {
		lockUnlock := step{op: opLockUnlock, mutex: &e.modelMutex, size: &emptyList}
		l = &modelLoop{engine: e, steps: [5]step{{op: opModelNext}, lockUnlock, lockUnlock, lockUnlock, {op: opModelRead}}}
		a.models = l
	}
	l.task, l.next, l.of = task, 0, of
	l.steps[3].mutex = &e.classMutexes[e.jobs[task].class]
	for i := a.runSteps(l.steps[:], 0); i != none; i = a.runSteps(l.steps[:], 0) {
		of.AfterModel(l.worker)
	}
}

// stepModelNext goes to the next worker.
func stepModelNext(a *actor, _ *step) stepResult {
	l := a.models
	e := l.engine
	for ; int(l.next) < len(e.workers); l.next++ {
		if !e.Can(l.task, l.next) {
			continue
		}
		l.worker = l.next
		l.of.BeforeModel(l.worker)
		again := e.jobs[l.task].modelRead
		e.jobs[l.task].modelRead = true
		if a.uncontended(&e.modelMutex) && l.steps[3].mutex.owner == nil && !l.anyHeaderTaken() {
			// Nobody sees the simcalls in between.
			a.countSimcalls(4)
			if !again {
				a.countSimcalls(2)
			}
			l.of.AfterModel(l.worker)
			continue
		}
		l.next++
		a.loop.at = modelFirstAt
		if again {
			a.loop.at = modelAgainAt
		}
		return nextStep
	}
	a.loop.at = len(l.steps)
	return nextStep
}

// stepModelRead goes on with what follows a reading. It stops where that may
// wait for a handle of the task.
func stepModelRead(a *actor, _ *step) stepResult {
	l := a.models
	if l.anyHeaderTaken() {
		return resumeActor
	}
	l.of.AfterModel(l.worker)
	a.loop.at = 0
	return nextStep
}

// anyHeaderTaken says that an actor has the header of a handle of the task.
func (l *modelLoop) anyHeaderTaken() bool {
	for _, x := range l.engine.accesses(l.task) {
		if l.engine.handles[x.handle()].header.taken {
			return true
		}
	}
	return false
}
