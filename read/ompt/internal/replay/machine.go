package replay

import (
	"fmt"

	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// machine replays one process.
type machine struct {
	out        *Tables
	process    int32
	first      int32 // row of its first task
	rows       index
	threads    []*thread
	graph      graph
	groups     groups
	lists      lists             // successors
	hidden     map[uint64]bool   // regions begun by hidden helpers
	region     map[uint64]int32  // row of the task that began a region
	teams      map[uint64]*team  // parallel regions that have not ended
	holder     map[int64]*thread // of locks: who got each last
	initial    int32             // initial threads so far
	begun      bool
	lostBefore int64 // events that the processes before lost
	now        int64
	at         int64 // position of the event at hand
	odd        [faults]fault
	counts     [256]int64 // events by type
}

// thread is what a thread is at.
type thread struct {
	row    int32 // of Tables.threads
	number int32
	task   int32 // row of its current task, none if it has none
	since  int64 // when that came to run
	run    int32 // row of state of the implicit task that runs, none if none does
	open   []open
	shares []share // of constructs that it is in, outermost first
	held   []int32 // rows of mutex that it holds
	asked  int32   // row of mutex that it waits for, none if it waits for none
	wait   int32   // row of state of that
	gap    bool    // something was missing before: locks may be released that were never got
	hidden bool
	// A further initial thread is taken for the runtime's hidden helper until
	// what it does first says otherwise.
	suspect bool
}

// open is a wait that has begun: its row of state.
type open struct {
	row, task int32
	parallel  uint64
	kind      uint8
	cut       bool // ended with its parallel region
}

// Replay is the replay of a process. Its events are to be given one by one, and
// its end told, before another one's begin.
type Replay struct{ m *machine }

// Begin begins the replay of a process.
func (t *Tables) Begin(p Process) *Replay {
	m := &machine{
		out: t, process: int32(len(t.process)), first: t.live.rows,
		lists: newLists(), graph: graph{lists: newLists()}, hidden: map[uint64]bool{}, region: map[uint64]int32{}, teams: map[uint64]*team{}, holder: map[int64]*thread{}, lostBefore: t.lost,
	}
	t.process, t.from = append(t.process, p), append(t.from, m.first)
	return &Replay{m}
}

// Event is what happened next. It is not kept.
func (r *Replay) Event(e *event.Event) { r.m.event(e) }

// End says that no more is known.
func (r *Replay) End() { r.m.finish() }

// Replay follows the events of a process to their end.
func (t *Tables) Replay(source event.Source, p Process) error {
	r := t.Begin(p)
	var e event.Event
	for {
		more, err := source.Next(&e)
		if err != nil {
			return fmt.Errorf("replay %s: %w", p.Source, err)
		}
		if !more {
			break
		}
		r.m.event(&e)
	}
	r.End()
	return nil
}

// event moves the clock on and does what the event says.
func (m *machine) event(e *event.Event) {
	m.counts[e.Type]++
	if m.at = e.Position; !m.begun {
		m.begun, m.now = true, e.Time
	}
	if e.Time < m.now {
		m.fault(timeWentBack, none)
	} else {
		m.now = e.Time
	}
	if e.Thread < 0 || e.Thread >= maxThreads {
		m.fault(badThread, none)
		return
	}
	th := m.thread(e.Thread)
	if th.suspect {
		m.judge(th, e)
	}
	if th.asked != none && !answers(e.Type) {
		m.unanswered(th)
	}
	switch e.Type {
	case event.TaskSchedule:
		m.schedule(th, e)
	case event.TaskCreate:
		m.create(th, e)
	case event.Dependences:
		m.dependences(e)
	case event.WaitBegin:
		m.waitBegin(th, e)
	case event.WaitEnd:
		m.waitEnd(th, e)
	case event.MutexAcquire:
		m.acquire(th, e)
	case event.MutexAcquired:
		m.acquired(th, e)
	case event.MutexReleased:
		m.released(th, e)
	case event.Dispatch:
		m.dispatch(th, e)
	case event.SyncBegin, event.SyncEnd:
		if e.Kind == event.SyncTaskgroup {
			m.taskgroup(th, e)
		}
	default:
		m.rare(th, e)
	}
}

// rare are the events that do not come per task.
func (m *machine) rare(th *thread, e *event.Event) {
	switch e.Type {
	case event.ImplicitBegin:
		m.implicitBegin(th, e)
	case event.ImplicitEnd:
		m.implicitEnd(th, e)
	case event.ParallelBegin:
		m.parallelBegin(th, e)
	case event.ParallelEnd:
		m.parallelEnd(th, e)
	case event.ThreadBegin:
		m.threadBegin(th, e)
	case event.ThreadEnd:
		m.threadEnd(th)
	case event.Work:
		if kind, schedule, ok := worksharing(e.Kind); ok {
			m.construct(th, e, kind, schedule)
		}
	case event.Masked:
		m.construct(th, e, constructMasked, 0)
	case event.NestLock:
		m.nested(th, e)
	case event.Processor:
		m.out.processor.add(th.row, m.now, e)
	case event.Carry:
		m.carry(th, e)
	case event.Skipped:
		m.out.log.AddN(trace.Warning, m.source(), e.Position, "unknown-record", fmt.Sprintf("found records of kind %d, which this version does not know: left out", e.Kind), int64(max(1, min(e.Count, 1<<62))))
	case event.Cancel:
		m.out.event.add(eventCancel, th.row, m.now, fmt.Sprintf("0x%x", e.Flags), m.rows.find(e.Task))
	case event.Control:
		m.control(th, e)
	case event.Binding:
		m.binding(th, e)
	case event.Lost:
		m.lost(th, e)
	}
}

// lost says that events are missing: those that found no room are counted, how
// many a pause, a ring or damage leaves out is not known.
func (m *machine) lost(th *thread, e *event.Event) {
	m.unanswered(th)
	th.held, th.gap = th.held[:0], true
	switch {
	case e.Kind == event.LostPaused:
		m.out.log.Add(trace.Info, m.source(), e.Position, "recording-paused", "the program paused the recording: what a thread did until here is not known")
		return
	case e.Value < 0 && m.out.process[m.process].Ring:
		m.out.log.Add(trace.Info, m.source(), e.Position, "ring-overwritten", "the ring kept no events of a thread before this")
		m.out.event.add(eventRecordsBegin, th.row, m.now, "", none)
		return
	case e.Value < 0:
		m.out.event.add(eventLost, th.row, m.now, "", none)
		m.out.log.Add(trace.Warning, m.source(), e.Position, "events-missing", "events of a thread before this are not in the recording")
		return
	}
	m.out.lost += max(1, e.Value)
	m.out.event.add(eventLost, th.row, m.now, count(e.Value), none)
	m.out.log.AddN(trace.Error, m.source(), e.Position, "events-lost", "the recorder had no room for events of a thread", max(1, e.Value))
}

// binding notes where a thread may run: "0-3 (place 1)".
func (m *machine) binding(th *thread, e *event.Event) {
	where := e.Name
	if e.Value >= 0 {
		where += fmt.Sprintf(" (place %d)", e.Value)
	}
	m.out.event.add(eventBinding, th.row, m.now, where, none)
}

func (m *machine) source() string { return m.out.process[m.process].Source }

func (m *machine) control(th *thread, e *event.Event) {
	if e.Value < event.ControlMark {
		m.out.event.add(eventControl, th.row, m.now, controlName(e.Value), none)
		return
	}
	name := e.Name
	if name == "" {
		name = fmt.Sprint(e.Code)
	}
	m.out.event.add(eventMark, th.row, m.now, name, none)
}

func controlName(command int64) string {
	switch command {
	case event.ControlStart:
		return "start"
	case event.ControlPause:
		return "pause"
	case event.ControlFlush:
		return "flush"
	case event.ControlEnd:
		return "end"
	}
	return fmt.Sprint(command)
}

// maxThreads bounds the numbers of threads.
const maxThreads = 1 << 20

func (m *machine) thread(number int32) *thread {
	if int(number) < len(m.threads) && m.threads[number] != nil {
		return m.threads[number]
	}
	for int(number) >= len(m.threads) {
		m.threads = append(m.threads, nil)
	}
	th := &thread{row: int32(len(m.out.threads)), number: number, task: none, run: none, asked: none, wait: none}
	m.threads[number] = th
	m.out.threads = append(m.out.threads, Thread{Process: m.process, Number: number, Start: m.now, End: trace.NoTime})
	m.out.state = append(m.out.state, waits{})
	return th
}

func (m *machine) threadBegin(th *thread, e *event.Event) {
	row := &m.out.threads[th.row]
	if row.Begun {
		m.fault(threadTwice, none)
	} else {
		row.Start = m.now
	}
	row.Begun, row.System, row.End = true, e.Value, trace.NoTime
	if e.Kind == event.ThreadInitial {
		if m.initial++; m.initial > 1 {
			m.hide(th)
			th.suspect = th.hidden
		}
	}
}

// hide makes a thread a hidden helper: what it runs is no work of a worker. One
// that has run tasks as a worker stays one.
func (m *machine) hide(th *thread) {
	if m.out.threads[th.row].Ran {
		return
	}
	th.hidden = true
	m.out.threads[th.row].Hidden = true
}

func (m *machine) threadEnd(th *thread) {
	if row := &m.out.threads[th.row]; row.End == trace.NoTime {
		row.End = m.now
	}
}

// lostBehind says what was lost behind the last event that threads recorded.
func (m *machine) lostBehind() {
	p := &m.out.process[m.process]
	rest := p.Lost - (m.out.lost - m.lostBefore)
	if rest <= 0 {
		return
	}
	m.out.lost += rest
	m.out.log.AddN(trace.Error, p.Source, 0, "events-lost", "the recorder had no room for events", rest)
	for _, th := range m.threads {
		if th != nil {
			m.out.event.add(eventLost, th.row, m.now, count(rest), none)
			return
		}
	}
}

// finish ends what is open when the recording ends.
func (m *machine) finish() {
	if ended := m.out.process[m.process].Ended; m.begun && ended > m.now {
		m.now = ended
	}
	m.lostBehind()
	for row := m.first; row < m.out.live.rows; row++ {
		if t := m.out.live.at(row); t == nil {
			row |= liveRows - 1
		} else if t.state < completed {
			m.leave(t, row, false)
			m.end(t, row)
		}
	}
	for _, th := range m.threads {
		if th == nil {
			continue
		}
		if th.run != none {
			m.closeRun(th)
		}
		m.closeShares(th)
		m.closeMutex(th)
		for _, o := range th.open {
			m.closeWait(th, o)
		}
		if row := &m.out.threads[th.row]; row.End == trace.NoTime {
			row.End = m.now
		}
	}
	m.out.horizon, m.out.total = max(m.out.horizon, m.now), int(m.out.live.rows)
	for i, n := range m.counts {
		if n > 0 {
			m.out.seen[event.Type(i)] += n
		}
	}
	m.reportFaults()
}
