package taskcsv

import (
	"bytes"
	"math"
	"strconv"

	"dagscope/internal/text"
	"dagscope/trace"
)

// exact bounds numbers of bytes: a float64 holds them all.
const exact = 1 << 53

// row appends a task, false if the line is none.
func (t *table) row(f [][]byte) bool {
	if len(f) != len(t.header.columns) {
		return t.damaged("(all)", strconv.Itoa(len(f))+" fields", strconv.Itoa(len(t.header.columns))+", as many as columns are named")
	}
	start, end, ok := t.span(f)
	if !ok || !t.named(f) {
		return false
	}
	c := &t.b.Run.Task
	if len(c.Start) == cap(c.Start) {
		t.reserve(max(1024, t.rows())) // append alone grows long columns by a quarter, and copies them five times
	}
	c.Start, c.End = append(c.Start, start), append(c.End, end)
	t.lines = append(t.lines, t.line)
	t.defaults()
	for _, i := range t.header.optional {
		if v := f[i]; len(v) > 0 {
			t.set(&t.header.columns[i], v)
		}
	}
	if len(t.parameters) > 0 {
		t.setParameters()
	}
	return true
}

// span is when the task ran.
func (t *table) span(f [][]byte) (start, end int64, ok bool) {
	if t.graph {
		return 0, 0, true
	}
	at := func(field field) (int64, bool) {
		c := &t.header.columns[t.header.at[field]]
		v := f[t.header.at[field]]
		ns, ok := c.unit.Nanos(bytes.TrimSpace(v))
		if !ok {
			t.damaged(c.name, string(v), "a time")
		}
		return ns, ok
	}
	if start, ok = at(startField); !ok {
		return start, end, ok
	}
	if !t.header.has(endField) {
		end, ok = at(durationField)
		end += start
	} else {
		end, ok = at(endField)
	}
	if ok && (end < start || end > text.MaxTime) {
		return start, end, t.damaged(t.header.columns[t.header.at[startField]].name, strconv.FormatInt(end-start, 10)+" ns to the end", "an end that is not before the start")
	}
	return start, end, ok
}

// named sets the name, kind and worker of a task.
func (t *table) named(f [][]byte) bool {
	kind := f[t.header.at[kindField]]
	if len(kind) == 0 {
		return t.damaged("kind", "", "a kind")
	}
	c := &t.b.Run.Task
	id := int64(len(t.lines))
	if at := t.header.at[idField]; at >= 0 && len(f[at]) == 0 {
		return t.damaged("id", "", "a name of the task")
	} else if at >= 0 {
		id = t.key(f[at])
	} else {
		id = t.key(strconv.AppendInt(nil, id, 10))
	}
	c.Key.AppendCode(id)
	t.last.kind = intern(&c.Kind, kind, t.last.kind)
	c.Kind.AppendIndex(t.last.kind)
	worker := []byte("0")
	if at := t.header.at[workerField]; at >= 0 && len(f[at]) > 0 {
		worker = f[at]
	}
	if t.header.has(nodeField) {
		worker = t.onNode(f[t.header.at[nodeField]], worker)
	}
	t.last.worker = intern(&t.workers, worker, t.last.worker)
	t.workers.AppendIndex(t.last.worker)
	return true
}

const mostNodes = 1 << 16

// onNode is the name of a worker after its node's number, which is 0 if the file
// does not say it.
func (t *table) onNode(v, worker []byte) []byte {
	n, ok := digits(v)
	if len(v) > 0 && (!ok || n >= mostNodes) {
		t.wrong(&t.header.columns[t.header.at[nodeField]], v, "the number of a node, below 65536")
		n = 0
	}
	t.node = append(t.node, int32(n))
	t.name = strconv.AppendInt(t.name[:0], n, 10)
	return append(append(t.name, '/'), worker...)
}

// intern is the entry of a text, which may be the one before.
func intern(s *trace.Strings, text []byte, last int32) int32 {
	if last >= 0 && s.Dict[last] == string(text) {
		return last
	}
	return s.InternBytes(text)
}

// defaults appends what is not known to all columns but those that every task
// has.
func (t *table) defaults() {
	c, h := &t.b.Run.Task, t.header
	c.Submit, c.Ready = append(c.Submit, trace.NoTime), append(c.Ready, trace.NoTime)
	c.Priority, c.Iteration = append(c.Priority, 0), append(c.Iteration, -1)
	t.parameters = t.parameters[:0]
	for len(t.arch.Index) < len(t.workers.Dict) {
		t.arch.AppendIndex(trace.None)
	}
	if h.has(flopsField) || h.has(gflopField) {
		c.GFlop = append(c.GFlop, math.NaN())
	}
	if h.has(xField) || h.has(yField) {
		c.X, c.Y = append(c.X, trace.NoInt), append(c.Y, trace.NoInt)
	}
	if h.has(parameterField) {
		c.Parameters.AppendIndex(trace.None)
	}
	if h.has(startBytesField) || h.has(endBytesField) {
		t.startBytes, t.endBytes = append(t.startBytes, 0), append(t.endBytes, 0)
	}
	if h.has(frontField) {
		t.front = append(t.front, noFront)
	}
	if h.has(cpuField) {
		t.cpu = append(t.cpu, trace.NoTime)
	}
}

