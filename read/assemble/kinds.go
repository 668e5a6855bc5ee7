package assemble

// WorkerState is the name of the state type whose values are what a worker
// does, tasks included.
const WorkerState = "Worker State"

// wrapper is the runtime's own codelet that runs a function on every worker.
const wrapper = "execute_on_all_wrapper"

// runtimeStates are the values of worker states that are not tasks
// (docs/design/methods.md, Time).
var runtimeStates = map[string]bool{
	"Callback": true, "FetchingInput": true, "Idle": true, "Initializing": true, "Overhead": true,
	"PushingOutput": true, "Scheduling": true, "Submitting task": true, "Submiting task": true, "Progressing": true,
	"Sleeping": true, "Waiting all tasks": true, "Building task": true, "Deinitializing": true,
	wrapper: true, "HandleRequests": true, "Executing": true, "Parallel sync": true,
	"Unpartitioning": true, "Hypervisor": true, "Throttling task submission": true, "Waiting task": true,
	"Nothing": true, "Decoding task for MPI": true, "Preparing task for MPI": true,
	"Post-processing task for MPI": true,
}

// IsTask reports whether a state that carries a job id is the execution of a
// task: a state of a worker whose value is not one of the runtime's. (That the
// trace defines a value says nothing: StarPU defines task kinds too when it
// gives them colours.)
func IsTask(stateType, kind string) bool {
	return stateType == WorkerState && !runtimeStates[kind]
}
