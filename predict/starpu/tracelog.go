package starpu

// traceLog is what Options.Record adds to the record of a run.
type traceLog struct {
	workerStates  []stateChange
	copies        []copyRecord
	popped        []int64 // ns since the first submission, by task
	memoryEvents  []memoryEvent
	requests      []requestRecord
	memoryUses    []memoryUse
	replicaStates []replicaState
	known         []validity // by handle and memory, as last recorded
	full          []bool     // by memory node: the last attempt to free memory failed
}

// stateChange is the date at which a worker enters a state.
type stateChange struct {
	at     float64 // s
	worker int32
	what   workerState
}

// workerState is what a worker does.
type workerState uint8

const (
	stateSleeping workerState = iota
	stateScheduling
	stateFetching
	stateExecuting
	stateCleaning
)

// Names of StarPU's worker states, of CPU workers and of device workers; executing
// a task is no state. CPU workers do not report that they wait for data, nor
// device workers that they sleep.
var (
	stateNames  = [...]string{stateSleeping: "Sleeping", stateScheduling: "Scheduling", stateFetching: "Overhead", stateCleaning: "Overhead"}
	deviceNames = [...]string{stateSleeping: "Idle", stateScheduling: "Scheduling", stateFetching: "FetchingInput", stateCleaning: "Overhead"}
)

// copyRecord is a copy between memory nodes.
type copyRecord struct {
	begin, end       float64 // s; end 0: it did not end
	from, to, handle int32
	priority         int32
	level            level
}

// memoryEvent is something that a memory manager did for a data handle.
type memoryEvent struct {
	begin, end           float64 // s
	handle, memory, peer int32   // peer: memory node that it was written to, or none
	what                 memoryEventKind
	level                level // of allocations
}

// memoryEventKind is what memory managers do.
type memoryEventKind uint8

const (
	searching memoryEventKind = iota // for free memory of the right size
	allocating
	allocationFailed
	freeing
	writingBack
)

// memoryEventNames are StarPU's names of beginnings and ends, and the result: of
// an allocation, that is the number of bytes or, where there is no memory, the
// error ENOMEM printed as an unsigned number.
var memoryEventNames = [...]struct{ start, end, result string }{
	searching:        {"Allocating Async Start", "Allocating Async End", "0"},
	allocating:       {"Allocating Start", "Allocating End", ""},
	allocationFailed: {"Allocating Start", "Allocating End", "4294967284"},
	freeing:          {"Free Start", "Free End", "0"},
	writingBack:      {"WritingBack Start", "WritingBack End", "0"},
}

// requestRecord is a transfer request.
type requestRecord struct {
	at               float64 // s
	from, to, handle int32
	priority         int32
	level            level
}

// memoryUse is how much of a memory node is allocated from a date on.
type memoryUse struct {
	at     float64 // s
	memory int32
	bytes  int64
}

// replicaState is the validity of a replica from a date on.
type replicaState struct {
	at             float64 // s
	handle, memory int32
	state          validity
}

// newTraceLog begins with the replicas that are there.
func newTraceLog(e *engine) *traceLog {
	t := &traceLog{known: make([]validity, len(e.handles)*len(e.memories)), popped: make([]int64, len(e.g.Class)), full: make([]bool, len(e.memories))}
	for h := range e.handles {
		t.updateStates(e, int32(h))
	}
	return t
}

func (t *traceLog) setState(now float64, worker int32, what workerState) {
	t.workerStates = append(t.workerStates, stateChange{now, worker, what})
}

// updateStates records which replicas of a handle have become valid or invalid.
func (t *traceLog) updateStates(e *engine, h int32) {
	for m := range e.memories {
		at := int(h)*len(e.memories) + m
		if s := e.replicaOf(h, int32(m)).state; s != t.known[at] {
			t.known[at] = s
			t.replicaStates = append(t.replicaStates, replicaState{e.now, h, int32(m), s})
		}
	}
}
