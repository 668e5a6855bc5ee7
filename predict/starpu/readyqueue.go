package starpu

// turns holds the actors that are ready, in two orders: that in which they
// stand, and that in which they take turns, by ticks and then as they stand. An
// actor that has done one operation more moves behind those that have done as
// many, who are the last as a rule: whoever comes next is found without a
// search, however many take turns.
type readyQueue struct {
	first, last           *actor // by turn
	firstReady, lastReady *actor // as they stand
	count                 int
}

// standing is an actor's place among those that are ready.
type readyLinks struct {
	ready                bool
	label                uint64 // grows along the row in which they stand
	prevTurn, nextTurn   *actor // by turn
	prevReady, nextReady *actor // as they stand
}

// apart is the distance of the labels of those who join the row at its end.
const labelGap = 1 << 40

// before says that a takes its turn before b.
func (a *actor) before(b *actor) bool {
	return a.simcallCount < b.simcallCount || a.simcallCount == b.simcallCount && a.label < b.label
}

// join puts an actor at the end of the row.
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

// joinBefore puts an actor into the row, in front of b.
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
	// Those who follow are put in front of b as well, as a rule.
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

// relabel makes room between all labels.
func (t *readyQueue) relabel() {
	label := uint64(0)
	for a := t.firstReady; a != nil; a = a.nextReady {
		label += labelGap
		a.label = label
	}
}

// leave takes an actor out.
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

// place enters an actor where its turn comes.
func (t *readyQueue) insertByTurn(a *actor) {
	p := t.last
	for p != nil && a.before(p) {
		p = p.prevTurn
	}
	t.linkTurn(a, p)
}

// placeBehind enters an actor that comes after the first: behind p or one before.
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

// insert enters an actor behind another, nil for the front.
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

// lift takes an actor out of the order of turns.
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

// count one operation of an actor whose turn it is, and say whether it still is.
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
