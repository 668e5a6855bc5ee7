package decode

import (
	"dagscope/read/spans"
	"dagscope/trace"
)

// ofThread returns the function of an event that says what a thread does: it is
// the thread's state from here on. Threads that drive no worker have no such
// states.
func ofThread(kind int32) func(*rank, *args) {
	return func(r *rank, a *args) {
		if t := r.known(a.v[0]); t != nil && t.worker >= 0 {
			r.setThread(t, kind)
		}
	}
}

// pushes returns the function of an event that nests a state of any thread.
func pushes(kind int32) func(*rank, *args) {
	return func(r *rank, a *args) { r.pushThread(r.anyThread(a.v[0]), kind) }
}

// pops ends what pushes began.
func pops(r *rank, a *args) { r.popThread(r.anyThread(a.v[0])) }

// ofWorker returns the function of an event that says what a worker does.
func ofWorker(kind int32) func(*rank, *args) {
	return func(r *rank, a *args) {
		if w := r.worker(a.int(0)); w != nil {
			r.setWorker(w, kind)
		} else {
			r.misfits[r.current]++
			r.bad("a state of worker %d, want one that was initialised: left out", a.int(0))
		}
	}
}

// startExecuting begins the execution of a task by a thread that is not one
// with its worker. The state names the task.
func startExecuting(r *rank, a *args) {
	t := r.known(a.v[0])
	if t == nil || t.sync || t.driving == trace.None {
		return
	}
	if !a.has(1) { // before 1.4
		r.set(t.driving, kindExecuting)
		return
	}
	row := r.task(a.v[1])
	r.states.Add(t.driving, spans.Set, r.now, kindExecuting, r.extended(row), 0)
}

func endExecuting(r *rank, a *args) {
	if t := r.known(a.v[0]); t != nil && !t.sync {
		r.setThread(t, kindOverhead)
	}
}

// startParallelSync begins the wait of a parallel task's workers for each other.
func startParallelSync(r *rank, a *args) {
	if t := r.known(a.v[0]); t != nil && t.driving != trace.None && !(t.sync && r.paused) {
		r.push(t.driving, kindParallelSync)
	}
}

func endParallelSync(r *rank, a *args) {
	if t := r.known(a.v[0]); t != nil && t.driving != trace.None && !(t.sync && r.paused) {
		r.pop(t.driving)
	}
}

// keyChange is FxT's own event of what is recorded from here on.
func keyChange(r *rank, a *args) { r.paused = a.v[0] == onlyAlways }

// onlyAlways is the mask of FxT under which only those events are recorded that
// always are.
const onlyAlways = 1

// contextStates is the type of the states of a worker in a scheduling context,
// indices in State.Type's dictionary.
func (r *rank) contextStates(context uint64) int32 {
	return r.out.State.Type.Intern("InCtx" + decimal(context))
}

// buildStates makes spans of the changes of state.
func (r *rank) buildStates() {
	tally := r.states.Build(r.out, spans.Options{File: r.file})
	for _, n := range tally.Bad {
		r.out.Account.Add(r.file, "end of a state that had none", "log", n)
	}
}

// Parameters of most of the events.
var (
	byThread = []string{"thread"}
	byWorker = []string{"worker"}
)

var stateBindings = []binding{
	{"START_FETCH_INPUT_ON_TID", byThread, "state", ofThread(kindFetching)},
	{"END_FETCH_INPUT_ON_TID", byThread, "state", ofThread(kindOverhead)},
	{"START_PUSH_OUTPUT_ON_TID", byThread, "state", ofThread(kindPushing)},
	{"END_PUSH_OUTPUT_ON_TID", byThread, "state", ofThread(kindOverhead)},
	{"START_PROGRESS_ON_TID", byThread, "state", ofThread(kindProgressing)},
	{"END_PROGRESS_ON_TID", byThread, "state", ofThread(kindOverhead)},
	{"START_UNPARTITION_ON_TID", byThread, "state", ofThread(kindUnpartitioning)},
	{"END_UNPARTITION_ON_TID", byThread, "state", ofThread(kindOverhead)},
	{"WORKER_SCHEDULING_START", byThread, "state", ofThread(kindScheduling)},
	{"WORKER_SCHEDULING_END", byThread, "state", ofThread(kindOverhead)},
	{"WORKER_SLEEP_START", byThread, "state", ofThread(kindSleeping)},
	{"WORKER_SLEEP_END", byThread, "state", ofThread(kindOverhead)},

	{"START_FETCH_INPUT", byWorker, "state", ofWorker(kindFetching)},
	{"END_FETCH_INPUT", byWorker, "state", ofWorker(kindOverhead)},

	{"START_EXECUTING", []string{"thread", "job?"}, "state", startExecuting},
	{"END_EXECUTING", byThread, "state", endExecuting},
	{"START_PARALLEL_SYNC", byThread, "state", startParallelSync},
	{"END_PARALLEL_SYNC", byThread, "state", endParallelSync},

	{"WORKER_SCHEDULING_PUSH", byThread, "state", pushes(kindScheduling)},
	{"WORKER_SCHEDULING_POP", byThread, "state", pops},
	{"START_CALLBACK", byThread, "state", callsOut(kindCallback)},
	{"END_CALLBACK", byThread, "state", comesBack},
	{"HYPERVISOR_BEGIN", byThread, "state", callsOut(kindHypervisor)},
	{"HYPERVISOR_END", byThread, "state", comesBack},
	{"TASK_BUILD_START", byThread, "state", pushes(kindBuilding)},
	{"TASK_BUILD_END", byThread, "state", pops},
	{"TASK_SUBMIT_START", byThread, "state", pushes(kindSubmitting)},
	{"TASK_SUBMIT_END", byThread, "state", pops},
	{"TASK_THROTTLE_START", byThread, "state", pushes(kindThrottling)},
	{"TASK_THROTTLE_END", byThread, "state", pops},
	{"TASK_MPI_DECODE_START", byThread, "state", pushes(kindMPIDecode)},
	{"TASK_MPI_DECODE_END", byThread, "state", pops},
	{"TASK_MPI_PRE_START", byThread, "state", pushes(kindMPIPrepare)},
	{"TASK_MPI_PRE_END", byThread, "state", pops},
	{"TASK_MPI_POST_START", byThread, "state", pushes(kindMPIPost)},
	{"TASK_MPI_POST_END", byThread, "state", pops},
	{"TASK_WAIT_START", byThread, "state", pushes(kindWaiting)},
	{"TASK_WAIT_END", byThread, "state", pops},
	{"TASK_WAIT_FOR_ALL_START", byThread, "state", pushes(kindWaitingAll)},
	{"TASK_WAIT_FOR_ALL_END", byThread, "state", pops},

	{"FUT_SETUP", []string{"mask"}, "definition", keyChange},
	{"FUT_KEYCHANGE", []string{"mask"}, "definition", keyChange},
}
