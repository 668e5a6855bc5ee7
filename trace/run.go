package trace

// Run is one recorded or simulated execution. See the package comment for the
// conventions; schema.go names, types and documents every column.
type Run struct {
	Meta Meta

	Resource Resources
	TreeNode TreeNodes
	Task     Tasks
	Segment  Segments
	Phase    Phases
	Decision Decisions
	Estimate Estimates
	Dep      Deps
	State    States
	Transfer Transfers
	Sample   Samples
	Event    Events
	Handle   Handles
	Access   Accesses
	Counter  Counters
	Model    Models
	Log      Log
	Account  Account
}

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
// of their creation, parents first.
type Resources struct {
	Parent []int32 // resource, None for the root
	Level  Strings // one of the Level constants
	Name   Strings // as traced, "0_CUDA2_0"
	Alias  Strings // the trace's short identifier, "0_w3"; may be absent
	Type   Strings // the container type as traced, "Worker"; may be absent
	Arch   Strings // "cpu", "cuda", "hip", "opencl", …; "" where meaningless
	Node   []int32 // rank of the node it belongs to, 0 on one node, None above nodes
	Index  []int32 // the runtime's number within the node (worker id, memory node), or None
	Start  []int64 // creation, NoTime if unknown
	End    []int64 // destruction, NoTime if it lasted to the end
}

// Tasks are what the programmer submitted plus the runtime's internal tasks
// (Internal). Rows are in submission order, node by node: a smaller row was
// submitted earlier on its node, and this order breaks every tie.
type Tasks struct {
	Key        Keys    // job id as the runtime printed it, "0_5051"
	Kind       Strings // codelet or function
	Worker     []int32 // resource it ran on, None if it never ran there
	Start      []int64 // ns, NoTime if it did not run
	End        []int64 // ns, NoTime if it did not run
	Submit     []int64 // ns, NoTime if unknown
	Ready      []int64 // ns, NoTime if unknown; Meta.Derived["task.ready"] tells its origin
	Order      []int32 // submission order on its node as the runtime counts it, None for internal tasks
	Priority   []int32 // raw
	Iteration  []int32 // outer iteration, -1 if none
	Generation []bool  // prepares the input: left out of zero and of statistics
	Internal   []bool  // the runtime's own (data acquire and release): in the graph, never counted

	// Optional columns, nil when the run does not have them.
	Subiteration []int32
	Node         []int32  // node that submitted it (needed where Worker is None)
	Tag          []uint64 // as given by the application
	Footprint    []uint32 // hash of the data layout
	GFlop        []float64
	X, Y         []int32 // coordinates of the first written handle, NoInt if none
	Bytes        []int64 // sum of its handles' sizes
	Parameters   Strings // data layout of its handles, "M960x960x4_M960x960x4"
	Model        Strings // performance-model symbol
	File         Strings // source file
	Line         []int32
	Numa         Strings
	MemoryNode   []int32 // the runtime's memory-node number, None if unknown
	TreeNode     []int32 // node of the elimination tree, None if it works on none
	Parent       []int32 // task that created it, in an earlier row; None if unknown
}

// TreeNodes are the nodes (fronts) of the elimination tree of a sparse
// factorization, parents first: a row's Parent is smaller than the row.
type TreeNodes struct {
	Key    []int64 // number as the application prints it, each once
	Parent []int32 // tree node, None for a root
}

