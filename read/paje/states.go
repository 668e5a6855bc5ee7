package paje

import (
	"math"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/read/spans"
	"dagscope/trace"
)

// change records one change of state.
func (p *parser) change() bool {
	t, c, typ, ok := p.where(classState)
	if !ok {
		return false
	}
	kind, extended := trace.None, trace.None
	if p.def.action == aSetState || p.def.action == aPushState {
		kind = p.kind(typ)
		if job := p.get(fJob); job != nil {
			extended = p.extend(job)
		}
	}
	p.changes.Add(p.changes.Stream(c, typ, p.types[classState][typ].name), operations[p.def.action], t, kind, extended, uint16(p.def.id))
	return true
}

// operations are what the actions on states do.
var operations = map[action]spans.Op{
	aSetState: spans.Set, aPushState: spans.Push, aPopState: spans.Pop, aResetState: spans.Reset,
}

// kind resolves the value of a state; names without a definition (StarPU's
// tasks) stand for themselves. So do those of worker states with a job that are
// also the alias of a state of the runtime: a kernel may be called "I" or "B".
// (Threads do have aliases in such rows.)
func (p *parser) kind(typ int32) int32 {
	value := p.get(fValue)
	t := &p.types[classState][typ]
	values := t.values
	if k, ok := values[string(value)]; ok {
		if p.def.has(fJob) && string(value) != p.out.State.Kind.Dict[k] && !p.isKernel(typ, k) &&
			p.out.State.Type.Dict[t.name] == assemble.WorkerState {
			return p.out.State.Kind.InternBytes(value)
		}
		return k
	}
	k := p.out.State.Kind.InternBytes(value)
	values[string(value)] = k
	return k
}

// extend records the further fields of a state that carries a job id.
func (p *parser) extend(job []byte) int32 {
	e := &p.out.Extended
	e.Job.Append(job)
	e.Order = append(e.Order, p.small(fOrder, 0, trace.None))
	e.Priority = append(e.Priority, p.number(fPriority, trace.NoTime))
	e.Bytes = append(e.Bytes, p.number(fSize, -1))
	e.Parameters.AppendIndex(internOrNone(&e.Parameters, p.get(fParams)))
	e.Footprint = append(e.Footprint, uint32(p.hex(fFootprint, math.MaxUint32)))
	e.Tag = append(e.Tag, p.hex(fTag, math.MaxUint64))
	e.GFlop = append(e.GFlop, p.float(fGFlop))
	e.X = append(e.X, p.small(fX, math.MinInt32+1, trace.NoInt))
	e.Y = append(e.Y, p.small(fY, math.MinInt32+1, trace.NoInt))
	e.Iteration = append(e.Iteration, p.small(fIteration, -1, -1))
	e.Subiteration = append(e.Subiteration, p.small(fSubiteration, -1, -1))
	e.Numa.AppendIndex(internOrNone(&e.Numa, p.get(fNuma)))
	return int32(len(e.Order) - 1)
}

// number reads an integer field; under MPI a rank may stand before it, "0_191".
func (p *parser) number(f field, absent int64) int64 {
	b := p.get(f)
	if len(b) == 0 {
		return absent
	}
	v, ok := text.Int(b[rankPrefix(b):])
	if !ok {
		p.warn("bad-number", "found %q in event %s, wanted an integer", clip(b), p.def.label())
		return absent
	}
	return v
}

// small reads an integer field of 32 bits that is not below low.
func (p *parser) small(f field, low int64, absent int32) int32 {
	v := p.number(f, int64(absent))
	if v == int64(absent) {
		return absent
	}
	if v < low || v > math.MaxInt32 {
		p.warn("bad-number", "found %q in event %s, wanted an integer from %d to %d", clip(p.get(f)), p.def.label(), low, math.MaxInt32)
		return absent
	}
	return int32(v)
}

func rankPrefix(b []byte) int {
	for i := len(b) - 1; i > 0; i-- {
		if b[i] == '_' {
			return i + 1
		}
	}
	return 0
}

func (p *parser) hex(f field, limit uint64) uint64 {
	b := p.get(f)
	if len(b) == 0 {
		return 0
	}
	v, ok := text.Hex(b)
	if !ok || v > limit {
		p.warn("bad-number", "found %q in event %s, wanted a hexadecimal number of at most %x", clip(b), p.def.label(), limit)
		return 0
	}
	return v
}

func (p *parser) float(f field) float64 {
	b := p.get(f)
	if len(b) == 0 {
		return math.NaN()
	}
	v, ok := text.Float(b)
	if !ok || math.IsInf(v, 0) {
		p.warn("bad-number", "found %q in event %s, wanted a number", clip(b), p.def.label())
		return math.NaN()
	}
	return v
}

// finish turns changes into spans and closes the accounts.
func (p *parser) finish() {
	p.line = 0 // what is found from here on has no line
	p.buildStates()
	for row, start := range p.out.Link.Start {
		if start == trace.NoTime || p.out.Link.End[row] == trace.NoTime {
			p.logf(trace.Warning, "half-link", "found only one end of link %q", p.out.Link.Key.At(row))
		}
	}
	p.account()
}

// buildStates makes spans of the changes and counts what became of them.
func (p *parser) buildStates() {
	tally := p.changes.Build(p.out, spans.Options{File: p.file, Same: p.sameValue})
	p.tasks, p.merged = tally.Tasks, tally.Merged
	for id, n := range tally.Bad {
		if n > 0 {
			p.defs[id].bad += n
		}
	}
}

// sameValue reports whether two states were written with the same value, which
// may be an alias in the bare one.
func (p *parser) sameValue(typ, bare, extended int32) bool {
	k, ok := p.types[classState][typ].values[p.out.State.Kind.Dict[extended]]
	return ok && k == bare
}

// isKernel reports whether a value is one that tasks have.
func (p *parser) isKernel(typ, kind int32) bool {
	t := &p.types[classState][typ]
	return assemble.IsTask(p.out.State.Type.Dict[t.name], p.out.State.Kind.Dict[kind])
}

// destination is the table where the lines of an action go.
var destination = map[action]string{
	aCreateContainer: "resource", aDestroyContainer: "resource", aNewEvent: "event", aSetState: "state",
	aPushState: "state", aPopState: "state", aResetState: "state", aSetVariable: "sample", aAddVariable: "sample",
	aSubVariable: "sample", aStartLink: "transfer", aEndLink: "transfer",
}

// account says where every line went.
func (p *parser) account() {
	a := &p.out.Account
	a.Add(p.file, "header", "definition", p.header)
	a.Add(p.file, "blank", "blank", p.blank)
	a.Add(p.file, "comment", "comment", p.comment)
	a.Add(p.file, "unknown event", "log", p.unknown)
	for id, d := range p.defs {
		if d == nil {
			continue
		}
		table, ok := destination[d.action]
		if !ok {
			table = "definition"
		}
		tasks := at(p.tasks, id) + at(p.merged, id)
		a.Add(p.file, d.label(), "task", tasks)
		a.Add(p.file, d.label(), table, d.lines-d.bad-tasks)
		a.Add(p.file, d.label(), "log", d.bad)
	}
}

func at(counts []int64, id int) int64 {
	if id < len(counts) {
		return counts[id]
	}
	return 0
}
