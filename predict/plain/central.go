package plain

// central is one list for all workers; with several types of workers one for
// each set of types that can run a task.
type central struct {
	e      *engine
	levels *levels
	types  int
	lists  []*list
	can    []uint64       // by list: a bit for each type
	number map[uint64]int // of sets
	seq    []int64        // by task: when it was pushed; nil with one list
	count  int64
	total  int
}

func newCentral(e *engine, l *levels) *central {
	c := &central{e: e, levels: l, types: e.o.types(), number: make(map[uint64]int)}
	if c.types > 1 {
		c.seq = make([]int64, e.g.Tasks())
	}
	return c
}

func (c *central) length() int { return c.total }

func (c *central) push(t, _ int32) {
	set := uint64(1)
	if c.types > 1 {
		set = c.e.set(t)
		c.seq[t] = c.count
		c.count++
	}
	k, known := 0, len(c.lists) > 0
	if c.types > 1 {
		k, known = c.number[set]
	}
	if !known {
		k = len(c.lists)
		c.number[set] = k
		c.lists, c.can = append(c.lists, newList(c.levels, c.e.next)), append(c.can, set)
	}
	c.lists[k].push(t, c.e.level(c.levels, t))
	c.total++
}

func (c *central) pop(worker int32) int32 {
	if c.total == 0 {
		return none
	}
	best := 0
	if c.types > 1 {
		if best = c.best(c.e.o.Workers[worker]); best < 0 {
			return none
		}
	}
	c.total--
	return c.lists[best].pop()
}

// best is the list with the most urgent task that a type of workers can run.
func (c *central) best(kind int32) int {
	best, task, level := -1, none, none
	for k, q := range c.lists {
		if c.can[k]>>kind&1 == 0 {
			continue
		}
		if t, l := q.first(); t != none && (best < 0 || l > level || l == level && c.seq[t] < c.seq[task]) {
			best, task, level = k, t, l
		}
	}
	return best
}

// set is the types of workers that can run a task, a bit for each.
func (e *engine) set(t int32) (set uint64) {
	for kind := range int32(len(e.o.Durations)) {
		if e.o.Durations[kind][t] > 0 {
			set |= 1 << kind
		}
	}
	return set
}
