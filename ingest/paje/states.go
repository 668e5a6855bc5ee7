package paje

import (
	"math"
	"slices"

	"dagscope/ingest/assemble"
	"dagscope/ingest/text"
	"dagscope/trace"
)

// changes are the state events as read, one row each.
type changes struct {
	stream   []int32
	time     []int64
	kind     []int32 // index in Parts.State.Kind's dictionary, None for pops
	extended []int32 // row of Parts.Extended or None
	def      []uint16
}

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
	ch := &p.changes
	ch.stream = append(ch.stream, p.stream(c, typ))
	ch.time = append(ch.time, t)
	ch.kind = append(ch.kind, kind)
	ch.extended = append(ch.extended, extended)
	ch.def = append(ch.def, uint16(p.def.id))
	return true
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
		if p.def.has(fJob) && string(value) != p.State.Kind.Dict[k] && !p.isKernel(typ, k) &&
			p.State.Type.Dict[t.name] == assemble.WorkerState {
			return p.State.Kind.InternBytes(value)
		}
		return k
	}
	k := p.State.Kind.InternBytes(value)
	values[string(value)] = k
	return k
}

func (p *parser) stream(container, typ int32) int32 {
	key := uint64(container)<<32 | uint64(typ)
	if s, ok := p.streams[key]; ok {
		return s
	}
	s := int32(len(p.streamKeys))
	p.streams[key] = s
	p.streamKeys = append(p.streamKeys, key)
	return s
}

// extend records the further fields of a state that carries a job id.
func (p *parser) extend(job []byte) int32 {
	e := &p.Extended
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
	p.changes = changes{}
	for row, start := range p.Link.Start {
		if start == trace.NoTime || p.Link.End[row] == trace.NoTime {
			p.logf(trace.Warning, "half-link", "found only one end of link %q", p.Link.Key.At(row))
		}
	}
	p.account()
}

// span is a state that has begun.
type span struct {
	kind, extended int32
	start          int64
	def            uint16
}

// buildStates runs each stream's changes in time order. Streams come out by
// container and state type, the order in which trace wants them.
func (p *parser) buildStates() {
	rows, first := p.rowsByStream()
	p.growStates(len(rows))
	order := make([]int32, len(p.streamKeys))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if p.streamKeys[a] < p.streamKeys[b] {
			return -1
		}
		return 1
	})
	var stack []span
	for _, s := range order {
		stream := rows[first[s]:first[s+1]]
		p.sortByTime(stream)
		stack = p.replay(s, stream, stack[:0])
	}
}

// rowsByStream is a stable counting sort of the changes by stream: the rows of
// stream s are rows[first[s]:first[s+1]], in file order.
func (p *parser) rowsByStream() (rows, first []int32) {
	first = make([]int32, len(p.streamKeys)+1)
	for _, s := range p.changes.stream {
		first[s+1]++
	}
	for s := range p.streamKeys {
		first[s+1] += first[s]
	}
	next := slices.Clone(first)
	rows = make([]int32, len(p.changes.stream))
	for i, s := range p.changes.stream {
		rows[next[s]] = int32(i)
		next[s]++
	}
	return rows, first
}

// growStates reserves room for n spans: growing by doubling would cost half as
// much memory again on the largest table.
func (p *parser) growStates(n int) {
	s := &p.State
	s.Container = slices.Grow(s.Container, n)
	s.Type.Index = slices.Grow(s.Type.Index, n)
	s.Kind.Index = slices.Grow(s.Kind.Index, n)
	s.Start, s.End = slices.Grow(s.Start, n), slices.Grow(s.End, n)
	s.Depth = slices.Grow(s.Depth, n)
	s.Extended = slices.Grow(s.Extended, n)
}

// sortByTime brings a stream whose time runs backwards into order.
func (p *parser) sortByTime(rows []int32) {
	time := p.changes.time
	late := int64(0)
	for i := 1; i < len(rows); i++ {
		if time[rows[i]] < time[rows[i-1]] {
			late++
		}
	}
	if late == 0 {
		return
	}
	p.Log.AddN(trace.Info, p.file, 0, "unordered-states", "state changes of one container were not in time order: sorted", late)
	slices.SortStableFunc(rows, func(a, b int32) int {
		switch {
		case time[a] < time[b]:
			return -1
		case time[a] > time[b]:
			return 1
		}
		return 0
	})
}

