package trace

// Run is one recorded or simulated execution. See the package comment for the
// conventions. This file declares every table and column, once: what run
// directories, SQL, the text form, [Run.Validate] and the docs know of a column
// is read from its tags by [Schema].
//
//	table:"NAME"                  of a field of Run: its table's name
//	column:"NAME,null,optional"   of a field of a table: its column's name
//	unit:"ns"                     ns, µs, bytes or GFlop
//	ref:"TABLE"                   an int32 column names rows of TABLE
//	doc:"…"                       what the table or column holds
//
// With null, a row may have no value: None in references and other integers, no
// text. It is implied where the type has a value of its own for that: NoTime in
// int64 columns, NoInt in int32 columns that are no references, NoKey in Keys.
// With optional, the whole column may be absent (nil) from a table that has rows.
//
// Tables come in an order in which references only point backwards, except
// columns that name rows of their own table.
type Run struct {
	Meta Meta

	Resource  Resources  `table:"resource" doc:"places where things happen, a tree, parents first"`
	Handle    Handles    `table:"handle" doc:"pieces of data that tasks access"`
	TreeNode  TreeNodes  `table:"treenode" doc:"elimination tree of a sparse factorization, parents first"`
	Task      Tasks      `table:"task" doc:"tasks in submission order, node by node"`
	Segment   Segments   `table:"segment" doc:"pieces of tasks that were suspended or ran on several workers at once"`
	Phase     Phases     `table:"phase" doc:"what tasks that the runtime suspends did besides running"`
	Decision  Decisions  `table:"decision" doc:"what the scheduler did with tasks, as it happened"`
	Estimate  Estimates  `table:"estimate" doc:"what the scheduler expected of the workers that it could choose"`
	Transfer  Transfers  `table:"transfer" doc:"movements between memory nodes, nodes or workers"`
	Dep       Deps       `table:"dep" doc:"edges of the task graph"`
	State     States     `table:"state" doc:"what resources did besides running tasks"`
	Sample    Samples    `table:"sample" doc:"counters as step functions"`
	Event     Events     `table:"event" doc:"instants"`
	Access    Accesses   `table:"access" doc:"which handles a task uses"`
	Counter   Counters   `table:"counter" doc:"hardware counters per task"`
	Construct Constructs `table:"construct" doc:"parallel regions and worksharing constructs, one row each time that a team meets one"`
	Share     Shares     `table:"share" doc:"what each thread did in a construct"`
	Chunk     Chunks     `table:"chunk" doc:"iterations or sections that a thread took at once"`
	Mutex     Mutexes    `table:"mutex" doc:"times that a thread asked for a lock, a critical or ordered section, or an atomic update"`
	Model     Models     `table:"model" doc:"the runtime's kernel performance models"`
	Gain      Gains      `table:"gain" doc:"what the run would gain if one thing were different, as simulations of it say"`
	Log       Log        `table:"importlog" doc:"what the reader repaired or could not use"`
	Account   Account    `table:"account" doc:"where every line of the source went"`
}

// MaxRank bounds the ranks of a run: analyses have arrays by rank, and a damaged or
// forged number must not size them.
const MaxRank = 1<<20 - 1

// Resource levels.
const (
	LevelCluster       = "cluster"        // the root of everything traced
	LevelNode          = "node"           // one address space: an MPI rank, or the machine
	LevelMemory        = "memory-node"    // RAM, a GPU's memory, a disk
	LevelMemoryManager = "memory-manager" // the runtime's manager of a memory node
	LevelThread        = "thread"         // a thread that drives workers
	LevelUserThread    = "user-thread"    // a thread of the application
	LevelWorker        = "worker"         // what tasks run on
	LevelComm          = "comm"           // the communication thread of a node
	LevelScheduler     = "scheduler"      // where the runtime's global counters live
	LevelOther         = "other"          // containers of generic traces
)

