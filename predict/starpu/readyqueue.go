package starpu

// readyQueue holds the actors that are ready, in two orders: that in which they
// became ready, and that in which they take turns, by simcalls made in this
// instant and then as they became ready. An actor that has made one more
// simcall moves behind those that have made as many, which are usually the
// last: the next actor is found without a search, however many take turns.
type readyQueue struct {
	first, last           *actor // by turn
	firstReady, lastReady *actor // in the order in which they became ready
	count                 int
}

// readyLinks are an actor's links in both orders.
type readyLinks struct {
	ready                bool
	label                uint64 // grows in the order in which they became ready
	prevTurn, nextTurn   *actor // by turn
	prevReady, nextReady *actor // in the order in which they became ready
}

// labelGap is the distance between the labels of actors that become ready in turn.
const labelGap = 1 << 40

// before says that a takes its turn before b.
func (a *actor) before(b *actor) bool {
	return a.simcallCount < b.simcallCount || a.simcallCount == b.simcallCount && a.label < b.label
}

// pushBack makes an actor ready behind all others.
func (t *readyQueue) pushBack(a *actor) {
	a.ready, a.prevReady, a.nextReady = true, t.lastReady, nil
	if t.lastReady == nil {
		t.firstReady, a.label = a, labelGap
	} else {
		t.lastReady.nextReady, a.label = a, t.lastReady.label+labelGap
	}
	t.lastReady = a
	t.count++
	t.insertByTurn(a)
}

// insertBefore makes actor a ready just before b.
func (t *readyQueue) insertBefore(a, b *actor) {
	low := uint64(0)
	if b.prevReady != nil {
		low = b.prevReady.label
	}
	if b.label-low < 2 {
		t.relabel()
		t.insertBefore(a, b)
		return
	}
	// Actors that follow are usually inserted before b as well.
	a.ready, a.label, a.prevReady, a.nextReady = true, low+1+(b.label-low-2)/32, b.prevReady, b
	if b.prevReady == nil {
		t.firstReady = a
	} else {
		b.prevReady.nextReady = a
	}
	b.prevReady = a
	t.count++
	t.insertByTurn(a)
}

// relabel spreads the labels evenly.
func (t *readyQueue) relabel() {
	label := uint64(0)
	for a := t.firstReady; a != nil; a = a.nextReady {
		label += labelGap
		a.label = label
	}
}

// remove takes an actor out.
func (t *readyQueue) remove(a *actor) {
	t.unlinkTurn(a)
	if a.prevReady == nil {
		t.firstReady = a.nextReady
	} else {
		a.prevReady.nextReady = a.nextReady
	}
	if a.nextReady == nil {
		t.lastReady = a.prevReady
	} else {
		a.nextReady.prevReady = a.prevReady
	}
	a.ready, a.prevReady, a.nextReady = false, nil, nil
	t.count--
}

// insertByTurn links an actor where its turn comes.
func (t *readyQueue) insertByTurn(a *actor) {
	p := t.last
	for p != nil && a.before(p) {
		p = p.prevTurn
	}
	t.linkTurn(a, p)
}

// insertAfterFirst links an actor whose turn comes after that of the first:
// behind p or one before p.
func (t *readyQueue) insertAfterFirst(a, p *actor) {
	for a.before(p) {
		p = p.prevTurn
	}
	a.prevTurn, a.nextTurn, p.nextTurn = p, p.nextTurn, a
	if a.nextTurn == nil {
		t.last = a
	} else {
		a.nextTurn.prevTurn = a
	}
}

// linkTurn links an actor behind another in the order of turns, nil for the
// front.
func (t *readyQueue) linkTurn(a, p *actor) {
	a.prevTurn = p
	if p == nil {
		a.nextTurn, t.first = t.first, a
	} else {
		a.nextTurn, p.nextTurn = p.nextTurn, a
	}
	if a.nextTurn == nil {
		t.last = a
	} else {
		a.nextTurn.prevTurn = a
	}
}

// unlinkTurn takes an actor out of the order of turns.
func (t *readyQueue) unlinkTurn(a *actor) {
	if a.prevTurn == nil {
		t.first = a.nextTurn
	} else {
		a.prevTurn.nextTurn = a.nextTurn
	}
	if a.nextTurn == nil {
		t.last = a.prevTurn
	} else {
		a.nextTurn.prevTurn = a.prevTurn
	}
	a.prevTurn, a.nextTurn = nil, nil
}

// simcall counts one simcall of an actor whose turn it is, and says whether it
// still is.
func (t *readyQueue) simcall(a *actor) bool {
	a.simcallCount++
	if a.nextTurn == nil || a.before(a.nextTurn) {
		return t.first == a
	}
	if t.first != a {
		t.unlinkTurn(a)
		t.insertByTurn(a)
		return t.first == a
	}
	t.first, a.nextTurn.prevTurn = a.nextTurn, nil
	t.insertAfterFirst(a, t.last)
	return false
}