// replay runs the changes of one stream: SetState replaces the innermost
// state, PushState nests, PopState returns, ResetState ends all.
func (p *parser) replay(stream int32, rows []int32, stack []span) []span {
	key := p.streamKeys[stream]
	container, typ := int32(key>>32), int32(uint32(key))
	ch := &p.changes
	for _, row := range rows {
		t := ch.time[row]
		next := span{ch.kind[row], ch.extended[row], t, ch.def[row]}
		switch p.defs[next.def].action {
		case aSetState:
			if n := len(stack); n > 0 {
				if bare := stack[n-1]; next.extended != trace.None && bare.start == t && bare.extended == trace.None && p.sameValue(typ, bare, next) {
					p.merge(bare, next, typ) // StarPU writes each task twice
				} else {
					p.emit(container, typ, bare, t, n-1)
				}
				stack = stack[:n-1]
			}
			stack = append(stack, next)
		case aPushState:
			stack = append(stack, next)
		case aPopState:
			if n := len(stack); n > 0 {
				p.emit(container, typ, stack[n-1], t, n-1)
				stack = stack[:n-1]
			} else {
				p.logf(trace.Warning, "pop-without-push", "found a PopState on %q that has no state at %d ns", p.Container.Name.At(int(container)), t)
				p.defs[next.def].bad++
			}
		default:
			stack = p.closeAll(container, typ, stack, t)
		}
	}
	open := len(p.State.Start)
	stack = p.closeAll(container, typ, stack, p.endOf(container))
	for row := open; row < len(p.State.Start); row++ {
		if p.State.Extended[row] != trace.None {
			p.Unfinished = append(p.Unfinished, int32(row))
		}
	}
	return stack
}

// sameValue tells whether two states were written with the same value, which
// may be an alias in the bare one.
func (p *parser) sameValue(typ int32, bare, extended span) bool {
	if bare.kind == extended.kind {
		return true
	}
	k, ok := p.types[classState][typ].values[p.State.Kind.Dict[extended.kind]]
	return ok && k == bare.kind
}

// endOf is when the states of a container end at the latest: with it, or with
// one that holds it (StarPU destroys threads only, not the workers in them).
func (p *parser) endOf(container int32) int64 {
	c := &p.Container
	end := p.Horizon
	for ; container != trace.None; container = c.Parent[container] {
		if e := c.End[container]; e != trace.NoTime {
			end = min(end, e)
		}
	}
	return end
}

func (p *parser) closeAll(container, typ int32, stack []span, t int64) []span {
	for n := len(stack); n > 0; n-- {
		p.emit(container, typ, stack[n-1], max(t, stack[n-1].start), n-1)
	}
	return stack[:0]
}

// merge counts a bare row that the extended one replaces.
func (p *parser) merge(bare, next span, typ int32) {
	if p.isTask(typ, next) {
		p.merged[int(bare.def)]++
	}
}

func (p *parser) isTask(typ int32, s span) bool {
	return s.extended != trace.None && p.isKernel(typ, s.kind)
}

// isKernel tells whether a value is one that tasks have.
func (p *parser) isKernel(typ, kind int32) bool {
	t := &p.types[classState][typ]
	return assemble.IsTask(p.State.Type.Dict[t.name], p.State.Kind.Dict[kind])
}

func (p *parser) emit(container, typ int32, s span, end int64, depth int) {
	if p.isTask(typ, s) {
		p.tasks[int(s.def)]++
	}
	st := &p.State
	st.Container = append(st.Container, container)
	st.Type.AppendIndex(p.types[classState][typ].name)
	st.Kind.AppendIndex(s.kind)
	st.Start = append(st.Start, s.start)
	st.End = append(st.End, end)
	st.Depth = append(st.Depth, int32(depth))
	st.Extended = append(st.Extended, s.extended)
}

// destination is the table where the lines of an action go.
var destination = map[action]string{
	aCreateContainer: "resource", aDestroyContainer: "resource", aNewEvent: "event", aSetState: "state",
	aPushState: "state", aPopState: "state", aResetState: "state", aSetVariable: "sample", aAddVariable: "sample",
	aSubVariable: "sample", aStartLink: "transfer", aEndLink: "transfer",
}

// account says where every line went.
func (p *parser) account() {
	a := &p.Account
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
		tasks := p.tasks[id] + p.merged[id]
		a.Add(p.file, d.label(), "task", tasks)
		a.Add(p.file, d.label(), table, d.lines-d.bad-tasks)
		a.Add(p.file, d.label(), "log", d.bad)
	}
}
