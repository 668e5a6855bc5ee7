package starvz

import (
	"bytes"
	"math"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// stateColumns are the fields of states, in the order in which pj_dump prints
// them: those of every state up to Value, then those of the extended states.
// The headers name some or all of them. StarPU 1.4.12 and later print Priority
// after SubmitOrder, which no header names (docs/design/starpu.md, Files of
// StarVZ).
var stateColumns = []string{"Nature", "ResourceId", "Type", "Start", "End", "Duration", "Depth", "Value",
	"Size", "Params", "Footprint", "Tag", "JobId", "SubmitOrder", "GFlop", "X", "Y", "Iteration", "Subiteration", "NumaNodes"}

// states is where the fields of the current file stand.
type states struct {
	nature, resource, kind, start, end, depth, value   int
	size, params, footprint, tag, job, order, priority int
	gflop, x, y, iteration, subiteration, numa         int

	usual bool // the fields after Value stand in the usual order
}

// readStates reads paje.worker_state, comm_state, memory_state, other_state.
func readStates(in *input, r *text.Reader, file string) error {
	first := len(in.p.State.Start)
	return in.eachThen(r, file, in.states.bind, func(t *table) assemble.Destination { return in.states.row(in, t) },
		func(t *table) { in.dropBare(first, t.counts) })
}

// bind finds the columns. A header that ends early goes on in the usual order.
func (s *states) bind(t *table) {
	known := make(map[string]int)
	for i, name := range t.header {
		known[name] = i
	}
	next := len(t.header)
	for _, name := range stateColumns {
		if _, ok := known[name]; !ok {
			known[name] = next
			next++
		}
	}
	at := func(name string) int { return known[name] }
	*s = states{
		nature: at("Nature"), resource: at("ResourceId"), kind: at("Type"), start: at("Start"), end: at("End"),
		depth: at("Depth"), value: at("Value"), size: at("Size"), params: at("Params"), footprint: at("Footprint"),
		tag: at("Tag"), job: at("JobId"), order: at("SubmitOrder"), priority: t.column("Priority"), gflop: at("GFlop"),
		x: at("X"), y: at("Y"), iteration: at("Iteration"), subiteration: at("Subiteration"), numa: at("NumaNodes"),
	}
	s.usual = s.size == s.value+1 && s.footprint == s.value+3 && s.tag == s.value+4 && s.job == s.value+5
}

// row reads one state.
func (s *states) row(in *input, t *table) assemble.Destination {
	if len(t.fields) <= s.value {
		return t.damaged("at least the fields up to Value")
	}
	start, ok1 := text.Millis(t.field(s.start))
	end, ok2 := text.Millis(t.field(s.end))
	if string(t.field(s.nature)) != "State" || !ok1 || !ok2 || end < start {
		return t.damaged("a State with Start and, not before it, End in milliseconds")
	}
	depth, ok := text.Float(t.field(s.depth))
	if !ok || !(depth >= 0 && depth <= math.MaxInt32) {
		t.wrong("Depth", t.field(s.depth), "a number")
		depth = 0
	}
	extended := s.foldValue(t)
	c := &in.p.State
	c.Container = append(c.Container, in.container(t, t.field(s.resource), t.field(s.kind)))
	c.Type.AppendIndex(c.Type.InternBytes(t.field(s.kind)))
	c.Kind.AppendIndex(c.Kind.InternBytes(t.fields[s.value]))
	c.Start = append(c.Start, start)
	c.End = append(c.End, end)
	c.Depth = append(c.Depth, int32(depth))
	in.p.Horizon = max(in.p.Horizon, end)
	if !extended {
		c.Extended = append(c.Extended, trace.None)
		return bareState
	}
	c.Extended = append(c.Extended, int32(len(in.p.Extended.Order)))
	s.extended(&in.p.Extended, t)
	if assemble.IsTask(string(t.field(s.kind)), string(t.fields[s.value])) {
		return assemble.Destination{Record: "State with job", Table: "task"}
	}
	return assemble.Destination{Record: "State with job", Table: "state"}
}

var bareState = assemble.Destination{Record: "State", Table: "state"}

// dropBare takes out the rows from one on that repeat a task without its
// fields and without duration: StarPU writes each task twice. (The two are
// mostly, not always, one after the other.)
func (in *input) dropBare(from int, counts assemble.Lines) {
	type place struct {
		container, kind int32
		start           int64
	}
	c := &in.p.State
	tasks := make(map[place]bool)
	at := func(row int) place { return place{c.Container[row], c.Kind.Index[row], c.Start[row]} }
	for row := from; row < len(c.Start); row++ {
		if c.Extended[row] != trace.None && assemble.IsTask(c.Type.At(row), c.Kind.At(row)) {
			tasks[at(row)] = true
		}
	}
	keep := from
	for row := from; row < len(c.Start); row++ {
		if c.Extended[row] == trace.None && c.End[row] == c.Start[row] && c.Type.At(row) == assemble.WorkerState && tasks[at(row)] {
			counts[bareState]--
			counts[assemble.Destination{Record: "State", Table: "task"}]++
			continue
		}
		c.Container[keep], c.Type.Index[keep], c.Kind.Index[keep] = c.Container[row], c.Type.Index[row], c.Kind.Index[row]
		c.Start[keep], c.End[keep], c.Depth[keep], c.Extended[keep] = c.Start[row], c.End[row], c.Depth[row], c.Extended[row]
		keep++
	}
	c.Container, c.Type.Index, c.Kind.Index = c.Container[:keep], c.Type.Index[:keep], c.Kind.Index[:keep]
	c.Start, c.End, c.Depth, c.Extended = c.Start[:keep], c.End[:keep], c.Depth[:keep], c.Extended[:keep]
}

// foldValue reports whether the row is that of an extended state. Commas in the
// value made it several fields: they are put together again. Of the further
// fields, the first is a size and the fourth and fifth exist, or there is one
// only, a job id (StarPU's event 26).
func (s *states) foldValue(t *table) (extended bool) {
	n := len(t.fields)
	if n == s.value+1 {
		return false
	}
	if !s.usual {
		return len(t.field(s.job)) > 0
	}
	end := n // of the value
	for i := s.value + 1; i < n; i++ {
		if s.beginsExtended(t.fields[i:]) {
			end, extended = i, true
			break
		}
	}
	if end > s.value+1 {
		t.fields[s.value] = bytes.Join(t.fields[s.value:end], []byte(", "))
		t.fields = append(t.fields[:s.value+1], t.fields[end:]...)
	}
	if len(t.fields) == s.value+2 { // the job id alone: move it to its column
		id := t.fields[s.value+1]
		t.fields = t.fields[:s.value+1]
		for len(t.fields) < s.job {
			t.fields = append(t.fields, nil)
		}
		t.fields = append(t.fields, id)
	}
	return extended
}

// beginsExtended reports whether fields are those after Value: Size, Params,
// Footprint, Tag, JobId, SubmitOrder, … or a job id alone.
func (s *states) beginsExtended(f [][]byte) bool {
	if len(f) == 1 {
		return isJob(f[0])
	}
	if len(f) < 6 {
		return false
	}
	_, size := text.Int(f[0])
	_, footprint := text.Hex(f[2])
	_, tag := text.Hex(f[3])
	return size && footprint && tag && isJob(f[4])
}

// isJob recognises "12" and "0_12".
func isJob(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 && c != '_' {
			return false
		}
	}
	return len(b) > 0 && b[len(b)-1] != '_'
}

