// Package csv reads and writes the plain form of OpenMP events: one line per
// event, comma-separated, under a header that names the columns
// (docs/ompt-events.md). Other recorders and runtimes can hand over their
// events in it.
package csv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dagscope/internal/text"
	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// Header is the first line of what [Append] writes.
const Header = "time_ns,thread,event,task,task2,kind,flags,value,extra"

// Columns, in the order of Header.
const (
	timeColumn = iota
	threadColumn
	eventColumn
	taskColumn
	task2Column
	kindColumn
	flagsColumn
	valueColumn
	extraColumn
	columns
)

// IsEvents reports whether a file that begins so is in the plain form: its header
// has the three columns that no event can do without.
func IsEvents(head []byte) bool {
	line, _ := text.Line(head)
	names := strings.Split(string(line), ",")
	for _, must := range strings.SplitN(Header, ",", columns)[:taskColumn] {
		if !slices.Contains(names, must) {
			return false
		}
	}
	return true
}

// Read tells each event of a file. The event is used again after the call.
// Lines that are no event are counted in the log, the first of each kind with
// its position; of a damaged compressed file what could be read is told. The
// account gets the lines by event.
func Read(r *text.Reader, log *trace.Log, account *trace.Account, each func(*event.Event)) error {
	p := &parser{path: r.Path(), log: log, names: map[string]*name{}}
	err := r.Blocks(func(block []byte, line int64) error {
		for ; len(block) > 0; line++ {
			var l []byte
			l, block = text.Line(block)
			if err := p.line(l, line, each); err != nil {
				return err
			}
		}
		return nil
	})
	var cut *text.Truncated
	if errors.As(err, &cut) {
		log.Add(trace.Error, p.path, cut.Line, "truncated-file", cut.Error())
		err = nil
	}
	if err == nil && !p.begun {
		err = fmt.Errorf("read %s: found no header, wanted a line such as %s", p.path, Header)
	}
	p.account(account)
	return err
}

// parser turns lines into events.
type parser struct {
	path    string
	log     *trace.Log
	begun   bool
	column  []int // what each field is, -1 for unknown columns
	field   [columns][]byte
	names   map[string]*name
	recent  *name
	event   event.Event
	deps    []event.Dep
	blank   int64
	damaged int64
}

// name is a word in the event column.
type name struct {
	word  string
	typ   event.Type
	value int64 // of Work and Masked
	lines int64
}

func (p *parser) line(l []byte, line int64, each func(*event.Event)) error {
	switch {
	case len(bytes.TrimSpace(l)) == 0:
		p.blank++
	case !p.begun:
		p.begun = true
		return p.header(l, line)
	default:
		if what := p.parse(l); what != "" {
			p.reject(line, what)
			return nil
		}
		p.event.Position = line
		each(&p.event)
	}
	return nil
}

func (p *parser) header(l []byte, line int64) error {
	known := strings.Split(Header, ",")
	seen := map[int]bool{}
	for _, word := range strings.Split(string(l), ",") {
		i := slices.Index(known, strings.TrimSpace(word))
		if i < 0 || seen[i] {
			i = -1
			p.log.Add(trace.Info, p.path, line, "unknown-column", fmt.Sprintf("found column %q, wanted those of %s: left out", clip(word), Header))
		}
		seen[i] = true
		p.column = append(p.column, i)
	}
	for i, must := range known[:taskColumn] {
		if !seen[i] {
			return fmt.Errorf("read %s: line %d: found no column %s, wanted a header such as %s", p.path, line, must, Header)
		}
	}
	return nil
}

// reject counts a line that is no event.
func (p *parser) reject(line int64, what string) {
	p.damaged++
	code := "damaged-row-" + what
	if p.log.Seen(trace.Warning, p.path, code) {
		p.log.Add(trace.Warning, p.path, line, code, "")
		return
	}
	found := ""
	for i, c := range strings.Split(Header, ",") {
		if c == what {
			found = fmt.Sprintf(": found %s %q", what, clip(string(p.field[i])))
		}
	}
	p.log.Add(trace.Warning, p.path, line, code, "line left out"+found+", wanted what docs/ompt-events.md says")
}

func clip(s string) string { return s[:min(len(s), 60)] }

// account says where the lines went.
func (p *parser) account(a *trace.Account) {
	add := func(record, table string, n int64) { a.Add(p.path, record, table, n) }
	if p.begun {
		add("header", "definition", 1)
	}
	add("blank", "definition", p.blank)
	add("damaged row", "log", p.damaged)
	var words []string
	for word := range p.names {
		words = append(words, word)
	}
	slices.Sort(words)
	for _, word := range words {
		n := p.names[word]
		table := TableOf(n.typ)
		add(word, table, n.lines)
		if n.typ == event.Other {
			if omptHas(word) {
				p.log.AddN(trace.Info, p.path, 0, "unused-event-"+clip(word), "found events that say nothing about the states of tasks: left out", n.lines)
			} else {
				p.log.AddN(trace.Warning, p.path, 0, "unknown-event-"+clip(word), "found events that docs/ompt-events.md does not name: left out", n.lines)
			}
		}
	}
}

// omptHas reports whether a word begins as those of OMPT's events do which have no
// meaning here.
func omptHas(word string) bool {
	for _, known := range []string{"task_dependence", "lock_", "target", "device_", "flush", "reduction_", "error"} {
		if strings.HasPrefix(word, known) {
			return true
		}
	}
	return false
}

// TableOf is the table that events of a type end up in.
func TableOf(t event.Type) string {
	switch t {
	case event.ThreadBegin, event.ThreadEnd:
		return "resource"
	case event.ParallelBegin, event.ParallelEnd, event.Control, event.Cancel, event.Binding:
		return "event"
	case event.Dependences:
		return "dep"
	case event.SyncBegin, event.SyncEnd:
		return "definition"
	case event.WaitBegin, event.WaitEnd:
		return "state"
	case event.Work, event.Masked:
		return "share"
	case event.Dispatch:
		return "chunk"
	case event.MutexAcquire, event.MutexAcquired, event.MutexReleased, event.NestLock:
		return "mutex"
	case event.Processor:
		return "sample"
	case event.Other, event.Lost, event.Skipped:
		return "log"
	}
	return "task"
}
