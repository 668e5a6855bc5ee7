package dsom

import (
	"dagscope/read/ompt/event"
	"dagscope/read/ompt/internal/symbols"
)

// sites finds the place in the program of tasks that the runtime made: the
// tasks of a taskloop are created from within the runtime, so their return
// address says nothing. The taskgroup around the loop has the place, or else the
// innermost worksharing construct that has one; tasks that split a loop on other
// threads have that of the loop of the task for which they create more.
type sites struct {
	runtime []symbols.Map // code of OpenMP runtimes
	first   int32         // the process's first thread
	threads []site
	begun   map[event.ID]begun // taskloops by the task that came to them
}

// begun is the last taskloop of a task.
type begun struct {
	thread int32
	code   uint64
}

// site is what is known of one thread.
type site struct {
	loops  []nest   // taskgroups and worksharing constructs begun, innermost last
	offset uint64   // number of the first task in codes
	codes  []uint64 // of tasks of taskloops, by number
}

// nest is a construct that a task is in.
type nest struct {
	task event.ID
	code uint64
}

// maxNested bounds what a damaged file can make a thread's nest grow to, maxSites the
// tasks of a thread whose place is kept, maxBegun those whose last loop is.
const (
	maxNested = 1 << 12
	maxSites  = 1 << 24
	maxBegun  = 1 << 20
)

func newSites(maps [][]symbols.Map, first, threads int32) *sites {
	s := &sites{first: first, threads: make([]site, threads), begun: map[event.ID]begun{}}
	for _, generation := range maps {
		for _, m := range generation {
			if symbols.IsRuntime(m.File) {
				s.runtime = append(s.runtime, m)
			}
		}
	}
	return s
}

// inRuntime reports whether code is the runtime's own.
func (s *sites) inRuntime(code uint64) bool {
	for i := range s.runtime {
		if code > s.runtime[i].Low && code <= s.runtime[i].High {
			return true
		}
	}
	return false
}

// see follows the events of a process in order of time and puts the program's
// place where the runtime's was.
func (s *sites) see(e *event.Event) {
	t := &s.threads[e.Thread-s.first]
	switch {
	case e.Type == event.TaskCreate:
		if e.Code == 0 || s.inRuntime(e.Code) {
			s.create(t, e)
		}
	case e.Type == event.Work, e.Kind == event.SyncTaskgroup:
		if e.Type == event.SyncBegin || e.Type == event.Work && e.Value == workBegin {
			t.begin(e, s)
		} else if n := len(t.loops); n > 0 {
			t.loops = t.loops[:n-1]
		}
	}
}

// begin enters a loop or group; one without a place of its own stands where the
// one around it does.
func (t *site) begin(e *event.Event, s *sites) {
	code := e.Code
	if code == 0 || s.inRuntime(code) {
		code = t.innermost(0)
	}
	if len(t.loops) < maxNested {
		t.loops = append(t.loops, nest{e.Task, code})
	}
}

// innermost is the code of the innermost construct, of a task if one is named.
func (t *site) innermost(task event.ID) uint64 {
	if n := len(t.loops); n > 0 && (task == 0 || t.loops[n-1].task == task) {
		return t.loops[n-1].code
	}
	return 0
}

// create gives a task made by the runtime its place and keeps it for the tasks that
// this one may create, and for those that others create in the name of its creator:
// who splits a loop says that the task that came to it did.
func (s *sites) create(t *site, e *event.Event) {
	code := t.innermost(e.Task2)
	if code == 0 {
		code = s.codeOf(e.Task2)
	}
	if b := s.begun[e.Task2]; code == 0 && b.thread != e.Thread {
		code = b.code
	}
	if code == 0 {
		code = t.innermost(0)
	}
	if code == 0 {
		return
	}
	e.Code = code
	if _, known := s.begun[e.Task2]; (known || len(s.begun) < maxBegun) && len(t.loops) > 0 && t.loops[len(t.loops)-1].task == e.Task2 {
		s.begun[e.Task2] = begun{e.Thread, code}
	}
	if of := e.Task.Thread() - s.first; of >= 0 && int(of) < len(s.threads) {
		s.threads[of].keep(e.Task.Counter(), code)
	}
}

func (t *site) keep(number, code uint64) {
	if len(t.codes) == 0 {
		t.offset = number
	}
	at := number - t.offset
	if number < t.offset || at >= maxSites {
		return
	}
	for uint64(len(t.codes)) <= at {
		t.codes = append(t.codes, 0)
	}
	t.codes[at] = code
}

// codeOf is the place kept for a task, 0 if none is.
func (s *sites) codeOf(id event.ID) uint64 {
	of := id.Thread() - s.first
	if of < 0 || int(of) >= len(s.threads) {
		return 0
	}
	t := &s.threads[of]
	if at := id.Counter() - t.offset; id.Counter() >= t.offset && at < uint64(len(t.codes)) {
		return t.codes[at]
	}
	return 0
}
