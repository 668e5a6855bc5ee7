package starpu

// turns holds the actors that are ready, in two orders: that in which they
// stand, and that in which they take turns, by ticks and then as they stand. An
// actor that has done one operation more moves behind those that have done as
// many, who are the last as a rule: whoever comes next is found without a
// search, however many take turns.
type turns struct {
	first, last *actor // by turn
	head, tail  *actor // as they stand
	count       int
}

// standing is an actor's place among those that are ready.
type standing struct {
	ready        bool
	label        uint64 // grows along the row in which they stand
	ahead, after *actor // by turn
	left, right  *actor // as they stand
}

// apart is the distance of the labels of those who join the row at its end.
const apart = 1 << 40

// before says that a takes its turn before b.
func (a *actor) before(b *actor) bool {
	return a.tick < b.tick || a.tick == b.tick && a.label < b.label
}

// join puts an actor at the end of the row.
func (t *turns) join(a *actor) {
	a.ready, a.left, a.right = true, t.tail, nil
	if t.tail == nil {
		t.head, a.label = a, apart
	} else {
		t.tail.right, a.label = a, t.tail.label+apart
	}
	t.tail = a
	t.count++
	t.place(a)
}

// joinBefore puts an actor into the row, in front of b.
func (t *turns) joinBefore(a, b *actor) {
	low := uint64(0)
	if b.left != nil {
		low = b.left.label
	}
	if b.label-low < 2 {
		t.relabel()
		t.joinBefore(a, b)
		return
	}
	// Those who follow are put in front of b as well, as a rule.
	a.ready, a.label, a.left, a.right = true, low+1+(b.label-low-2)/32, b.left, b
	if b.left == nil {
		t.head = a
	} else {
		b.left.right = a
	}
	b.left = a
	t.count++
	t.place(a)
}

// relabel makes room between all labels.
func (t *turns) relabel() {
	label := uint64(0)
	for a := t.head; a != nil; a = a.right {
		label += apart
		a.label = label
	}
}

// leave takes an actor out.
func (t *turns) leave(a *actor) {
	t.lift(a)
	if a.left == nil {
		t.head = a.right
	} else {
		a.left.right = a.right
	}
	if a.right == nil {
		t.tail = a.left
	} else {
		a.right.left = a.left
	}
	a.ready, a.left, a.right = false, nil, nil
	t.count--
}

// place enters an actor where its turn comes.
func (t *turns) place(a *actor) {
	p := t.last
	for p != nil && a.before(p) {
		p = p.ahead
	}
	t.insert(a, p)
}

// placeBehind enters an actor that comes after the first: behind p or one before.
func (t *turns) placeBehind(a, p *actor) {
	for a.before(p) {
		p = p.ahead
	}
	a.ahead, a.after, p.after = p, p.after, a
	if a.after == nil {
		t.last = a
	} else {
		a.after.ahead = a
	}
}

// insert enters an actor behind another, nil for the front.
func (t *turns) insert(a, p *actor) {
	a.ahead = p
	if p == nil {
		a.after, t.first = t.first, a
	} else {
		a.after, p.after = p.after, a
	}
	if a.after == nil {
		t.last = a
	} else {
		a.after.ahead = a
	}
}

// lift takes an actor out of the order of turns.
func (t *turns) lift(a *actor) {
	if a.ahead == nil {
		t.first = a.after
	} else {
		a.ahead.after = a.after
	}
	if a.after == nil {
		t.last = a.ahead
	} else {
		a.after.ahead = a.ahead
	}
	a.ahead, a.after = nil, nil
}

// count one operation of an actor whose turn it is, and say whether it still is.
func (t *turns) pass(a *actor) bool {
	a.tick++
	if a.after == nil || a.before(a.after) {
		return t.first == a
	}
	if t.first != a {
		t.lift(a)
		t.place(a)
		return t.first == a
	}
	t.first, a.after.ahead = a.after, nil
	t.placeBehind(a, t.last)
	return false
}