// Resources are the places where things happen, a tree. Rows come in the order
// of their creation, parents first. Level is one of the Level constants; Node is
// 0 on one node, None above nodes. As traced are Name ("0_CUDA2_0"), Alias
// ("0_w3") and Type ("Worker").
type Resources struct {
	Parent []int32 `column:"parent,null" ref:"resource" doc:"enclosing resource"`
	Level  Strings `column:"level" doc:"cluster, node, memory-node, memory-manager, thread, user-thread, worker, comm, scheduler or other"`
	Name   Strings `column:"name" doc:"name as traced"`
	Alias  Strings `column:"alias,null,optional" doc:"short identifier in the trace"`
	Type   Strings `column:"type,null,optional" doc:"container type as traced"`
	Arch   Strings `column:"arch,null" doc:"architecture of a worker: cpu, cuda, hip, opencl, …"`
	Node   []int32 `column:"node,null" doc:"rank of its node"`
	Index  []int32 `column:"index,null" doc:"the runtime's number within the node (worker id, memory node)"`
	Start  []int64 `column:"start" unit:"ns" doc:"creation"`
	End    []int64 `column:"end" unit:"ns" doc:"destruction, null if it lasted to the end"`
}

// Tasks are what the programmer submitted plus the runtime's internal tasks
// (Internal). Rows are in submission order, node by node: a smaller row was
// submitted earlier on its node, and this order breaks every tie.
//
// A task that did not run has no worker, start and end. Order is None for
// internal tasks. Generation tasks prepare the input: they are left out of zero
// and of statistics; internal ones (data acquire and release) are in the graph
// and never counted. Node is needed where Worker is None. A parent is in an
// earlier row. Meta.Derived["task.ready"] names the origin of Ready where it was
// not traced.
type Tasks struct {
	Key          Keys      `column:"key" doc:"job id as the runtime printed it"`
	Kind         Strings   `column:"kind" doc:"codelet or function"`
	Worker       []int32   `column:"worker,null" ref:"resource" doc:"worker it ran on"`
	Start        []int64   `column:"start" unit:"ns" doc:"start of execution"`
	End          []int64   `column:"end" unit:"ns" doc:"end of execution"`
	Submit       []int64   `column:"submit" unit:"ns" doc:"submission"`
	Ready        []int64   `column:"ready" unit:"ns" doc:"when nothing but a worker was missing"`
	Order        []int32   `column:"order,null" doc:"submission order on its node as the runtime counts it"`
	Priority     []int32   `column:"priority" doc:"priority given by the application, larger is more urgent"`
	Iteration    []int32   `column:"iteration" doc:"outer iteration, -1 if none"`
	Generation   []bool    `column:"generation" doc:"prepares the input: not counted"`
	Internal     []bool    `column:"internal" doc:"the runtime's own task: not counted"`
	Subiteration []int32   `column:"subiteration,optional" doc:"inner iteration, -1 if none"`
	Node         []int32   `column:"node,null,optional" doc:"rank that submitted it"`
	Tag          []uint64  `column:"tag,optional" doc:"tag given by the application"`
	Footprint    []uint32  `column:"footprint,optional" doc:"hash of the data layout"`
	GFlop        []float64 `column:"gflop,optional" unit:"GFlop" doc:"work as declared by the application"`
	X            []int32   `column:"x,optional" doc:"first coordinate of the first written handle"`
	Y            []int32   `column:"y,optional" doc:"second coordinate of the first written handle"`
	Bytes        []int64   `column:"bytes,optional" unit:"bytes" doc:"sum of its handles' sizes"`
	Parameters   Strings   `column:"parameters,null,optional" doc:"data layout of its handles"`
	Model        Strings   `column:"model,null,optional" doc:"performance-model symbol"`
	File         Strings   `column:"file,null,optional" doc:"source file of the submission"`
	Line         []int32   `column:"line,null,optional" doc:"source line of the submission"`
	Numa         Strings   `column:"numa,null,optional" doc:"NUMA nodes of its handles"`
	MemoryNode   []int32   `column:"memory_node,null,optional" doc:"the runtime's memory-node number"`
	TreeNode     []int32   `column:"tree_node,null,optional" ref:"treenode" doc:"node of the elimination tree that it works on"`
	Parent       []int32   `column:"parent,null,optional" ref:"task" doc:"task that created it"`
	Factor       []float64 `column:"factor,optional" doc:"duration of a simulated task over what its class takes on the same worker: noise, or work of its own"`
}

// TreeNodes are the nodes (fronts) of the elimination tree of a sparse
// factorization, parents first: a row's Parent is smaller than the row. No two
// have the same key.
type TreeNodes struct {
	Key    []int64 `column:"key" doc:"number of the tree node as the application prints it"`
	Parent []int32 `column:"parent,null" ref:"treenode" doc:"tree node that it contributes to, none for a root"`
}

