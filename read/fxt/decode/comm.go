package decode

import (
	"fmt"
	"strconv"

	"dagscope/trace"
)

// commContainer is the communication thread of a rank; container and stream are
// None before StarPU's MPI layer says that it has started.
type commContainer struct{ container, stream int32 }

// mpiStart makes the communication thread known.
func mpiStart(r *rank, a *args) {
	if other := r.world.start(a.int(0), a.int(2)); other != trace.None {
		r.log(trace.Error, "two-processes", "found the events of ranks %d and %d, want those of one process: two wrote over each other, and their tasks are mixed", other, a.int(0))
	}
	if a.has(1) && r.thread(a.v[1]) == nil {
		r.addThread(a.v[1], commThread)
	}
	c, begin := &r.comm, r.zero
	if r.d.version.CommAtStart {
		begin = r.now
	}
	c.container = r.container(typeComm, r.program, "mpict", "mpict", begin)
	c.stream = r.states.Stream(c.container, statesOfComm, statesOfComm)
	if t := r.thread(a.v[1]); a.has(1) && t.worker == commThread {
		t.container, t.stream = c.container, c.stream
	}
	r.sample(metricIn, c.container, begin, 0)
	r.sample(metricOut, c.container, begin, 0)
	r.set(c.stream, kindSleeping)
}

func mpiStop(r *rank, a *args) {
	r.world.running = trace.None
	if c := r.comm.container; c != trace.None {
		r.out.Container.End[c] = r.now
	}
}

// ofComm returns the function of an event that says what the communication
// thread does.
func ofComm(kind int32) func(*rank, *args) {
	return func(r *rank, a *args) {
		if r.comm.stream != trace.None {
			r.set(r.comm.stream, kind)
		}
	}
}

func pushesComm(kind int32) func(*rank, *args) {
	return func(r *rank, a *args) {
		if r.comm.stream != trace.None {
			r.push(r.comm.stream, kind)
		}
	}
}

func popsComm(r *rank, a *args) {
	if r.comm.stream != trace.None {
		r.pop(r.comm.stream)
	}
}

func (r *rank) barrierText(b barrier, clocks bool) string {
	switch {
	case r.d.version.OneBarrier:
		return strconv.FormatInt(b.rank, 10)
	case clocks:
		return fmt.Sprintf("end of mpi_sync_clocks_barrier, rank %d", b.rank)
	}
	return fmt.Sprintf("end of MPI_Barrier, rank %d", b.rank)
}

// programEvent appends something that the program tells.
func (r *rank) programEvent(text string, time int64) {
	e := &r.out.Event
	e.Type.AppendIndex(eventProgram)
	e.Container = append(e.Container, r.program)
	e.Time = append(e.Time, time)
	e.Value.AppendIndex(r.traffic.value.text([]byte(text)))
	e.Handle.AppendIndex(trace.None)
	e.Info.AppendIndex(trace.None)
	e.Bytes = append(e.Bytes, -1)
	e.Peer = append(e.Peer, trace.None)
}

var commBindings = []binding{
	{"MPI_START", []string{"rank", "thread?", "ranks?"}, "resource", mpiStart},
	{"MPI_STOP", nil, "resource", mpiStop},
	{"MPI_BARRIER", []string{"rank", "key", "clock?", "ranks?"}, "event", mpiBarrier},
	{"MPI_ISEND_SUBMIT_BEGIN", nil, "state", ofComm(kindSendSubmitted)},
	{"MPI_IRECV_SUBMIT_BEGIN", nil, "state", ofComm(kindReceiveSubmitted)},
	{"MPI_IRECV_SUBMIT_END", nil, "state", ofComm(kindProcessing)},
	{"MPI_ISEND_COMPLETE_BEGIN", nil, "state", ofComm(kindSendCompleted)},
	{"MPI_ISEND_COMPLETE_END", nil, "state", ofComm(kindProcessing)},
	{"MPI_IRECV_COMPLETE_BEGIN", nil, "state", ofComm(kindReceiveCompleted)},
	{"MPI_IRECV_COMPLETE_END", nil, "state", ofComm(kindProcessing)},
	{"MPI_SLEEP_BEGIN", nil, "state", ofComm(kindSleeping)},
	{"MPI_SLEEP_END", nil, "state", ofComm(kindPolling)},
	{"MPI_DTESTING_BEGIN", nil, "state", ofComm(kindDriverTesting)},
	{"MPI_DTESTING_END", nil, "state", ofComm(kindProcessing)},
	{"MPI_UTESTING_BEGIN", nil, "state", ofComm(kindUserTesting)},
	{"MPI_UTESTING_END", nil, "state", ofComm(kindProcessing)},
	{"MPI_UWAIT_BEGIN", nil, "state", ofComm(kindUserWaiting)},
	{"MPI_UWAIT_END", nil, "state", ofComm(kindProcessing)},
	{"MPI_POLLING_BEGIN", nil, "state", ofComm(kindPolling)},
	{"MPI_POLLING_END", nil, "state", ofComm(kindProcessing)},
	{"MPI_DRIVER_RUN_BEGIN", nil, "state", ofComm(kindDriverRun)},
	{"MPI_DRIVER_RUN_END", nil, "state", ofComm(kindPolling)},
	{"MPI_TESTING_DETACHED_BEGIN", nil, "state", pushesComm(kindTestingDetached)},
	{"MPI_TESTING_DETACHED_END", nil, "state", popsComm},
	{"MPI_TEST_BEGIN", nil, "state", pushesComm(kindMPITest)},
	{"MPI_TEST_END", nil, "state", popsComm},
}
