package paraver

import (
	"bytes"
	"fmt"
	"strconv"

	"dagscope/internal/text"
	"dagscope/trace"
)

// row is a thread, or in ovni's view of CPUs a CPU.
type row struct {
	place
	number int32 // in the order in which rows were met
	name   string
	last   int64  // time of its latest event
	open   []span // values that last; 0 is none
	slot   map[*eventType]int
	run    follower
}

// span is a value that lasts, of a type on a row.
type span struct {
	typ   *eventType
	value int64
	since int64
	text  int32
}

func (t *paraver) block(block []byte, line int64) error {
	for t.line = line; len(block) > 0; t.line++ {
		var l []byte
		l, block = text.Line(block)
		if t.line == 1 {
			h, ok := parseHeader(l)
			if !ok {
				return fmt.Errorf("read %s: line 1: found %.80q, wanted #Paraver (date):END_unit:…", t.path, l)
			}
			t.header = h
			t.count[destination{"header", "definition"}]++
			continue
		}
		record, table := "", ""
		if len(l) > 1 && l[1] == ':' {
			switch l[0] {
			case '1':
				record, table = "state", t.state(l[2:])
			case '2':
				record, table = "event", t.events(l[2:])
			case '3':
				record, table = "communication", t.message(l[2:])
			case 'c':
				record, table = "communicator", "definition"
			case '4':
				record, table = "global operation", "log"
				t.log(trace.Info, t.file, t.line, "global-operation", "found an obsolete record %.80q, wanted communications: left out", l)
			}
		}
		switch {
		case record == "" && len(bytes.TrimSpace(l)) == 0:
			record, table = "blank", "blank"
		case record == "" && l[0] == '#':
			record, table = "comment", "comment"
		case record == "" || table == "":
			record, table = "damaged line", "log"
			t.log(trace.Warning, t.file, t.line, "damaged-line", "found %.80q, wanted 1:cpu:application:task:thread:begin:end:state, 2:…:time:type:value or 3:…: left out", l)
		}
		t.count[destination{record, table}]++
	}
	return nil
}

// next cuts a number off a record. A sign is sound: values of events have one
// now and then.
func next(l []byte) (n int64, rest []byte, ok bool) {
	i, negative := 0, false
	if len(l) > 0 && l[0] == '-' {
		negative, i = true, 1
	}
	first := i
	for ; i < len(l) && l[i] != ':'; i++ {
		d := l[i] - '0'
		if d > 9 || n > (1<<63-1-9)/10 {
			return text19(l, i)
		}
		n = n*10 + int64(d)
	}
	if i == first {
		return 0, nil, false
	}
	if negative {
		n = -n
	}
	if i < len(l) {
		i++
		if i == len(l) {
			return 0, nil, false // nothing after the colon
		}
	}
	return n, l[i:], true
}

// text19 reads numbers that may not fit: values of hardware counters are
// unsigned and of 64 bits.
func text19(l []byte, i int) (int64, []byte, bool) {
	field, rest, _ := bytes.Cut(l, []byte(":"))
	n, ok := text.Int(field)
	return n, rest, ok && i < len(field)
}

// numbers cuts len(to) numbers off a record.
func numbers(l []byte, to []int64) (rest []byte, ok bool) {
	for i := range to {
		if to[i], l, ok = next(l); !ok {
			return nil, false
		}
	}
	return l, true
}

// time is an instant in ns.
func (t *paraver) time(n int64) (int64, bool) {
	if n < 0 || n > text.MaxTime/t.header.scale {
		return 0, false
	}
	n *= t.header.scale
	return n, true
}

// rowAt is the row of a thread; of one that cannot be nil.
func (t *paraver) rowAt(appl, task, thread int64) *row {
	const most = 1 << 24
	if appl < 1 || task < 1 || thread < 1 || appl > most || task > most || thread > most {
		return nil
	}
	p := place{int32(appl), int32(task), int32(thread)}
	if t.last != nil && t.last.place == p {
		return t.last
	}
	r := t.rowsOf[p]
	if r == nil {
		r = &row{place: p, number: int32(len(t.order)), name: t.nameOf(p), slot: map[*eventType]int{}}
		t.rowsOf[p] = r
		t.order = append(t.order, r)
	}
	t.last = r
	return r
}

