package event

// What Event.Kind holds for threads, as OMPT numbers them (ompt_thread_t).
const (
	ThreadInitial uint8 = 1 + iota
	ThreadWorker
	ThreadOther
	ThreadUnknown
)

// What Event.Kind holds for ImplicitBegin and ImplicitEnd (ompt_task_flag_t).
const (
	TaskInitial  uint8 = 1
	TaskImplicit uint8 = 2
)

// Flags of TaskCreate (ompt_task_flag_t).
const (
	FlagInitial    uint32 = 0x00000001
	FlagImplicit   uint32 = 0x00000002
	FlagExplicit   uint32 = 0x00000004
	FlagTarget     uint32 = 0x00000008
	FlagTaskwait   uint32 = 0x00000010 // the pseudo task of taskwait depend
	FlagUndeferred uint32 = 0x08000000
	FlagUntied     uint32 = 0x10000000
	FlagFinal      uint32 = 0x20000000
	FlagMergeable  uint32 = 0x40000000
	FlagMerged     uint32 = 0x80000000
)

// What Event.Kind holds for TaskSchedule (ompt_task_status_t).
const (
	StatusComplete         uint8 = 1
	StatusYield            uint8 = 2
	StatusCancel           uint8 = 3
	StatusDetach           uint8 = 4
	StatusEarlyFulfill     uint8 = 5
	StatusLateFulfill      uint8 = 6
	StatusSwitch           uint8 = 7
	StatusTaskwaitComplete uint8 = 8
)

// What Event.Kind holds for SyncBegin, SyncEnd, WaitBegin and WaitEnd
// (ompt_sync_region_t).
const (
	SyncBarrier                  uint8 = 1
	SyncBarrierImplicit          uint8 = 2
	SyncBarrierExplicit          uint8 = 3
	SyncBarrierImplementation    uint8 = 4
	SyncTaskwait                 uint8 = 5
	SyncTaskgroup                uint8 = 6
	SyncReduction                uint8 = 7
	SyncBarrierImplicitWorkshare uint8 = 8
	SyncBarrierImplicitParallel  uint8 = 9
	SyncBarrierTeams             uint8 = 10
)

// What Dep.Type holds (ompt_dependence_type_t).
const (
	DepAny            uint8 = 0 // omp_all_memory as libomp up to 16 reports it
	DepIn             uint8 = 1
	DepOut            uint8 = 2
	DepInout          uint8 = 3
	DepMutexinoutset  uint8 = 4
	DepSource         uint8 = 5
	DepSink           uint8 = 6
	DepInoutset       uint8 = 7
	DepOutAllMemory   uint8 = 34
	DepInoutAllMemory uint8 = 35
)

// Bits of Event.Flags of Cancel (ompt_cancel_flag_t).
const (
	CancelParallel      uint32 = 0x01
	CancelSections      uint32 = 0x02
	CancelLoop          uint32 = 0x04
	CancelTaskgroup     uint32 = 0x08
	CancelActivated     uint32 = 0x10
	CancelDetected      uint32 = 0x20
	CancelDiscardedTask uint32 = 0x40
)

// What Event.Value holds for Control: the command of omp_control_tool. From
// ControlMark on it is a mark, whose number is the modifier.
const (
	ControlStart int64 = 1
	ControlPause int64 = 2
	ControlFlush int64 = 3
	ControlEnd   int64 = 4
	ControlMark  int64 = 64
)

// What Event.Kind holds for Work (ompt_work_t).
const (
	WorkLoop           uint8 = 1
	WorkSections       uint8 = 2
	WorkSingleExecutor uint8 = 3
	WorkSingleOther    uint8 = 4
	WorkWorkshare      uint8 = 5
	WorkDistribute     uint8 = 6
	WorkTaskloop       uint8 = 7
	WorkScope          uint8 = 8
	WorkLoopStatic     uint8 = 10
	WorkLoopDynamic    uint8 = 11
	WorkLoopGuided     uint8 = 12
	WorkLoopOther      uint8 = 13
)

// What Event.Kind holds for Dispatch (ompt_dispatch_t).
const (
	DispatchIteration  uint8 = 1
	DispatchSection    uint8 = 2
	DispatchChunk      uint8 = 3
	DispatchTaskloop   uint8 = 4
	DispatchDistribute uint8 = 5
)

