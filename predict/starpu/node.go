package starpu

import "dagscope/predict/workload"

// node is one of several: its runtime, its program, and its thread that sends
// and receives messages.
type node struct {
	*view
	e    *engine
	c    *cluster
	rank int32
	at   float64 // s: when something happens next

	bags       []*bag // by handle: those that sends may still join
	posted     int    // messages that are not over
	renewed    bool   // messages were posted since the program looked
	thread     *actor
	guard      mutex     // of what follows
	earlyGuard mutex     // of what has come before it was expected
	wanted     condition // something is posted
	over       condition // nothing is to be done
	bed        bed       // of the thread
	bell       bell      // wakes it

	ready     []*send // by priority
	early     map[letterKey][]*receive
	expected  int                     // of these
	premature map[letterKey][]*letter // that came before they were expected
	current   []pending               // requests under way
	sending   int                     // sends among them
	listening bool                    // for an envelope
	envelope  *letter                 // that has come

	postman *actor
	inbox   []delivery // by date
	began   []threadMark
}

// letterKey tells messages apart: whose, and of what.
type letterKey struct{ from, handle int32 }

// letter is a message between nodes.
type letter struct {
	from, to, handle, priority int32 // handle of the whole program
	send                       *send
	posted                     int32 // doing of the sender
	bytes                      int64
	sent, over                 float64 // s: sent off, and received
	done                       bool    // the data has come
	early                      bool    // before it was expected
	place                      place   // where it waits then, if there was room
	placed                     bool
	receive                    *receive
}

// bag holds the sends of a piece of data to several nodes, which wait for it
// together.
type bag struct {
	taking
	sends []*send
	left  int // not over
}

// send is a message that a node sends.
type send struct {
	bag    *bag
	letter *letter
	done   bool
}

// receive is a message that a node expects.
type receive struct {
	taking
	from   int32
	posted int32 // doing
}

// pending is a request under way: a send, or a letter that comes.
type pending struct {
	send   *send
	letter *letter
}

func (p pending) done() bool {
	if p.send != nil {
		return p.send.done
	}
	return p.letter.done
}

// delivery is what the network tells a node at a date: a letter has come or,
// with send, has gone, or its envelope has come.
type delivery struct {
	date     float64
	letter   *letter
	send     *send
	envelope bool
}

// newNode makes a node with its threads.
func newNode(c *cluster, v *view, rank int32, e *engine) *node {
	n := &node{view: v, e: e, c: c, rank: rank, bags: make([]*bag, len(v.handles))}
	n.early, n.premature = make(map[letterKey][]*receive), make(map[letterKey][]*letter)
	n.bell.add(&n.bed)
	e.node = n
	return n
}

// launch starts the runtime, and the threads for messages.
func (n *node) launch() {
	n.e.launchAll()
	n.postman = n.e.spawn("postman", n.deliverAll)
	n.thread = n.e.spawn("messages", n.communicate)
}

// submitAll is what the program does on the node. It begins when a barrier ends,
// of which the first node tells the others.
func (n *node) submitAll(a *actor) {
	if n.rank > 0 {
		a.pause(n.c.net.delay(0, n.rank, 0))
	}
	for i, d := range n.doings {
		n.doNext(a, int32(i), d)
	}
	n.awaitAll(a)
	n.e.log.end = n.e.now
	n.c.left--
	n.e.halt()
}

func (n *node) doNext(a *actor, i int32, d doing) {
	a.step(int64(d.steps))
	switch d.what {
	case doTask:
		n.separate(d.index)
		n.e.submitTask(a, d.index)
	case doSend:
		n.send(a, i, d)
	case doReceive:
		n.bags[d.index] = nil
		n.receive(a, i, d)
	case doForget:
		n.bags[d.index] = nil
		n.e.occupy(a, &taking{what: doForget, handle: d.index, mode: workload.Write})
		n.e.handles[d.index].initialized = false
	case doPart:
		n.bags[d.index] = nil
	case doUnused:
		n.e.hint(a, workload.Hint{Handle: d.index, Kind: workload.WontUse})
	case doPass:
		a.pause(float64(d.index) * (n.e.costs.push + n.e.costs.submit))
	}
}

// separate keeps sends of what a task writes apart from those before.
func (n *node) separate(t int32) {
	g := n.e.g
	for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
		if g.Mode[x]&workload.Write != 0 {
			n.bags[g.Handle[x]] = nil
		}
	}
}

// awaitAll waits until no message and no task is left.
func (n *node) awaitAll(a *actor) {
	a.lock(&n.guard)
	for {
		for n.posted > 0 {
			a.wait(&n.over, &n.guard)
		}
		n.renewed = false
		a.unlock(&n.guard)
		n.e.awaitAll(a)
		a.lock(&n.guard)
		if n.posted == 0 && !n.renewed {
			break
		}
	}
	a.unlock(&n.guard)
}

// send posts a message: with others of the same data, if these wait still.
func (n *node) send(a *actor, i int32, d doing) {
	h := n.handles[d.index]
	l := &letter{from: n.rank, to: d.peer, handle: h, priority: d.priority, bytes: n.c.g.Bytes[h], posted: i}
	n.posted++
	if b := n.bags[d.index]; b != nil {
		b.sends = append(b.sends, &send{bag: b, letter: l})
		b.left++
		return
	}
	b := &bag{taking: taking{what: doSend, handle: d.index, mode: workload.Read, priority: n.order(d.priority)}, left: 1}
	b.bag = b
	b.sends = []*send{{bag: b, letter: l}}
	if n.e.o.MPI.Cooperative {
		n.bags[d.index] = b
	}
	n.e.occupy(a, &b.taking)
}

// order is the priority of a message.
func (n *node) order(priority int32) int32 {
	if n.e.o.MPI.Priorities && n.e.prior {
		return priority
	}
	return 0
}

// receive expects a message.
func (n *node) receive(a *actor, i int32, d doing) {
	r := &receive{taking: taking{what: doReceive, handle: d.index, mode: workload.Write, priority: n.order(d.priority)}, from: d.peer, posted: i}
	r.taking.receive = r
	n.posted++
	n.e.occupy(a, &r.taking)
}
