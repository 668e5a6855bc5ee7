package starpu

// Policy decides which worker runs which task, and when. The engine calls it
// from the actor that pushes or pops: what it does happens at that instant.
// Tasks and workers are numbers, those of the graph and of the machine.
//
// A policy keeps the tasks that were pushed until workers pop them. It must wake a
// worker that it has a task for (Runtime.Wake), since idle workers sleep. It must
// not give a worker a task that it cannot run (Runtime.Can).
type Policy interface {
	// Start is called once, before anything else.
	Start(r Runtime)
	// Push gives the policy a task that is ready.
	Push(task int32)
	// Pop asks for a task for a worker that has room for one; -1 for none.
	Pop(worker int32) int32
}

// Prioritizing is a policy under which programs set priorities of tasks; under
// other policies all are 0.
type Prioritizing interface{ Priorities() bool }

// Starting is a policy that is called when a task begins to execute (StarPU's
// pre_exec_hook): its data is there.
type Starting interface{ Started(task, worker int32) }

// Ending is a policy that is called when a task has been executed (StarPU's
// post_exec_hook), before its successors are pushed.
type Ending interface{ Ended(task, worker int32) }

// Probing is a policy that can say before Pop that there is no task. Workers
// that ask in vain then cost little to simulate.
type Probing interface {
	// NothingToPop says that Pop has no task for the worker and would return at
	// once, or would go on with Steal. It does what Pop does until then.
	NothingToPop(worker int32) bool
}

// Stealing is a policy whose Pop, where there is NothingToPop, turns relaxation
// on and steals tasks of other workers.
type Stealing interface {
	Probing
	// NothingToSteal says that Steal would turn relaxation off and return. It does
	// what Steal does until then.
	NothingToSteal(worker int32) bool
	// Steal is the rest of Pop, after RelaxOn.
	Steal(worker int32) int32
}

// Runtime is what a policy sees of the run, and what it can do.
type Runtime interface {
	// Now is the time since the first submission, in µs.
	Now() float64
	// Workers is how many there are.
	Workers() int
	// Self is the worker that pushes or pops, -1 for the submitting program.
	Self() int32
	// Memory is the memory node of a worker.
	Memory(worker int32) int32
	// Speed is what is assumed of a worker where nothing better is known.
	Speed(worker int32) float64
	// Kind is the type of a worker: workers of one type have equal durations.
	Kind(worker int32) int32
	// Device says that a worker drives a device.
	Device(worker int32) bool

	// Can says whether the worker may run the task.
	Can(task, worker int32) bool
	// Length is how long the task would take on the worker, in µs, NaN if unknown.
	Length(task, worker int32) float64
	// Penalty predicts the transfer time, in µs, of the data that is neither in
	// the worker's memory nor requested there (starpu_task_expected_data_transfer_time).
	Penalty(task, worker int32) float64
	// Missing is how many bytes of the task's data are not valid in the
	// worker's memory, of these not under way, and not allocated.
	Missing(task, worker int32) (invalid, idle, unallocated int64)
	// Priority of the task.
	Priority(task int32) int32
	// Prefetch requests the task's data in the worker's memory, if the runtime
	// prefetches.
	Prefetch(task, worker int32)

	// Lock and Unlock lock a worker's queue (starpu_worker_lock). Both give other
	// actors a turn.
	Lock(worker int32)
	Unlock(worker int32)
	// TryLock locks a worker's queue unless it is locked.
	TryLock(worker int32) bool
	// WakeLocked wakes a worker whose queue is locked, and is unlocked next, and
	// says whether it slept and had not been woken yet (starpu_wake_worker_locked).
	WakeLocked(worker int32) bool
	// Wake does so for a worker whose queue is not locked.
	Wake(worker int32) bool
	// WakeAll wakes all workers in the order of their numbers.
	WakeAll()
	// WakeFirst wakes workers that can run a task, in the order of their numbers,
	// until one slept and had not been woken yet.
	WakeFirst(task int32)
	// LockPolicy and UnlockPolicy lock what all workers share (the policy's
	// mutex).
	LockPolicy()
	UnlockPolicy()
	// RelaxOn lets others lock the calling worker's own queue, until RelaxOff
	// (starpu_worker_relax_on).
	RelaxOn()
	RelaxOff()
	// KeepAwake says whether the worker was woken since it last began to look for
	// a task, and ClearKeepAwake resets that (state_keep_awake).
	KeepAwake(worker int32) bool
	ClearKeepAwake(worker int32)
	// Retry makes the worker that pops ask again in a microsecond.
	Retry()
	// ReadModel costs the simcalls of reading the performance model of a task.
	ReadModel(task int32)
	// ReadModels does so once for each worker that can run the task, in the order
	// of their numbers, and calls what a policy works out for the worker before and
	// after. That must not give other actors a turn but by Penalty.
	ReadModels(task int32, of Estimating)
	// Simcalls costs n simcalls: others may take their turns.
	Simcalls(n int)
	// Pause makes the caller wait for so many µs.
	Pause(us float64)
	// PushLocal puts a task into a worker's own queue, by priority, and wakes the
	// worker, which pops from there first (starpu_push_local_task).
	PushLocal(task, worker int32)
	// Random is uniform in [0, 1).
	Random() float64
}
