package replay

import "dagscope/trace"

// leave ends what a task is in. runs says that it comes to run on a worker
// for the first time: then its ready time says how long it was ready.
func (m *machine) leave(t *task, row int32, runs bool) {
	switch t.state {
	case running:
		m.stop(t, row)
	case ready:
		if !runs && t.since < m.now {
			m.out.phase.add(row, phaseReady, t.since, m.now)
		}
	case suspended:
		if t.is&resumable != 0 && t.since < m.now {
			m.out.phase.add(row, phaseResumable, t.since, m.now)
		}
		t.is &^= resumable
	case detached:
		if t.since < m.now {
			m.out.phase.add(row, phaseDetached, t.since, m.now)
		}
	}
}

// enter brings a task into a state in which it does not run.
func (m *machine) enter(t *task, row int32, state uint8) {
	if state == suspended && t.state == suspended {
		return // and may go on being resumable
	}
	m.leave(t, row, false)
	t.state, t.since = state, m.now
	if state == ready && t.is&started == 0 {
		*m.out.task.ready.at(row) = m.now
	}
}

// resumable: nothing is left that the task waits for.
func (m *machine) resumable(t *task) {
	if t.state == suspended && t.is&resumable == 0 {
		t.is |= resumable
		t.since = m.now
	}
}

// run makes a task the current one of a thread and runs it there.
func (m *machine) run(th *thread, row int32) {
	t := m.out.live.at(row)
	if t == nil || t.state >= executed {
		m.fault(ranAfterEnd, row)
		m.switchTo(th, none)
		return
	}
	m.switchTo(th, row)
	if t.state == running {
		if t.on == th.number {
			return
		}
		m.fault(ranTwice, row)
	}
	first := t.is&started == 0 && !th.hidden
	m.leave(t, row, first)
	if first {
		m.start(t, row, th)
	}
	if !th.hidden {
		m.out.threads[th.row].Ran = true
	}
	t.state, t.on, th.since = running, th.number, m.now
	if t.is&implicit != 0 && !th.hidden {
		m.openRun(th, row)
	}
}

func (m *machine) start(t *task, row int32, th *thread) {
	t.is |= started
	if t.state != ready {
		*m.out.task.ready.at(row) = m.now
	}
	*m.out.task.start.at(row), *m.out.task.end.at(row), *m.out.task.thread.at(row) = m.now, m.now, th.row
}

// switchTo makes a task the current one, whether it runs or waits.
func (m *machine) switchTo(th *thread, row int32) {
	if th.task == row {
		return
	}
	if t := m.out.live.at(th.task); t != nil && t.state == running && t.on == th.number {
		m.fault(leftRunning, th.task)
		m.stop(t, th.task)
		t.on = none
	}
	th.task = row
}

// stop ends the piece that runs, if the task is its thread's current one.
func (m *machine) stop(t *task, row int32) {
	if t.on == none {
		return
	}
	th := m.threads[t.on]
	if th.task != row {
		return
	}
	if th.run != none {
		m.closeRun(th)
	}
	m.pieceOf(t, row, th)
}

// pieceOf records that a task ran on a thread until now. The first piece is
// kept back: most tasks have no other.
func (m *machine) pieceOf(t *task, row int32, th *thread) {
	from := th.since
	switch {
	case from == m.now:
	case th.hidden:
		m.out.phase.add(row, phaseHelper, from, m.now)
	case t.is&(onePiece|listed) == 0 && from == *m.out.task.start.at(row) && *m.out.task.thread.at(row) == th.row:
		t.is |= onePiece
		t.pieceEnd = m.now
	default:
		m.list(t, row)
		m.out.piece.add(row, th.row, from, m.now)
	}
	if t.is&started != 0 {
		*m.out.task.end.at(row) = m.now
	}
}

// list makes a row of the first piece.
func (m *machine) list(t *task, row int32) {
	if t.is&listed == 0 && t.is&onePiece != 0 {
		m.out.piece.add(row, *m.out.task.thread.at(row), *m.out.task.start.at(row), t.pieceEnd)
	}
	t.is |= listed
}

// end says that the body of a task has ended: if it ran in one piece from start
// to end, that is all there is to say.
func (m *machine) end(t *task, row int32) {
	if t.is&ended != 0 {
		return
	}
	t.is |= ended
	if t.is&started != 0 {
		*m.out.task.end.at(row) = m.now
		m.fold(t, row)
	}
}

