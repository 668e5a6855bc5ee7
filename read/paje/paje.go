// Package paje reads traces in the Pajé format, of StarPU or any other
// program, into the columns of assemble.Parts.
//
// The problem: a Pajé file is text, 1e8 lines and more. Its header says which
// columns each event has; the same event name may be defined several times
// under different numbers, columns are separated by any run of blanks, and time
// is not ordered (StarPU writes its smoothed variables seconds late, and puts
// the ranks of an MPI run one after the other).
//
// The approach: one pass over blocks of whole lines. Each line is cut into
// tokens that are bound to meanings through the definition its number names;
// names are interned; instants, links and variables go straight to their
// columns. Changes of states are kept by package spans, which turns them into
// spans after the last line. Nothing is allocated per line.
//
// What it does not do: give states a meaning. Which of them are tasks is for
// package assemble to say. Lines that make no sense are counted in the log and
// skipped; only a header that makes no sense stops the import.
package paje

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/read/spans"
	"dagscope/trace"
)

// Read reads a whole file into p. Damage of single lines is counted in p.Log;
// the error is about the file as a whole (unreadable, wrong encoding, a header
// that makes no sense, not one event that can be used). Times are in p.TimeUnit.
func Read(r *text.Reader, p *assemble.Parts, file string) error {
	ps := newParser(p, file)
	if err := ps.setUnit(); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	err := r.Blocks(ps.block)
	var cut *text.Truncated
	if errors.As(err, &cut) {
		p.Log.Add(trace.Error, file, ps.line, "truncated-file", cut.Error())
		err = nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	if ps.open != nil {
		return fmt.Errorf("read %s: found the end of the file inside the definition of %s, wanted %%EndEventDef", file, ps.open.label())
	}
	if len(ps.defs) == 0 {
		return fmt.Errorf("read %s: found no %%EventDef, wanted the header of a Pajé trace", file)
	}
	if err := ps.allFailed(); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	ps.noteEnd()
	ps.finish()
	ps.noteUnit()
	return nil
}

// noteEnd logs a trace that lacks what its program writes last: events at all,
// and in a trace of StarPU the end of each thread (counters may still follow).
func (p *parser) noteEnd() {
	events := p.unknown
	for _, d := range p.defs {
		if d != nil && destination[d.action] != "" {
			events += d.lines
		}
	}
	if events == 0 {
		p.out.Log.Add(trace.Warning, p.file, p.line, "trace-without-events", "found no event behind the header, wanted some: the file may be cut off")
		return
	}
	thread, ofStarPU := p.typeRows[classContainer]["T"]
	if _, ok := p.typeRows[classContainer]["MPIP"]; !ok || !ofStarPU {
		return
	}
	threads, open := 0, 0
	for row, end := range p.out.Container.End {
		if p.out.Container.Type.Index[row] == p.types[classContainer][thread].name {
			threads++
			if end == trace.NoTime {
				open++
			}
		}
	}
	if open > 0 || threads == 0 {
		p.out.Log.Add(trace.Warning, p.file, p.line, "trace-without-end",
			fmt.Sprintf("found the end of %d of %d threads, wanted that of each: the program was killed, or the file is cut off", threads-open, threads))
	}
}

// allFailed is the error of a file in which no event could be used: it would
// make an empty run. (Decimal commas do that, or the header of another file.)
func (p *parser) allFailed() error {
	events := p.unknown
	for _, d := range p.defs {
		if d == nil || destination[d.action] == "" {
			continue // definitions
		}
		if events += d.bad; d.lines > d.bad && destination[d.action] != "resource" {
			return nil
		}
	}
	if events == 0 {
		return nil
	}
	l, first := &p.out.Log, -1
	for i, at := range l.Position {
		if l.Severity.At(i) != string(trace.Info) && (first < 0 || at < l.Position[first]) {
			first = i
		}
	}
	return fmt.Errorf("none of %d events can be used; line %d: %s", events, l.Position[first], l.Message.At(first))
}

// Sniff reports whether the beginning of a file looks like a Pajé trace. Comments
// may come first: SimGrid writes there how it was called.
func Sniff(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		line, head = text.Line(head)
		line = bytes.TrimLeft(line, " \t\r")
		if len(line) > 0 && line[0] != '#' {
			return bytes.HasPrefix(line, []byte("%EventDef")) || bytes.HasPrefix(line, []byte("% EventDef"))
		}
	}
	return false
}