// Segments hold the pieces of tasks that were suspended, or that ran on several
// workers at once; tasks without rows here ran in one piece from Start to End.
// Pieces of a task on one worker do not overlap. Sorted by (task, start).
type Segments struct {
	Task   []int32 `column:"task" ref:"task" doc:"task"`
	Worker []int32 `column:"worker" ref:"resource" doc:"worker"`
	Start  []int64 `column:"start" unit:"ns" doc:"start of the piece"`
	End    []int64 `column:"end" unit:"ns" doc:"end of the piece"`
}

// Phase kinds.
const (
	PhaseReady     = "ready"     // preempted, or cancelled before it ran: only a thread was missing
	PhaseResumable = "resumable" // waits for other tasks that are done: only a thread was missing
	PhaseSuspended = "suspended" // waits for other tasks
	PhaseDetached  = "detached"  // its body has ended, it completes when its event is fulfilled
	PhaseHelper    = "helper"    // ran on a thread of the runtime that is no worker
)

// Phases are what tasks did besides running that neither [Ready, Start) nor
// their pieces say, in runtimes that suspend tasks. A task that has started and
// neither runs nor is in a phase is suspended too: the runtime need not list
// that. Phases of a task do not overlap. Kind is one of the Phase constants.
// Sorted by (task, start).
type Phases struct {
	Task  []int32 `column:"task" ref:"task" doc:"task"`
	Kind  Strings `column:"kind" doc:"ready, resumable, suspended, detached or helper"`
	Start []int64 `column:"start" unit:"ns" doc:"start"`
	End   []int64 `column:"end" unit:"ns" doc:"end"`
}

// Decision kinds.
const (
	DecisionPush  = "push"  // put into a queue
	DecisionTake  = "take"  // taken out of a queue, not to be run yet: it is put into another, or back
	DecisionPop   = "pop"   // taken by a worker that is to run it
	DecisionSteal = "steal" // so, out of another worker's queue
	DecisionPlan  = "plan"  // given to a worker before the program started: no queue changes
)

// Decisions are what a scheduler did with tasks, as it happened: which worker it
// gave them to, which of those that waited a worker took. All changes of all
// queues are here, so that what a queue held before a row is what the rows before
// it made of it: a push puts its task at Place, the others take it from there.
// Sorted by Time, else as it happened. Runs whose scheduler was not watched have
// none.
//
// Kind is one of the Decision constants, Queue and Place are null for a plan. Clock, Best,
// Alpha and Beta are 0 where the scheduler estimated nothing (no rows in
// Estimates).
type Decisions struct {
	Task   []int32   `column:"task" ref:"task" doc:"task"`
	Kind   Strings   `column:"kind" doc:"push, take, pop, steal or plan"`
	Time   []int64   `column:"time" unit:"ns" doc:"when"`
	Worker []int32   `column:"worker,null" ref:"resource" doc:"chosen to run it, none where it goes into a shared queue"`
	By     []int32   `column:"by,null" ref:"resource" doc:"worker whose thread decided, none for the program's"`
	Queue  Strings   `column:"queue,null" doc:"queue that the task is put into or taken from"`
	Owner  []int32   `column:"owner,null" ref:"resource" doc:"worker whose queue it is, none for a shared one"`
	Place  []int32   `column:"place" doc:"position in the queue, 0 first, none of a plan"`
	Clock  []float64 `column:"clock" unit:"µs" doc:"the scheduler's clock when it estimated, 0 if it did not"`
	Best   []float64 `column:"best" unit:"µs" doc:"on that clock, the earliest end that it predicted"`
	Alpha  []float64 `column:"alpha" doc:"weight of ending later than that"`
	Beta   []float64 `column:"beta" doc:"weight of transfers"`
}

