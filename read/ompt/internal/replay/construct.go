package replay

import (
	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// This file follows parallel regions and worksharing constructs. All threads of a team
// meet the worksharing constructs of a region in the same order, so the n-th time that
// a thread comes to one place in a region is the n-th time that the others do. What
// only one thread meets (masked, taskloop, constructs outside of regions) has a row of
// its own each time.

// constructs are the rows of table construct, in the order in which they were met.
type constructs struct {
	kind, schedule       column[uint8] // of constructNames and scheduleNames
	place                column[int32] // of Tables.where
	parent, thread, task column[int32]
	start, end, leave    column[int64]
	team                 column[int32]
	iterations           column[int64]
}

// shares are the rows of table share, in the order in which they were begun.
type shares struct {
	construct, thread, task column[int32]
	start, end, leave       column[int64]
	chunks                  column[int32]
	iterations              column[int64]
}

// chunks are the rows of table chunk.
type chunks struct {
	share                         column[int32]
	start, end, first, iterations column[int64]
}

// Kinds of constructs.
const (
	constructParallel uint8 = iota
	constructTeams
	constructLoop
	constructSections
	constructSingle
	constructWorkshare
	constructDistribute
	constructTaskloop
	constructScope
	constructMasked
)

var constructNames = []string{
	trace.ConstructParallel, trace.ConstructTeams, trace.ConstructLoop, trace.ConstructSections, trace.ConstructSingle,
	trace.ConstructWorkshare, trace.ConstructDistribute, trace.ConstructTaskloop, trace.ConstructScope, trace.ConstructMasked,
}

// scheduleNames by what the runtime says of a loop; "" where it does not.
var scheduleNames = []string{"", "static", "dynamic", "guided", "other"}

// worksharing is what a kind of work is.
func worksharing(kind uint8) (construct, schedule uint8, ok bool) {
	switch kind {
	case event.WorkLoop:
		return constructLoop, 0, true
	case event.WorkLoopStatic, event.WorkLoopDynamic, event.WorkLoopGuided, event.WorkLoopOther:
		return constructLoop, kind - event.WorkLoopStatic + 1, true
	case event.WorkSections:
		return constructSections, 0, true
	case event.WorkSingleExecutor, event.WorkSingleOther:
		return constructSingle, 0, true
	case event.WorkWorkshare:
		return constructWorkshare, 0, true
	case event.WorkDistribute:
		return constructDistribute, 0, true
	case event.WorkTaskloop:
		return constructTaskloop, 0, true
	case event.WorkScope:
		return constructScope, 0, true
	}
	return 0, 0, false
}

// team is what is known of a parallel region until it ends.
type team struct {
	construct int32
	met       map[meeting][]int32 // rows of constructs that its threads came to, by the time that each came
}

// meeting is what distinguishes the constructs of a region.
type meeting struct {
	kind uint8
	code uint64
}

// share is what a thread is doing in a construct.
type share struct {
	row, construct int32
	chunk          int32 // that it is at, none if none was handed out
	task           int32
	kind           uint8
	member         *member // of a region's share
}

// member is what is known of an implicit task as one of its team.
type member struct {
	team  *team
	times map[meeting]int // how often it came to a place
	ended []int32         // its last shares, if nothing came after them: a barrier now is the one behind them
	// The last barrier that may belong to a construct, if nothing came after it: start is
	// NoTime without one, end while it lasts.
	start, end int64
}

// goesOn says that the task does something of its own: what it ended before has no
// barrier behind it, and the last barrier was not the region's.
func (b *member) goesOn() { b.ended, b.start, b.end = b.ended[:0], trace.NoTime, trace.NoTime }

func (m *machine) newConstruct(th *thread, kind, schedule uint8, code uint64, parent, task int32) int32 {
	c := &m.out.construct
	row := int32(c.start.len())
	c.kind.add(kind)
	c.schedule.add(schedule)
	c.place.add(m.out.where.of(m.process, code))
	c.parent.add(parent)
	c.thread.add(th.row)
	c.task.add(task)
	c.start.add(m.now)
	c.end.add(m.now)
	c.leave.add(m.now)
	c.team.add(0)
	c.iterations.add(trace.NoTime)
	return row
}

// beginShare begins a thread's share of a construct.
func (m *machine) beginShare(th *thread, construct, task int32, kind uint8) *share {
	s := &m.out.share
	row := int32(s.start.len())
	s.construct.add(construct)
	s.thread.add(th.row)
	s.task.add(task)
	s.start.add(m.now)
	s.end.add(trace.NoTime)
	s.leave.add(trace.NoTime)
	s.chunks.add(0)
	s.iterations.add(0)
	th.shares = append(th.shares, share{row: row, construct: construct, chunk: none, task: task, kind: kind})
	return &th.shares[len(th.shares)-1]
}

// endShare ends a share that a barrier may follow.
func (m *machine) endShare(s *share, end, leave int64) {
	*m.out.share.end.at(s.row), *m.out.share.leave.at(s.row) = end, leave
	m.endChunk(s, end)
	c := &m.out.construct
	*c.end.at(s.construct) = max(*c.end.at(s.construct), end)
	*c.leave.at(s.construct) = max(*c.leave.at(s.construct), leave)
}

func (m *machine) endChunk(s *share, end int64) {
	if s.chunk != none {
		*m.out.chunk.end.at(s.chunk) = max(end, *m.out.chunk.start.at(s.chunk))
		s.chunk = none
	}
}

// inner is the row of the innermost construct that a thread is in.
func (th *thread) inner() int32 {
	if n := len(th.shares); n > 0 {
		return th.shares[n-1].construct
	}
	return none
}

// beginRegion is the beginning of a parallel region, before any of its threads'.
func (m *machine) beginRegion(th *thread, e *event.Event, task int32) {
	if th.hidden || e.Parallel == 0 {
		return
	}
	if of := th.region(task); of != nil {
		of.goesOn()
	}
	kind := constructParallel
	const league = 1 << 30
	if e.Flags&league != 0 {
		kind = constructTeams
	}
	row := m.newConstruct(th, kind, 0, e.Code, th.inner(), task)
	if e.Value > 0 && e.Value < maxThreads {
		*m.out.construct.team.at(row) = int32(e.Value)
	}
	m.teams[e.Parallel] = &team{construct: row}
}

// endRegion says that all threads have left a region.
func (m *machine) endRegion(parallel uint64) {
	if t := m.teams[parallel]; t != nil {
		leave := m.out.construct.leave.at(t.construct)
		*leave = max(*leave, m.now)
		delete(m.teams, parallel)
	}
}

// joinRegion begins the share of an implicit task in its region. Of a region that
// began before the recording did, this is the beginning.
func (m *machine) joinRegion(th *thread, e *event.Event, task int32) {
	if th.hidden || e.Parallel == 0 {
		return
	}
	t := m.teams[e.Parallel]
	if t == nil {
		t = &team{construct: m.newConstruct(th, constructParallel, 0, 0, none, none)}
		m.teams[e.Parallel] = t
	}
	if e.Value > 0 && e.Value < maxThreads {
		*m.out.construct.team.at(t.construct) = int32(e.Value)
	}
	m.beginShare(th, t.construct, task, constructParallel).member = &member{team: t, start: trace.NoTime, end: trace.NoTime}
}

// leaveRegion ends the share of an implicit task, and what is open in it. If the last
// that it did was to wait at a barrier, that was the region's.
func (m *machine) leaveRegion(th *thread, task int32) {
	i := th.shareOf(task)
	if i < 0 {
		return
	}
	end, leave := m.now, m.now
	if of := th.shares[i].member; of.start != trace.NoTime {
		if end = of.start; of.end != trace.NoTime {
			leave = of.end
		}
	}
	m.endShares(th, i, end, leave)
}

// endShares ends the shares of a thread from i on.
func (m *machine) endShares(th *thread, i int, end, leave int64) {
	for k := len(th.shares) - 1; k >= i; k-- {
		s := &th.shares[k]
		m.endShare(s, max(end, *m.out.share.start.at(s.row)), leave)
	}
	th.shares = th.shares[:i]
}

// shareOf is the place of an implicit task's share among those of its thread, -1 if it
// has none.
func (th *thread) shareOf(task int32) int {
	for i := len(th.shares) - 1; i >= 0; i-- {
		if th.shares[i].member != nil && th.shares[i].task == task {
			return i
		}
	}
	return -1
}

// region is the innermost region if the task is its implicit task on this thread.
func (th *thread) region(task int32) *member {
	for i := len(th.shares) - 1; i >= 0; i-- {
		if s := &th.shares[i]; s.member != nil {
			if s.task == task {
				return s.member
			}
			return nil
		}
	}
	return nil
}

// construct begins or ends what a thread does in a construct.
func (m *machine) construct(th *thread, e *event.Event, kind, schedule uint8) {
	if th.hidden {
		return
	}
	if e.Value == event.ScopeEnd {
		m.endConstruct(th, kind)
		return
	}
	task := m.rows.find(e.Task)
	row := m.met(th, e, kind, schedule, task)
	if c := m.out.construct.iterations.at(row); *c == trace.NoTime && e.Count > 0 && e.Count < 1<<62 && counts(kind) {
		*c = int64(e.Count)
	}
	m.beginShare(th, row, task, kind)
}

// counts reports whether what the runtime counts of a construct are iterations.
func counts(kind uint8) bool {
	return kind == constructLoop || kind == constructSections || kind == constructDistribute || kind == constructTaskloop
}

// met is the row of a construct that a thread comes to.
func (m *machine) met(th *thread, e *event.Event, kind, schedule uint8, task int32) int32 {
	parent := th.inner()
	of := th.region(task)
	if of != nil {
		of.goesOn()
	}
	if of == nil || kind == constructMasked || kind == constructTaskloop {
		row := m.newConstruct(th, kind, schedule, e.Code, parent, task)
		*m.out.construct.team.at(row) = 1
		return row
	}
	if of.times == nil {
		of.times = map[meeting]int{}
	}
	if of.team.met == nil {
		of.team.met = map[meeting][]int32{}
	}
	key := meeting{kind, e.Code}
	time := of.times[key]
	of.times[key]++
	if rows := of.team.met[key]; time < len(rows) {
		return rows[time]
	}
	row := m.newConstruct(th, kind, schedule, e.Code, parent, task)
	*m.out.construct.team.at(row) = *m.out.construct.team.at(of.team.construct)
	of.team.met[key] = append(of.team.met[key], row)
	return row
}

// endConstruct ends the innermost construct of a kind. What was begun in it and not
// ended (a cancelled loop) ends with it.
func (m *machine) endConstruct(th *thread, kind uint8) {
	for i := len(th.shares) - 1; i >= 0 && th.shares[i].member == nil; i-- {
		if th.shares[i].kind != kind {
			continue
		}
		if of := th.region(th.shares[i].task); of != nil && kind != constructMasked && kind != constructTaskloop {
			of.goesOn()
			of.ended = append(of.ended, th.shares[i].row)
		}
		m.endShares(th, i, m.now, m.now)
		return
	}
}

// dispatch hands out a part of a construct.
func (m *machine) dispatch(th *thread, e *event.Event) {
	n := len(th.shares)
	if n == 0 || th.hidden || !counts(th.shares[n-1].kind) {
		return
	}
	s := &th.shares[n-1]
	m.endChunk(s, m.now)
	iterations, first := int64(min(e.Count, 1<<40)), int64(e.Code)
	if e.Kind == event.DispatchSection { // all of a thread's at once, as clang makes them
		iterations, first = 0, trace.NoTime
	}
	*m.out.share.chunks.at(s.row)++
	*m.out.share.iterations.at(s.row) += iterations
	c := &m.out.chunk
	s.chunk = int32(c.start.len())
	c.share.add(s.row)
	c.start.add(m.now)
	c.end.add(m.now)
	c.first.add(first)
	c.iterations.add(iterations)
}

// behind reports whether a barrier may belong to the construct before it: what the
// program asks for explicitly does not.
func behind(kind uint8) bool {
	switch kind {
	case event.SyncBarrierImplicit, event.SyncBarrierImplementation, event.SyncBarrierImplicitWorkshare, event.SyncBarrierImplicitParallel:
		return true
	}
	return false
}

// barrierBegin and barrierEnd are those of an implicit task.
func (m *machine) barrierBegin(th *thread, kind uint8, task int32) {
	of := th.region(task)
	switch {
	case of == nil:
	case !behind(kind):
		of.goesOn()
	default:
		of.start, of.end = m.now, trace.NoTime
	}
}

func (m *machine) barrierEnd(th *thread, task int32) {
	if of := th.region(task); of != nil && of.start != trace.NoTime && of.end == trace.NoTime {
		of.end = m.now
		m.leaveEnded(of)
	}
}

// leaveEnded: the barrier behind the last shares is over.
func (m *machine) leaveEnded(of *member) {
	s := &m.out.share
	for _, row := range of.ended {
		leave := m.out.construct.leave.at(*s.construct.at(row))
		*s.leave.at(row), *leave = m.now, max(*leave, m.now)
	}
	of.ended = of.ended[:0]
}

// cutShares: a region is over while a thread still waits at its end.
func (m *machine) cutShares(th *thread, o open) {
	if i := th.shareOf(o.task); i >= 0 {
		of := th.shares[i].member
		m.leaveEnded(of)
		m.endShares(th, i, *m.out.state[th.row].start.at(o.row), m.now)
	}
}

// closeShares ends what a thread has open when the recording ends.
func (m *machine) closeShares(th *thread) {
	for i := len(th.shares) - 1; i >= 0; i-- {
		end := m.now
		if of := th.shares[i].member; of != nil {
			m.leaveEnded(of)
			if of.start != trace.NoTime {
				end = of.start
			}
		}
		m.endShares(th, i, end, m.now)
	}
}

// carry says what implicit tasks a thread is in where its record begins late, or goes on
// after a gap.
func (m *machine) carry(th *thread, e *event.Event) {
	if e.Task == 0 || m.rows.find(e.Task) != none {
		return
	}
	if t := m.out.live.at(th.task); t != nil && t.is&implicit != 0 && t.state == running { // it began the region that comes now
		m.enter(t, th.task, suspended)
	}
	m.implicitBegin(th, e)
}
