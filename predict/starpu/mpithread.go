package starpu

import (
	"slices"

	"dagscope/predict/workload"
)

// Simcalls of StarPU-MPI's thread, except for those on its own mutex and waiter.
const (
	listenSimcalls       = 4 // the lock of communicators, a receive, a thread that waits for it
	sendSimcalls         = 3 // two sends and such a thread
	receiveSimcalls      = 2 // a receive and such a thread
	notifySimcalls       = 3 // of an actor that waits for one request
	terminationSimcalls  = 2 // counters
	destroySimcalls      = 6
	earlyRequestSimcalls = 4
)

// runProgressThread is the thread that sends and receives the messages of a
// node (_starpu_mpi_progress_thread_func): it begins the sends that are ready,
// listens for an envelope while messages are expected, and ends completed
// requests. Then it sleeps until something happens.
func (n *node) runProgressThread(a *actor) {
	a.lock(&n.progressMutex)
	for {
		a.waitReset(&n.wait)
		if n.idle() {
			a.broadcast(&n.barrierCond)
			n.setThreadState(threadAsleep)
			a.wait(&n.progressCond, &n.progressMutex)
			n.setThreadState(threadAwake)
		}
		n.handleReadySends(a)
		if n.expected > 0 && !n.listening {
			n.listening = true
			a.simcalls(listenSimcalls)
			n.c.submitCall(n, mpiCall{what: callListen})
		}
		n.testDetachedRequests(a)
		if n.listening {
			a.simcalls(1)
		}
		if msg := n.envelope; msg != nil {
			a.broadcastQueue(&n.waitQueue)
			a.simcalls(1)
			n.envelope = nil
			n.handleEnvelope(a, msg)
			n.listening = false
		} else if n.listening {
			a.simcalls(1)
		}
		a.unlock(&n.progressMutex)
		a.waitOn(&n.wait)
		a.lock(&n.progressMutex)
		a.unlock(&n.progressMutex)
		a.lock(&n.progressMutex)
	}
}

// idle says that there is nothing to wait for.
func (n *node) idle() bool {
	return len(n.readySends) == 0 && n.expected == 0 && len(n.detachedRequests) == 0
}

// releaseCoopSends makes cooperative sends ready, those of high priority first
// (_starpu_mpi_coop_sends_data_ready).
func (n *node) releaseCoopSends(a *actor, b *coopSends) {
	if n.coopSends[b.handle] == b {
		n.coopSends[b.handle] = nil
	}
	slices.SortStableFunc(b.requests, func(x, y *send) int { return int(n.order(y.message.priority)) - int(n.order(x.message.priority)) })
	for _, s := range b.requests {
		a.lock(&n.progressMutex)
		n.enqueueReadySend(s)
		n.signalProgress(a)
		a.unlock(&n.progressMutex)
	}
}

// enqueueReadySend inserts a send behind those of its priority.
func (n *node) enqueueReadySend(s *send) {
	p := n.order(s.message.priority)
	i, _ := slices.BinarySearchFunc(n.readySends, p, func(x *send, p int32) int {
		if n.order(x.message.priority) >= p {
			return -1
		}
		return 1
	})
	n.readySends = slices.Insert(n.readySends, i, s)
}

func (n *node) signalProgress(a *actor) {
	n.newerRequests = true
	a.broadcast(&n.progressCond)
	a.broadcastQueue(&n.waitQueue)
}

// handleReadySends begins ready sends, within the limits.
func (n *node) handleReadySends(a *actor) {
	m := &n.e.o.MPI
	for range m.MaxReady {
		if len(n.readySends) == 0 || m.MaxRequests > 0 && n.detachedSends >= m.MaxRequests {
			return
		}
		s := n.readySends[0]
		n.readySends = slices.Delete(n.readySends, 0, 1)
		a.unlock(&n.progressMutex)
		n.setThreadState(threadSending)
		n.isendData(s)
		a.simcalls(sendSimcalls + notifySimcalls)
		n.setThreadState(threadBusy)
		a.lock(&n.progressMutex)
		n.detachedSends++
		n.detachedRequests = append(n.detachedRequests, pending{send: s})
		a.simcalls(1)
		a.unlock(&n.progressMutex)
		a.lock(&n.progressMutex)
	}
}

