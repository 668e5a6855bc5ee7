package starpu

import "math"

// calendar holds when actors wake up: a binary heap by date, then by the order
// of entry.
type calendar struct {
	entries []entry
	count   uint64
}

type entry struct {
	date     float64
	sequence uint64
	actor    *actor
}

func (e *entry) before(f *entry) bool {
	return e.date < f.date || e.date == f.date && e.sequence < f.sequence
}

func (c *calendar) empty() bool { return len(c.entries) == 0 }

// first is the earliest date, +Inf without one.
func (c *calendar) first() float64 {
	if len(c.entries) == 0 {
		return math.Inf(1)
	}
	return c.entries[0].date
}

func (c *calendar) push(a *actor) {
	c.count++
	e := entry{a.date, c.count, a}
	c.entries = append(c.entries, e)
	i := len(c.entries) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.before(&c.entries[up]) {
			break
		}
		c.entries[i] = c.entries[up]
		i = up
	}
	c.entries[i] = e
}

// pop takes the earliest actor with the date that it was entered with: if the
// actor has another date by now, the entry is void.
func (c *calendar) pop() (float64, *actor) {
	date, top := c.entries[0].date, c.entries[0].actor
	last := len(c.entries) - 1
	e := c.entries[last]
	c.entries[last] = entry{}
	c.entries = c.entries[:last]
	if last > 0 {
		c.sink(e)
	}
	return date, top
}

// sink places e, which replaces the first entry.
func (c *calendar) sink(e entry) {
	i, n := 0, len(c.entries)
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && c.entries[down+1].before(&c.entries[down]) {
			down++
		}
		if !c.entries[down].before(&e) {
			break
		}
		c.entries[i] = c.entries[down]
		i = down
	}
	c.entries[i] = e
}
