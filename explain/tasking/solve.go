package tasking

import (
	"slices"

	"dagscope/trace"
)

// goal is something to be found out before what is below it on the stack.
type goal struct {
	kind goalKind
	id   int32 // task, or barrier
	arg  int32 // child to be created, wait to be reached
	pos  int32 // how far it is
}

type goalKind uint8

const (
	toEnd     goalKind = iota // until a task ends
	toCreate                  // until it has created a child
	toReach                   // until it is at a wait
	toEndAll                  // until all that came from a task has ended
	toBarrier                 // until a barrier lets go
)

// solve asks for the end of every task.
func (s *solver) solve() {
	for v := range s.run.Task.Start {
		s.stack = append(s.stack[:0], goal{kind: toEnd, id: int32(v)})
		for len(s.stack) > 0 {
			if top := len(s.stack) - 1; s.step(&s.stack[top]) {
				s.stack = s.stack[:len(s.stack)-1]
			}
		}
	}
}

// step works on a goal; false says that another was pushed above it, which may
// have moved it.
func (s *solver) step(g *goal) bool {
	switch g.kind {
	case toBarrier:
		return s.barrier(g)
	case toEndAll:
		return s.endAll(g.id)
	}
	return s.advance(g)
}

// ask pushes a goal; false says that it is in sight of itself, so that asking
// would never end: no run that happened has such a circle.
func (s *solver) ask(g goal) bool {
	circle := false
	switch g.kind {
	case toBarrier:
		circle = s.opened[g.id]
		s.opened[g.id] = true
	case toEnd, toCreate, toReach:
		k := s.of[g.id]
		if g.kind == toReach && k >= 0 && s.strand[k].wait >= int(g.arg) && s.strand[k].busy {
			return false // that is where it is
		}
		circle = s.state[g.id] == asked || k >= 0 && s.strand[k].busy
	}
	if circle {
		s.circles++
		return false
	}
	s.stack = append(s.stack, g)
	return true
}

// advance moves a task on until the goal is reached.
func (s *solver) advance(g *goal) bool {
	v, k := g.id, s.of[g.id]
	if s.state[v] == ended {
		return true
	}
	if s.state[v] != running && !s.begin(g) {
		return false
	}
	if k < 0 {
		s.at[v], s.state[v] = s.at[v]+s.pieces.work(v), ended
		return true
	}
	t := &s.strand[k]
	t.busy = false
	for {
		if g.kind == toCreate && t.child > int(g.arg) || g.kind == toReach && t.wait > int(g.arg) {
			return true
		}
		creates, waits := t.child < len(s.children.of(v)), t.wait < int(s.waits.at[v+1])
		switch {
		case creates && (!waits || s.waits.all[t.wait].after(created(&s.run.Task, s.children.of(v)[t.child]))):
			s.create(t)
		case waits:
			s.tick(t, s.waits.all[t.wait].end)
			if g.kind == toReach && t.wait == int(g.arg) {
				return true
			}
			if t.busy = true; !s.finishWait(t) {
				return false
			}
			t.busy = false
		default:
			s.end(t)
			return true
		}
	}
}

// begin makes sure that a task was created and that its predecessors have
// ended.
func (s *solver) begin(g *goal) bool {
	v := g.id
	if s.state[v] == waiting {
		s.state[v] = asked
		if p := parentOf(s.run, v); p >= 0 && s.at[v] == unknown && s.state[p] != ended {
			number, _ := slices.BinarySearch(s.children.of(p), v)
			if s.ask(goal{kind: toCreate, id: p, arg: int32(number)}) {
				return false
			}
		}
	}
	s.at[v] = max(s.at[v], 0)
	for ; g.pos < s.edgeAt[v+1]-s.edgeAt[v]; g.pos++ {
		u := s.sender(s.edgeAt[v] + g.pos)
		if u < 0 {
			continue
		}
		if s.state[u] != ended && s.ask(goal{kind: toEnd, id: u}) {
			return false
		}
		if s.at[u] > s.at[v] {
			s.at[v], s.via[v] = s.at[u], u
		}
	}
	s.state[v] = running
	if k := s.of[v]; k >= 0 {
		s.strand[k].now, s.strand[k].from = s.at[v], s.at[v]
	}
	return true
}

// sender is the task that an edge comes from, trace.None where none is known.
func (s *solver) sender(edge int32) int32 {
	d := &s.run.Dep
	from := d.From[edge]
	if from >= 0 || d.Via == nil || d.Via[edge] < 0 || s.run.Transfer.SendTask == nil {
		return from
	}
	return s.run.Transfer.SendTask[d.Via[edge]]
}