// Estimates are what a scheduler expected of the workers that it could give a
// task to, in the units and with the numbers that it computed with: dates are
// those of its own clock (Decisions.Clock is that of Decisions.Time).
//
//	End     = max(Available + Queued, Clock + Transfer) + Duration
//	Fitness = Alpha (End - Best) + Beta Transfer
//
// Available and End are dates, the others durations (Fitness too, for Alpha and
// Beta without units). The smallest fitness wins, of equal ones the worker of the
// lowest number (Resources.Index). Sorted by (Decision, Worker, Implementation), none twice.
type Estimates struct {
	Decision       []int32   `column:"decision" ref:"decision" doc:"decision"`
	Worker         []int32   `column:"worker" ref:"resource" doc:"worker"`
	Implementation []int32   `column:"implementation" doc:"implementation of the kernel, 0 first"`
	Available      []float64 `column:"available" unit:"µs" doc:"on the scheduler's clock: done with what it has taken"`
	Queued         []float64 `column:"queued" unit:"µs" doc:"length of what waits in its queue"`
	Transfer       []float64 `column:"transfer" unit:"µs" doc:"for data that is not there and not asked for"`
	Duration       []float64 `column:"duration" unit:"µs" doc:"of the task there"`
	End            []float64 `column:"end" unit:"µs" doc:"on the scheduler's clock: max(available + queued, clock + transfer) + duration"`
	Fitness        []float64 `column:"fitness" unit:"µs" doc:"alpha (end - best) + beta transfer; the smallest wins, of equal ones the worker of the lowest index"`
}

// Dependency kinds.
const (
	DepTask = "task"          // one task waits for another
	DepComm = "communication" // the successor waits for data sent by the predecessor's node
)

// Deps are the edges of the task graph, sorted by (To, From, Via), no
// duplicates. A communication edge names the transfer it goes through; its
// From is None when the sending task is not known. Kind is one of the Dep
// constants; without any communication Via is absent.
type Deps struct {
	From []int32 `column:"from,null" ref:"task" doc:"predecessor"`
	To   []int32 `column:"to" ref:"task" doc:"successor"`
	Kind Strings `column:"kind" doc:"task or communication"`
	Via  []int32 `column:"via,null,optional" ref:"transfer" doc:"transfer that a communication edge goes through"`
}

// States are spans of what resources did besides running tasks: runtime states
// of workers and threads, memory managers, communication threads. Sorted by
// (Resource, Type, Start, Depth), zero-length states included. The rows of one
// type are together; in which order the types come is not promised. As traced are
// Type ("Worker State") and Kind ("Idle", "FetchingInput").
type States struct {
	Resource []int32 `column:"resource" ref:"resource" doc:"where"`
	Type     Strings `column:"type" doc:"state type as traced"`
	Kind     Strings `column:"kind" doc:"state"`
	Start    []int64 `column:"start" unit:"ns" doc:"start"`
	End      []int64 `column:"end" unit:"ns" doc:"end"`
	Depth    []int32 `column:"depth" doc:"nesting, 0 outermost"`
	Task     []int32 `column:"task,null,optional" ref:"task" doc:"task it belongs to"`
}

// Transfer kinds.
const (
	TransferFetch        = "fetch"         // a task waits for it
	TransferTaskPrefetch = "task-prefetch" // for a task that is queued there
	TransferPrefetch     = "prefetch"      // asked for by the application
	TransferIdleFetch    = "idle-fetch"    // write-back or eviction when the bus is free
	TransferMPI          = "mpi"           // message between nodes
	TransferSteal        = "steal"         // a task moved between workers: no bytes
	TransferLink         = "link"          // any other link of a generic trace
)

// Transfers are movements between memory managers, communication threads or
// workers. Kind is one of the Transfer constants. An end may be earlier than the
// start where the clocks of the nodes disagree. Handle is that of the sending
// side; Tag is 0 without one. Sorted by (Start, Key).
type Transfers struct {
	Key      Keys    `column:"key" doc:"name in the trace"`
	Kind     Strings `column:"kind" doc:"fetch, task-prefetch, prefetch, idle-fetch, mpi, steal or link"`
	From     []int32 `column:"from,null" ref:"resource" doc:"source"`
	To       []int32 `column:"to,null" ref:"resource" doc:"destination"`
	Start    []int64 `column:"start" unit:"ns" doc:"start"`
	End      []int64 `column:"end" unit:"ns" doc:"end"`
	Bytes    []int64 `column:"bytes" unit:"bytes" doc:"amount moved"`
	Handle   []int32 `column:"handle,null" ref:"handle" doc:"piece of data moved"`
	Priority []int32 `column:"priority" doc:"priority of the request"`
	Tag      []int64 `column:"tag" doc:"MPI tag"`
	Mode     Strings `column:"mode,null,optional" doc:"PointToPoint or Collective; of kind link the link type as traced"`
	SendTask []int32 `column:"send_task,null,optional" ref:"task" doc:"task that posted the send"`
	RecvTask []int32 `column:"recv_task,null,optional" ref:"task" doc:"task that posted the receive"`
}