// reserve makes room for n more tasks.
func (t *table) reserve(n int) {
	if n <= 0 {
		return
	}
	c, a, h := &t.b.Run.Task, &t.b.Run.Access, t.header
	trace.Reserve(n, &c.Start, &c.End, &c.Submit, &c.Ready, &c.Key.Code, &t.lines)
	trace.Reserve(n, &c.Priority, &c.Iteration, &c.Kind.Index, &t.workers.Index)
	if h.has(parameterField) {
		trace.Reserve(n, &c.Parameters.Index)
	}
	if h.has(flopsField) || h.has(gflopField) {
		trace.Reserve(n, &c.GFlop)
	}
	// Of lists there will be as many for each task as there were so far.
	perTask := float64(n) / float64(max(1, t.rows()))
	trace.Reserve(int(perTask*float64(len(t.depends))), &t.depends)
	trace.Reserve(int(perTask*float64(len(a.Task))), &a.Task, &a.Handle, &a.Mode.Index)
}

// set sets a value of the last task.
func (t *table) set(c *column, v []byte) {
	k, task := len(t.lines)-1, &t.b.Run.Task
	switch c.field {
	case submitField:
		t.time(&task.Submit[k], c, v)
	case readyField:
		t.time(&task.Ready[k], c, v)
	case cpuField:
		t.time(&t.cpu[k], c, v)
	case priorityField:
		t.whole32(&task.Priority[k], c, v)
	case iterationField:
		t.whole32(&task.Iteration[k], c, v)
	case xField:
		t.whole32(&task.X[k], c, v)
	case yField:
		t.whole32(&task.Y[k], c, v)
	case flopsField:
		t.number(&task.GFlop[k], c, v, 1e9)
	case gflopField:
		t.number(&task.GFlop[k], c, v, 1)
	case startBytesField:
		t.whole(&t.startBytes[k], c, v)
	case endBytesField:
		t.whole(&t.endBytes[k], c, v)
	case frontField:
		t.whole(&t.front[k], c, v)
	case archField:
		t.arch.Index[t.workers.Index[k]] = t.arch.InternBytes(v)
	case dependsField:
		t.dependencies(v)
	case accessField:
		t.accesses(c, v)
	case parameterField:
		t.parameter(c, v)
	}
}

func (t *table) time(to *int64, c *column, v []byte) {
	ns, ok := c.unit.Nanos(v)
	if !ok {
		t.wrong(c, v, "a time")
		return
	}
	*to = ns
}

// whole reads a whole number, which a program may have printed as 1e6 or 3.0.
func (t *table) whole(to *int64, c *column, v []byte) {
	if n, ok := digits(v); ok {
		*to = n
		return
	}
	n, ok := text.Int(v)
	if !ok {
		var f float64
		f, ok = text.Float(v)
		ok = ok && f == math.Trunc(f) && math.Abs(f) <= exact
		n = int64(f)
	}
	if !ok || n > exact || n < -exact {
		t.wrong(c, v, "a whole number")
		return
	}
	*to = n
}

func (t *table) whole32(to *int32, c *column, v []byte) {
	n := int64(*to)
	t.whole(&n, c, v)
	if n != int64(int32(n)) {
		t.wrong(c, v, "a whole number of 32 bits")
		return
	}
	*to = int32(n)
}

func (t *table) number(to *float64, c *column, v []byte, per float64) {
	if n, ok := digits(v); ok {
		*to = float64(n) / per
		return
	}
	f, ok := text.Float(v)
	if !ok || f < 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		t.wrong(c, v, "a number from 0")
		return
	}
	*to = f / per
}

// parameter adds NAME=VALUE.
func (t *table) parameter(c *column, v []byte) {
	if _, whole := digits(v); !whole {
		if f, ok := text.Float(v); !ok || math.IsInf(f, 0) || math.IsNaN(f) {
			t.wrong(c, v, "a number")
			return
		}
	}
	if len(t.parameters) > 0 {
		t.parameters = append(t.parameters, ' ')
	}
	t.parameters = append(t.parameters, c.name...)
	t.parameters = append(t.parameters, '=')
	t.parameters = append(t.parameters, v...)
}

func (t *table) setParameters() {
	p := &t.b.Run.Task.Parameters
	p.Index[len(p.Index)-1] = p.InternBytes(t.parameters)
}
