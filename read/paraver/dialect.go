package paraver

import "strings"

// role is what a type of events means.
type role uint8

const (
	unknown  role = iota
	isEvent       // an instant
	isState       // a value lasts until the next one; 0 is none
	isSample      // a quantity that holds from its instant on
	isCount       // a quantity counted since the event before
	isTask        // of a task, and not kept otherwise
	taskID        // ovni: the task that a row runs from here on
	taskKind
	taskBody
	ofProcess    // ovni: the process that runs on a row
	execFunction // Extrae: a task begins (its function) or ends (0)
	execLine
	execID
	instFunction // Extrae: a task is created
	instLine
	instID
)

// dialect is what a program that writes Paraver traces means by its types.
type dialect struct {
	name   string
	label  string // what labels of its types begin with; "": the number is enough
	says   string // for the log
	roles  map[int64]role
	ranges func(typ int64) role // of further types, may be nil
	ovni   bool                 // tasks are values that last, by row and instant
}

// dialects in the order in which they are tried: a run of NODES is one of nOS-V too.
var dialects = []dialect{
	{name: "nOS-V (ovni)", label: "nOS-V task ", says: "types 10, 11 and 15 (task, type of task, body)", ovni: true, ranges: ovniCounters,
		roles: map[int64]role{1: ofProcess, 3: isSample, 10: taskID, 11: taskKind, 12: isTask, 15: taskBody}},
	{name: "Nanos6 (ovni)", label: "Nanos6 task ", says: "types 35 and 36 (task, type of task)", ovni: true, ranges: ovniCounters,
		roles: map[int64]role{1: ofProcess, 3: isSample, 35: taskID, 36: taskKind}},
	{name: "OpenMP (ovni)", label: "OpenMP task ID of the", says: "types 52 and 51 (task, label)", ovni: true, ranges: ovniCounters,
		roles: map[int64]role{1: ofProcess, 3: isSample, 52: taskID, 51: taskKind}},
	{name: "Extrae, libomptrace", says: "types 60000023, 60000123 and 60000028 (function, line, task)", ranges: extraeCounters,
		roles: map[int64]role{60000023: execFunction, 60000123: execLine, 60000024: instFunction, 60000124: instLine, 60000028: execID, 65000000: isSample, 65000001: isSample}},
	{name: "Extrae, libnewomptrace", says: "types 60018, 60019 and 60017 (function, line, task)", ranges: extraeCounters,
		roles: map[int64]role{60018: execFunction, 60019: execLine, 60017: execID, 60015: instFunction, 60016: instLine, 60014: instID}},
}

// generic is a trace whose types say nothing of tasks.
var generic = dialect{name: "generic", ranges: extraeCounters}

// ovniNames are types that ovni labels in the view of threads or not at all.
var ovniNames = map[int64]string{1: "PID", 2: "TID", 3: "Running threads", 4: "Thread state", 6: "CPU affinity"}

func ovniCounters(typ int64) role {
	if typ >= 200 && typ < 300 {
		return isCount
	}
	return unknown
}

// extraeCounters are the types of hardware counters.
func extraeCounters(typ int64) role {
	if typ >= 42000000 && typ < 43000000 {
		return isCount
	}
	return unknown
}

// dialectOf recognises the writer: Extrae by its numbers, ovni, whose numbers are
// small, by a label too.
func dialectOf(types map[int64]*eventType) *dialect {
	for i := range dialects {
		d := &dialects[i]
		if !d.in(types) {
			continue
		}
		if d.name == "nOS-V (ovni)" && types[30] != nil && strings.HasPrefix(types[30].label, "NODES") {
			nodes := *d
			nodes.name = "NODES (ovni)"
			return &nodes
		}
		return d
	}
	return &generic
}

func (d *dialect) in(types map[int64]*eventType) bool {
	for typ, r := range d.roles {
		if e := types[typ]; e != nil && r != isSample && strings.HasPrefix(e.label, d.label) {
			return true
		}
	}
	return false
}

// roleOf is what a type means: what the dialect says, else a state where the
// labels list values, else an instant.
func (d *dialect) roleOf(typ int64, e *eventType) role {
	if r := d.roles[typ]; r != unknown {
		return r
	}
	if d.ranges != nil {
		if r := d.ranges(typ); r != unknown {
			return r
		}
	}
	if len(e.values) > 0 {
		return isState
	}
	return isEvent
}