// Samples are step functions: a value holds until the next sample of the same
// metric and resource. Sorted by (Metric, Resource, Time), the metrics in an
// order that is not promised.
type Samples struct {
	Metric   Strings   `column:"metric" doc:"counter as traced"`
	Resource []int32   `column:"resource" ref:"resource" doc:"where"`
	Time     []int64   `column:"time" unit:"ns" doc:"from when on"`
	Value    []float64 `column:"value" doc:"value until the next sample"`
}

// Events are instants. Info, Bytes and Peer are those of memory events. Sorted by
// (Time, Resource), otherwise as traced.
type Events struct {
	Kind     Strings `column:"kind" doc:"event type as traced"`
	Resource []int32 `column:"resource" ref:"resource" doc:"where"`
	Time     []int64 `column:"time" unit:"ns" doc:"when"`
	Value    Strings `column:"value,null" doc:"what it carried, as traced"`
	Task     []int32 `column:"task,null,optional" ref:"task" doc:"task it names"`
	Handle   []int32 `column:"handle,null,optional" ref:"handle" doc:"handle it names"`
	Info     Strings `column:"info,null,optional" doc:"prefetch level, result or communication of memory events"`
	Bytes    []int64 `column:"bytes,optional" unit:"bytes" doc:"size (priority for Request Created)"`
	Peer     []int32 `column:"peer,null,optional" ref:"resource" doc:"the other memory manager"`
}

// Handles are the data handles that tasks access. A Key is an address, which may
// repeat on its node. Sorted by (Node, Key).
type Handles struct {
	Key         Strings `column:"key" doc:"address as printed; may come again on its node once the handle is gone"`
	Node        []int32 `column:"node" doc:"rank"`
	Name        Strings `column:"name,null" doc:"name given by the application"`
	Bytes       []int64 `column:"bytes" unit:"bytes" doc:"size"`
	X           []int32 `column:"x" doc:"first block coordinate"`
	Y           []int32 `column:"y" doc:"second block coordinate"`
	Coordinates Strings `column:"coordinates,null" doc:"all coordinates as printed"`
	Home        []int32 `column:"home" doc:"memory-node number, -1 if the runtime allocated it"`
	Description Strings `column:"description,null" doc:"layout"`
	Owner       []int32 `column:"owner,null" doc:"owning rank"`
	Tag         []int64 `column:"tag" doc:"MPI tag, -1 if none"`
}

// Accesses say which handles a task uses, in the order of its parameters.
// Sorted by task.
type Accesses struct {
	Task   []int32 `column:"task" ref:"task" doc:"task"`
	Handle []int32 `column:"handle" ref:"handle" doc:"handle"`
	Mode   Strings `column:"mode" doc:"R, W, RW, S (scratch), X (reduction), C (commute) and combinations"`
	Bytes  []int64 `column:"bytes" unit:"bytes" doc:"size"`
}

// Counters are hardware counters per task (papi.rec).
type Counters struct {
	Task  []int32 `column:"task" ref:"task" doc:"task"`
	Event Strings `column:"event" doc:"counter"`
	Value []int64 `column:"value" doc:"count"`
}

// Construct kinds.
const (
	ConstructParallel   = "parallel"   // a parallel region, from parallel_begin to parallel_end
	ConstructTeams      = "teams"      // the league of teams
	ConstructLoop       = "loop"       // a worksharing loop
	ConstructSections   = "sections"   //
	ConstructSingle     = "single"     // one thread runs it, the others pass
	ConstructWorkshare  = "workshare"  // of Fortran
	ConstructDistribute = "distribute" //
	ConstructTaskloop   = "taskloop"   // on the thread that creates the tasks
	ConstructScope      = "scope"      //
	ConstructMasked     = "masked"     // or master
)

