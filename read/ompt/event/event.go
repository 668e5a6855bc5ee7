// Package event holds the events that an OpenMP runtime reports to a tool
// (OMPT), one at a time and in order of time, wherever they were recorded.
package event

// ID names a task: the thread on which it was created and its number there.
// 0 is none.
type ID uint64

// NewID is task number counter (from 1) of a thread (from 0).
func NewID(thread int32, counter uint64) ID { return ID(uint64(thread+1)<<40 | counter) }

// Thread is the thread on which the task was created.
func (id ID) Thread() int32 { return int32(id>>40) - 1 }

// Counter is the number of the task on its thread, from 1.
func (id ID) Counter() uint64 { return uint64(id) & (1<<40 - 1) }

// Type is what happened.
type Type uint8

// Types of events. The comments name what Event's fields hold.
const (
	None          Type = iota
	ThreadBegin        // Kind: ThreadInitial or ThreadWorker; Value: the system's thread number
	ThreadEnd          //
	ParallelBegin      // Task: encountering; Parallel; Flags as reported; Value: threads asked for; Code
	ParallelEnd        // Task: encountering; Parallel
	ImplicitBegin      // Task; Parallel; Kind: TaskInitial or TaskImplicit; Value: team size; Index
	ImplicitEnd        // Task; Parallel
	TaskCreate         // Task: new; Task2: creator; Flags; Value: 1 if it has dependences; Code
	Dependences        // Task; Deps
	TaskSchedule       // Task: prior; Task2: next, 0 for none; Kind: a status
	SyncBegin          // Task; Parallel; Kind: a sync region; Code
	SyncEnd            //
	WaitBegin          //
	WaitEnd            //
	Cancel             // Task; Flags as reported; Code
	Work               // begin or end (Value 1 or 2) of worksharing: Task, Parallel, Kind as reported (WorkLoop, …); Count: iterations; Code
	Control            // Value: command of omp_control_tool; Code: its modifier; Name: of a mark, as the program gave it
	Lost               // Value: events that are missing on this thread, -1 if it is not known how many; Kind: LostPaused if they were not to be recorded; Task: its task from here on
	Binding            // Value: place of OMP_PLACES that the thread is bound to, -1 if none; Name: processors on which it may run (Processors)
	Masked             // begin or end (Value 1 or 2) of a masked region: Task, Parallel, Code
	Dispatch           // Kind: DispatchSection, …; Code: first iteration, or address of the section; Count: iterations
	MutexAcquire       // a lock is asked for. Kind: MutexLock, …; Value: which lock; Code; Task if it is not the thread's current one
	MutexAcquired      // it was got: Kind, Value
	MutexReleased      // Kind, Value
	NestLock           // a nested lock that the task holds is got once more or released once: Kind 1 or 2; Value: which lock
	Processor          // Value: processor time of the thread so far, ns; Count: ns that it could have run and had none; Kind: ProcessorQueue if that is known
	Carry              // what a thread does where its record begins late: Kind, Task, Parallel, Value and Index as of ImplicitBegin
	Skipped            // Count: records of kinds that this reader does not know, Kind: which
	Other              // an event of the source that has no meaning here (task_dependence, devices, …)
)

// Event is one event; fields that its type does not use are zero.
type Event struct {
	Time     int64 // ns on the recording's clock
	Thread   int32 // number of the thread, from 0, in order of first event
	Index    int32 // number in the team
	Type     Type
	Kind     uint8
	Flags    uint32
	Task     ID
	Task2    ID
	Parallel uint64
	Value    int64
	Count    uint64
	Code     uint64 // return address in the program, 0 if none
	Deps     []Dep  // valid until the next event
	Position int64  // line or byte offset in the source
	Name     string // of Other: the event's name as written; of Control: the mark's; of Binding: processors
}

// Dep is one dependence: what, and how.
type Dep struct {
	Type    uint8 // as OMPT numbers them: DepIn, …
	Address uint64
}

// Source yields events in order of time (ties by thread). Next fills e and
// returns false at the end.
type Source interface {
	Next(e *Event) (bool, error)
}
