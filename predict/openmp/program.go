// Package openmp answers: how long would a recorded OpenMP program take on
// another number of threads, or with one thing different?
//
// The problem: the threads of an OpenMP program share tasks as they go, so that
// neither work over threads nor the longest chain says what a run takes; and what
// limits it (creation by one thread, locks, loops that divide badly, the runtime's
// own cost) changes with the number of threads. The approach: the recording is cut
// into what each task does by itself between the places where it meets the runtime
// (it creates a task, waits, reaches a barrier, a loop or a lock); an event-driven
// simulation then lets any number of threads do that under the rules of LLVM's
// libomp or of gcc's libgomp, with costs that were fitted on the recording. What
// limits a run is found by simulating it without.
//
// What it does not do: contention for memory and for the runtime's own data is not
// simulated (durations are those of the recording); threads never lose their
// processor; a task that is untied goes on where it began.
package openmp

// op is what a task does at the end of a step.
type op uint8

const (
	opEnd        op = iota // ends
	opCreate               // creates task arg
	opTaskwait             // waits for its children
	opGroup                // begins a taskgroup
	opGroupEnd             // waits for what was created in it, and below
	opYield                // lets other tasks go first
	opBarrier              // meets the other members of its region
	opParallel             // begins region arg, goes on when that is over
	opLoop                 // takes its share of loop arg
	opLock                 // gets lock arg
	opUnlock               // gives it back
	opUndeferred           // creates task arg, waits for its predecessors and runs it
	opNothing              // goes on
)

// step is work followed by what ends it.
type step struct {
	work int64 // ns
	arg  int32
	op   op
}

// flags of tasks
const (
	untied uint8 = 1 << iota
	implicit
)

// Program is what a recording says a program does, whoever runs it.
type Program struct {
	// by task
	first  []int32 // its first step; one more at the end
	parent []int32 // who created it, -1 of the root
	level  []int32 // generations to the root
	kind   []int32
	flags  []uint8
	preds  []int32 // how many tasks it depends on

	steps  []step
	succ   []int32 // by task, from succAt on
	succAt []int32
	excl   []int32 // handles that are held in turns, by task, from exclAt on (nil: none)
	exclAt []int32

	regions []region
	loops   []Loop
	locks   int
	handles int
	root    int32

	Kinds    []string
	Threads  int      // of the recording
	Recorded int64    // ns that the root took in it
	Warnings []string // what the recording has and the simulation has not
}

// region is a parallel region.
type region struct {
	members []int32 // implicit tasks
	shadow  int32   // what further members do: the loops and barriers of the first
	scales  bool    // its team is as large as threads allow
	begin   int64   // in the recording
}

// Tasks is how many explicit tasks the program creates.
func (p *Program) Tasks() int {
	n := 0
	for _, f := range p.flags {
		if f&implicit == 0 {
			n++
		}
	}
	return n
}

// Work is what all of it takes on one thread for which the runtime costs nothing.
func (p *Program) Work() (ns int64) {
	for i := range p.steps {
		ns += p.steps[i].work
	}
	for i := range p.loops {
		ns += p.loops[i].work
	}
	return ns
}

// Costs are those of the runtime, in ns.
type Costs struct {
	Create   int64 `json:"create_ns"`   // putting a task into a queue, in addition to what the recorded creator spent
	Inline   int64 `json:"inline_ns"`   // of a task that runs at once where it is created
	Dispatch int64 `json:"dispatch_ns"` // from the end of a task, or of a wait's beginning, to the start of one out of the own queue
	Steal    int64 `json:"steal_ns"`    // the same out of another thread's queue
	Depend   int64 `json:"depend_ns"`   // finding the predecessors of a task with dependences, in addition to what the recorded creator spent
	Release  int64 `json:"release_ns"`  // letting the successors of a task with dependences go, in addition to Dispatch or Steal
	Resume   int64 `json:"resume_ns"`   // from the end of what a task waits for until it goes on
	Barrier  int64 `json:"barrier_ns"`  // the same of a barrier
	Fork     int64 `json:"fork_ns"`     // from the begin of a parallel region to that of its members
	Start    int64 `json:"start_ns"`    // of each thread but the first, once: making it
	Chunk    int64 `json:"chunk_ns"`    // handing out a chunk of a dynamic loop
	Lock     int64 `json:"lock_ns"`     // handing a lock from one thread to the next
	Queue    int64 `json:"queue_ns"`    // libgomp: how long its one queue is locked by who puts or takes

	// Creation is what the recorded creators spent in the runtime for each task: it
	// is part of their work.
	Creation int64 `json:"creation_ns"`
}

// Runtimes.
const (
	LLVM = "libomp"
	GCC  = "libgomp"
)

// Options of a simulation.
type Options struct {
	Threads int
	Runtime string // LLVM if empty
	Costs   Costs
	Seed    uint64
}

// Result is a simulated run.
type Result struct {
	Threads  int   `json:"threads"`
	Makespan int64 `json:"makespan_ns"`
	Work     int64 `json:"work_ns"`    // of the program
	Runtime  int64 `json:"runtime_ns"` // creating, fetching, stealing, forking
	Locked   int64 `json:"locked_ns"`  // waiting for locks
	Idle     int64 `json:"idle_ns"`    // all else
	Steals   int64 `json:"steals"`
	Started  int64 `json:"tasks"`
}
