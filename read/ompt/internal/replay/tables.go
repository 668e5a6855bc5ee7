package replay

import (
	"dagscope/read/ompt/event"
	"dagscope/read/ompt/internal/symbols"
	"dagscope/trace"
)

// Tables collect what the replays of one or several processes yield.
type Tables struct {
	task struct {
		key                       column[event.ID]
		site, thread, parent      column[int32] // thread: row of threads
		start, end, submit, ready column[int64]
		internal                  column[bool]
	}
	piece  spans
	phase  spans
	edge   struct{ from, to column[int32] }
	sorted bool // edges by to
	access struct{ task, handle column[int32] }
	handle struct { // what is accessed in turns
		address column[uint64]
		process column[int32]
	}
	state     []waits
	construct constructs
	share     shares
	chunk     chunks
	mutex     mutexes
	processor samples
	where     sites // of constructs and requests for locks
	event     events
	threads   []Thread
	process   []Process
	from      []int32 // first row of each process
	total     int     // tasks
	sites     sites
	live      live
	horizon   int64 // last event
	lost      int64 // events that threads say had no room
	log       trace.Log
	seen      map[event.Type]int64
}

// spans are rows of segment (what: row of threads) or phase (what: kind).
type spans struct {
	task, what column[int32]
	start, end column[int64]
}

func (s *spans) add(task, what int32, start, end int64) {
	s.task.add(task)
	s.what.add(what)
	s.start.add(start)
	s.end.add(end)
}

// waits are the states of one thread, by start.
type waits struct {
	kind       column[uint8]
	task       column[int32]
	depth      column[int32]
	start, end column[int64]
}

// events are instants, in order.
type events struct {
	kind, thread, task []int32
	time               []int64
	value              trace.Strings
}

// Thread is a thread of a process.
type Thread struct {
	Process    int32 // number of the process
	Number     int32 // in the process, from 0
	System     int64 // the system's number, 0 if unknown
	Start, End int64 // ns: thread_begin, or its first event; thread_end, or the last event of the process
	Begun      bool  // there was a thread_begin
	Hidden     bool  // a hidden helper of the runtime
	Ran        bool  // a task ran on it
}

// Worker reports whether the thread is a processing unit.
func (t *Thread) Worker() bool { return !t.Hidden && (t.Begun || t.Ran) }

// Process is where events come from.
type Process struct {
	Source string // named in the import log
	Rank   int32
	Name   string // of the node
	Ring   bool   // only the last events of each thread were kept
	// Ended is when the process ended, if that is known and it did not report its end
	// itself: what ran at its last event ran until then. 0 if not.
	Ended int64
	Lost  int64 // events that the recorder had no room for, also behind the last of a thread
	// Lookup finds what stands at a return address; nil if nothing is known.
	Lookup func(code uint64) symbols.Place
}

// Phases, in the order of phaseNames.
const (
	phaseReady int32 = iota
	phaseResumable
	phaseDetached
	phaseHelper
)

var phaseNames = []string{trace.PhaseReady, trace.PhaseResumable, trace.PhaseDetached, trace.PhaseHelper}

// Kinds of states: those of sync regions by their numbers, and these.
const (
	stateDepend   uint8 = 11
	stateImplicit uint8 = 12
	stateInitial  uint8 = 13
	stateLock     uint8 = 14
	stateHolding  uint8 = 15 // not among those of the thread: made of table mutex
)

var stateNames = []string{
	"unknown wait", "barrier", "implicit barrier", "explicit barrier", "barrier of the runtime",
	"taskwait", "taskgroup", "reduction", "barrier after worksharing", "barrier after parallel", "barrier of teams",
	stateDepend: "taskwait depend", stateImplicit: "implicit task", stateInitial: "initial task", stateLock: trace.StateLock, stateHolding: trace.StateHolding,
}

// Kinds of events.
const (
	eventParallelBegin int32 = iota
	eventParallelEnd
	eventMark
	eventControl
	eventCancel
	eventFulfil
	eventGroupBegin
	eventRecordsBegin
	eventBinding
	eventLost
)

var eventNames = []string{"parallel begin", "parallel end", "mark", "control", "cancel", "fulfil", "taskgroup begin", "records begin", "binding", trace.EventLost}

// NewTables are empty.
func NewTables() *Tables {
	return &Tables{sorted: true, sites: newSites(), where: newSites(), seen: map[event.Type]int64{}}
}

func (t *Tables) addEdge(from, to int32) {
	n := t.edge.to.len()
	t.edge.from.add(from)
	t.edge.to.add(to)
	if !t.sorted || n == 0 || *t.edge.to.at(int32(n - 1)) <= to {
		return
	}
	t.settle(n, from, to)
}

// addAccess adds that a task of a family accesses an address in turns with its
// siblings. In another family the address means other data.
func (t *Tables) addAccess(f *family, task int32, address uint64) {
	h, ok := f.handle[address]
	if !ok {
		if f.handle == nil {
			f.handle = map[uint64]int32{}
		}
		h = int32(t.handle.address.len())
		f.handle[address] = h
		t.handle.address.add(address)
		t.handle.process.add(int32(len(t.process)) - 1)
	}
	t.access.task.add(task)
	t.access.handle.add(h)
}

// settle moves the last edge to its place: threads that create tasks at the
// same time name their dependences a little out of order. Far out of place it
// stays, and all are sorted in the end.
func (t *Tables) settle(n int, from, to int32) {
	const far = 1 << 12
	i := n
	for ; i > 0 && *t.edge.to.at(int32(i - 1)) > to; i-- {
		if n-i == far {
			t.sorted = false
			break
		}
		*t.edge.to.at(int32(i)), *t.edge.from.at(int32(i)) = *t.edge.to.at(int32(i - 1)), *t.edge.from.at(int32(i - 1))
	}
	*t.edge.to.at(int32(i)), *t.edge.from.at(int32(i)) = to, from
}

func (e *events) add(kind, thread int32, time int64, value string, task int32) {
	e.kind, e.thread, e.task = append(e.kind, kind), append(e.thread, thread), append(e.task, task)
	e.time = append(e.time, time)
	e.value.Append(value)
}
