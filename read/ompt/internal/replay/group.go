package replay

// group is an open taskgroup.
type group struct {
	tasks  int32 // in it, and in groups inside, that are not complete
	outer  int32 // group around it
	below  int32 // the group that its task opened before and has not closed
	waiter int32 // row of the task that waits at its end
}

// groups are taskgroups by number; those closed are used again.
type groups struct {
	group []group
	free  []int32
}

func (p *groups) open(g group) int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		p.group[i] = g
		return i
	}
	p.group = append(p.group, g)
	return int32(len(p.group) - 1)
}

// close gives back a group. Tasks of it that are not complete hold its number:
// then it stays.
func (p *groups) close(i int32) {
	if p.group[i].tasks == 0 {
		p.free = append(p.free, i)
	}
}

// enter and leave count a task in a group and all around it.
func (p *groups) enter(i int32) {
	for ; i != none; i = p.group[i].outer {
		p.group[i].tasks++
	}
}