// extended adds the fields of a state that carries a job id.
func (s *states) extended(c *assemble.Extended, t *table) {
	shift := 0
	priority := t.field(s.priority)
	if s.priority < 0 && looksLikePriority(t.field(s.gflop), t.field(s.gflop+1)) {
		priority, shift = t.field(s.gflop), 1
	}
	c.Job.Append(t.field(s.job))
	c.Order = append(c.Order, max(int32(t.integer("SubmitOrder", afterRank(t.field(s.order)), math.MaxInt32, int64(trace.None))), trace.None))
	c.Priority = append(c.Priority, t.integer("Priority", priority, math.MaxInt64, trace.NoTime))
	c.Bytes = append(c.Bytes, t.integer("Size", t.field(s.size), math.MaxInt64, -1))
	appendText(&c.Parameters, t.field(s.params))
	c.Footprint = append(c.Footprint, uint32(t.hex("Footprint", t.field(s.footprint), math.MaxUint32)))
	c.Tag = append(c.Tag, t.hex("Tag", t.field(s.tag), math.MaxUint64))
	c.GFlop = append(c.GFlop, t.number("GFlop", t.field(s.gflop+shift)))
	c.X = append(c.X, int32(t.integer("X", t.field(s.x+shift), math.MaxInt32, int64(trace.NoInt))))
	c.Y = append(c.Y, int32(t.integer("Y", t.field(s.y+shift), math.MaxInt32, int64(trace.NoInt))))
	c.Iteration = append(c.Iteration, int32(t.integer("Iteration", t.field(s.iteration+shift), math.MaxInt32, -1)))
	c.Subiteration = append(c.Subiteration, int32(t.integer("Subiteration", t.field(s.subiteration+shift), math.MaxInt32, -1)))
	appendText(&c.Numa, t.field(s.numa+shift))
}

// looksLikePriority reports whether a field is Priority with GFlop after it
// rather than GFlop with X after it: GFlop is printed with a decimal point,
// Priority and X without.
func looksLikePriority(first, second []byte) bool {
	_, whole := text.Int(first)
	return whole && bytes.IndexByte(second, '.') >= 0
}

// afterRank strips the rank of a submission order, "0_12".
func afterRank(b []byte) []byte { return b[bytes.LastIndexByte(b, '_')+1:] }

// integer reads a field of at most limit; absent is for empty and wrong ones.
func (t *table) integer(name string, b []byte, limit, absent int64) int64 {
	if len(b) == 0 {
		return absent
	}
	n, ok := text.Int(b)
	if !ok || n > limit || n < -limit {
		t.wrong(name, b, "an integer")
		return absent
	}
	return n
}

func (t *table) hex(name string, b []byte, limit uint64) uint64 {
	if len(b) == 0 {
		return 0
	}
	n, ok := text.Hex(b)
	if !ok || n > limit {
		t.wrong(name, b, "a hexadecimal number")
		return 0
	}
	return n
}

func (t *table) number(name string, b []byte) float64 {
	if len(b) == 0 {
		return math.NaN()
	}
	f, ok := text.Float(b)
	if !ok || math.IsInf(f, 0) {
		t.wrong(name, b, "a number")
		return math.NaN()
	}
	return f
}

// appendText adds a text. "x" is what StarVZ puts for an empty one.
func appendText(c *trace.Strings, b []byte) {
	if len(b) == 0 || string(b) == "x" {
		c.AppendIndex(trace.None)
		return
	}
	c.AppendIndex(c.InternBytes(b))
}
