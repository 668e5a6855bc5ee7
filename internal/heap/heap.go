// Package heap is a priority queue: which of many items comes first?
//
// Items have a key and, for equal keys, a tie-breaker, both of ordered types:
// comparisons compile to those of the types, without calls, which container/heap
// cannot do. Nodes have four children, so that a queue of millions of items misses
// few cache lines.
//
// Items cannot be found or changed once they are in the heap, except for the first.
package heap

import "cmp"

// Item is an entry of a heap.
type Item[K, T cmp.Ordered, V any] struct {
	Value V // not compared
	Key   K
	Tie   T // compared where keys are equal
}

func (a *Item[K, T, V]) before(b *Item[K, T, V]) bool {
	return a.Key < b.Key || a.Key == b.Key && a.Tie < b.Tie
}

// Heap is a heap of items, the smallest first. The zero value is empty. Which of
// two items with equal keys and ties comes first is not specified.
type Heap[K, T cmp.Ordered, V any] struct{ items []Item[K, T, V] }

// Pairs is a heap of items without values.
type Pairs[K, T cmp.Ordered] = Heap[K, T, struct{}]

// Len is the number of items.
func (h *Heap[K, T, V]) Len() int { return len(h.items) }

// First is the first item of a heap that is not empty.
func (h *Heap[K, T, V]) First() Item[K, T, V] { return h.items[0] }

// Push adds an item.
func (h *Heap[K, T, V]) Push(key K, tie T, value V) {
	x := Item[K, T, V]{Value: value, Key: key, Tie: tie}
	h.items = append(h.items, x)
	s := h.items
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !x.before(&s[parent]) {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = x
}

// Pop takes out the first item of a heap that is not empty.
func (h *Heap[K, T, V]) Pop() Item[K, T, V] {
	last := len(h.items) - 1
	first, x := h.items[0], h.items[last]
	h.items[last] = Item[K, T, V]{}
	h.items = h.items[:last]
	if last > 0 {
		h.sink(&x)
	}
	return first
}

// ReplaceFirst is Pop and Push in one.
func (h *Heap[K, T, V]) ReplaceFirst(key K, tie T, value V) {
	h.sink(&Item[K, T, V]{Value: value, Key: key, Tie: tie})
}

// sink places x, which replaces the first item.
func (h *Heap[K, T, V]) sink(x *Item[K, T, V]) {
	s := h.items
	i := 0
	for {
		child := 4*i + 1
		if child >= len(s) {
			break
		}
		siblings := s[child:min(child+4, len(s))]
		first := 0
		for c := 1; c < len(siblings); c++ {
			if siblings[c].before(&siblings[first]) {
				first = c
			}
		}
		child += first
		if !s[child].before(x) {
			break
		}
		s[i] = s[child]
		i = child
	}
	s[i] = *x
}
