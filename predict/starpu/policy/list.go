package policy

import (
	"cmp"
	"slices"
)

// list is a queue of tasks, some of which are popped from its middle.
type list struct {
	nodes      []node
	head, tail int32
	free       int32
	size       int
	ends       []end // of the tasks inserted by priority, the highest first
}

// end is the last task of a priority.
type end struct{ priority, node int32 }

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

// insert puts a task behind those of at least its priority, and returns, where
// wanted, how many these are. All tasks of the list must have been inserted.
func (l *list) insert(task, priority int32, wanted bool) (place int) {
	i := l.fresh(task, priority)
	at, ok := slices.BinarySearchFunc(l.ends, priority, func(e end, p int32) int { return cmp.Compare(p, e.priority) })
	switch {
	case ok:
		l.after(i, l.ends[at].node)
		l.ends[at].node = i
	case at > 0:
		l.after(i, l.ends[at-1].node)
		l.ends = slices.Insert(l.ends, at, end{priority, i})
	default:
		l.after(i, none)
		l.ends = slices.Insert(l.ends, 0, end{priority, i})
	}
	_, place = l.task(i, wanted)
	return place
}

// removeEnd replaces the last task of a priority, which goes, by the one before.
func (l *list) removeEnd(i int32) {
	n := &l.nodes[i]
	at, ok := slices.BinarySearchFunc(l.ends, n.priority, func(e end, p int32) int { return cmp.Compare(p, e.priority) })
	switch {
	case !ok || l.ends[at].node != i:
	case n.prev != none && l.nodes[n.prev].priority == n.priority:
		l.ends[at].node = n.prev
	default:
		l.ends = slices.Delete(l.ends, at, at+1)
	}
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
	if len(l.ends) > 0 {
		l.removeEnd(i)
	}
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
