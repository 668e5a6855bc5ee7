package paraver

import (
	"strconv"
	"strings"

	"dagscope/read/pieces"
	"dagscope/trace"
)

// tally is what was read of tasks, messages and counters.
type tally struct {
	stateText map[int64]int32
	counted   map[counter]int64
	messages  []message

	tasks    []task
	byID     map[identity]int32  // ovni: tasks by what rows say
	creation map[identity]create // Extrae
	pieces   []pieces.Piece      // Worker is the number of a row
}

func newTally() tally {
	return tally{stateText: map[int64]int32{}, counted: map[counter]int64{}, byID: map[identity]int32{}, creation: map[identity]create{}}
}

// counter is a type of hardware counters on a row.
type counter struct {
	row int32
	typ *eventType
}

type message struct {
	from, to       *row
	sent, received int64
	bytes, tag     int64
}

// identity of a task: the number is unique in a process only.
type identity struct {
	process  int64 // ovni: pid; Extrae: application and task
	id, body int64
}

// create is the creation of a task.
type create struct {
	at   int64
	line int64 // of the trace
	row  int32 // its number
}

// task is a task that ran.
type task struct {
	identity
	numbered       bool // it has an id
	kind           int64
	function, line int64 // Extrae
}

// follower is which task a row runs.
type follower struct {
	process int64
	// ovni: as set so far at the row's latest instant, and as settled before
	id, kind, body int64
	dirty          bool
	running        int32 // 1 + index of the task; 0: none
	since          int64
	// Extrae: tasks that run inside each other, the innermost last
	stack     []nested
	creating  bool
	createdAt int64
	held      int64 // an id that came before its function
	heldAt    int64
	holds     bool
}

type nested struct {
	task         int32
	begun, since int64
}

// follow takes an event of a task.
func (t *paraver) follow(r *row, role role, at, value int64) {
	f := &r.run
	switch role {
	case taskID:
		f.id, f.dirty = value, true
	case taskKind:
		f.kind, f.dirty = value, true
	case taskBody:
		f.body, f.dirty = value, true
	case execFunction:
		t.executed(r, at, value)
	case execLine:
		if n := len(f.stack); n > 0 && f.stack[n-1].begun == at && value != 0 {
			t.tasks[f.stack[n-1].task].line = value
		}
	case execID:
		if n := len(f.stack); n > 0 && f.stack[n-1].begun == at && !t.tasks[f.stack[n-1].task].numbered {
			one := &t.tasks[f.stack[n-1].task]
			one.id, one.numbered = value, true
		} else if f.creating && f.createdAt == at {
			t.create(r, at, value)
		} else {
			f.held, f.heldAt, f.holds = value, at, true
		}
	case instID:
		if f.creating && f.createdAt == at {
			t.create(r, at, value)
		} else {
			f.held, f.heldAt, f.holds = value, at, true
		}
	}
}

// created takes the creation of a task, or its end.
func (t *paraver) created(r *row, at, function int64) {
	f := &r.run
	f.creating, f.createdAt = function != 0, at
	if f.creating && f.holds && f.heldAt == at {
		t.create(r, at, f.held)
	}
}

func (t *paraver) create(r *row, at, id int64) {
	r.run.creating, r.run.holds = false, false
	who := identity{process: processOf(r.place), id: id}
	if before, twice := t.creation[who]; twice {
		t.log(trace.Warning, t.file, t.line, "task-created-twice", "found the creation of task %d again, which line %d has, wanted each once: the first counts", id, before.line)
		return
	}
	t.creation[who] = create{at, t.line, r.number}
}

func processOf(p place) int64 { return int64(p.appl)<<32 | int64(p.task) }