// Segments hold the pieces of tasks that were suspended, or that ran on several
// workers at once; tasks without rows here ran in one piece from Start to End.
// Pieces of a task on one worker do not overlap. Sorted by (task, start).
type Segments struct {
	Task   []int32
	Worker []int32
	Start  []int64
	End    []int64
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
// that. Phases of a task do not overlap. Sorted by (task, start).
type Phases struct {
	Task  []int32
	Kind  Strings // one of the Phase constants
	Start []int64
	End   []int64
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
type Decisions struct {
	Task   []int32
	Kind   Strings // one of the Decision constants
	Time   []int64
	Worker []int32 // chosen to run it, None where it goes into a shared queue
	By     []int32 // worker whose thread decided, None for the program's
	Queue  Strings // the queue's name, "" of a plan
	Owner  []int32 // worker whose queue it is, None for a shared one
	Place  []int32 // position in the queue, 0 first; None of a plan
	// Where the scheduler estimated (there are rows in Estimates), else 0:
	Clock []float64 // µs, the scheduler's clock when it did
	Best  []float64 // µs on that clock, the earliest predicted end
	Alpha []float64 // weight of ending later than Best
	Beta  []float64 // weight of transfers
}

// Estimates are what a scheduler expected of the workers that it could give a
// task to, in the units and with the numbers that it computed with: dates are
// those of its own clock (Decisions.Clock is that of Decisions.Time).
//
//	End     = max(Available + Queued, Clock + Transfer) + Duration
//	Fitness = Alpha (End - Best) + Beta Transfer
//
// The smallest fitness wins, of equal ones the worker of the lowest number
// (Resources.Index). Sorted by (Decision, Worker, Implementation), none twice.
type Estimates struct {
	Decision       []int32
	Worker         []int32
	Implementation []int32   // of the codelet, 0 first
	Available      []float64 // µs, date: is done with what it has taken
	Queued         []float64 // µs, length of what waits in its queue
	Transfer       []float64 // µs, for data that is not there and not asked for
	Duration       []float64 // µs
	End            []float64 // µs, date
	Fitness        []float64 // µs, for Alpha and Beta without units
}

// Dependency kinds.
const (
	DepTask = "task"          // one task waits for another
	DepComm = "communication" // the successor waits for data sent by the predecessor's node
)

// Deps are the edges of the task graph, sorted by (To, From, Via), no
// duplicates. A communication edge names the transfer it goes through; its
// From is None when the sending task is not known.
type Deps struct {
	From []int32 // task
	To   []int32 // task
	Kind Strings
	Via  []int32 // transfer, None for DepTask; nil if no communication at all
}

// States are spans of what resources did besides running tasks: runtime states
// of workers and threads, memory managers, communication threads. Sorted by
// (Resource, Type, Start, Depth), zero-length states included. The rows of one
// type are together; in which order the types come is not promised.
type States struct {
	Resource []int32
	Type     Strings // state type as traced, "Worker State"
	Kind     Strings // "Idle", "FetchingInput", …
	Start    []int64
	End      []int64
	Depth    []int32 // nesting of pushed states, 0 outermost
	Task     []int32 // the task it belongs to, None if unknown; may be nil
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

// Transfers are movements between memory nodes, nodes or workers. Sorted by
// (Start, Key).
type Transfers struct {
	Key      Keys    // "com_9", "mpicom_460"
	Kind     Strings // one of the Transfer constants
	From     []int32 // resource: memory manager, communication thread or worker
	To       []int32 // resource
	Start    []int64 // NoTime if unknown
	End      []int64 // NoTime if unknown; earlier than Start when the nodes' clocks disagree
	Bytes    []int64
	Handle   []int32 // handle on the sending side, None if unknown
	Priority []int32
	Tag      []int64 // MPI tag, 0 if none
	Mode     Strings // "PointToPoint", "Collective"; of kind link its type as traced; may be absent
	SendTask []int32 // task that posted the send, None if unknown; may be nil
	RecvTask []int32 // task that posted the receive, None if unknown; may be nil
}

// Samples are step functions: a value holds until the next sample of the same
// metric and resource. Sorted by (Metric, Resource, Time), the metrics in an
// order that is not promised.
type Samples struct {
	Metric   Strings // as traced, "Number of Ready Tasks"
	Resource []int32
	Time     []int64
	Value    []float64
}

// Events are instants. Sorted by (Time, Resource), else as traced.
type Events struct {
	Kind     Strings // event type as traced, "data state owner"
	Resource []int32
	Time     []int64
	Value    Strings // what the event carried, as traced
	Task     []int32 // None if it names none
	Handle   []int32 // None if it names none
	Info     Strings // memory events: prefetch level, result or communication
	Bytes    []int64 // memory events: size (for "Request Created" the priority)
	Peer     []int32 // memory events: the other memory manager, None if none
}

// Handles are the pieces of data that tasks access. Sorted by (Node, Key).
type Handles struct {
	Key         Strings // address as printed, of its node; may repeat
	Node        []int32 // rank
	Name        Strings
	Bytes       []int64
	X, Y        []int32 // block coordinates, NoInt if none
	Coordinates Strings // all coordinates as printed
	Home        []int32 // memory-node number, -1 if the runtime allocated it
	Description Strings // layout, "M960x960x4"
	Owner       []int32 // owning rank, None if unknown
	Tag         []int64 // MPI tag, -1 if none
}

// Accesses say which handles a task uses, in the order of its parameters.
// Sorted by task.
type Accesses struct {
	Task   []int32
	Handle []int32
	Mode   Strings // R, W, RW, S (scratch), X (reduction), C (commute), as printed
	Bytes  []int64
}

// Counters are hardware counters per task (papi.rec).
type Counters struct {
	Task  []int32
	Event Strings
	Value []int64
}

// Models are the entries of the runtime's kernel performance models.
type Models struct {
	Symbol    Strings
	Arch      Strings // "cpu", "cuda", …
	Device    []int32
	Cores     []int32
	Impl      []int32
	Footprint []uint32
	Bytes     []int64
	GFlop     []float64
	Mean      []float64 // ns
	Deviation []float64 // ns
	Count     []int64
}
