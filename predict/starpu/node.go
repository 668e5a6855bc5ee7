package starpu

import "dagscope/predict/workload"

// node is one of several: its runtime, its program, and its thread that sends
// and receives messages.
type node struct {
	*view
	e    *engine
	c    *cluster
	rank int32
	at   float64 // s: date of the next event
	// While actors wait until time advances anywhere: since when, and the first
	// date at which something has happened on another node since.
	awaitedSince, advanced float64

	coopSends     []*coopSends // by handle: those that further sends may join
	posted        int          // messages that have not ended (posted_requests)
	newerRequests bool         // were posted since the program looked (newer_requests)
	thread        *actor
	progressMutex mutex     // of what follows
	earlyMutex    mutex     // of earlyRequests and earlyData
	progressCond  condition // something was posted
	barrierCond   condition // nothing is left to do
	postedMutex   mutex
	postedCond    condition // there is memory for an early message
	wait          waiter    // of the thread
	waitQueue     waitQueue // that wakes it

	readySends       []*send // by priority
	earlyRequests    map[messageKey][]*receive
	expected         int                       // of these
	earlyData        map[messageKey][]*message // that arrived before they were expected
	detachedRequests []pending                 // sends and receives under way
	detachedSends    int                       // sends among them
	listening        bool                      // for an envelope
	envelope         *message                  // that has arrived

	deliverer    *actor
	inbox        []delivery // by date
	threadStates []threadStateChange
}

// messageKey identifies a message by sender and data.
type messageKey struct{ from, handle int32 }

// message is a message between nodes.
type message struct {
	from, to, handle, priority int32 // handle of the whole program
	send                       *send
	action                     int32 // of the sender
	bytes                      int64
	sent, received             float64  // s
	done                       bool     // the data has arrived
	early                      bool     // it arrived before it was expected
	internal                   *receive // of an early one: into a handle of its own
	receive                    *receive
}

// coopSends are the sends of one data handle to several nodes, which acquire it
// together (struct _starpu_mpi_coop_sends).
type coopSends struct {
	acquisition
	requests  []*send
	remaining int // sends that have not ended
}

// send is a message that a node sends.
type send struct {
	coopSends *coopSends
	message   *message
	done      bool
}

// receive is a message that a node expects.
type receive struct {
	acquisition
	from   int32
	action int32
	posted bool     // of an early message: there is memory for it
	copied *message // that was early and is copied from its own handle
}

// pending is a request under way: a send, or a message that arrives.
type pending struct {
	send    *send
	message *message
}

func (p pending) done() bool {
	if p.send != nil {
		return p.send.done
	}
	return p.message.done
}

// delivery is what the network reports to a node at a date: a message has arrived
// or, with send, has been sent, or its envelope has arrived.
type delivery struct {
	date     float64
	message  *message
	send     *send
	envelope bool
}

// newNode makes a node with its threads.
func newNode(c *cluster, v *view, rank int32, e *engine) *node {
	n := &node{view: v, e: e, c: c, rank: rank, coopSends: make([]*coopSends, len(v.handles))}
	n.earlyRequests, n.earlyData = make(map[messageKey][]*receive), make(map[messageKey][]*message)
	n.waitQueue.add(&n.wait)
	e.node = n
	return n
}

// launch starts the runtime, and the threads for messages.
func (n *node) launch() {
	n.e.launchAll()
	n.deliverer = n.e.spawn("postman", n.runDeliveries)
	n.thread = n.e.spawn("messages", n.runProgressThread)
}

// submitAll is the program on the node. It begins when the barrier ends, which
// the first node announces to the others.
func (n *node) submitAll(a *actor) {
	if n.rank > 0 {
		a.pause(n.c.net.delay(0, n.rank, 0))
	}
	for i, d := range n.actions {
		n.runAction(a, int32(i), d)
	}
	n.awaitAll(a)
	n.e.log.end = n.e.now
	n.c.left--
	n.e.halt()
}

func (n *node) runAction(a *actor, i int32, d action) {
	a.simcalls(int64(d.simcalls))
	switch d.what {
	case actionTask:
		n.separateSends(d.index)
		n.e.submitTask(a, d.index)
	case actionSend:
		n.send(a, i, d)
	case actionReceive:
		n.coopSends[d.index] = nil
		n.receive(a, i, d)
	case actionInvalidate:
		n.coopSends[d.index] = nil
		n.e.acquireData(a, &acquisition{what: actionInvalidate, handle: d.index, mode: workload.Write})
		n.e.handles[d.index].initialized = false
	case actionSeparateSends:
		n.coopSends[d.index] = nil
	case actionWontUse:
		n.e.wontUse(a, workload.Hint{Handle: d.index, Kind: workload.WontUse})
	case actionSkip:
		a.pause(float64(d.index) * (n.e.costs.push + n.e.costs.submit))
	}
}

// separateSends ends the cooperative sends of the data that a task writes.
func (n *node) separateSends(t int32) {
	g := n.e.g
	for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
		if g.Mode[x]&workload.Write != 0 {
			n.coopSends[g.Handle[x]] = nil
		}
	}
}

// awaitAll waits until no message and no task is left (_starpu_mpi_barrier,
// starpu_task_wait_for_all).
func (n *node) awaitAll(a *actor) {
	a.lock(&n.progressMutex)
	for {
		for n.posted > 0 {
			a.wait(&n.barrierCond, &n.progressMutex)
		}
		n.newerRequests = false
		a.unlock(&n.progressMutex)
		n.e.awaitAll(a)
		a.lock(&n.progressMutex)
		if n.posted == 0 && !n.newerRequests {
			break
		}
	}
	a.unlock(&n.progressMutex)
}

// send posts a message: together with others of the same data, if these still
// wait.
func (n *node) send(a *actor, i int32, d action) {
	h := n.handles[d.index]
	msg := &message{from: n.rank, to: d.peer, handle: h, priority: d.priority, bytes: n.c.g.Bytes[h], action: i}
	n.posted++
	if b := n.coopSends[d.index]; b != nil {
		b.requests = append(b.requests, &send{coopSends: b, message: msg})
		b.remaining++
		return
	}
	b := &coopSends{acquisition: acquisition{what: actionSend, handle: d.index, mode: workload.Read, priority: n.order(d.priority)}, remaining: 1}
	b.coopSends = b
	b.requests = []*send{{coopSends: b, message: msg}}
	if n.e.o.MPI.Cooperative {
		n.coopSends[d.index] = b
	}
	n.e.acquireData(a, &b.acquisition)
}

// order is the priority of a message.
func (n *node) order(priority int32) int32 {
	if n.e.o.MPI.Priorities && n.e.prior {
		return priority
	}
	return 0
}

// receive posts the reception of a message.
func (n *node) receive(a *actor, i int32, d action) {
	r := &receive{acquisition: acquisition{what: actionReceive, handle: d.index, mode: workload.Write, priority: n.order(d.priority)}, from: d.peer, action: i}
	r.acquisition.receive = r
	n.posted++
	n.e.acquireData(a, &r.acquisition)
}