// executed begins a task on a row, or ends the one that began last; one that
// begins inside another suspends it.
func (t *paraver) executed(r *row, at, function int64) {
	f := &r.run
	n := len(f.stack)
	if function == 0 {
		if n == 0 {
			t.log(trace.Warning, t.file, t.line, "end-without-task", "found the end of a task on %q, which runs none, wanted its start before: left out", r.name)
			return
		}
		t.piece(r, f.stack[n-1].task, f.stack[n-1].since, at)
		f.stack = f.stack[:n-1]
		if n > 1 {
			f.stack[n-2].since = at
		}
		return
	}
	if n > 0 {
		t.piece(r, f.stack[n-1].task, f.stack[n-1].since, at)
	}
	one := task{identity: identity{process: processOf(r.place)}, function: function}
	if f.holds && f.heldAt == at {
		one.id, one.numbered, f.holds = f.held, true, false
	}
	f.stack = append(f.stack, nested{int32(len(t.tasks)), at, at})
	t.tasks = append(t.tasks, one)
}

// piece notes that a task ran. A nested task that begins with the one around it
// leaves nothing of that one.
func (t *paraver) piece(r *row, task int32, from, to int64) {
	t.pieces = append(t.pieces, pieces.Piece{Task: task, Worker: r.number, Start: from, End: to})
}

// settle applies what all records of a row's latest instant said together: ovni
// writes task, type and body one by one.
func (t *paraver) settle(r *row) {
	f := &r.run
	if !f.dirty {
		return
	}
	f.dirty = false
	runs := int32(0)
	if f.id != 0 {
		runs = t.known(f) + 1
	}
	if runs == f.running {
		return
	}
	if f.running > 0 {
		t.piece(r, f.running-1, f.since, r.last)
	}
	f.running, f.since = runs, r.last
}

// known finds or adds the task that a row runs.
func (t *paraver) known(f *follower) int32 {
	who := identity{f.process, f.id, f.body}
	i, known := t.byID[who]
	if !known {
		i = int32(len(t.tasks))
		t.byID[who] = i
		t.tasks = append(t.tasks, task{identity: who, numbered: true})
	}
	if f.kind != 0 {
		t.tasks[i].kind = f.kind
	}
	return i
}

// end ends what is under way with the trace.
func (t *paraver) end() {
	for _, r := range t.order {
		t.settle(r)
		f := &r.run
		if f.running > 0 {
			t.unfinished(r, f.running-1, f.since)
		}
		for i, n := range f.stack {
			if i == len(f.stack)-1 {
				t.unfinished(r, n.task, n.since)
			}
		}
		for _, s := range r.open {
			if s.value != 0 {
				t.addState(r, t.typeText(s.typ), s.text, s.since, t.latest)
			}
		}
	}
}

func (t *paraver) unfinished(r *row, task int32, since int64) {
	t.log(trace.Warning, t.file, t.line, "unfinished-task", "found no end of a task on %q, wanted one: it ends with the trace", r.name)
	t.piece(r, task, since, t.latest)
}

// kinds are the names of tasks: of ovni's the label of the type; of Extrae's,
// whose functions have the compiler's names, the line of the source.
type kinds struct {
	kind, line, function *eventType
	of                   map[string]int64 // functions of lines
}

func (t *paraver) kinds() *kinds {
	k := &kinds{of: map[string]int64{}}
	for typ, role := range t.dialect.roles {
		switch e := t.names.types[typ]; role {
		case taskKind:
			k.kind = e
		case execLine:
			k.line = e
		case execFunction:
			k.function = e
		}
	}
	return k
}

func (k *kinds) name(t *task) (kind, function, file string, line int32) {
	if k.kind != nil {
		if t.kind == 0 {
			return "task", "", "", trace.None
		}
		return k.kind.labelOf(t.kind), "", "", trace.None
	}
	if k.function != nil {
		function = k.function.labelOf(t.function)
	}
	line = trace.None
	if k.line == nil || t.line == 0 {
		return function, function, "", line
	}
	label, where, _ := strings.Cut(k.line.labelOf(t.line), " [")
	if strings.HasPrefix(label, "??") || !strings.Contains(label, ":") {
		return function, function, "", line
	}
	where, _, _ = strings.Cut(where, ",")
	if i := strings.LastIndexByte(where, ':'); i > 0 {
		if n, err := strconv.ParseInt(where[i+1:], 10, 32); err == nil && n > 0 {
			file, line = where[:i], int32(n)
		}
	}
	if of, met := k.of[label]; !met {
		k.of[label] = t.function
	} else if of != t.function { // two functions of one line
		label += " " + function
	}
	return label, function, file, line
}
