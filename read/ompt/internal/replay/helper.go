package replay

import (
	"strings"

	"dagscope/read/ompt/event"
)

// judge decides by the first thing that it does whether a further initial thread
// is the hidden helper of the runtime, which begins a parallel region in the
// runtime's own code, or a thread of the program that uses OpenMP too.
func (m *machine) judge(th *thread, e *event.Event) {
	switch e.Type {
	case event.ThreadBegin, event.ThreadEnd, event.ImplicitBegin, event.ImplicitEnd, event.Lost, event.Binding, event.Other:
		return
	}
	th.suspect = false
	if e.Type != event.ParallelBegin || !m.inRuntime(e.Code) {
		m.show(th)
	}
}

// show makes a thread that was hidden a worker, from when its task began.
func (m *machine) show(th *thread) {
	th.hidden = false
	m.out.threads[th.row].Hidden = false
	t := m.out.live.at(th.task)
	if t == nil || t.state != running || t.is&started != 0 {
		return
	}
	now := m.now
	m.now = th.since
	m.start(t, th.task, th)
	m.out.threads[th.row].Ran = true
	if t.is&implicit != 0 {
		m.openRun(th, th.task)
	}
	m.now = now
}

// inRuntime reports whether code is the runtime's: as its library's name says or,
// where that is not known, as libraries lie where programs do not (user space
// ends with 47 bits on x86, 48 on ARM).
func (m *machine) inRuntime(code uint64) bool {
	if look := m.out.process[m.process].Lookup; look != nil && code != 0 {
		if p := look(code); p.Object != "" || p.Runtime {
			return p.Runtime || strings.HasPrefix(p.Function, "__kmp") // linked statically
		}
	}
	switch code >> 40 {
	case 0, 0x7e, 0x7f, 0xfe, 0xff:
		return code>>40 != 0 || code == 0
	}
	return false
}
