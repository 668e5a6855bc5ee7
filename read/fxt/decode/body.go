package decode

import (
	"bytes"
	"math"

	"dagscope/trace"
)

// body is the execution of a task on a worker, which several events tell: its
// beginning, the layout of each of its data, the rest, its end.
type body struct {
	row       int32 // of the task, None before the first
	start     int64
	change    int32 // that began it, in the worker's stream; None if tracing was off
	context   int32 // stream of the scheduling context's states, None for the first
	inContext int32 // the change there
	layouts   []byte
}

var noBody = body{row: trace.None, change: trace.None, context: trace.None}

func startBody(r *rank, a *args) {
	w := r.worker(a.int(2))
	if w == nil {
		if a.int(2) >= 0 {
			r.bad("a task on worker %d, want one that was initialised", a.int(2))
		}
		return
	}
	row, c := r.task(a.v[0]), &r.out.Task
	c.Start[row], c.Worker[row] = r.now, int32(a.int(2))
	if a.has(3) && a.int(3) >= 0 {
		c.MemoryNode[row] = a.small(3)
	}
	if a.has(4) { // before 1.4
		c.Name.Index[row] = r.tasks.name.index(givenName(a, 4))
	}
	kind := r.kindOf(row)
	b := &w.body
	*b = body{row: row, start: r.now, change: trace.None, context: trace.None, layouts: b.layouts[:0]}
	if !r.paused {
		b.change = r.set(w.stream, kind)
	}
	if context := a.v[1]; context != 0 {
		name := r.contextStates(context)
		b.context = r.states.Stream(w.container, name, name)
		b.inContext = r.set(b.context, kind)
	}
}

// kindOf is the kind of a task's states, in State.Kind's dictionary.
func (r *rank) kindOf(row int32) int32 {
	t, name := &r.tasks, r.out.Task.Name.Index[row]
	if name == trace.None {
		if model := r.out.Task.Model.At(int(row)); model != "" {
			return r.out.State.Kind.Intern(model)
		}
		return r.out.State.Kind.Intern("(unknown)")
	}
	for int(name) >= len(t.kind) {
		t.kind = append(t.kind, r.out.State.Kind.Intern(r.out.Task.Name.Dict[len(t.kind)]))
	}
	r.colorKind(t.kind[name], r.tasks.more[row].color)
	return t.kind[name]
}

// bodyData adds the layout of one datum, "M960x960x4", to those of the task.
func bodyData(r *rank, a *args) {
	w := r.worker(a.int(0))
	if w == nil {
		return
	}
	b := &w.body
	if len(b.layouts) > 0 {
		b.layouts = append(b.layouts, ' ')
	}
	b.layouts = append(b.layouts, a.text()...)
}

// extended returns the row of Extended that a task's states name, a new one if
// there is none.
func (r *rank) extended(row int32) int32 {
	t := &r.tasks.more[row]
	if t.extended != trace.None {
		return t.extended
	}
	e := &r.out.Extended
	if len(e.Order) == cap(e.Order) {
		r.growExtended()
	}
	t.extended = int32(len(e.Order))
	job := r.out.Task.Job.Code[row]
	if job >= maxJob { // else the same code: both columns have the rank's prefix first
		job = e.Job.Encode([]byte(r.out.Task.Job.At(int(row))))
	}
	e.Job.AppendCode(job)
	e.Order = append(e.Order, trace.None)
	e.Priority = append(e.Priority, trace.NoTime)
	e.Bytes = append(e.Bytes, -1)
	e.Parameters.AppendIndex(trace.None)
	e.Footprint = append(e.Footprint, 0)
	e.Tag = append(e.Tag, 0)
	e.GFlop = append(e.GFlop, math.NaN())
	e.X, e.Y = append(e.X, trace.NoInt), append(e.Y, trace.NoInt)
	e.Iteration, e.Subiteration = append(e.Iteration, -1), append(e.Subiteration, -1)
	e.Numa.AppendIndex(trace.None)
	return t.extended
}

// bodyDetails completes what the beginning of a task's execution said.
func bodyDetails(r *rank, a *args) {
	w := r.worker(a.int(5))
	if w == nil {
		if a.int(5) >= 0 {
			r.bad("details of a task on worker %d, want one that was initialised", a.int(5))
		}
		return
	}
	b := &w.body
	row := r.task(a.v[6])
	t := &r.tasks.more[row]
	c := &r.out.Task
	if b.row != row {
		b.layouts = b.layouts[:0] // those of another task, whose details were not recorded
	}
	if len(b.layouts) == 0 {
		b.layouts = append(b.layouts, "nodata"...)
	}
	params := r.tasks.layout.index(b.layouts)
	b.layouts = b.layouts[:0]
	c.Parameters.Index[row] = params
	c.Footprint[row], c.Tag[row] = uint32(a.v[2]), a.v[4]
	gflop := float64(a.v[3]) / 1e6
	if a.v[3] != 0 {
		c.GFlop[row] = gflop
	}
	if t.detailed { // on several workers
		t.extended = trace.None
	}
	ext := r.extended(row)
	t.detailed = true
	e := &r.out.Extended
	e.Order[ext] = max(c.Order[row], 0)
	e.Priority[ext] = priority32(c.Priority[row])
	e.Bytes[ext] = int64(min(a.v[1], math.MaxInt64))
	e.Parameters.Index[ext] = r.underscored(params)
	e.Footprint[ext], e.Tag[ext] = c.Footprint[row], c.Tag[row]
	e.GFlop[ext] = gflop
	e.X[ext], e.Y[ext] = r.coordinates(t.written)
	e.Iteration[ext], e.Subiteration[ext] = c.Iteration[row], c.Subiteration[row]
	e.Numa.Index[ext] = r.numaOf(row, ext)
	r.extendBody(w, b, row, ext)
}

// priority32 brings a priority into the 32 bits that a run has for it. The
// task's own row keeps what was found, which is logged when the run is made.
func priority32(v int64) int64 {
	if v == trace.NoTime { // none
		return v
	}
	return max(math.MinInt32+1, min(v, math.MaxInt32))
}

// extendBody gives the states that the task began their further fields.
func (r *rank) extendBody(w *worker, b *body, row, ext int32) {
	if b.row != row {
		r.bad("details of a task that did not begin on their worker, want its beginning before")
		return
	}
	if b.change != trace.None {
		r.states.Extend(w.stream, b.change, ext)
	}
	if b.context != trace.None {
		r.states.Extend(b.context, b.inContext, ext)
	}
}

// underscored is the entry of Extended.Parameters for one of Task.Parameters:
// the same without blanks.
func (r *rank) underscored(entry int32) int32 {
	t, e := &r.tasks, &r.out.Extended
	if entry == trace.None { // nothing but blanks
		return trace.None
	}
	for int(entry) >= len(t.params) {
		text := []byte(r.out.Task.Parameters.Dict[len(t.params)])
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(" "), []byte("_")), []byte("\t"), []byte("_"))
		t.params = append(t.params, e.Parameters.InternBytes(text))
	}
	return t.params[entry]
}

func endBody(r *rank, a *args) {
	w := r.worker(a.int(1))
	if w == nil {
		if a.int(1) >= 0 {
			r.bad("the end of a task on worker %d, want one that was initialised", a.int(1))
		}
		return
	}
	row := r.task(a.v[0])
	r.out.Task.End[row] = r.now
	if b := &w.body; b.row == row {
		r.executed(w, b.start, r.out.Task.GFlop[row])
	}
	kind := kindIdle
	if t := r.thread(a.v[2]); t != nil && t.sync {
		kind = kindOverhead
	}
	r.setWorker(w, kind)
}