// kind of type definitions; aliases are unique within one.
const (
	classContainer = iota
	classEvent
	classState
	classVariable
	classLink
	classes
)

// typ is a defined type.
type typ struct {
	name   int32            // index in the dictionary of its column in Parts
	values map[string]int32 // state types: alias to Parts.State.Kind's dictionary
}

type parser struct {
	out  *assemble.Parts
	file string

	defs []*definition // by id
	open *definition   // inside %EventDef

	types      [classes][]typ
	typeRows   [classes]map[string]int32
	containers map[string]int32
	current    map[variable]float64 // nil until a line adds to a variable
	halves     map[linkKey]int32
	changes    spans.Streams

	unit    text.Unit // of times
	line    int64     // number of the line being read
	header  int64
	blank   int64
	comment int64
	unknown int64   // lines that name no definition
	merged  []int64 // per definition: bare rows merged into the task
	tasks   []int64 // per definition: rows that are tasks
	tokens  [maxFields + 1][]byte
	n       int
	def     *definition
}

type linkKey struct {
	typ int32
	key int64
}

func newParser(p *assemble.Parts, file string) *parser {
	ps := &parser{
		out: p, file: file,
		containers: map[string]int32{}, halves: map[linkKey]int32{},
	}
	for i := range ps.typeRows {
		ps.typeRows[i] = map[string]int32{}
	}
	if p.Colors == nil {
		p.Colors = map[string]string{}
	}
	return ps
}

// block reads a block of whole lines.
func (p *parser) block(block []byte, first int64) error {
	p.line = first - 1
	for len(block) > 0 {
		end := bytes.IndexByte(block, '\n')
		line := block
		if end < 0 {
			block = nil
		} else {
			line, block = block[:end], block[end+1:]
		}
		p.line++
		if err := p.one(line); err != nil {
			return fmt.Errorf("line %d: %w", p.line, err)
		}
	}
	return nil
}

// one reads one line. Only header errors are returned.
func (p *parser) one(line []byte) error {
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t' || line[0] == '\r') {
		line = line[1:]
	}
	switch {
	case len(line) == 0:
		p.blank++
		return nil
	case line[0] == '%':
		p.header++
		return p.headerLine(line)
	case line[0] == '#':
		p.comment++
		return nil
	}
	p.split(line)
	id, ok := smallInt(p.tokens[0])
	if !ok || id >= len(p.defs) || p.defs[id] == nil {
		p.unknown++
		p.warn("unknown-event", "found a line that starts with %q, wanted the number of a defined event", clip(p.tokens[0]))
		return nil
	}
	p.def = p.defs[id]
	p.def.lines++
	if !p.event() {
		p.def.bad++
	}
	return nil
}

// split cuts a line into tokens at runs of blanks, honouring quotes.
func (p *parser) split(line []byte) {
	n, i := 0, 0
	for n < len(p.tokens) {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		if i == len(line) || line[i] == '\r' && i == len(line)-1 {
			break
		}
		start := i
		if line[i] == '"' {
			start++
			end := bytes.IndexByte(line[start:], '"')
			if end < 0 {
				p.tokens[n] = line[start:]
				n++
				break
			}
			p.tokens[n] = line[start : start+end]
			i = start + end + 1
			n++
			continue
		}
		for i < len(line) && line[i] > ' ' {
			i++
		}
		if i == start { // a control character: not a separator, not a name
			i++
		}
		p.tokens[n] = line[start:i]
		n++
	}
	p.n = n
}

// get returns the token of a meaning, nil if the event does not carry it.
func (p *parser) get(f field) []byte {
	c := int(p.def.column[f]) + 1
	if c == 0 || c >= p.n {
		return nil
	}
	return p.tokens[c]
}

