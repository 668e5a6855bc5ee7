package starpu

// Policy decides which worker runs which task, and when. The engine calls it
// from the actor that pushes or pops: what it does happens at that instant.
// Tasks and workers are numbers, those of the graph and of the machine.
//
// A policy keeps the tasks it has been given until a worker takes them. It must
// wake a worker that it has something for (Runtime.Wake), since an idle worker
// sleeps. It must not give a worker what it cannot run (Runtime.Can).
type Policy interface {
	// Start is called once, before anything else.
	Start(r Runtime)
	// Push gives the policy a task that is ready.
	Push(task int32)
	// Pop asks for a task for a worker that has room for one; -1 for none.
	Pop(worker int32) int32
}

// Prioritizing is a policy under which programs set priorities of tasks; under
// others all are 0.
type Prioritizing interface{ Priorities() bool }

// Starting is a policy that wants to know when a task begins to execute: its
// data is there.
type Starting interface{ Started(task, worker int32) }

// Ending is a policy that wants to know when a task has been executed, before
// its successors are pushed.
type Ending interface{ Ended(task, worker int32) }

// Foreseeing is a policy that can say before Pop that there is nothing. Workers
// that look for tasks in vain then cost little to simulate.
type Probing interface {
	// Barren says that Pop has nothing for the worker, and returns at once, or
	// has nothing but what the policy finds in Steal. It does what Pop does
	// until then.
	NothingToPop(worker int32) bool
}

// Stealing is a policy whose Pop, where it is Barren, relaxes the worker's queue
// and looks for tasks of others.
type Stealing interface {
	Probing
	// Hopeless says that there is nothing to steal: Steal would tighten the
	// worker's queue and return. It does what Steal does until then.
	NothingToSteal(worker int32) bool
	// Steal is the rest of Pop, from where the worker's queue is relaxed.
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
	// Penalty predicts how long data that is not there, and not asked for,
	// would need to the worker's memory, in µs.
	Penalty(task, worker int32) float64
	// Missing is how many bytes of the task's data are not valid in the
	// worker's memory, of these not under way, and not allocated.
	Missing(task, worker int32) (invalid, idle, unallocated int64)
	// Priority of the task.
	Priority(task int32) int32
	// Prefetch asks for the task's data in the worker's memory, if the runtime
	// prefetches.
	Prefetch(task, worker int32)

	// Lock and Unlock hold a worker's queue. Both give other actors a turn.
	Lock(worker int32)
	Unlock(worker int32)
	// TryLock holds a worker's queue unless something does already.
	TryLock(worker int32) bool
	// WakeLocked wakes a worker whose queue is held, and says whether it slept
	// and nobody had woken it yet.
	WakeLocked(worker int32) bool
	// Wake does so for a worker whose queue is not held.
	Wake(worker int32) bool
	// Guard and Release hold what all workers share.
	LockPolicy()
	UnlockPolicy()
	// Relax lets others have the queue of the worker itself until Tighten.
	RelaxOn()
	RelaxOff()
	// Awake says whether the worker has been told to stay awake, and Heed
	// forgets it.
	KeepAwake(worker int32) bool
	ClearKeepAwake(worker int32)
	// Retry makes the worker that pops come back in a microsecond.
	Retry()
	// Consult costs the operations of looking up the duration of a task.
	ReadModel(task int32)
	// Pass costs that many operations on locks.
	Simcalls(operations int)
	// Give puts a task into a worker's own queue, by priority, and wakes it: the
	// worker takes it before it asks the policy.
	PushLocal(task, worker int32)
	// Random is uniform in [0, 1).
	Random() float64
}
