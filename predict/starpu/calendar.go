package starpu

import (
	"math"

	"dagscope/internal/heap"
)

// calendar holds when actors wake up, by date and then by the order of entry.
type calendar struct {
	heap  heap.Heap[float64, uint64, *actor]
	count uint64
}

func (c *calendar) empty() bool { return c.heap.Len() == 0 }

// first is the earliest date, +Inf without one.
func (c *calendar) first() float64 {
	if c.heap.Len() == 0 {
		return math.Inf(1)
	}
	return c.heap.First().Key
}

func (c *calendar) push(a *actor) {
	c.count++
	c.heap.Push(a.date, c.count, a)
}

// pop takes the earliest actor with the date that it was entered with: if the
// actor has another date by now, the entry is void.
func (c *calendar) pop() (float64, *actor) {
	e := c.heap.Pop()
	return e.Key, e.Value
}