// event dispatches one event; false means that the line is of no use (and is
// in the log).
func (p *parser) event() bool {
	d := p.def
	if extra := p.n - 1 - len(d.fields); extra != 0 {
		if !p.lengthOK(extra) {
			return false
		}
	}
	switch d.action {
	case aSetState, aPushState, aPopState, aResetState:
		return p.change()
	case aSetVariable, aAddVariable, aSubVariable:
		return p.variable()
	case aNewEvent:
		return p.instant()
	case aStartLink, aEndLink:
		return p.link()
	case aCreateContainer:
		return p.create()
	case aDestroyContainer:
		return p.destroy()
	case aDefineEntityValue:
		return p.entityValue()
	case aUnknown:
		return p.bad("unknown-action", "found event %q, wanted one of the Pajé format", d.name)
	}
	return p.defineType()
}

// lengthOK judges a line that has more or fewer fields than its definition.
func (p *parser) lengthOK(extra int) bool {
	if extra > 0 {
		if t := p.tokens[len(p.def.fields)+1]; len(t) == 0 || t[0] != '#' { // newer StarPU explains PopState
			p.note("extra-fields", "found %d fields more than event %s defines, first %q", extra, p.def.label(), clip(t))
		}
		return true
	}
	for _, f := range needed[p.def.action] {
		if p.get(f) == nil {
			return p.bad("short-line", "found %d fields of event %s, wanted %d", p.n-1, p.def.label(), len(p.def.fields))
		}
	}
	if p.def.has(fJob) && p.def.action == aSetState {
		p.warn("short-task", "found %d fields of event %s, wanted %d: the rest stays unknown", p.n-1, p.def.label(), len(p.def.fields))
	}
	return true
}

// where reads what nearly all events share.
func (p *parser) where(class int) (t int64, container, typ int32, ok bool) {
	if t, ok = p.time(); !ok {
		return 0, 0, 0, false
	}
	container, ok = p.containers[string(p.get(fContainer))]
	if !ok && class == classLink && noParent[string(p.get(fContainer))] {
		container, ok = trace.None, true // the root that Pajé implies: both ends say where the link is
	}
	if !ok {
		return 0, 0, 0, p.bad("unknown-container", "found container %q in event %s, wanted one that was created", clip(p.get(fContainer)), p.def.label())
	}
	typ, ok = p.typeRows[class][string(p.get(fType))]
	if !ok {
		return 0, 0, 0, p.bad("unknown-type", "found type %q in event %s, wanted one that was defined", clip(p.get(fType)), p.def.label())
	}
	p.out.Horizon = max(p.out.Horizon, t)
	return t, container, typ, true
}

func (p *parser) variable() bool {
	t, c, typ, ok := p.where(classVariable)
	if !ok {
		return false
	}
	v, ok := text.Float(p.get(fValue))
	if !ok || math.IsInf(v, 0) || math.IsNaN(v) {
		return p.bad("bad-number", "found value %q in event %s, wanted a number", clip(p.get(fValue)), p.def.label())
	}
	if p.def.action == aSubVariable {
		v = -v
	}
	key := variable{c, p.types[classVariable][typ].name}
	if p.def.action != aSetVariable {
		if v += p.values()[key]; math.IsInf(v, 0) {
			return p.bad("bad-number", "found value %q in event %s, wanted a sum that is a number", clip(p.get(fValue)), p.def.label())
		}
	}
	if p.current != nil {
		p.current[key] = v
	}
	s := &p.out.Sample
	s.Metric.AppendIndex(key.metric)
	s.Container = append(s.Container, c)
	s.Time = append(s.Time, t)
	s.Value = append(s.Value, v)
	return true
}

// variable is one counter of one container.
type variable struct{ container, metric int32 }

// values are the current values of all variables. Most traces only set
// variables, so that they are kept from the first line on that adds to one.
func (p *parser) values() map[variable]float64 {
	if p.current == nil {
		s := &p.out.Sample
		p.current = make(map[variable]float64)
		for i, v := range s.Value {
			p.current[variable{s.Container[i], s.Metric.Index[i]}] = v
		}
	}
	return p.current
}