// nameOf is what the .row file calls a thread.
func (t *paraver) nameOf(p place) string {
	if i, known := t.header.at[[2]int32{p.appl, p.task}]; known {
		at := int64(t.header.processes[i].before) + int64(p.thread) - 1
		if p.thread <= t.header.processes[i].threads && at < int64(len(t.names.threads)) {
			return t.names.threads[at]
		}
	}
	return fmt.Sprintf("THREAD %d.%d.%d", p.appl, p.task, p.thread)
}

// stateType is the type of the states of records 1:….
const stateType = "Thread state"

// state reads cpu:application:task:thread:begin:end:state and returns the table
// that has it, "" if the line is damaged.
func (t *paraver) state(l []byte) string {
	var f [7]int64
	if rest, ok := numbers(l, f[:]); !ok || len(rest) > 0 {
		return ""
	}
	begin, ok1 := t.time(f[4])
	end, ok2 := t.time(f[5])
	r := t.rowAt(f[1], f[2], f[3])
	if r == nil || !ok1 || !ok2 || end < begin {
		return ""
	}
	t.latest = max(t.latest, end)
	text, met := t.stateText[f[6]]
	if !met {
		label, known := t.names.states[f[6]]
		if !known {
			label = "state " + strconv.FormatInt(f[6], 10)
		}
		text = t.b.Run.State.Kind.Intern(label)
		t.stateText[f[6]] = text
	}
	t.addState(r, t.b.Run.State.Type.Intern(stateType), text, begin, end)
	return "state"
}

// events reads cpu:application:task:thread:time and pairs of type and value.
// The line counts for the table to which its first pair with the highest rank
// went: task, then state, sample and event.
func (t *paraver) events(l []byte) string {
	var f [5]int64
	l, ok := numbers(l, f[:])
	at, sound := t.time(f[4])
	if !ok || !sound || !pairs(l) {
		return ""
	}
	r := t.rowAt(f[1], f[2], f[3])
	if r == nil {
		return ""
	}
	if at < r.last {
		t.log(trace.Warning, t.file, t.line, "time-backwards", "found time %d after %d on %q, wanted records in the order of time: left out", at, r.last, r.name)
		return "log"
	}
	if at > r.last {
		t.settle(r)
	}
	r.last, t.latest = at, max(t.latest, at)
	table := ""
	for len(l) > 0 {
		var typ, value int64
		typ, l, _ = next(l)
		value, l, _ = next(l)
		to := t.event(r, at, typ, value)
		if table == "" || rank[to] > rank[table] {
			table = to
		}
	}
	return table
}

var rank = map[string]int{"task": 4, "state": 3, "sample": 2, "event": 1}

// pairs reports whether a line ends in one or more pairs of numbers.
func pairs(l []byte) bool {
	n := 0
	for ; len(l) > 0; n++ {
		var ok bool
		if _, l, ok = next(l); !ok {
			return false
		}
	}
	return n > 0 && n%2 == 0
}

// event takes one pair and returns its table.
func (t *paraver) event(r *row, at, typ, value int64) string {
	e := t.names.types[typ]
	if e == nil {
		e = t.unlabelled(typ)
		t.names.types[typ] = e
	}
	switch e.role {
	case isState, instFunction:
		t.change(r, e, at, value)
		if e.role == instFunction {
			t.created(r, at, value)
			return "task"
		}
		return "state"
	case isSample, isCount:
		t.sample(r, e, at, value)
		return "sample"
	case isEvent, unknown:
		t.instant(r, e, at, value)
		return "event"
	case ofProcess:
		r.run.process = value
		t.instant(r, e, at, value)
		return "event"
	}
	t.follow(r, e.role, at, value)
	return "task"
}

// unlabelled is a type that no label names.
func (t *paraver) unlabelled(typ int64) *eventType {
	e := &eventType{label: "type " + strconv.FormatInt(typ, 10)}
	severity := trace.Warning
	if name := ovniNames[typ]; t.dialect.ovni && name != "" { // of which ovni labels none for CPUs
		e.label, severity = name, trace.Info
	} else if typ/1_000_000 == 40 { // Extrae's notes to itself, not all of which it labels
		severity = trace.Info
	}
	e.role = t.dialect.roleOf(typ, e)
	t.log(severity, t.file, t.line, "type-without-label", "found events of type %d, which no label names: called %q", typ, e.label)
	return e
}

