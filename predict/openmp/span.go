package openmp

// Span is the length of the longest chain of work that any number of threads, and a
// runtime without cost, cannot shorten. Loops count as divided among any number of
// threads, and locks as free.
func (p *Program) Span() int64 {
	s := &spans{Program: p, end: make([]int64, len(p.parent)), last: make([]int64, len(p.parent)), deep: make([]int64, len(p.parent))}
	return s.run(p.root, 0)
}

type spans struct {
	*Program
	end  []int64 // by task: when it is over; before it has run, when its predecessors are
	last []int64 // by task: when the last of its children is over
	deep []int64 // by task: when all that descends from it is over
}

// run is when a task ends that starts at a time, whatever else is going on.
func (s *spans) run(task int32, now int64) int64 {
	w := walk{task: task, pc: s.first[task], now: now}
	for !w.over {
		s.advance(&w)
	}
	return w.now
}

// walk is a task under way.
type walk struct {
	task   int32
	pc     int32
	now    int64
	groups []int64 // when the tasks of each taskgroup are over, as far as created
	over   bool
}

// advance goes on to the next barrier of a task, or to its end.
func (s *spans) advance(w *walk) {
	for {
		st := &s.steps[w.pc]
		w.now += st.work
		w.pc++
		switch st.op {
		case opEnd:
			s.end[w.task], w.over = w.now, true
			return
		case opBarrier:
			return
		case opCreate, opUndeferred:
			s.child(w, st)
		case opTaskwait:
			w.now = max(w.now, s.last[w.task])
		case opGroup:
			w.groups = append(w.groups, 0)
		case opGroupEnd:
			if n := len(w.groups); n > 0 {
				w.now = max(w.now, w.groups[n-1])
				w.groups = w.groups[:n-1]
			}
		case opParallel:
			w.now = s.region(st.arg, w.now)
		}
	}
}

// child runs a child from its creation on, or from the end of what it depends on,
// which was created before.
func (s *spans) child(w *walk, st *step) {
	c := st.arg
	s.run(c, max(w.now, s.end[c]))
	for _, next := range s.succ[s.succAt[c]:s.succAt[c+1]] {
		s.end[next] = max(s.end[next], s.end[c])
	}
	s.last[w.task] = max(s.last[w.task], s.end[c])
	below := max(s.end[c], s.deep[c])
	s.deep[w.task] = max(s.deep[w.task], below)
	for i := range w.groups {
		w.groups[i] = max(w.groups[i], below)
	}
	if st.op == opUndeferred {
		w.now = max(w.now, s.end[c])
	}
}

// region is when a parallel region ends: its members meet at barriers, where all that
// they created is over.
func (s *spans) region(r int32, now int64) int64 {
	walks := make([]walk, len(s.regions[r].members))
	for i, m := range s.regions[r].members {
		walks[i] = walk{task: m, pc: s.first[m]}
	}
	for open := len(walks); open > 0; {
		meet := now
		for i := range walks {
			w := &walks[i]
			if w.over {
				continue
			}
			w.now = now
			if s.advance(w); w.over {
				open--
			}
			meet = max(meet, w.now, s.deep[w.task])
		}
		now = meet
	}
	return now
}