func (p *parser) instant() bool {
	t, c, typ, ok := p.where(classEvent)
	if !ok {
		return false
	}
	e := &p.out.Event
	e.Type.AppendIndex(p.types[classEvent][typ].name)
	e.Container = append(e.Container, c)
	e.Time = append(e.Time, t)
	e.Value.AppendIndex(internOrNone(&e.Value, p.get(fValue)))
	e.Handle.AppendIndex(internOrNone(&e.Handle, p.get(fHandle)))
	e.Info.AppendIndex(internOrNone(&e.Info, p.get(fInfo)))
	bytes, peer := int64(-1), trace.None
	if b := p.get(fSize); b != nil {
		if bytes, ok = text.Int(b); !ok {
			p.warn("bad-number", "found size %q in event %s, wanted an integer", clip(b), p.def.label())
			bytes = -1
		}
	}
	if b := p.get(fPeer); b != nil {
		if row, ok := p.containers[string(b)]; ok {
			peer = row
		}
	}
	e.Bytes = append(e.Bytes, bytes)
	e.Peer = append(e.Peer, peer)
	return true
}

func (p *parser) link() bool {
	t, c, typ, ok := p.where(classLink)
	if !ok {
		return false
	}
	start := p.def.action == aStartLink
	side := fEndContainer
	if start {
		side = fStartContainer
	}
	at, ok := p.containers[string(p.get(side))]
	if !ok {
		return p.bad("unknown-container", "found container %q in event %s, wanted one that was created", clip(p.get(side)), p.def.label())
	}
	row := p.linkRow(c, typ, start)
	l := &p.out.Link
	if !start {
		l.To[row], l.End[row] = at, t
		return true
	}
	l.From[row], l.Start[row] = at, t
	p.linkDetails(row)
	return true
}

// linkRow finds the other half of a link or begins one. A key may be used
// again once both halves are known.
func (p *parser) linkRow(container, typ int32, start bool) int32 {
	l := &p.out.Link
	k := linkKey{typ, l.Key.Encode(p.get(fKey))}
	if row, ok := p.halves[k]; ok {
		if start && l.Start[row] == trace.NoTime || !start && l.End[row] == trace.NoTime {
			delete(p.halves, k)
			return row
		}
		p.warn("repeated-link", "found a second %s with key %q before its other half", p.def.name, clip(p.get(fKey)))
	}
	row := int32(len(l.Start))
	p.halves[k] = row
	l.Key.Code = append(l.Key.Code, k.key)
	l.Type.AppendIndex(p.types[classLink][typ].name)
	l.Container = append(l.Container, container)
	l.From, l.To = append(l.From, trace.None), append(l.To, trace.None)
	l.Start, l.End = append(l.Start, trace.NoTime), append(l.End, trace.NoTime)
	size, ok := text.Int(p.get(fValue))
	if !ok {
		size = -1
	}
	l.Bytes = append(l.Bytes, size)
	l.Tag = append(l.Tag, 0)
	l.Priority = append(l.Priority, 0)
	l.Mode.AppendIndex(trace.None)
	l.Handle.AppendIndex(trace.None)
	return row
}

func (p *parser) linkDetails(row int32) {
	l := &p.out.Link
	if v, ok := text.Int(p.get(fMPITag)); ok {
		l.Tag[row] = v
	}
	l.Priority[row] = p.small(fPriority, math.MinInt32+1, 0)
	l.Mode.Index[row] = internOrNone(&l.Mode, p.get(fMPIMode))
	l.Handle.Index[row] = internOrNone(&l.Handle, p.get(fHandle))
}

func internOrNone(c *trace.Strings, b []byte) int32 {
	if len(b) == 0 {
		return trace.None
	}
	return c.InternBytes(b)
}

// bad logs a line that cannot be used; warn one that can in part; note one
// that is merely odd. The message is formatted for the first of its kind only.
func (p *parser) bad(code, format string, args ...any) bool {
	p.logf(trace.Error, code, format, args...)
	return false
}

func (p *parser) warn(code, format string, args ...any) { p.logf(trace.Warning, code, format, args...) }
func (p *parser) note(code, format string, args ...any) { p.logf(trace.Info, code, format, args...) }

func (p *parser) logf(s trace.Severity, code, format string, args ...any) {
	message := ""
	if !p.out.Log.Seen(s, p.file, code) {
		message = fmt.Sprintf(format, args...)
	}
	p.out.Log.Add(s, p.file, p.line, code, message)
}

// clip shortens what a hostile line puts into a message.
func clip(b []byte) []byte { return b[:min(len(b), 60)] }