// fold makes a row of the only piece unless it lasts from start to end.
func (m *machine) fold(t *task, row int32) {
	if t.is&started == 0 || t.is&listed != 0 {
		return
	}
	start, end := *m.out.task.start.at(row), *m.out.task.end.at(row)
	switch {
	case t.is&onePiece != 0 && t.pieceEnd != end:
		m.list(t, row)
	case t.is&onePiece == 0 && start != end:
		m.out.piece.add(row, *m.out.task.thread.at(row), start, start)
		t.is |= listed
	}
}

// complete ends a task; what waits for it may go on.
func (m *machine) complete(t *task, row int32) {
	if t.state >= completed {
		m.fault(endedTwice, row)
		return
	}
	m.retire(t, row, completed)
	m.release(t)
	if t.is&pseudo == 0 {
		m.tellParent(t)
		m.tellGroups(t)
	}
	if t.family != none {
		m.graph.close(t.family)
		t.family = none
	}
	m.out.live.done(row)
}

// retire brings a task into a last state.
func (m *machine) retire(t *task, row int32, state uint8) {
	m.enter(t, row, state)
	m.end(t, row)
}

// release: successors of which this was the last predecessor become ready.
func (m *machine) release(t *task) {
	for i := t.next; i != none; i = m.lists.node[i].next {
		row := m.lists.node[i].row
		s := m.out.live.at(row)
		if s == nil {
			continue
		}
		if s.missing--; s.missing == 0 && s.state == initialised {
			m.unblock(s, row)
		}
	}
	m.lists.drop(t.next)
	t.next = none
}

// unblock: no predecessor of the task is missing.
func (m *machine) unblock(t *task, row int32) {
	if t.is&pseudo == 0 {
		m.enter(t, row, ready)
	} else if p := m.out.live.at(t.parent); p != nil && p.waiting == waitingDepend {
		m.resumable(p)
	}
}

func (m *machine) tellParent(t *task) {
	p := m.out.live.at(t.parent)
	if p == nil {
		return
	}
	if p.children--; p.children == 0 && p.waiting == waitTaskwait {
		m.resumable(p)
	}
}

func (m *machine) tellGroups(t *task) {
	for i := t.group; i != none; {
		g := &m.groups.group[i]
		if g.tasks--; g.tasks == 0 && g.waiter != none {
			if w := m.out.live.at(g.waiter); w != nil {
				m.resumable(w)
			}
		}
		i = g.outer
	}
}

// openRun and closeRun are the state of a thread that an implicit or initial
// task runs.
func (m *machine) openRun(th *thread, row int32) {
	kind := stateImplicit
	if *m.out.task.site.at(row) == siteInitial {
		kind = stateInitial
	}
	th.run = m.openState(th, kind, row)
}

func (m *machine) closeRun(th *thread) {
	s := &m.out.state[th.row]
	if *s.start.at(th.run) == m.now && int(th.run) == s.start.len()-1 {
		s.drop()
	} else {
		*s.end.at(th.run) = m.now
	}
	th.run = none
}

func (m *machine) openState(th *thread, kind uint8, row int32) int32 {
	s := &m.out.state[th.row]
	s.kind.add(kind)
	s.task.add(row)
	s.depth.add(int32(len(th.open)))
	s.start.add(m.now)
	s.end.add(trace.NoTime)
	return int32(s.start.len() - 1)
}

func (s *waits) drop() {
	s.kind.drop()
	s.task.drop()
	s.depth.drop()
	s.start.drop()
	s.end.drop()
}

func (m *machine) openWait(th *thread, kind uint8, row int32, parallel uint64) {
	th.open = append(th.open, open{m.openState(th, kind, row), row, parallel, kind, false})
}

// endWait ends the innermost wait of a task on a thread.
func (m *machine) endWait(th *thread, row int32) {
	for i := len(th.open) - 1; i >= 0; i-- {
		if th.open[i].task == row {
			m.closeWait(th, th.open[i])
			th.open = append(th.open[:i], th.open[i+1:]...)
			return
		}
	}
}

func (m *machine) closeWait(th *thread, o open) {
	if !o.cut {
		*m.out.state[th.row].end.at(o.row) = m.now
	}
}