// Constructs are parallel regions and the worksharing constructs in them, as a team
// meets them: a loop that is executed a hundred times has a hundred rows. Threads
// may be in one construct while others are in the one before (nowait). Kind is one of
// the Construct constants. Function, File and Line are those of the directive; None
// where the program has no debug information. Sorted by Start,
// parents first.
//
// A region's end is that of its last thread's body, before the barrier that ends the
// region; Leave is when that barrier is over. Of constructs without a barrier the two
// are equal.
type Constructs struct {
	Kind       Strings `column:"kind" doc:"parallel, teams, loop, sections, single, workshare, distribute, taskloop, scope or masked"`
	Function   Strings `column:"function,null" doc:"function that holds the directive, or the address in it"`
	File       Strings `column:"file,null" doc:"source file of the directive"`
	Line       []int32 `column:"line,null" doc:"source line of the directive"`
	Parent     []int32 `column:"parent,null" ref:"construct" doc:"construct around it"`
	Resource   []int32 `column:"resource" ref:"resource" doc:"thread that met it first"`
	Task       []int32 `column:"task,null" ref:"task" doc:"task that met it first; of a region the task that began it"`
	Start      []int64 `column:"start" unit:"ns" doc:"when the first thread met it"`
	End        []int64 `column:"end" unit:"ns" doc:"when the last thread had done its share"`
	Leave      []int64 `column:"leave" unit:"ns" doc:"when the barrier behind it was over; the end where there is none"`
	Team       []int32 `column:"team" doc:"threads in the team, 0 if not known"`
	Schedule   Strings `column:"schedule,null" doc:"of a loop: static, dynamic, guided or other, as far as the runtime says"`
	Iterations []int64 `column:"iterations" doc:"of a loop or taskloop: iterations in all; of sections: sections"`
}

// Shares are what each thread did in a construct. Of a parallel region the share of a
// thread is its implicit task, up to the barrier at the region's end. Chunks and
// Iterations are 0 where the runtime does not report what it hands out (libomp 14).
// Sorted by (Construct, Resource); a thread has one share of a construct.
type Shares struct {
	Construct  []int32   `column:"construct" ref:"construct" doc:"construct"`
	Resource   []int32   `column:"resource" ref:"resource" doc:"thread"`
	Task       []int32   `column:"task,null" ref:"task" doc:"implicit task of the thread, or the task that met the construct"`
	Start      []int64   `column:"start" unit:"ns" doc:"when the thread met the construct"`
	End        []int64   `column:"end" unit:"ns" doc:"when it had done its share"`
	Leave      []int64   `column:"leave" unit:"ns" doc:"when it left the barrier behind the construct; the end where there is none"`
	Chunks     []int32   `column:"chunks" doc:"times that it was handed iterations or sections"`
	Iterations []int64   `column:"iterations" doc:"iterations that it did, 0 of sections"`
	Processor  []float64 `column:"processor" unit:"ns" doc:"processor time from start to end, between samples in proportion; -1 if not known"`
	Queued     []float64 `column:"queued" unit:"ns" doc:"so, time that the thread could have run and had no processor; -1 if not known"`
}

// Chunks are what threads took of a loop or of sections at once, in the order in which
// each took them. Sorted by (Share, Start).
type Chunks struct {
	Share      []int32 `column:"share" ref:"share" doc:"share of the construct that it belongs to"`
	Start      []int64 `column:"start" unit:"ns" doc:"when it was handed out"`
	End        []int64 `column:"end" unit:"ns" doc:"when the thread asked for the next one, or had done its share"`
	First      []int64 `column:"first" doc:"first iteration, as the program counts them"`
	Iterations []int64 `column:"iterations" doc:"iterations; 0 of sections"`
}

// Mutex kinds.
const (
	MutexCritical   = "critical"
	MutexAtomic     = "atomic"
	MutexOrdered    = "ordered"
	MutexLock       = "lock"
	MutexNestedLock = "nested lock"
	MutexTest       = "test lock"        // omp_test_lock
	MutexNestedTest = "nested test lock" // omp_test_nest_lock
)

