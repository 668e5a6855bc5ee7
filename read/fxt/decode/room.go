package decode

import "dagscope/trace"

// Tables grow as the trace is read. How long they will be is told by how much
// of the file made them so long; a slice left to itself would be copied several
// times over. Too much room costs nothing but addresses: it is never touched.

// grown is what a table was when it grew last.
type grown struct {
	rows int
	part float64 // of the file that had been read
}

// growths are those of the tables of a rank.
type growths struct {
	events, samples, tasks, extended, accesses, links, deps, executions grown
}

// room is how many rows more a table of n rows is to have room for: what the
// rest of the file brings if it goes on as it did, all of it or since the last
// time, whichever is more.
func (r *rank) room(n int, last *grown) int {
	least, most := n/4+64, 31*n+1024
	want, rest := 0.0, 1-r.part
	if r.part > 0 {
		want = float64(n) / r.part * rest
	}
	if since := r.part - last.part; since > 0 {
		want = max(want, float64(n-last.rows)/since*rest)
	}
	*last = grown{n, r.part}
	return max(least, min(int(1.8*want), most))
}

// reserveTexts is trace.Reserve for columns of texts.
func reserveTexts(n int, columns ...*trace.Strings) {
	for _, c := range columns {
		trace.Reserve(n, &c.Index)
	}
}

func (r *rank) growEvents() {
	e, n := &r.out.Event, r.room(len(r.out.Event.Time), &r.grown.events)
	reserveTexts(n, &e.Type, &e.Value, &e.Handle, &e.Info)
	trace.Reserve(n, &e.Container, &e.Peer)
	trace.Reserve(n, &e.Time, &e.Bytes)
}

func (r *rank) growSamples() {
	s, n := &r.out.Sample, r.room(len(r.out.Sample.Time), &r.grown.samples)
	reserveTexts(n, &s.Metric)
	trace.Reserve(n, &s.Container)
	trace.Reserve(n, &s.Time)
	trace.Reserve(n, &s.Value)
}

// reserveSamples makes room for n more samples.
func (r *rank) reserveSamples(n int) {
	s := &r.out.Sample
	reserveTexts(n, &s.Metric)
	trace.Reserve(n, &s.Container)
	trace.Reserve(n, &s.Time)
	trace.Reserve(n, &s.Value)
}

func (r *rank) growTasks() {
	c, n := &r.out.Task, r.room(len(r.tasks.more), &r.grown.tasks)
	reserveTexts(n, &c.Control, &c.Name, &c.Model, &c.File, &c.Parameters, &c.Numa)
	trace.Reserve(n, &c.Line, &c.Order, &c.Worker, &c.MemoryNode, &c.Rank, &c.Iteration, &c.Subiteration)
	trace.Reserve(n, &c.Job.Code, &c.Priority, &c.Submit, &c.Ready, &c.Start, &c.End)
	trace.Reserve(n, &c.Tag)
	trace.Reserve(n, &c.Footprint)
	trace.Reserve(n, &c.GFlop)
	trace.Reserve(n, &r.tasks.more)
}

func (r *rank) growExtended() {
	e, n := &r.out.Extended, r.room(len(r.out.Extended.Order), &r.grown.extended)
	reserveTexts(n, &e.Parameters, &e.Numa)
	trace.Reserve(n, &e.Order, &e.X, &e.Y, &e.Iteration, &e.Subiteration)
	trace.Reserve(n, &e.Job.Code, &e.Priority, &e.Bytes)
	trace.Reserve(n, &e.Footprint)
	trace.Reserve(n, &e.Tag)
	trace.Reserve(n, &e.GFlop)
}

func (r *rank) growAccesses() {
	c, n := &r.tasks.access, r.room(len(r.tasks.access.row), &r.grown.accesses)
	trace.Reserve(n, &c.row, &c.handle, &c.mode)
	trace.Reserve(n, &c.bytes)
}

func (r *rank) growLinks() {
	l, n := &r.out.Link, r.room(len(r.out.Link.Start), &r.grown.links)
	reserveTexts(n, &l.Type, &l.Mode, &l.Handle)
	trace.Reserve(n, &l.Container, &l.From, &l.To, &l.Priority)
	trace.Reserve(n, &l.Key.Code, &l.Start, &l.End, &l.Bytes, &l.Tag)
}

func (r *rank) growDeps() {
	p, n := &r.tasks.pred, r.room(len(r.tasks.pred.row), &r.grown.deps)
	trace.Reserve(n, &p.row)
	trace.Reserve(n, &p.job, &r.out.Edge.From.Code, &r.out.Edge.To.Code)
}

func (r *rank) growExecutions() {
	e := &r.traffic.executions
	n := r.room(len(e.worker), &r.grown.executions)
	trace.Reserve(n, &e.worker)
	trace.Reserve(n, &e.start, &e.end)
	trace.Reserve(n, &e.gflop)
}
