package plain

import (
	"math/bits"
	"slices"
)

// levels are the different priorities of tasks, ascending.
type levels struct {
	of   []int32
	last int32 // level of the priority that was asked for last
}

// newLevels finds the priorities; nil is one for all.
func newLevels(priority []int32) *levels {
	l := &levels{of: []int32{0}}
	if len(priority) == 0 {
		return l
	}
	l.of = l.of[:0]
	seen := [1 << 12]int32{} // priorities met lately, by their low bits
	for _, p := range priority {
		slot := &seen[uint32(p)%uint32(len(seen))]
		if *slot == p {
			continue
		}
		*slot = p
		if len(l.of) == cap(l.of) {
			l.compact()
		}
		l.of = append(l.of, p)
	}
	l.of = append(l.of, 0) // slots begin with it, so that it may have been missed
	l.compact()
	return l
}

// compact leaves each priority once, and room for as many again.
func (l *levels) compact() {
	slices.Sort(l.of)
	l.of = slices.Compact(l.of)
	l.of = slices.Grow(l.of, len(l.of)+1)
}

// level of a priority.
func (l *levels) level(p int32) int32 {
	if l.of[l.last] != p {
		at, _ := slices.BinarySearch(l.of, p)
		l.last = int32(at)
	}
	return l.last
}

// set is a set of small numbers that knows its largest: a bit for each, and one
// for each word of bits that is not 0, and so on.
type set [][]uint64

func newSet(n int) (s set) {
	for {
		n = (n + 63) / 64
		s = append(s, make([]uint64, n))
		if n <= 1 {
			return s
		}
	}
}

func (s set) add(i int32) {
	for k := range s {
		s[k][i>>6] |= 1 << (i & 63)
		i >>= 6
	}
}

func (s set) remove(i int32) {
	for k := range s {
		if s[k][i>>6] &^= 1 << (i & 63); s[k][i>>6] != 0 {
			return
		}
		i >>= 6
	}
}

func (s set) has(i int32) bool { return s[0][i>>6]>>(i&63)&1 != 0 }

// max is the largest, none of an empty set.
func (s set) max() int32 {
	i := int32(0)
	for k := len(s) - 1; k >= 0; k-- {
		word := s[k][i]
		if word == 0 {
			return none
		}
		i = i<<6 | int32(63-bits.LeadingZeros64(word))
	}
	return i
}

// next is the smallest from i on, none without.
func (s set) next(i int32) int32 {
	for k := 0; k < len(s); k++ {
		at := i >> 6
		if int(at) >= len(s[k]) {
			return none
		}
		if word := s[k][at] >> (i & 63); word != 0 {
			i += int32(bits.TrailingZeros64(word))
			for ; k > 0; k-- {
				i = i<<6 | int32(bits.TrailingZeros64(s[k-1][i]))
			}
			return i
		}
		i = at + 1
	}
	return none
}

// list is a list of tasks by priority, first in first out within a priority. All
// lists share the links between tasks: a task is in one list at most.
type list struct {
	levels     *levels
	head, tail []int32 // by level
	nonEmpty   set     // levels that have tasks
	next       []int32 // by task
	length     int
}

func newList(l *levels, next []int32) *list {
	q := &list{levels: l, head: make([]int32, len(l.of)), tail: make([]int32, len(l.of)), nonEmpty: newSet(len(l.of)), next: next}
	for i := range q.head {
		q.head[i] = none
	}
	return q
}

func (q *list) push(t, level int32) {
	q.next[t] = none
	if q.length++; q.head[level] == none {
		q.head[level] = t
		q.nonEmpty.add(level)
	} else {
		q.next[q.tail[level]] = t
	}
	q.tail[level] = t
}

// first is the task that pop would return, and its level; none of an empty list.
func (q *list) first() (t, level int32) {
	if q.length == 0 {
		return none, none
	}
	level = q.nonEmpty.max()
	return q.head[level], level
}

func (q *list) pop() int32 {
	t, level := q.first()
	if t == none {
		return none
	}
	q.length--
	if q.head[level] = q.next[t]; q.head[level] == none {
		q.nonEmpty.remove(level)
	}
	return t
}