// Mutexes are the times that threads asked for mutual exclusion: they wait from
// Request to Acquire and hold it from Acquire to Release. Acquire is null where it was
// not got (a test that failed, or the end of the recording), Release where it was held
// to the end. Depth counts how often the thread held a nested lock already. Kind is one
// of the Mutex constants; Function, File and Line are those of the request. What waits
// and holds is in table state too: kind [StateLock] of type [StatesOpenMP], kind
// [StateHolding] of type [StatesMutex]. Sorted by (Request, Resource).
type Mutexes struct {
	Kind     Strings `column:"kind" doc:"critical, atomic, ordered, lock, nested lock, test lock or nested test lock"`
	Lock     Strings `column:"lock" doc:"which lock: its address, which is that of the runtime for critical sections"`
	Function Strings `column:"function,null" doc:"function that asked"`
	File     Strings `column:"file,null" doc:"source file of the request"`
	Line     []int32 `column:"line,null" doc:"source line of the request"`
	Resource []int32 `column:"resource" ref:"resource" doc:"thread"`
	Task     []int32 `column:"task,null" ref:"task" doc:"task that asked"`
	Request  []int64 `column:"request" unit:"ns" doc:"when it was asked for"`
	Acquire  []int64 `column:"acquire" unit:"ns" doc:"when it was got"`
	Release  []int64 `column:"release" unit:"ns" doc:"when it was released"`
	Depth    []int32 `column:"depth" doc:"of nested locks: how often the thread held it already"`
}

// States of threads of OpenMP programs that others than readers know by name.
const (
	StatesOpenMP    = "OpenMP"       // type: waits and implicit tasks, nested
	StatesMutex     = "OpenMP mutex" // type: of StateHolding, which overlap as they may
	StatesProcessor = "processor"    // type: of StateOffCPU
	StateLock       = "lock"         // waits for a lock, critical or ordered section, or an atomic update
	StateHolding    = "holding"      // holds one
	StateOffCPU     = "off-cpu"      // known to be off the processor, exactly: where the kernel reports switches
)

// Metrics of threads, as rates from a sample to the next: shares of that time, 0 to 1.
const (
	MetricProcessor = "processor"         // the thread ran on a processor
	MetricQueued    = "waiting processor" // it could have run and had none
)

// Gains are differences between a simulation of the run and one with a change, as
// dagscope whatif --keep stores them. They are no part of what was recorded.
type Gains struct {
	Experiment Strings   `column:"experiment" doc:"kind of change, as dagscope whatif --list has it"`
	Title      Strings   `column:"title" doc:"what is different"`
	Keys       Strings   `column:"keys,null" doc:"keys of dagscope whatif --change that make the change, as a shell takes them"`
	Kind       Strings   `column:"kind,null" doc:"kind of tasks that is faster"`
	Arch       Strings   `column:"arch,null" doc:"architecture on which it is"`
	SpeedUp    []float64 `column:"speedup" doc:"share of their time that these tasks do not take any more, 0 for other changes"`
	Base       []int64   `column:"base" unit:"ns" doc:"simulated makespan without the change"`
	Gain       []int64   `column:"gain" unit:"ns" doc:"median of what the makespan is shorter, in pairs with the same random perturbations"`
	Low        []int64   `column:"low" unit:"ns" doc:"10 % quantile of the pairs"`
	High       []int64   `column:"high" unit:"ns" doc:"90 % quantile of the pairs"`
	Pairs      []int32   `column:"pairs" doc:"number of pairs; 1: simulated once, without an interval"`
}

// Models are the entries of the runtime's kernel performance models.
type Models struct {
	Symbol    Strings   `column:"symbol" doc:"model"`
	Host      Strings   `column:"host,null,optional" doc:"machine that it was measured on"`
	Arch      Strings   `column:"arch,null" doc:"architecture"`
	Device    []int32   `column:"device" doc:"device number"`
	Cores     []int32   `column:"cores" doc:"cores"`
	Impl      []int32   `column:"impl" doc:"implementation"`
	Footprint []uint32  `column:"footprint" doc:"hash of the data layout"`
	Bytes     []int64   `column:"bytes" unit:"bytes" doc:"size of the data"`
	GFlop     []float64 `column:"gflop" unit:"GFlop" doc:"work"`
	Mean      []float64 `column:"mean" unit:"ns" doc:"mean duration"`
	Deviation []float64 `column:"deviation" unit:"ns" doc:"standard deviation"`
	Count     []int64   `column:"count" doc:"number of measurements"`
}