// isendData sends a message: its envelope, then the data. A short message has
// ended for the sender at once.
func (n *node) isendData(s *send) {
	msg := s.message
	msg.sent = n.e.now
	n.c.submitCall(n, mpiCall{what: callSend, message: msg, send: s})
	if msg.bytes < n.e.o.MPI.EagerLimit {
		n.scheduleDelivery(delivery{date: n.e.now + microsecond, message: msg, send: s})
	}
}

// testDetachedRequests ends completed requests, in the order in which they
// began (_starpu_mpi_test_detached_requests).
func (n *node) testDetachedRequests(a *actor) {
	for i := 0; i < len(n.detachedRequests); {
		p := n.detachedRequests[i]
		a.unlock(&n.progressMutex)
		if !p.done() {
			i++
			a.lock(&n.progressMutex)
			continue
		}
		a.broadcastQueue(&n.waitQueue)
		n.handleRequestTermination(a, p)
		a.simcalls(terminationSimcalls + notifySimcalls)
		a.lock(&n.progressMutex)
		if p.send != nil {
			n.detachedSends--
		}
		n.detachedRequests = slices.Delete(n.detachedRequests, i, i+1)
		a.unlock(&n.progressMutex)
		a.simcalls(destroySimcalls)
		a.lock(&n.progressMutex)
	}
}

// handleRequestTermination releases the data of a message
// (_starpu_mpi_handle_request_termination).
func (n *node) handleRequestTermination(a *actor, p pending) {
	defer n.setThreadState(threadAwake)
	if p.send != nil {
		n.setThreadState(threadSent)
		if b := p.send.coopSends; b.remaining == 1 {
			b.remaining = 0
			n.e.releaseAcquired(a, &b.acquisition)
		} else {
			b.remaining--
		}
		n.posted--
		return
	}
	n.setThreadState(threadReceived)
	msg := p.message
	msg.received = n.e.now
	r := msg.receive
	if msg.early {
		r = msg.internal
	}
	n.e.releaseAcquired(a, &r.acquisition)
	n.posted--
}

// postEarlyRequest is called when there is memory for a message, which may have
// arrived already.
func (n *node) postEarlyRequest(a *actor, r *receive) {
	key := messageKey{r.from, n.handles[r.handle]}
	a.lock(&n.earlyMutex)
	a.simcalls(earlyRequestSimcalls)
	a.lock(&n.progressMutex)
	if come := n.earlyData[key]; len(come) > 0 {
		msg := come[0]
		n.earlyData[key] = come[1:]
		msg.receive = r
		a.unlock(&n.earlyMutex)
		a.unlock(&n.progressMutex)
		n.copyWhenReceived(a, msg)
		a.lock(&n.progressMutex)
	} else {
		n.earlyRequests[key] = append(n.earlyRequests[key], r)
		n.expected++
		a.simcalls(2)
		a.unlock(&n.earlyMutex)
	}
	n.signalProgress(a)
	a.unlock(&n.progressMutex)
}

// copyWhenReceived asks for the data of an early message, to copy it when it has
// arrived.
func (n *node) copyWhenReceived(a *actor, msg *message) {
	a.lock(&n.postedMutex)
	for msg.internal == nil { // its handle is not known yet
		a.wait(&n.postedCond, &n.postedMutex)
	}
	a.unlock(&n.postedMutex)
	r := &receive{acquisition: acquisition{what: actionCopy, handle: msg.internal.handle, mode: workload.Read}, from: msg.from, copied: msg}
	r.acquisition.receive = r
	n.e.acquireData(a, &r.acquisition)
}

// copyEarly copies an early message to the data that it is for, which takes no
// time, and gives its own handle up (_starpu_mpi_early_data_cb).
func (n *node) copyEarly(a *actor, t *acquisition) {
	n.e.releaseAcquired(a, t)
	n.e.acquireData(a, &acquisition{what: actionInvalidate, handle: t.handle, mode: workload.Write})
	n.e.releaseAcquired(a, &t.receive.copied.receive.acquisition)
	n.posted--
}

