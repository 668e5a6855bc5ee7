package policy

// list is a queue of tasks, some of which are popped from its middle.
type list struct {
	nodes      []node
	head, tail int32
	free       int32
	size       int
}

type node struct {
	task, priority int32
	prev, next     int32
}

func (l *list) at(i int32) *node { return &l.nodes[i] }

func (l *list) first() *node { return &l.nodes[l.head] }

func (l *list) last() *node { return &l.nodes[l.tail] }

// fresh allocates a node.
func (l *list) fresh(task, priority int32) int32 {
	if l.nodes == nil {
		l.head, l.tail, l.free = none, none, none
	}
	l.size++
	n := node{task, priority, none, none}
	if i := l.free; i != none {
		l.free = l.nodes[i].next
		l.nodes[i] = n
		return i
	}
	l.nodes = append(l.nodes, n)
	return int32(len(l.nodes)) - 1
}

func (l *list) append(task, priority int32) {
	i := l.fresh(task, priority)
	l.after(i, l.tail)
}

// after links node i behind another, none for the front.
func (l *list) after(i, before int32) {
	next := l.head
	if before != none {
		next = l.nodes[before].next
		l.nodes[before].next = i
	} else {
		l.head = i
	}
	l.nodes[i].prev, l.nodes[i].next = before, next
	if next != none {
		l.nodes[next].prev = i
	} else {
		l.tail = i
	}
}

// insert puts a task behind those of at least its priority, and returns how
// many these are.
func (l *list) insert(task, priority int32) int {
	i := l.fresh(task, priority)
	before, place := l.tail, l.size-1
	for before != none && l.nodes[before].priority < priority {
		before = l.nodes[before].prev
		place--
	}
	l.after(i, before)
	return place
}

// task returns the task of a node and, where wanted, its position from 0.
func (l *list) task(i int32, wanted bool) (task int32, place int) {
	if wanted {
		for k := l.nodes[i].prev; k != none; k = l.nodes[k].prev {
			place++
		}
	}
	return l.nodes[i].task, place
}

func (l *list) remove(i int32) int32 {
	n := l.nodes[i]
	if n.prev == none {
		l.head = n.next
	} else {
		l.nodes[n.prev].next = n.next
	}
	if n.next == none {
		l.tail = n.prev
	} else {
		l.nodes[n.next].prev = n.prev
	}
	l.nodes[i].next = l.free
	l.free = i
	l.size--
	return n.task
}
