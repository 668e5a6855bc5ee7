package decode

import (
	"strconv"

	"dagscope/trace"
)

// thread is a thread of the traced program: it drives a worker, it is that of
// the communications, or it is one of the application.
type thread struct {
	worker    int32 // id of the first worker that it drives; userThread, commThread
	sync      bool  // it is one with its worker: no states of its own
	container int32
	stream    int32 // of what it does as any thread does: submits tasks, calls back
	driving   int32 // of what it does as the driver of a worker; None if it is none
}

// What a thread that drives no worker is.
const (
	userThread int32 = -1
	commThread int32 = -2
)

// thread returns a thread that is known already, nil if it is not.
func (r *rank) thread(tid uint64) *thread {
	recent := &r.recent[(tid>>3^tid>>9^tid)%recentThreads]
	if recent.thread != nil && recent.tid == tid {
		return recent.thread
	}
	if i := r.threadIndex.get(tid); i >= 0 {
		*recent = recentThread{tid, r.threads[i]}
		return r.threads[i]
	}
	return nil
}

// known is [rank.thread] for events that only threads which were announced have:
// any other is logged.
func (r *rank) known(tid uint64) *thread {
	t := r.thread(tid)
	if t == nil {
		r.misfits[r.current]++
		r.bad("event %s of thread %d, want one of a thread that was announced: left out", r.d.dispatch.handlers[r.current].event.Name, tid)
	}
	return t
}

// recentThread is a thread that was looked for not long ago: nearly all events
// name one, and there are few.
type recentThread struct {
	tid    uint64
	thread *thread
}

const recentThreads = 64

func (r *rank) addThread(tid uint64, worker int32) *thread {
	t := &thread{worker: worker, stream: trace.None, driving: trace.None}
	r.threadIndex.put(tid, int32(len(r.threads)))
	r.threads = append(r.threads, t)
	return t
}

// drive makes a thread the driver of a worker. A thread of the application can
// become one, with states of both kinds from then on.
func (r *rank) drive(t *thread) {
	if t.driving != trace.None || t.worker == commThread {
		return
	}
	t.driving = r.states.Stream(t.container, statesOfThread, statesOfThread)
	if t.stream == trace.None {
		t.stream = t.driving
	}
}

// anyThread returns a thread; one that is not known is the application's.
func (r *rank) anyThread(tid uint64) *thread {
	if t := r.thread(tid); t != nil {
		return t
	}
	t := r.addThread(tid, userThread)
	number := strconv.FormatUint(tid, 10)
	t.container = r.container(typeUserThread, r.program, "t"+number, "UserThread"+number, r.now)
	t.stream = r.states.Stream(t.container, statesOfUser, statesOfUser)
	return t
}