// change ends the value that a type had on a row, and begins another.
func (t *paraver) change(r *row, e *eventType, at, value int64) {
	i, known := r.slot[e]
	if !known {
		i = len(r.open)
		r.slot[e] = i
		r.open = append(r.open, span{typ: e})
	}
	s := &r.open[i]
	if s.value == value {
		return
	}
	if s.value != 0 {
		t.addState(r, t.typeText(e), s.text, s.since, at)
	}
	s.value, s.since = value, at
	if value != 0 {
		s.text = t.valueText(e, value)
	}
}

// typeText is the label of a type among those of states.
func (t *paraver) typeText(e *eventType) int32 {
	if e.index == 0 {
		e.index = t.b.Run.State.Type.Intern(e.label) + 1
	}
	return e.index - 1
}

// valueText is the label of a value among those of states.
func (t *paraver) valueText(e *eventType, value int64) int32 {
	text, met := e.text[value]
	if !met {
		text = t.b.Run.State.Kind.Intern(e.labelOf(value))
		if e.text == nil {
			e.text = map[int64]int32{}
		}
		e.text[value] = text
	}
	return text
}

// labelOf is the label of a value, or the number.
func (e *eventType) labelOf(value int64) string {
	if label := e.values[value]; label != "" {
		return label
	}
	return strconv.FormatInt(value, 10)
}

func (t *paraver) addState(r *row, typ, kind int32, start, end int64) {
	s := &t.b.Run.State
	s.Resource = append(s.Resource, r.number)
	s.Type.AppendIndex(typ)
	s.Kind.AppendIndex(kind)
	s.Start, s.End = append(s.Start, start), append(s.End, end)
	s.Depth = append(s.Depth, 0)
}

func (t *paraver) sample(r *row, e *eventType, at, value int64) {
	from := at
	if e.role == isCount { // of the time since the one before
		before, had := t.counted[counter{r.number, e}]
		t.counted[counter{r.number, e}] = at
		if !had {
			before = 0
		}
		from = before
	}
	s := &t.b.Run.Sample
	s.Metric.Append(e.label)
	s.Resource = append(s.Resource, r.number)
	s.Time, s.Value = append(s.Time, from), append(s.Value, float64(value))
}

func (t *paraver) instant(r *row, e *eventType, at, value int64) {
	v := &t.b.Run.Event
	v.Kind.Append(e.label)
	v.Resource = append(v.Resource, r.number)
	v.Time = append(v.Time, at)
	label, named := e.values[value]
	if named {
		v.Value.Append(label)
		return
	}
	var buf [20]byte
	v.Value.AppendIndex(v.Value.InternBytes(strconv.AppendInt(buf[:0], value, 10)))
}

// creation is the tag of Extrae's links from the creation of a task to its
// execution, which are no messages.
const creation = 60000000

// message reads the two ends, size and tag of a communication.
func (t *paraver) message(l []byte) string {
	var f [14]int64
	if rest, ok := numbers(l, f[:]); !ok || len(rest) > 0 {
		return ""
	}
	from, to := t.rowAt(f[1], f[2], f[3]), t.rowAt(f[7], f[8], f[9])
	sent, ok1 := t.time(f[5])
	_, ok2 := t.time(f[4])
	_, ok3 := t.time(f[10])
	received, ok4 := t.time(f[11])
	if from == nil || to == nil || !ok1 || !ok2 || !ok3 || !ok4 || f[12] < 0 {
		return ""
	}
	if f[13] == creation && !t.dialect.ovni && t.dialect != &generic {
		return "task" // creator and time are those of the events there
	}
	t.latest = max(t.latest, sent, received)
	if received < sent {
		t.log(trace.Info, t.file, t.line, "received-before-sent", "found a message that arrived %d ns before it was sent, wanted clocks that agree: kept as it is", sent-received)
	}
	t.messages = append(t.messages, message{from, to, sent, received, f[12], f[13]})
	return "transfer"
}
