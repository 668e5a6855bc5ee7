package csv

import (
	"bytes"

	"dagscope/internal/text"
	"dagscope/read/ompt/event"
)

// maxNames bounds the words of a hostile event column that are kept apart.
const maxNames = 1000

// parse reads a line into p.event. It returns the column that cannot be read,
// or "columns" for a line with too many or too few fields.
func (p *parser) parse(l []byte) (damaged string) {
	if !p.split(l) {
		return "columns"
	}
	e := &p.event
	*e = event.Event{}
	t, ok := text.Nano.Nanos(p.field[timeColumn])
	if !ok {
		return "time_ns"
	}
	thread, ok := text.Int(p.field[threadColumn])
	if !ok || thread < 0 || thread >= 1<<20 {
		return "thread"
	}
	word := p.field[eventColumn]
	if len(word) == 0 {
		return "event"
	}
	n := p.name(word)
	e.Time, e.Thread, e.Type, e.Value = t, int32(thread), n.typ, n.value
	if damaged = p.rest(e); damaged == "" {
		n.lines++
	}
	if e.Type == event.Other {
		e.Name = n.word
	}
	return damaged
}

// split sets the fields of a line.
func (p *parser) split(l []byte) bool {
	for i, to := range p.column {
		field := l
		if end := bytes.IndexByte(l, ','); end >= 0 {
			if i == len(p.column)-1 {
				return false
			}
			field, l = l[:end], l[end+1:]
		} else if i < len(p.column)-1 {
			return false
		}
		if to >= 0 {
			p.field[to] = field
		}
	}
	return true
}

// name finds the type of an event by its word; the same often come in a row.
func (p *parser) name(word []byte) *name {
	if p.recent != nil && string(word) == p.recent.word {
		return p.recent
	}
	n := p.names[string(word)]
	if n == nil {
		n = newName(string(word))
		if len(p.names) >= maxNames {
			n.word = "other events"
			if have := p.names[n.word]; have != nil {
				n = have
			}
		}
		p.names[n.word] = n
	}
	p.recent = n
	return n
}

func newName(word string) *name {
	n := &name{word: word, typ: event.TypeOf(word)}
	switch {
	case word == "work_begin":
		n.typ, n.value = event.Work, 1
	case word == "work_end":
		n.typ, n.value = event.Work, 2
	case word == "masked_begin":
		n.typ, n.value = event.Masked, 1
	case word == "masked_end":
		n.typ, n.value = event.Masked, 2
	case n.typ == event.None, n.typ == event.Work, n.typ == event.Masked:
		n.typ = event.Other
	}
	return n
}

// rest reads the columns after the first three, as the event uses them.
func (p *parser) rest(e *event.Event) (damaged string) {
	var ok bool
	if e.Task, ok = taskOf(p.field[taskColumn]); !ok {
		return "task"
	}
	if !p.second(e) {
		return "task2"
	}
	if e.Type == event.Other {
		return "" // nothing else is asked of it
	}
	if k := p.field[kindColumn]; len(k) > 0 {
		if e.Kind, ok = event.KindOf(e.Type, string(k)); !ok {
			return "kind"
		}
	}
	if f := p.field[flagsColumn]; len(f) > 0 {
		if e.Flags, ok = event.FlagsOf(string(f)); !ok {
			return "flags"
		}
	}
	if !p.value(e) {
		return "value"
	}
	if !p.extra(e) {
		return "extra"
	}
	return ""
}

// value reads column value: of some events it is a count, of masked regions nothing.
func (p *parser) value(e *event.Event) bool {
	v := p.field[valueColumn]
	if len(v) == 0 || e.Type == event.Masked {
		return true
	}
	n, ok := text.Int(v)
	switch e.Type {
	case event.Work, event.Dispatch, event.Skipped:
		e.Count = uint64(max(0, n))
	default:
		e.Value = n
	}
	return ok
}

// second reads column task2: a task, or the number of a parallel region.
func (p *parser) second(e *event.Event) (ok bool) {
	f := p.field[task2Column]
	if len(f) > 0 && f[0] == 'p' {
		n, ok := text.Int(f[1:])
		e.Parallel = uint64(n)
		return ok
	}
	e.Task2, ok = taskOf(f)
	return ok || e.Type == event.Other
}

// extra reads the last column.
func (p *parser) extra(e *event.Event) (ok bool) {
	f := p.field[extraColumn]
	if e.Type == event.Dependences {
		return p.dependences(e, f)
	}
	if len(f) == 0 {
		return true
	}
	switch e.Type {
	case event.ImplicitBegin, event.ImplicitEnd, event.Carry:
		n, ok := text.Int(f)
		e.Index = int32(n)
		return ok
	case event.Control:
		if bytes.HasPrefix(f, []byte("0x")) {
			e.Code, ok = text.Hex(f)
			return ok
		}
		e.Name = string(f)
		return true
	case event.Processor:
		e.Count, ok = text.Hex(f)
		return ok
	case event.Binding:
		e.Name = string(f)
		_, ok := event.ProcessorMask(e.Name)
		return ok
	}
	e.Code, ok = text.Hex(f)
	return ok
}

// dependences reads "type:address;…".
func (p *parser) dependences(e *event.Event, f []byte) bool {
	p.deps = p.deps[:0]
	for len(f) > 0 {
		item := f
		if end := bytes.IndexByte(f, ';'); end >= 0 {
			item, f = f[:end], f[end+1:]
		} else {
			f = nil
		}
		at := bytes.IndexByte(item, ':')
		if at < 0 {
			return false
		}
		kind, ok := event.DepOf(string(item[:at]))
		address, fine := text.Hex(item[at+1:])
		if !ok || !fine {
			return false
		}
		p.deps = append(p.deps, event.Dep{Type: kind, Address: address})
	}
	e.Deps = p.deps
	return true
}

// taskOf reads "thread.number"; nothing is no task.
func taskOf(f []byte) (event.ID, bool) {
	if len(f) == 0 {
		return 0, true
	}
	dot := bytes.IndexByte(f, '.')
	if dot < 0 {
		return 0, false
	}
	thread, ok := text.Int(f[:dot])
	number, fine := text.Int(f[dot+1:])
	if !ok || !fine || thread < 0 || thread >= 1<<20 || number < 0 || number >= 1<<40 {
		return 0, false
	}
	return event.NewID(int32(thread), uint64(number)), true
}
