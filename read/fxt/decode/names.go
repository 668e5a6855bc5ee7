package decode

import "dagscope/read/assemble"

// The names that StarPU's converter gives containers, states, variables, events
// and links: package assemble knows what they mean. Each rank interns them
// first, in this order, so that the constants below are their indices in the
// dictionaries of its columns.

// Types of containers: indices in Container.Type's dictionary.
const (
	typeRoot int32 = iota
	typeProgram
	typeScheduler
	typeMemory
	typeManager
	typeThread
	typeWorker
	typeUserThread
	typeComm
)

var containerTypes = []string{
	"MPI Program", "Program", "Scheduler State", "Memory Node", "Memory Manager", "Thread", "Worker", "User Thread",
	"MPI Communication Thread",
}

// Types of states: indices in State.Type's dictionary, whose order is that of
// states of a resource. Those of contexts come before those of their workers, as
// they are defined in StarPU's Pajé traces.
const (
	statesOfThread int32 = iota
	statesOfUser
	statesOfComm
	statesOfMemory
	statesOfWorker int32 = 13
)

var stateTypes = []string{
	"Thread State", "User Thread State", "Communication Thread State", "Memory Node State",
	"InCtx1", "InCtx2", "InCtx3", "InCtx4", "InCtx5", "InCtx6", "InCtx7", "InCtx8", "InCtx9", // others are interned as they come
	assemble.WorkerState,
}

// Kinds of states: indices in State.Kind's dictionary.
const (
	kindIdle int32 = iota
	kindInitializing
	kindDeinitializing
	kindFetching
	kindPushing
	kindCallback
	kindOverhead
	kindParallelSync
	kindExecuting
	kindScheduling
	kindSleeping
	kindProgressing
	kindUnpartitioning
	kindHypervisor
	kindBuilding
	kindSubmitting
	kindThrottling
	kindMPIDecode
	kindMPIPrepare
	kindMPIPost
	kindWaiting
	kindWaitingAll
	kindProcessing
	kindPolling
	kindDriverRun
	kindUserTesting
	kindUserWaiting
	kindSendSubmitted
	kindReceiveSubmitted
	kindSendCompleted
	kindReceiveCompleted
	kindTestingDetached
	kindMPITest
	kindDriverTesting
	kindAllocating
	kindAllocatingReuse
	kindFreeing
	kindWritingBack
	kindWritingBackAsync
	kindReclaiming
	kindDriverCopy
	kindDriverCopyAsync
	kindNothing
)

// kinds are the states' names and the colours that StarPU gives them.
var kinds = []struct{ name, color string }{
	{"Idle", "#e61a00"}, {"Initializing", "#00b3ff"}, {"Deinitializing", "#001ab3"}, {"FetchingInput", "#ff1aff"},
	{"PushingOutput", "#1affff"}, {"Callback", "#004dcc"}, {"Overhead", "#802e00"}, {"Parallel sync", "#802eff"},
	{"Executing", "#009980"}, {"Scheduling", "#b35c00"}, {"Sleeping", "#e61a00"}, {"Progressing", "#1a4d1a"},
	{"Unpartitioning", "#0000ff"}, {"Hypervisor", "#802e00"}, {"Building task", "#802e00"},
	{"Submitting task", "#4d1700"}, {"Throttling task submission", "#cc9999"}, {"Decoding task for MPI", "#802e33"},
	{"Preparing task for MPI", "#662433"}, {"Post-processing task for MPI", "#4d1733"}, {"Waiting task", "#e61a00"},
	{"Waiting all tasks", "#e61a00"}, {"Processing", "#000000"}, {"Polling", "#ff8000"}, {"DriverRun", "#1a1aff"},
	{"UserTesting", "#331a99"}, {"UserWaiting", "#661a4d"}, {"SendSubmitted", "#ff1aff"},
	{"ReceiveSubmitted", "#1affff"}, {"SendCompleted", "#ff80ff"}, {"ReceiveCompleted", "#80ffff"},
	{"Testing Detached", "#000099"}, {"MPI Test", "#0000cc"}, {"DriverTesting", ""}, {"Allocating", "#661a00"},
	{"AllocatingReuse", "#1a1acc"}, {"Freeing", "#994d00"}, {"WritingBack", "#000080"}, {"WritingBackAsync", "#000066"},
	{"Reclaiming", "#001a99"}, {"DriverCopy", "#4d801a"}, {"DriverCopyAsync", "#1a4d1a"}, {"Nothing", "#000000"},
}

// Metrics of samples: indices in Sample.Metric's dictionary. Both directions
// have one name for memory nodes and for communication threads.
const (
	metricSubmitted int32 = iota
	metricReady
	metricFlops
	metricUsed
	metricIn
	metricOut
	metricWorkerFlops
)

var metrics = []string{
	"Number of Submitted Uncompleted Tasks", "Number of Ready Tasks", "Total GFlop/s", "Used (MB)", "Bandwidth In (MB/s)",
	"Bandwidth Out (MB/s)", "GFlop/s",
}

// Types of events: indices in Event.Type's dictionary.
const (
	eventProgram int32 = iota
	eventCheckpointBegin
	eventCheckpointEnd
	eventPush
	eventPop
	eventRegister
	eventUnregister
	eventUser
	eventThread
	eventInvalid
	eventShared
	eventOwner
	eventWontUse
	eventAlloc
	eventRequest
	eventAllocEnd
	eventReuse
	eventReuseEnd
	eventFree
	eventFreeEnd
	eventWriteBack
	eventWriteBackEnd
	eventCopy
	eventCopyEnd
	eventCopyAsync
	eventCopyAsyncEnd
)

var eventTypes = []string{
	"program event type", "Checkpoint Begin", "Checkpoint End", "Task Push", "Task Pop", "data registration",
	"data unregistration", "user event type", "thread event type", "data state invalid", "data state shared",
	"data state owner", "data wont use", "Allocating Start", "Request Created", "Allocating End",
	"Allocating Async Start", "Allocating Async End", "Free Start", "Free End", "WritingBack Start", "WritingBack End",
	"DriverCopy Start", "DriverCopy End", "DriverCopyAsync Start", "DriverCopyAsync End",
}

// Types of links: indices in Link.Type's dictionary.
const (
	linkFetch int32 = iota // + the prefetch parameter of an event
	linkTaskPrefetch
	linkPrefetch
	linkIdleFetch
	linkSteal
	linkMPI
)

var linkTypes = []string{
	"Intra-node data Fetch", "Intra-node data TaskPreFetch", "Intra-node data PreFetch", "Intra-node data IdleFetch",
	"Work steal", "MPI communication",
}

// intern puts the names into the dictionaries of a rank's columns.
func (r *rank) intern() {
	r.out.Container.Type.Dict = append([]string(nil), containerTypes...)
	r.out.State.Type.Dict = append([]string(nil), stateTypes...)
	r.out.Sample.Metric.Dict = append([]string(nil), metrics...)
	r.out.Event.Type.Dict = append([]string(nil), eventTypes...)
	r.out.Link.Type.Dict = append([]string(nil), linkTypes...)
	for _, k := range kinds {
		r.out.State.Kind.Dict = append(r.out.State.Kind.Dict, k.name)
	}
}