// What Event.Kind holds for MutexAcquire, MutexAcquired and MutexReleased
// (ompt_mutex_t).
const (
	MutexLock       uint8 = 1
	MutexTest       uint8 = 2
	MutexNestedLock uint8 = 3
	MutexNestedTest uint8 = 4
	MutexCritical   uint8 = 5
	MutexAtomic     uint8 = 6
	MutexOrdered    uint8 = 7
)

// What Event.Value holds for Work and Masked, and Event.Kind for NestLock
// (ompt_scope_endpoint_t).
const (
	ScopeBegin = 1
	ScopeEnd   = 2
)

// ProcessorQueue is the kind of Processor whose Count is known.
const ProcessorQueue uint8 = 1

// Kinds of Lost.
const LostPaused uint8 = 1

// The words of the plain event form (docs/ompt-events.md), by number; "" where
// a number has none: then the number itself is written.
var (
	typeWords = [...]string{
		ThreadBegin: "thread_begin", ThreadEnd: "thread_end",
		ParallelBegin: "parallel_begin", ParallelEnd: "parallel_end",
		ImplicitBegin: "implicit_begin", ImplicitEnd: "implicit_end",
		TaskCreate: "task_create", Dependences: "dependences", TaskSchedule: "task_schedule",
		SyncBegin: "sync_begin", SyncEnd: "sync_end", WaitBegin: "wait_begin", WaitEnd: "wait_end",
		Cancel: "cancel", Work: "work", Control: "control", Lost: "lost", Binding: "thread_binding",
		Masked: "masked", Dispatch: "dispatch", MutexAcquire: "mutex_acquire", MutexAcquired: "mutex_acquired", MutexReleased: "mutex_released",
		NestLock: "nest_lock", Processor: "processor_time", Carry: "implicit_since", Skipped: "skipped", Other: "other",
	}
	threadWords   = [...]string{1: "initial", 2: "worker", 3: "other", 4: "unknown"}
	implicitWords = [...]string{1: "initial", 2: "implicit"}
	statusWords   = [...]string{
		1: "complete", 2: "yield", 3: "cancel", 4: "detach",
		5: "early_fulfill", 6: "late_fulfill", 7: "switch", 8: "taskwait_complete",
	}
	syncWords = [...]string{
		1: "barrier", 2: "barrier_implicit", 3: "barrier_explicit", 4: "barrier_implementation",
		5: "taskwait", 6: "taskgroup", 7: "reduction",
		8: "barrier_implicit_workshare", 9: "barrier_implicit_parallel", 10: "barrier_teams",
	}
	workWords = [...]string{
		1: "loop", 2: "sections", 3: "single_executor", 4: "single_other", 5: "workshare", 6: "distribute", 7: "taskloop", 8: "scope",
		10: "loop_static", 11: "loop_dynamic", 12: "loop_guided", 13: "loop_other",
	}
	dispatchWords = [...]string{1: "iteration", 2: "section", 3: "loop_chunk", 4: "taskloop_chunk", 5: "distribute_chunk"}
	mutexWords    = [...]string{1: "lock", 2: "test_lock", 3: "nest_lock", 4: "test_nest_lock", 5: "critical", 6: "atomic", 7: "ordered"}
	scopeWords    = [...]string{1: "begin", 2: "end"}
	queueWords    = [...]string{ProcessorQueue: "queue"}
	lostWords     = [...]string{LostPaused: "paused"}
	depWords      = [...]string{
		1: "in", 2: "out", 3: "inout", 4: "mutexinoutset", 5: "source", 6: "sink", 7: "inoutset",
		34: "out_all_memory", 35: "inout_all_memory",
	}
)

// flagWords are the flags of TaskCreate in the order in which they are written.
var flagWords = [...]struct {
	bit  uint32
	word string
}{
	{FlagInitial, "initial"}, {FlagImplicit, "implicit"}, {FlagExplicit, "explicit"}, {FlagTarget, "target"},
	{FlagTaskwait, "taskwait"}, {FlagUndeferred, "undeferred"}, {FlagUntied, "untied"}, {FlagFinal, "final"},
	{FlagMergeable, "mergeable"}, {FlagMerged, "merged"},
}
