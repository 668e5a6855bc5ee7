package replay

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// This file follows locks, critical and ordered sections and atomic updates. Waiting for
// one is a state of the thread, in which its task goes on running in the sense of
// Pereira 2024: the paper's three parts do not know locks.

// mutexes are the rows of table mutex, in the order of the requests.
type mutexes struct {
	kind                      column[uint8]
	place                     column[int32]
	lock                      column[int64]
	thread, task, depth       column[int32]
	request, acquire, release column[int64]
}

// mutexNames are kinds as OMPT numbers them.
var mutexNames = []string{
	"", trace.MutexLock, trace.MutexTest, trace.MutexNestedLock, trace.MutexNestedTest, trace.MutexCritical, trace.MutexAtomic, trace.MutexOrdered,
}

func isMutex(kind uint8) bool { return kind > 0 && int(kind) < len(mutexNames) }

// acquire is a request.
func (m *machine) acquire(th *thread, e *event.Event) {
	m.unanswered(th)
	if !isMutex(e.Kind) {
		m.fault(unknownMutex, none)
		return
	}
	task := th.task
	if e.Task != 0 {
		task = m.rows.find(e.Task)
	}
	x := &m.out.mutex
	th.asked = int32(x.request.len())
	x.kind.add(e.Kind)
	x.place.add(m.out.where.of(m.process, e.Code))
	x.lock.add(e.Value)
	x.thread.add(th.row)
	x.task.add(task)
	x.depth.add(0)
	x.request.add(m.now)
	x.acquire.add(trace.NoTime)
	x.release.add(trace.NoTime)
	if e.Kind != event.MutexTest && e.Kind != event.MutexNestedTest {
		th.wait = m.openState(th, stateLock, task)
		if th.run != none { // inside of that state
			*m.out.state[th.row].depth.at(th.wait)++
		}
	}
}

// unanswered: what was asked for was not got: a test that failed, which libomp up to 16
// reports as a request like others. Who waits for a lock does nothing else.
func (m *machine) unanswered(th *thread) {
	if th.wait != none {
		if s := &m.out.state[th.row]; int(th.wait) == s.start.len()-1 {
			s.drop()
		} else {
			*s.end.at(th.wait) = *s.start.at(th.wait)
		}
		th.wait = none
	}
	th.asked = none
}

// answers reports whether an event may come between a request for a lock and its
// acquisition, or is that.
func answers(t event.Type) bool {
	return t == event.MutexAcquired || t == event.NestLock || t == event.Processor
}

// endLockWait ends the state of waiting; one that took no time is none.
func (m *machine) endLockWait(th *thread) {
	s := &m.out.state[th.row]
	if *s.start.at(th.wait) == m.now && int(th.wait) == s.start.len()-1 {
		s.drop()
	} else {
		*s.end.at(th.wait) = m.now
	}
	th.wait = none
}

// acquired ends the wait. A lock that nobody asked for was asked for before the
// recording.
func (m *machine) acquired(th *thread, e *event.Event) {
	if th.asked == none || *m.out.mutex.lock.at(th.asked) != e.Value {
		if !th.gap {
			m.fault(notAsked, none)
		}
		return
	}
	if th.wait != none {
		m.endLockWait(th)
	}
	*m.out.mutex.acquire.at(th.asked) = m.now
	if len(th.held) < maxHeld {
		th.held = append(th.held, th.asked)
		m.holder[e.Value] = th
	}
	th.asked = none
}

// nested: a nested lock that the thread holds is got once more, or released once.
func (m *machine) nested(th *thread, e *event.Event) {
	if e.Kind == event.ScopeEnd {
		m.letGo(th, e.Value)
		return
	}
	depth := int32(0)
	for _, row := range th.held {
		if *m.out.mutex.lock.at(row) == e.Value {
			depth++
		}
	}
	if th.asked != none {
		*m.out.mutex.depth.at(th.asked) = depth
	}
	m.acquired(th, e)
}

func (m *machine) released(th *thread, e *event.Event) {
	if m.letGo(th, e.Value) {
		return
	}
	if other := m.holder[e.Value]; other != nil && m.letGo(other, e.Value) { // of another thread than that which got it
		return
	}
	if !th.gap {
		m.fault(notHeld, none)
	}
}

