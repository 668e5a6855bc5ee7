package starpu

import (
	"fmt"
	"math"
	"slices"

	"dagscope/internal/parallel"
	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// cluster is a run of several nodes. Each has its own clock, which may run ahead
// of the others by less than the latency of a message (conservative parallel
// simulation with lookahead).
type cluster struct {
	g           *workload.Graph
	m           *platform.Machine
	nodes       []*node
	net         *fabric
	left        int       // nodes whose programs have not ended
	calls       []mpiCall // by date
	boxes       []mailbox // by node
	allMessages []*message
	events      int64
	lookahead   float64    // s that a node may run ahead of others
	eventDates  eventDates // of the network
	order       *earliest  // of the nodes, by the date when they go on
	own         *earliest  // likewise, by the date of their own next event
	ahead       *earliest  // likewise, by the date of their last event, negative: those furthest ahead first
	awaiting    []*node    // on which actors may wait until time advances anywhere
}

// mpiCall is what a node asks of the network.
type mpiCall struct {
	date    float64
	rank    int32
	what    mpiCallKind
	message *message
	send    *send
}

type mpiCallKind uint8

const (
	callSend    mpiCallKind = iota // an envelope, and the data that follows
	callListen                     // for an envelope from any node
	callReceive                    // the data that an envelope announced
)

// mailbox holds the envelopes for a node, in the order in which they were sent.
type mailbox struct {
	envelopes []*message
	listening bool
}

// minBefore is the least time, in µs, until a program on several nodes begins:
// they wait for each other, and all workers sleep by then.
const minBefore = 50

// RunNodes simulates a graph on a machine of several nodes, each with its own
// policy. The graph says which node owns which data and runs which task
// (workload.Distribute). One node is simulated as by Run, unless the graph has
// owners even so: then it runs what a node among several would.
func RunNodes(g *workload.Graph, m *platform.Machine, d Durations, policies func() (Policy, error), o Options) (*Result, error) {
	if m.Nodes() == 1 && g.Owner == nil {
		p, err := policies()
		if err != nil {
			return nil, err
		}
		return Run(g, m, d, p, o)
	}
	c, err := newCluster(g, m, d, policies, o)
	if err != nil {
		return nil, err
	}
	if err := c.run(); err != nil {
		return nil, err
	}
	for _, n := range c.nodes {
		if err := tooLong(n.e.log.end - n.e.zero); err != nil {
			return nil, fmt.Errorf("%w (on node %d)", err, n.rank)
		}
	}
	return c.result(), nil
}

func newCluster(g *workload.Graph, m *platform.Machine, d Durations, policies func() (Policy, error), o Options) (*cluster, error) {
	if err := check(g, m, d, &o); err != nil {
		return nil, err
	}
	if err := o.MPI.check(); err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	o.Before = max(o.Before, minBefore)
	views, err := split(g, m, d, &o)
	if err != nil {
		return nil, err
	}
	own := make([]Policy, len(views))
	for k := range own {
		if own[k], err = policies(); err != nil {
			return nil, err
		}
		if d, ok := own[k].(Distributed); ok {
			d.OnNode(views[k].tasks, views[k].workers)
		}
	}
	c := &cluster{g: g, m: m, left: len(views), boxes: make([]mailbox, len(views)), nodes: make([]*node, len(views))}
	err = parallel.Try(len(views), func(k int) error {
		e, err := newEngine(views[k].graph, views[k].machine, views[k].lengths, own[k], o)
		if err != nil {
			return fmt.Errorf("%w (on node %d)", err, k)
		}
		c.nodes[k] = newNode(c, views[k], int32(k), e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.net = newFabric(m, &c.nodes[0].e.o.MPI)
	return c, c.checkRoutes()
}

// checkRoutes reports messages between nodes without a route.
func (c *cluster) checkRoutes() error {
	for _, n := range c.nodes {
		for _, d := range n.actions {
			if d.what == actionSend && !c.net.connected(n.rank, d.peer) {
				return fmt.Errorf("simulate: found no route from the RAM of node %d to that of node %d", n.rank, d.peer)
			}
		}
	}
	return nil
}

// run lets the nodes take turns.
func (c *cluster) run() error {
	defer func() {
		for _, n := range c.nodes {
			n.e.stopAll()
		}
	}()
	c.order, c.own, c.ahead = newEarliest(len(c.nodes)), newEarliest(len(c.nodes)), newEarliest(len(c.nodes))
	for _, n := range c.nodes {
		n.e.eventDates = &eventDates{}
		n.e.elsewhere = func() bool { return c.expects(n) }
		n.launch()
		c.setDate(n, n.e.next())
		c.own.set(int(n.rank), n.at)
	}
	c.lookahead = c.net.lookahead()
	for c.left > 0 {
		c.setNextElsewhere()
		n, second := c.first()
		event, posted := c.net.next(), c.nextCall()
		if earliest := min(n.at, posted, event); !math.IsInf(earliest, 1) {
			if err := tooLong(earliest); err != nil {
				return err
			}
			if o := &c.nodes[0].e.o; earliest > o.until() {
				return o.unending()
			}
		}
		switch {
		case posted <= n.at && posted <= event:
			if math.IsInf(posted, 1) {
				return c.deadlock()
			}
			c.serveCall(c.calls[0])
			c.calls = slices.Delete(c.calls, 0, 1)
		case event <= n.at:
			c.events++
			c.net.proceed(c.arrive)
			c.eventDates.add(c.net.now)
		default:
			limit := min(second+c.lookahead, posted+c.lookahead, event)
			n.e.runBefore(max(limit, math.Nextafter(n.at, event))) // at large dates, the lookahead is lost in rounding
			if err := n.e.ended(); err != nil {
				return fmt.Errorf("%w (on node %d)", err, n.rank)
			}
			c.setDate(n, n.e.next())
			c.own.set(int(n.rank), n.at)
			c.ahead.set(int(n.rank), -n.e.eventDates.last())
			c.noteEvents(n)
		}
	}
	return nil
}

// noteEvents notes when time has advanced on a node, for those where actors wait
// for that.
func (c *cluster) noteEvents(n *node) {
	for _, other := range c.awaiting {
		if other != n {
			other.advanced = min(other.advanced, n.e.eventDates.after(other.awaitedSince))
		}
	}
	if !n.e.advance.empty() && !slices.Contains(c.awaiting, n) {
		c.awaiting, n.awaitedSince = append(c.awaiting, n), math.Inf(-1)
	}
}

// otherEvents is the date of the first event of other nodes after the present of
// a node on which actors wait.
func (c *cluster) otherEvents(n *node) float64 {
	if now := n.e.now; n.awaitedSince != now {
		n.awaitedSince, n.advanced = now, math.Inf(1)
		c.ahead.before(-now, func(m int) {
			if m != int(n.rank) {
				n.advanced = min(n.advanced, c.nodes[m].e.eventDates.after(now))
			}
		})
	}
	return n.advanced
}

// setDate notes when the next event of a node is.
func (c *cluster) setDate(n *node, date float64) {
	n.at = date
	c.order.set(int(n.rank), date)
}

// setNextElsewhere finds out when time advances next for nodes on which actors
// wait for that: it advances for all nodes as soon as something happens on any.
func (c *cluster) setNextElsewhere() {
	c.awaiting = slices.DeleteFunc(c.awaiting, func(n *node) bool { return n.e.stopped || n.e.advance.empty() })
	for _, n := range c.awaiting {
		if n.e.ready.first != nil {
			continue
		}
		now := n.e.now
		soon := math.Nextafter(now, math.Inf(1)) // others come first
		next := min(n.e.next(), c.eventDates.after(now), max(c.net.next(), soon), max(c.own.others(int(n.rank)), soon), c.otherEvents(n))
		n.e.nextElsewhere = next
		c.setDate(n, next)
	}
}

// first is the node with the earliest event, and the date of the earliest event
// of another.
func (c *cluster) first() (n *node, second float64) {
	rank, second := c.order.winner()
	return c.nodes[rank], second
}

// nextCall is the date of the first call that the network has not served.
func (c *cluster) nextCall() float64 {
	if len(c.calls) == 0 {
		return math.Inf(1)
	}
	return c.calls[0].date
}

// submitCall is called by nodes. The network serves the call when no node is at
// an earlier date; its effects on the calling node take time too.
func (c *cluster) submitCall(n *node, p mpiCall) {
	p.date, p.rank = n.e.now, n.rank
	i, _ := slices.BinarySearchFunc(c.calls, p, func(a, b mpiCall) int {
		if a.date < b.date || a.date == b.date && a.rank <= b.rank {
			return -1
		}
		return 1
	})
	c.calls = slices.Insert(c.calls, i, p)
	n.e.limit = min(n.e.limit, p.date+c.lookahead)
}

// serveCall serves a call of a node.
func (c *cluster) serveCall(p mpiCall) {
	switch p.what {
	case callSend:
		p.message.send = p.send
		c.allMessages = append(c.allMessages, p.message)
		box := &c.boxes[p.message.to]
		box.envelopes = append(box.envelopes, p.message)
		c.match(p.message.to, p.date)
	case callListen:
		c.boxes[p.rank].listening = true
		c.match(p.rank, p.date)
	case callReceive:
		c.net.send(p.message, false, p.message.bytes, p.date)
	}
}

// match sends an envelope to a node that listens.
func (c *cluster) match(to int32, date float64) {
	box := &c.boxes[to]
	if !box.listening || len(box.envelopes) == 0 {
		return
	}
	box.listening = false
	msg := box.envelopes[0]
	box.envelopes = box.envelopes[1:]
	c.net.send(msg, true, c.net.mpi.Envelope, date)
}

// arrive notifies nodes that a message has arrived.
func (c *cluster) arrive(s *messageFlow) {
	msg := s.message
	c.nodes[msg.to].scheduleDelivery(delivery{date: s.date, message: msg, envelope: s.envelope})
	if !s.envelope && msg.bytes >= c.net.mpi.EagerLimit {
		c.nodes[msg.from].scheduleDelivery(delivery{date: s.date, message: msg, send: msg.send})
	}
}

// deadlock reports why the first node that has not ended does not go on.
func (c *cluster) deadlock() error {
	for _, n := range c.nodes {
		if !n.e.stopped {
			return fmt.Errorf("%w (on node %d)", n.e.deadlock(), n.rank)
		}
	}
	return errDeadlock
}
