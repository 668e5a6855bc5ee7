package starpu

import (
	"slices"
)

// Operations of StarPU-MPI's thread, those on its own lock and bed apart.
const (
	listenSteps  = 4 // the lock of communicators, a receive, a thread that waits for it
	sendSteps    = 3 // two sends and such a thread
	receiveSteps = 2 // a receive and such a thread
	noteSteps    = 3 // of whoever waits for one request
	overSteps    = 2 // counting
	destroySteps = 6
	expectSteps  = 4
)

// communicate is the thread that sends and receives the messages of a node, as
// StarPU-MPI's does: it begins the sends that are ready, listens for an envelope
// while messages are expected, and ends what is over. Then it sleeps until
// something happens.
func (n *node) communicate(a *actor) {
	a.lock(&n.guard)
	for {
		a.makeBed(&n.bed)
		if n.idle() {
			a.broadcast(&n.over)
			n.mark(threadAsleep)
			a.wait(&n.wanted, &n.guard)
			n.mark(threadAwake)
		}
		n.beginSends(a)
		if n.expected > 0 && !n.listening {
			n.listening = true
			a.step(listenSteps)
			n.c.post(n, post{what: postListen})
		}
		n.endRequests(a)
		if n.listening {
			a.step(1)
		}
		if l := n.envelope; l != nil {
			a.ring(&n.bell)
			a.step(1)
			n.envelope = nil
			n.open(a, l)
			n.listening = false
		} else if n.listening {
			a.step(1)
		}
		a.unlock(&n.guard)
		a.lie(&n.bed)
		a.lock(&n.guard)
		a.unlock(&n.guard)
		a.lock(&n.guard)
	}
}

// idle says that there is nothing to wait for.
func (n *node) idle() bool {
	return len(n.ready) == 0 && n.expected == 0 && len(n.current) == 0
}

// sendAll makes the sends of a bag ready, those of high priority first.
func (n *node) sendAll(a *actor, b *bag) {
	if n.bags[b.handle] == b {
		n.bags[b.handle] = nil
	}
	slices.SortStableFunc(b.sends, func(x, y *send) int { return int(n.order(y.letter.priority)) - int(n.order(x.letter.priority)) })
	for _, s := range b.sends {
		a.lock(&n.guard)
		n.enqueue(s)
		n.wakeThread(a)
		a.unlock(&n.guard)
	}
}

// enqueue puts a send behind those of its priority.
func (n *node) enqueue(s *send) {
	p := n.order(s.letter.priority)
	i, _ := slices.BinarySearchFunc(n.ready, p, func(x *send, p int32) int {
		if n.order(x.letter.priority) >= p {
			return -1
		}
		return 1
	})
	n.ready = slices.Insert(n.ready, i, s)
}

func (n *node) wakeThread(a *actor) {
	n.renewed = true
	a.broadcast(&n.wanted)
	a.ring(&n.bell)
}

// beginSends sends off what is ready, within the limits.
func (n *node) beginSends(a *actor) {
	m := &n.e.o.MPI
	for range m.MaxReady {
		if len(n.ready) == 0 || m.MaxRequests > 0 && n.sending >= m.MaxRequests {
			return
		}
		s := n.ready[0]
		n.ready = slices.Delete(n.ready, 0, 1)
		a.unlock(&n.guard)
		n.mark(threadSending)
		n.sendOff(s)
		a.step(sendSteps + noteSteps)
		n.mark(threadBusy)
		a.lock(&n.guard)
		n.sending++
		n.current = append(n.current, pending{send: s})
		a.step(1)
		a.unlock(&n.guard)
		a.lock(&n.guard)
	}
}

// sendOff hands a message over: its envelope, then the data. What is short is
// over for the sender.
func (n *node) sendOff(s *send) {
	l := s.letter
	l.sent = n.e.now
	n.c.post(n, post{what: postSend, letter: l, send: s})
	if l.bytes < n.e.o.MPI.EagerLimit {
		n.deliver(delivery{date: n.e.now + microsecond, letter: l, send: s})
	}
}

// endRequests ends what is over, in the order in which it began.
func (n *node) endRequests(a *actor) {
	for i := 0; i < len(n.current); {
		p := n.current[i]
		a.unlock(&n.guard)
		if !p.done() {
			i++
			a.lock(&n.guard)
			continue
		}
		a.ring(&n.bell)
		n.end(a, p)
		a.step(overSteps + noteSteps)
		a.lock(&n.guard)
		if p.send != nil {
			n.sending--
		}
		n.current = slices.Delete(n.current, i, i+1)
		a.unlock(&n.guard)
		a.step(destroySteps)
		a.lock(&n.guard)
	}
}