// letGo ends the innermost holding of a lock by a thread.
func (m *machine) letGo(th *thread, lock int64) bool {
	for i := len(th.held) - 1; i >= 0; i-- {
		if row := th.held[i]; *m.out.mutex.lock.at(row) == lock {
			*m.out.mutex.release.at(row) = m.now
			th.held = slices.Delete(th.held, i, i+1)
			if !m.holds(th, lock) {
				delete(m.holder, lock)
			}
			return true
		}
	}
	return false
}

// holds reports whether a thread holds a lock, got more than once if it is nested.
func (m *machine) holds(th *thread, lock int64) bool {
	return slices.ContainsFunc(th.held, func(row int32) bool { return *m.out.mutex.lock.at(row) == lock })
}

// closeMutex ends a wait for a lock when the recording ends.
func (m *machine) closeMutex(th *thread) {
	if th.wait != none {
		m.endLockWait(th)
	}
	th.held = nil
}

// maxHeld bounds what a hostile file makes a thread hold at once: looking for a lock
// takes that long. What it gets beyond is held to the end.
const maxHeld = 1 << 10

// mutexes makes table mutex: by request and thread.
func (t *Tables) mutexes(to *trace.Mutexes, places []placed) {
	x := &t.mutex
	n := x.request.len()
	if n == 0 {
		return
	}
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(*x.request.at(a), *x.request.at(b)), cmp.Compare(*x.thread.at(a), *x.thread.at(b)))
	})
	locks := map[int64]int32{}
	for _, i := range order {
		to.Kind.Append(mutexNames[*x.kind.at(i)])
		lock := *x.lock.at(i)
		text, ok := locks[lock]
		if !ok {
			text = to.Lock.Intern(fmt.Sprintf("%#x", uint64(lock)))
			locks[lock] = text
		}
		to.Lock.AppendIndex(text)
		to.Line = append(to.Line, places[*x.place.at(i)].put(&to.Function, &to.File))
		to.Resource, to.Task = append(to.Resource, t.row(*x.thread.at(i))), append(to.Task, *x.task.at(i))
		to.Request, to.Acquire = append(to.Request, *x.request.at(i)), append(to.Acquire, *x.acquire.at(i))
		to.Release, to.Depth = append(to.Release, *x.release.at(i)), append(to.Depth, *x.depth.at(i))
	}
	t.mutex = mutexes{}
}

// addHolding puts the states of holding a lock behind the others of each thread. They
// overlap as the program lets them, so they are of a type of their own.
func addHolding(run *trace.Run) {
	x, s := &run.Mutex, run.State
	rows := make([]int32, 0, len(x.Request))
	for i, at := range x.Acquire {
		if at != trace.NoTime && x.Depth[i] == 0 {
			rows = append(rows, int32(i))
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.Resource[a], x.Resource[b]), cmp.Compare(x.Acquire[a], x.Acquire[b]))
	})
	var to trace.States
	to.Type.Dict = append(s.Type.Dict, trace.StatesMutex)
	add := func(resource, of, kind, depth, task int32, start, end int64) {
		to.Resource, to.Type.Index, to.Kind.Index = append(to.Resource, resource), append(to.Type.Index, of), append(to.Kind.Index, kind)
		to.Depth, to.Task = append(to.Depth, depth), append(to.Task, task)
		to.Start, to.End = append(to.Start, start), append(to.End, end)
	}
	next := 0
	hold := func(before int32) {
		for ; next < len(rows) && x.Resource[rows[next]] < before; next++ {
			i := rows[next]
			until := x.Release[i]
			if until == trace.NoTime {
				until = max(run.Meta.Horizon, x.Acquire[i])
			}
			add(x.Resource[i], 1, int32(stateHolding), 0, x.Task[i], x.Acquire[i], until)
		}
	}
	for i, resource := range s.Resource {
		hold(resource)
		add(resource, s.Type.Index[i], s.Kind.Index[i], s.Depth[i], s.Task[i], s.Start[i], s.End[i])
	}
	hold(1<<31 - 1)
	run.State = to
}
