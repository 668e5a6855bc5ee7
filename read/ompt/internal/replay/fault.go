package replay

import (
	"fmt"
	"strconv"

	"dagscope/trace"
)

// Faults: what cannot have happened as it is told.
const (
	unknownTask = iota
	createdTwice
	afterEnd
	endedTwice
	ranAfterEnd
	ranTwice
	leftRunning
	ranTooEarly
	lateDependences
	timeWentBack
	threadTwice
	badThread
	noTask
	unknownMutex
	notAsked
	notHeld
	faults
)

var faultNames = [faults]struct{ code, message string }{
	unknownTask:     {"unknown-task", "found a task that was never created, wanted task_create or implicit_begin before"},
	createdTwice:    {"task-created-twice", "found a task that is created again, or was in use before: taken as another one"},
	afterEnd:        {"event-of-completed-task", "found an event of a task that is complete: left out"},
	endedTwice:      {"task-ended-twice", "found the end of a task that has ended: left out"},
	ranAfterEnd:     {"task-ran-after-end", "found a completed task that is scheduled: the thread has no task"},
	ranTwice:        {"task-on-two-threads", "found a running task that is scheduled on another thread: it moves there"},
	leftRunning:     {"task-left-running", "found another task on the thread of a running one that was not suspended: it runs no more"},
	ranTooEarly:     {"task-before-predecessors", "found a task that is scheduled before its predecessors are complete"},
	lateDependences: {"late-dependences", "found dependences of a task that was ready or running: it does not wait for them"},
	timeWentBack:    {"time-went-back", "found an event earlier than the one before: taken to happen with it"},
	threadTwice:     {"thread-begun-twice", "found thread_begin of a thread that has begun"},
	noTask:          {"event-without-task", "found an event that names no task, wanted one: left out"},
	unknownMutex:    {"unknown-mutex", "found a request for a lock of a kind that OMPT does not have: left out"},
	notAsked:        {"mutex-not-asked-for", "found a lock that was got and not asked for: left out"},
	notHeld:         {"mutex-not-held", "found the release of a lock that nobody holds: left out"},
	badThread:       {"bad-thread", fmt.Sprintf("found a thread number that is not from 0 to %d: event left out", maxThreads-1)},
}

// fault counts faults of one kind and keeps where the first was.
type fault struct {
	count, position int64
	row             int32
}

func (m *machine) fault(kind int, row int32) {
	f := &m.odd[kind]
	if f.count++; f.count == 1 {
		f.position, f.row = m.at, row
	}
}

func (m *machine) reportFaults() {
	for kind, f := range m.odd {
		if f.count == 0 {
			continue
		}
		message := faultNames[kind].message
		if f.row != none {
			message += " (task " + m.name(f.row) + ")"
		}
		m.out.log.AddN(trace.Warning, m.source(), f.position, faultNames[kind].code, message, f.count)
	}
}

// name is a task as the tables name it.
func (m *machine) name(row int32) string {
	id := *m.out.task.key.at(row)
	return strconv.Itoa(int(id.Thread())) + "." + strconv.FormatUint(id.Counter(), 10)
}

// count writes a number, nothing for none.
func count(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
