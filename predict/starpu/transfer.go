package starpu

import (
	"fmt"
	"slices"
)

// transferQueue holds the copies between memory nodes that have not ended, the
// latest last.
type transferQueue struct {
	pending       []*transfer
	runners       []*transferRunner // by source and destination
	creationMutex mutex
}

// transfer is a copy between memory nodes.
type transfer struct {
	from, to int32
	bytes    int64
	request  *request // nil: only waits for others
	node     int32    // memory node whose drivers it wakes at the end
	nwait    int      // transfers that it must not overlap
	next     []*transfer
	done     bool
}

// transferRunner runs the copies between two memory nodes one after the other
// (struct transfer_runner).
type transferRunner struct {
	work  semaphore
	queue []*transfer
	flow  flow
	smpi  *smpiRoute // nil: latency and bandwidth are those of the links
}

// beginTransfer queues the copy of a request (_starpu_simgrid_transfer).
func (e *engine) beginTransfer(a *actor, r *request) {
	t := &transfer{from: r.from, to: r.to, bytes: e.handles[r.handle].bytes, request: r}
	if a.worker != nil {
		t.node = a.worker.memory
	}
	a.pause(e.costs.queue)
	q := &e.transfers
	for i := len(q.pending) - 1; i >= 0; i-- {
		if old := q.pending[i]; e.transfersAreSequential(t, old) {
			t.nwait++
			old.next = append(old.next, t)
		}
	}
	q.pending = append(q.pending, t)
	if t.nwait == 0 {
		e.enqueueTransfer(a, t)
	}
}

// transfersAreSequential says that a copy must not overlap another that was
// queued before it (transfers_are_sequential).
func (e *engine) transfersAreSequential(t, old *transfer) bool {
	return Sequential(t.from, t.to, old.from, old.to)
}

// Sequential says that a copy between two memory nodes waits for one that was
// queued before it.
func Sequential(from, to, oldFrom, oldTo int32) bool {
	if from == oldFrom && to == oldTo {
		return true
	}
	between, oldBetween := from != 0 && to != 0, oldFrom != 0 && oldTo != 0
	switch {
	case between && from == oldTo && oldFrom == to:
		return true
	case between && (oldTo == from || oldTo == to):
		return true
	}
	return oldBetween && (to == oldFrom || to == oldTo)
}

// enqueueTransfer gives a copy to its runner (transfer_queue).
func (e *engine) enqueueTransfer(a *actor, t *transfer) {
	at := &e.transfers.runners[e.m.Pair(t.from, t.to)]
	if *at == nil {
		a.lock(&e.transfers.creationMutex)
		if *at == nil {
			a.simcalls(1)
			*at = e.newTransferRunner(t.from, t.to)
			a.scheduleBefore((*at).flow.actor)
			a.simcalls(1)
		}
		a.unlock(&e.transfers.creationMutex)
	}
	(*at).queue = append((*at).queue, t)
	a.post(&(*at).work)
}

func (e *engine) newTransferRunner(from, to int32) *transferRunner {
	r := &transferRunner{}
	for _, id := range e.m.Routes[e.m.Pair(from, to)] {
		r.flow.latency += e.m.Links[id].Latency
		r.flow.cross(id, 1)
	}
	r.flow.penalty, r.flow.factor = r.flow.latency, 1
	if e.node != nil && e.o.MPI.Inside {
		e.setSMPIRoute(r, from, to)
	}
	r.flow.actor = e.spawn(fmt.Sprintf("transfers %d-%d", from, to), func(a *actor) { e.runTransfers(a, r) })
	return r
}

// runTransfers is the actor of a transfer runner (transfer_execute).
func (e *engine) runTransfers(a *actor, r *transferRunner) {
	a.sleep(microsecond)
	for {
		a.acquire(&r.work)
		t := r.queue[0]
		r.queue = r.queue[:copy(r.queue, r.queue[1:])]
		if t.bytes > 0 {
			r.flow.remains = float64(t.bytes)
			if r.smpi != nil {
				r.smpi.set(&r.flow, t.bytes)
			}
			e.net.start(&r.flow, e.now)
			a.block()
		}
		e.endTransfer(a, t)
	}
}

// endTransfer ends a copy, and begins those that waited for it.
func (e *engine) endTransfer(a *actor, t *transfer) {
	t.done = true
	if t.request != nil {
		t.request.transferred = true
		e.log.copyArrives(e, t.request)
	}
	q := &e.transfers
	i := slices.Index(q.pending, t)
	q.pending = slices.Delete(q.pending, i, i+1)
	e.wakeBlockedWorkers(a, t.node)
	for _, n := range t.next {
		n.nwait--
		if n.nwait == 0 {
			e.enqueueTransfer(a, n)
		}
	}
}

// waitTransfers waits until all copies that are queued have ended
// (_starpu_simgrid_wait_transfers).
func (e *engine) waitTransfers(a *actor) {
	q := &e.transfers
	if len(q.pending) == 0 {
		return
	}
	t := &transfer{nwait: len(q.pending)}
	for _, old := range q.pending {
		old.next = append(old.next, t)
	}
	q.pending = append(q.pending, t)
	e.waitOnQueues(a, []int32{0}, func() bool { return t.done }, func() {})
}

// waitOnQueues sleeps until is returns true, which it calls whenever a wait
// queue of the memory nodes is broadcast; do is called in between.
func (e *engine) waitOnQueues(a *actor, memories []int32, is func() bool, do func()) {
	b := &waiter{}
	for _, m := range memories {
		l := &e.memories[m].waitQueue
		a.simcalls(1)
		l.add(b)
		a.simcalls(1)
	}
	for {
		a.waitReset(b)
		if is() {
			break
		}
		do()
		a.waitOn(b)
	}
	for _, m := range memories {
		l := &e.memories[m].waitQueue
		a.lock(&l.mutex)
		l.remove(b)
		a.unlock(&l.mutex)
	}
}