// tick moves the clock of a task on by its work up to a real time.
func (s *solver) tick(t *strand, until int64) { t.now += t.until(s.pieces, until) }

// create makes the next child.
func (s *solver) create(t *strand) {
	u := s.children.of(t.task)[t.child]
	s.tick(t, created(&s.run.Task, u))
	if s.at[u] == unknown {
		s.at[u], s.via[u] = t.now, ^t.task
	}
	t.child++
}

// end finishes a task.
func (s *solver) end(t *strand) {
	s.tick(t, forever)
	s.closeStretch(t)
	s.at[t.task], s.state[t.task] = t.now, ended
}

// finishWait finds when the tasks that t waits for have ended, and lets it go
// on.
func (s *solver) finishWait(t *strand) bool {
	w := &s.waits.all[t.wait]
	if w.why == forBarrier {
		if j := &s.joined[w.barrier]; !j.done && s.ask(goal{kind: toBarrier, id: w.barrier}) {
			return false
		}
		t.found = s.joined[w.barrier]
	} else if !s.join(t, w) {
		return false
	}
	t.wait++
	if t.found.task != nothing && t.found.at > t.now {
		s.closeStretch(t)
		t.now, t.from, t.source = t.found.at, t.found.at, t.found.task
	}
	return true
}

// join looks at the children that a wait is for.
func (s *solver) join(t *strand, w *wait) bool {
	if t.pos < 0 {
		t.pos, t.found = s.firstOf(t, w), join{task: nothing}
	}
	for ; t.pos < t.child; t.pos++ {
		u := s.children.of(t.task)[t.pos]
		if w.why != forGroup {
			if s.state[u] != ended && s.ask(goal{kind: toEnd, id: u}) {
				return false
			}
			t.found.add(s.at[u], u)
		} else if !s.addAll(&t.found, u) {
			return false
		}
	}
	if t.pos = -1; w.why == forChildren {
		t.settled = t.child
	}
	return true
}

// firstOf is the first child that a wait is for. Where it is not known when a
// taskgroup started, all children are taken to belong to it that no taskwait
// was for.
func (s *solver) firstOf(t *strand, w *wait) int {
	switch {
	case w.why == forCreated:
		return s.children.first(t.task, w.start)
	case w.why == forGroup && w.since != trace.NoTime:
		return s.children.first(t.task, w.since)
	}
	return t.settled
}

// addAll adds the ends of a task and of all that came from it to a join.
func (s *solver) addAll(to *join, u int32) bool {
	if s.state[u] != ended && s.ask(goal{kind: toEnd, id: u}) {
		return false
	}
	k := s.of[u]
	if k < 0 {
		to.add(s.at[u], u)
		return true
	}
	if d := &s.strand[k].deep; !d.done && s.ask(goal{kind: toEndAll, id: u}) {
		return false
	}
	if d := s.strand[k].deep; d.task != nothing {
		to.add(d.at, d.task)
	}
	return true
}

// endAll finds the latest end among a strand that has ended and all that came
// from it.
func (s *solver) endAll(v int32) bool {
	t := &s.strand[s.of[v]]
	t.deep.add(s.at[v], v)
	for all := s.children.of(v); t.deepChild < len(all); t.deepChild++ {
		if !s.addAll(&t.deep, all[t.deepChild]) {
			return false
		}
	}
	t.deep.done = true
	return true
}

// barrier finds when the last of a team arrives at a barrier and all tasks that
// the team created have ended.
func (s *solver) barrier(g *goal) bool {
	members, j := s.waits.barrier[g.id].members, &s.joined[g.id]
	for n := int32(len(members)); g.pos < n; {
		row := members[g.pos]
		v := s.waits.all[row].task
		g.pos++ // asking may move g; once v is there nothing more is to be asked
		if s.state[v] != ended && s.strand[s.of[v]].wait <= int(row) && s.ask(goal{kind: toReach, id: v, arg: row}) {
			return false
		}
	}
	if j.task == nothing {
		for _, row := range members {
			v := s.waits.all[row].task
			j.add(s.strand[s.of[v]].now, v)
		}
	}
	for _, row := range members {
		t := &s.strand[s.of[s.waits.all[row].task]]
		for all := s.children.of(t.task); t.swept < t.child; t.swept++ {
			if !s.addAll(j, all[t.swept]) {
				return false
			}
		}
	}
	j.done = true
	return true
}