// end lets the data of a message go.
func (n *node) end(a *actor, p pending) {
	defer n.mark(threadAwake)
	if p.send != nil {
		n.mark(threadSent)
		if b := p.send.bag; b.left == 1 {
			b.left = 0
			n.e.vacate(a, &b.taking)
		} else {
			b.left--
		}
		n.posted--
		return
	}
	n.mark(threadReceived)
	l := p.letter
	l.over = n.e.now
	if l.receive != nil {
		n.received(a, l)
	}
}

// received gives the data of a message that has come to those that wait for it.
func (n *node) received(a *actor, l *letter) {
	if l.placed {
		n.e.memories[0].keep(l.place)
	}
	n.e.vacate(a, &l.receive.taking)
	n.posted--
}

// expect is reached when there is room for a message: it may have come already.
func (n *node) expect(a *actor, r *receive) {
	key := letterKey{r.from, n.handles[r.handle]}
	a.lock(&n.earlyGuard)
	a.step(expectSteps)
	a.lock(&n.guard)
	if come := n.premature[key]; len(come) > 0 {
		l := come[0]
		n.premature[key] = come[1:]
		l.receive = r
		a.unlock(&n.earlyGuard)
		if l.over > 0 {
			a.unlock(&n.guard)
			n.received(a, l)
			a.lock(&n.guard)
		}
	} else {
		n.early[key] = append(n.early[key], r)
		n.expected++
		a.step(2)
		a.unlock(&n.earlyGuard)
	}
	n.wakeThread(a)
	a.unlock(&n.guard)
}

// open reads an envelope: the data comes to who expects it, or waits aside.
func (n *node) open(a *actor, l *letter) {
	key := letterKey{l.from, l.handle}
	a.unlock(&n.guard)
	a.lock(&n.earlyGuard)
	a.lock(&n.guard)
	waiting := n.early[key]
	a.step(2)
	a.unlock(&n.earlyGuard)
	a.unlock(&n.guard)
	if len(waiting) > 0 {
		l.receive = waiting[0]
		n.early[key] = waiting[1:]
		n.expected--
	} else {
		l.early = true
		n.premature[key] = append(n.premature[key], l)
		l.place, l.placed = n.e.take(a, 0, l.bytes) // without room it lies where nobody counts
	}
	n.mark(threadReceiving)
	n.c.post(n, post{what: postReceive, letter: l})
	a.step(receiveSteps + noteSteps)
	n.mark(threadAwake)
	a.lock(&n.guard)
	n.current = append(n.current, pending{letter: l})
	a.step(1)
	a.unlock(&n.guard)
	a.lock(&n.guard)
}

// deliver has the node told something at a date.
func (n *node) deliver(d delivery) {
	i := len(n.inbox)
	n.inbox = append(n.inbox, d)
	for ; i > 0 && n.inbox[i-1].date > d.date; i-- {
		n.inbox[i], n.inbox[i-1] = n.inbox[i-1], n.inbox[i]
	}
	if i == 0 {
		n.postman.date = max(d.date, n.e.now)
		n.e.dates.push(n.postman)
		n.at = min(n.at, n.postman.date)
	}
}

// deliverAll wakes the thread at the dates of deliveries.
func (n *node) deliverAll(a *actor) {
	for {
		a.block()
		told := 0
		for _, d := range n.inbox {
			if d.date > n.e.now+resolution {
				break
			}
			told++
			switch {
			case d.envelope:
				n.envelope = d.letter
			case d.send != nil:
				d.send.done = true
			default:
				d.letter.done = true
			}
		}
		n.inbox = n.inbox[:copy(n.inbox, n.inbox[told:])]
		if len(n.inbox) > 0 {
			a.date = n.inbox[0].date
			n.e.dates.push(a)
		}
		if told > 0 {
			a.ring(&n.bell)
		}
	}
}

// threadMark is the date at which the thread begins to do something.
type threadMark struct {
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

func (n *node) mark(what threadState) {
	if n.e.o.Record {
		n.began = append(n.began, threadMark{n.e.now, what})
	}
}
