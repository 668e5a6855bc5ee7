package starpu

// trail is what a run leaves behind besides where and when its tasks ran; it is
// kept where Options.Record asks for it.
type traceLog struct {
	workerStates  []stateChange
	copies        []copyRecord
	popped        []float64 // s, by task: when a worker took it
	memoryEvents  []memoryEvent
	requests      []requestRecord
	memoryUses    []memoryUse
	replicaStates []replicaState
	known         []validity // by handle and memory, as last recorded
	full          []bool     // by memory: the last attempt to make room found none
}

// mark is the date at which a worker begins to do something.
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

// Names of StarPU's worker states, of CPU workers and of those of devices; a task
// that executes is no state. CPU workers do not say that they wait for data, nor
// devices that they sleep.
var (
	stateNames  = [...]string{stateSleeping: "Sleeping", stateScheduling: "Scheduling", stateFetching: "Overhead", stateCleaning: "Overhead"}
	deviceNames = [...]string{stateSleeping: "Idle", stateScheduling: "Scheduling", stateFetching: "FetchingInput", stateCleaning: "Overhead"}
)

// copied is a copy between memories.
type copyRecord struct {
	begin, end       float64 // s; end 0: it did not end
	from, to, handle int32
	priority         int32
	level            level
}

// managed is something that the manager of a memory did for a piece of data.
type memoryEvent struct {
	begin, end           float64 // s
	handle, memory, peer int32   // peer: where it was written to, or none
	what                 memoryEventKind
	level                level // of allocations: who wants it
}

// management is what managers of memories do.
type memoryEventKind uint8

const (
	searching        memoryEventKind = iota // looks for free memory of the right size
	allocating                              // allocates it
	allocationFailed                        // there is none
	freeing
	writingBack
)

// managementNames are StarPU's, of beginnings and ends, and what it says of how
// they ended; of an allocation that is the number of bytes or, where there is no
// room, the error ENOMEM, printed as an unsigned number.
var memoryEventNames = [...]struct{ start, end, result string }{
	searching:        {"Allocating Async Start", "Allocating Async End", "0"},
	allocating:       {"Allocating Start", "Allocating End", ""},
	allocationFailed: {"Allocating Start", "Allocating End", "4294967284"},
	freeing:          {"Free Start", "Free End", "0"},
	writingBack:      {"WritingBack Start", "WritingBack End", "0"},
}

// wish is a transfer that is asked for.
type requestRecord struct {
	at               float64 // s
	from, to, handle int32
	priority         int32
	level            level
}

// usage is how much of a memory is allocated from a date on.
type memoryUse struct {
	at     float64 // s
	memory int32
	bytes  int64
}

// copyState is the validity of a copy from a date on.
type replicaState struct {
	at             float64 // s
	handle, memory int32
	state          validity
}

// newTrail begins with the copies that are there.
func newTraceLog(e *engine) *traceLog {
	t := &traceLog{known: make([]validity, len(e.handles)*len(e.memories)), popped: make([]float64, len(e.g.Class)), full: make([]bool, len(e.memories))}
	for h := range e.handles {
		t.updateStates(e, int32(h))
	}
	return t
}

func (t *traceLog) setState(now float64, worker int32, what workerState) {
	t.workerStates = append(t.workerStates, stateChange{now, worker, what})
}

// coherent notes which copies of a handle have become valid or invalid.
func (t *traceLog) updateStates(e *engine, h int32) {
	for m := range e.memories {
		at := int(h)*len(e.memories) + m
		if s := e.replicaOf(h, int32(m)).state; s != t.known[at] {
			t.known[at] = s
			t.replicaStates = append(t.replicaStates, replicaState{e.now, h, int32(m), s})
		}
	}
}
