package sparse

import "dagscope/predict/workload"

// Chain is the flops of the longest chain of tasks of which each must wait for
// the one before: what no number of workers makes shorter. Tasks that only move
// data count nothing. It follows the accesses in the order of submission, in
// time linear in their number.
func (p *Program) Chain() int64 {
	handles := make([]chainEnd, len(p.Graph.Bytes))
	longest := int64(0)
	for task := range int32(p.Graph.Tasks()) {
		from, to := p.Graph.AccessAt[task], p.Graph.AccessAt[task+1]
		end := int64(0)
		for k := from; k < to; k++ {
			end = max(end, handles[p.Graph.Handle[k]].before(p.Graph.Mode[k]))
		}
		end += p.Flops(task)
		for k := from; k < to; k++ {
			handles[p.Graph.Handle[k]].after(p.Graph.Mode[k], end)
		}
		longest = max(longest, end)
	}
	return longest
}

// chainEnd is the longest chains that end at tasks on a handle: the last that
// wrote it, those that have read it since, and those of a group of commuting
// updates that is open, which began after base.
type chainEnd struct {
	written, read, base, group int64
	open                       bool
}

// before is the longest chain that an access waits for.
func (c *chainEnd) before(mode workload.Mode) int64 {
	if mode&workload.Commute != 0 {
		if !c.open {
			c.base, c.open = max(c.written, c.read), true
			c.group = c.base
		}
		return c.base
	}
	if c.open {
		c.written, c.read, c.open = c.group, 0, false
	}
	if mode == workload.Read {
		return c.written
	}
	return max(c.written, c.read)
}

// after notes the end of a task.
func (c *chainEnd) after(mode workload.Mode, end int64) {
	switch {
	case mode&workload.Commute != 0:
		c.group = max(c.group, end)
	case mode == workload.Read:
		c.read = max(c.read, end)
	default:
		c.written, c.read = end, 0
	}
}
