package replay

import (
	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// add makes a row for a task.
func (m *machine) add(id event.ID, parent, site int32, submit int64) (int32, *task) {
	row, t := m.out.live.add(parent)
	c := &m.out.task
	if m.rows.find(id) == none {
		c.key.add(id)
	} else {
		c.key.add(0)
		m.fault(createdTwice, none)
	}
	m.rows.set(id, row)
	c.site.add(site)
	c.parent.add(parent)
	c.thread.add(none)
	c.start.add(trace.NoTime)
	c.end.add(trace.NoTime)
	c.submit.add(submit)
	c.ready.add(trace.NoTime)
	c.internal.add(false)
	return row, t
}

// known is the task of a name. One that was never created began before the
// recording, or the recording has lost it.
func (m *machine) known(id event.ID) (int32, *task) {
	row := m.rows.find(id)
	if row != none {
		return row, m.out.live.at(row)
	}
	if id == 0 {
		m.fault(noTask, none)
		return none, nil
	}
	row, t := m.add(id, none, siteUnknown, trace.NoTime)
	m.fault(unknownTask, row)
	return row, t
}

// active is known for a task that something happens to: nil when it is complete.
func (m *machine) active(id event.ID) (int32, *task) {
	row, t := m.known(id)
	if t == nil || t.state >= completed {
		if row != none {
			m.fault(afterEnd, row)
		}
		return row, nil
	}
	return row, t
}

// create is R6.
func (m *machine) create(th *thread, e *event.Event) {
	if e.Task == 0 {
		m.fault(noTask, none)
		return
	}
	creator, p := m.active(e.Task2)
	if p == nil {
		creator = none
	}
	site := m.siteOf(e)
	m.splits(th, creator, site)
	row, t := m.add(e.Task, creator, site, m.now)
	if e.Value != 0 {
		t.is |= depends
	}
	if e.Flags&event.FlagTaskwait != 0 {
		m.createPseudo(th, t, row, p, creator)
		return
	}
	if p != nil {
		m.join(t, p)
		if e.Flags&event.FlagUndeferred != 0 {
			p.child = row
			m.enter(p, creator, suspended)
		}
	}
	if t.is&depends == 0 {
		m.enter(t, row, ready)
	}
}

// splits: a task that creates tasks of its own place in the name of another one is one of
// those by which the runtime splits a taskloop, and none of the program's.
func (m *machine) splits(th *thread, creator, site int32) {
	if th.task == none || th.task == creator || site == siteTask || *m.out.task.site.at(th.task) != site {
		return
	}
	*m.out.task.internal.at(th.task) = true
}

// siteOf is the place of the creation.
func (m *machine) siteOf(e *event.Event) int32 {
	if e.Flags&event.FlagTaskwait != 0 {
		return siteTaskwait
	}
	return m.out.sites.of(m.process, e.Code)
}

// join makes a task a child, and a member of the taskgroups it is created in.
func (m *machine) join(t, p *task) {
	p.children++
	t.group = p.group
	if p.opened != none {
		t.group = p.opened
	}
	m.groups.enter(t.group)
}

func (m *machine) createPseudo(th *thread, t *task, row int32, p *task, creator int32) {
	t.is |= pseudo
	*m.out.task.internal.at(row) = true
	if p == nil {
		return
	}
	m.enter(p, creator, suspended)
	p.waiting = waitingDepend
	m.openWait(th, stateDepend, creator, 0)
	if t.is&depends == 0 {
		m.resumable(p)
	}
}

// dependences is R7.
func (m *machine) dependences(e *event.Event) {
	row, t := m.active(e.Task)
	if t == nil {
		return
	}
	if t.state != initialised || t.is&connected != 0 {
		m.fault(lateDependences, row)
	}
	m.connect(t, row, e.Deps)
	if t.missing == 0 && t.state == initialised {
		m.unblock(t, row)
	}
}

// connect enters a task into the graph of its siblings.
func (m *machine) connect(t *task, row int32, deps []event.Dep) {
	p := m.out.live.at(t.parent)
	if p == nil || p.state >= completed || t.is&connected != 0 {
		return
	}
	t.is |= connected
	if p.family == none {
		p.family = m.graph.open()
	}
	f := &m.graph.family[p.family]
	for _, from := range m.graph.predecessors(f, row, deps) {
		m.out.addEdge(from, row)
		if u := m.out.live.at(from); u != nil && u.state < completed {
			u.next = m.lists.push(u.next, row)
			t.missing++
		}
	}
	m.graph.exclusive(func(address uint64) { m.out.addAccess(f, row, address) })
}

// schedule is R8.
func (m *machine) schedule(th *thread, e *event.Event) {
	row, t := m.known(e.Task)
	switch e.Kind {
	case event.StatusComplete, event.StatusCancel:
		m.stopped(t, row)
		if t != nil {
			m.complete(t, row)
		} else {
			m.fault(endedTwice, row)
		}
	case event.StatusDetach:
		m.stopped(t, row)
		m.detach(t, row)
	case event.StatusLateFulfill:
		m.out.event.add(eventFulfil, th.row, m.now, "late", row)
		if t != nil && t.state == detached {
			m.complete(t, row)
		}
		return
	case event.StatusEarlyFulfill:
		m.out.event.add(eventFulfil, th.row, m.now, "early", row)
		return
	case event.StatusTaskwaitComplete:
		m.taskwaitComplete(th, t, row)
		return
	default: // switch, yield
		m.preempt(t, row)
	}
	if e.Task2 != 0 {
		m.next(th, e.Task2)
	}
}

// stopped: a creator that waits for this undeferred child waits no more.
func (m *machine) stopped(t *task, row int32) {
	if t == nil {
		return
	}
	if p := m.out.live.at(t.parent); p != nil && p.child == row {
		p.child = none
	}
}

func (m *machine) detach(t *task, row int32) {
	if t == nil || t.state >= executed {
		m.fault(endedTwice, row)
		return
	}
	m.retire(t, row, detached)
}

func (m *machine) preempt(t *task, row int32) {
	switch {
	case t == nil || t.state != running:
	case t.child != none:
		m.enter(t, row, suspended)
	default:
		m.enter(t, row, ready)
	}
}

// next is the task that a thread goes on with.
func (m *machine) next(th *thread, id event.ID) {
	row, t := m.known(id)
	if t != nil && t.state == initialised && t.missing > 0 {
		m.fault(ranTooEarly, row)
	}
	if t != nil && t.waiting != 0 && t.state < executed {
		m.switchTo(th, row) // resumed inside its wait: does not run
		return
	}
	m.run(th, row)
}

// taskwaitComplete ends the pseudo task of a taskwait depend.
func (m *machine) taskwaitComplete(th *thread, t *task, row int32) {
	if t == nil || t.state >= completed {
		m.fault(endedTwice, row)
		return
	}
	m.retire(t, row, completed)
	m.release(t)
	m.out.live.done(row)
	if p := m.out.live.at(t.parent); p != nil && p.state < completed {
		p.waiting = 0
		m.endWait(th, t.parent)
		m.run(th, t.parent)
	}
}

// Sync regions that say more than that a task waits.
const (
	waitTaskwait  = event.SyncTaskwait
	waitTaskgroup = event.SyncTaskgroup
)

// waitBegin is the first half of R5.
func (m *machine) waitBegin(th *thread, e *event.Event) {
	row, t := m.active(e.Task)
	if t == nil || !waitable(e.Kind) {
		return
	}
	m.enter(t, row, suspended)
	t.waiting = e.Kind
	m.openWait(th, e.Kind, row, e.Parallel)
	if event.Barrier(e.Kind) {
		m.barrierBegin(th, e.Kind, row)
	}
	switch {
	case e.Kind == waitTaskwait && t.children <= 0:
		m.resumable(t)
	case e.Kind == waitTaskgroup && t.opened != none:
		if g := &m.groups.group[t.opened]; g.tasks == 0 {
			m.resumable(t)
		} else {
			g.waiter = row
		}
	}
}

func waitable(kind uint8) bool {
	return event.Barrier(kind) || kind == event.SyncTaskwait || kind == event.SyncTaskgroup || kind == event.SyncReduction
}

// waitEnd is the other half.
func (m *machine) waitEnd(th *thread, e *event.Event) {
	row, t := m.active(e.Task)
	if t == nil {
		return
	}
	t.waiting = 0
	if event.Barrier(e.Kind) {
		m.barrierEnd(th, row)
	}
	if e.Kind == waitTaskgroup && t.opened != none {
		m.groups.group[t.opened].waiter = none
	}
	m.endWait(th, row)
	m.run(th, row)
}

// taskgroup opens and closes a group of a task.
func (m *machine) taskgroup(th *thread, e *event.Event) {
	row, t := m.active(e.Task)
	switch {
	case t == nil:
	case e.Type == event.SyncBegin:
		m.out.event.add(eventGroupBegin, th.row, m.now, "", row)
		outer := t.group
		if t.opened != none {
			outer = t.opened
		}
		t.opened = m.groups.open(group{outer: outer, below: t.opened, waiter: none})
	case t.opened != none:
		below := m.groups.group[t.opened].below
		m.groups.close(t.opened)
		t.opened = below
	}
}

// implicitBegin is R3.
func (m *machine) implicitBegin(th *thread, e *event.Event) {
	if e.Task == 0 {
		m.fault(noTask, none)
		return
	}
	site := siteImplicit
	if e.Kind == event.TaskInitial {
		site = siteInitial
	}
	if m.hidden[e.Parallel] && site == siteImplicit {
		m.hide(th)
	}
	row, t := m.add(e.Task, none, site, m.now)
	t.is |= implicit
	*m.out.task.internal.at(row) = true
	if creator, ok := m.region[e.Parallel]; ok && site == siteImplicit {
		*m.out.task.parent.at(row) = creator // in the tables only: no taskwait is for it
	}
	if site == siteImplicit {
		m.joinRegion(th, e, row)
	}
	m.run(th, row)
}

// implicitEnd is R9.
func (m *machine) implicitEnd(th *thread, e *event.Event) {
	row, t := m.active(e.Task)
	m.leaveRegion(th, row)
	if t != nil {
		m.retire(t, row, deleted)
		if t.family != none {
			m.graph.close(t.family)
			t.family = none
		}
		m.out.live.done(row)
	}
	m.switchTo(th, none)
}

// parallelBegin and parallelEnd are R4.
func (m *machine) parallelBegin(th *thread, e *event.Event) {
	row, t := m.active(e.Task)
	m.out.event.add(eventParallelBegin, th.row, m.now, count(e.Value), row)
	if th.hidden {
		m.hidden[e.Parallel] = true
	}
	m.beginRegion(th, e, row)
	if row != none {
		m.region[e.Parallel] = row
	}
	if t != nil {
		m.enter(t, row, suspended)
	}
}

func (m *machine) parallelEnd(th *thread, e *event.Event) {
	row, t := m.active(e.Task)
	m.out.event.add(eventParallelEnd, th.row, m.now, "", row)
	delete(m.hidden, e.Parallel)
	delete(m.region, e.Parallel)
	m.cutBarriers(e.Parallel)
	m.endRegion(e.Parallel)
	if t != nil {
		m.run(th, row)
	}
}

// cutBarriers ends the state of threads that wait at the end of a parallel
// region: the runtime says that they have left when they are needed again.
func (m *machine) cutBarriers(parallel uint64) {
	for _, th := range m.threads {
		if th == nil {
			continue
		}
		for i := range th.open {
			o := &th.open[i]
			if o.parallel == parallel && !o.cut && endsRegion(o.kind) {
				m.cutShares(th, *o)
				m.closeWait(th, *o)
				o.cut = true
			}
		}
	}
}

// endsRegion reports whether a barrier may be that at the end of a region (libomp
// 14 does not distinguish it from others).
func endsRegion(kind uint8) bool {
	return kind == event.SyncBarrierImplicitParallel || kind == event.SyncBarrierImplicit
}