// earlyPosted is called when there is memory for an early message.
func (n *node) earlyPosted(a *actor, r *receive) {
	a.lock(&n.progressMutex)
	a.unlock(&n.progressMutex)
	a.lock(&n.postedMutex)
	r.posted = true
	a.broadcast(&n.postedCond)
	a.unlock(&n.postedMutex)
	a.lock(&n.progressMutex)
	n.signalProgress(a)
	a.unlock(&n.progressMutex)
}

// receiveEarly makes a handle for a message that nobody expects yet, and waits
// until there is memory for it, which workers allocate
// (_starpu_mpi_receive_early_data).
func (n *node) receiveEarly(a *actor, msg *message, h int32) {
	r := &receive{acquisition: acquisition{what: actionEarly, handle: h, mode: workload.Write}, from: msg.from}
	r.acquisition.receive = r
	n.posted++
	n.e.acquireData(a, &r.acquisition)
	a.lock(&n.postedMutex)
	msg.internal = r
	a.broadcast(&n.postedCond)
	for !r.posted {
		a.wait(&n.postedCond, &n.postedMutex)
	}
	a.unlock(&n.postedMutex)
}

// handleEnvelope reads an envelope: the data goes to the receiver that expects
// it, or waits in memory of its own.
func (n *node) handleEnvelope(a *actor, msg *message) {
	key := messageKey{msg.from, msg.handle}
	a.unlock(&n.progressMutex)
	a.lock(&n.earlyMutex)
	a.lock(&n.progressMutex)
	waiting, own := n.earlyRequests[key], n.early[key]
	n.early[key] = own[1:]
	a.simcalls(2)
	a.unlock(&n.earlyMutex)
	a.unlock(&n.progressMutex)
	if len(waiting) > 0 {
		msg.receive = waiting[0]
		n.earlyRequests[key] = waiting[1:]
		n.expected--
	} else {
		msg.early = true
		n.earlyData[key] = append(n.earlyData[key], msg)
		n.receiveEarly(a, msg, own[0])
	}
	n.setThreadState(threadReceiving)
	n.c.submitCall(n, mpiCall{what: callReceive, message: msg})
	a.simcalls(receiveSimcalls + notifySimcalls)
	n.setThreadState(threadAwake)
	a.lock(&n.progressMutex)
	n.detachedRequests = append(n.detachedRequests, pending{message: msg})
	a.simcalls(1)
	a.unlock(&n.progressMutex)
	a.lock(&n.progressMutex)
}

// scheduleDelivery lets a delivery happen at its date.
func (n *node) scheduleDelivery(d delivery) {
	i := len(n.inbox)
	n.inbox = append(n.inbox, d)
	for ; i > 0 && n.inbox[i-1].date > d.date; i-- {
		n.inbox[i], n.inbox[i-1] = n.inbox[i-1], n.inbox[i]
	}
	if i == 0 {
		n.deliverer.date = max(d.date, n.e.now)
		n.e.dates.push(n.deliverer)
		n.c.setDate(n, min(n.at, n.deliverer.date))
		n.c.own.set(int(n.rank), min(n.c.own.date(int(n.rank)), n.deliverer.date))
	}
}

// runDeliveries is the actor that wakes the thread at the dates of deliveries.
func (n *node) runDeliveries(a *actor) {
	for {
		a.block()
		due := 0
		for _, d := range n.inbox {
			if d.date > n.e.now+resolution {
				break
			}
			due++
			switch {
			case d.envelope:
				n.envelope = d.message
			case d.send != nil:
				d.send.done = true
			default:
				d.message.done = true
			}
		}
		n.inbox = n.inbox[:copy(n.inbox, n.inbox[due:])]
		if len(n.inbox) > 0 {
			a.date = n.inbox[0].date
			n.e.dates.push(a)
		}
		if due > 0 {
			a.broadcastQueue(&n.waitQueue)
		}
	}
}

// threadStateChange is the date at which the thread enters a state.
type threadStateChange struct {
	at   float64 // s
	what threadState
}

// threadState is what the thread does.
type threadState uint8

const (
	threadAwake threadState = iota
	threadAsleep
	threadSending
	threadReceiving
	threadSent
	threadReceived
	threadBusy // between these
)

func (n *node) setThreadState(what threadState) {
	if n.e.o.Record {
		n.threadStates = append(n.threadStates, threadStateChange{n.e.now, what})
	}
}
