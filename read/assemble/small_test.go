package assemble

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dagscope/trace"
)

// small builds Parts by hand, row by row.
type small struct {
	Parts
	names map[string]int32
}

func newSmall() *small { return &small{names: map[string]int32{}} }

// container adds a container below one by name ("" for a root).
func (p *small) container(parent, name, typ, alias string) int32 {
	c := &p.Container
	up := trace.None
	if parent != "" {
		up = p.names[parent]
	}
	row := int32(len(c.Parent))
	c.Parent = append(c.Parent, up)
	c.Name.Append(name)
	c.Type.Append(typ)
	c.Alias.Append(alias)
	c.Start, c.End = append(c.Start, 0), append(c.End, trace.NoTime)
	p.names[name] = row
	return row
}

// machine is a run of one node with two workers.
func machine() *small {
	p := newSmall()
	p.container("", "program", "Program", "p")
	p.container("program", "CPU0", "Worker", "w0")
	p.container("program", "CPU1", "Worker", "w1")
	p.state("CPU0", WorkerState, "Idle", 0, 1, "")
	p.state("CPU1", WorkerState, "Idle", 0, 1, "")
	return p
}

// ranks is a run of n nodes with one worker each, ranks padded to a width.
func ranks(n, width int) *small {
	p := newSmall()
	p.container("", "root", "MPI Program", "MPIroot")
	for r := range n {
		rank := fmt.Sprintf("%0*d_", width, r)
		p.container("root", rank+"program", "Program", rank+"p")
		p.container(rank+"program", rank+"mpict", "MPI Communication Thread", rank+"mpict")
		p.container(rank+"program", rank+"CPU0", "Worker", rank+"w0")
		p.state(rank+"CPU0", WorkerState, "Idle", 0, 1, "")
	}
	return p
}

// state adds a span; with a job it is an extended one.
func (p *small) state(container, typ, kind string, start, end int64, job string) {
	s := &p.State
	s.Container = append(s.Container, p.names[container])
	s.Type.Append(typ)
	s.Kind.Append(kind)
	s.Start, s.End = append(s.Start, start), append(s.End, end)
	s.Depth = append(s.Depth, 0)
	if job == "" {
		s.Extended = append(s.Extended, trace.None)
		return
	}
	e := &p.Extended
	s.Extended = append(s.Extended, int32(len(e.Order)))
	e.Job.AppendString(job)
	e.Order, e.Priority, e.Bytes = append(e.Order, trace.None), append(e.Priority, trace.NoTime), append(e.Bytes, -1)
	e.Footprint, e.Tag, e.GFlop = append(e.Footprint, 0), append(e.Tag, 0), append(e.GFlop, math.NaN())
	e.X, e.Y = append(e.X, trace.NoInt), append(e.Y, trace.NoInt)
	e.Iteration, e.Subiteration = append(e.Iteration, -1), append(e.Subiteration, -1)
	e.Parameters.AppendIndex(trace.None)
	e.Numa.AppendIndex(trace.None)
}

func (p *small) task(container, kind string, start, end int64, job string) {
	p.state(container, WorkerState, kind, start, end, job)
}

// record adds a record in the syntax of tasks.rec: "JobId: 5; Name: A".
func (p *small) record(rows *Rows, fields string) {
	for _, f := range strings.Split(fields, "; ") {
		key, value, _ := strings.Cut(f, ": ")
		rows.Set(rows.Column([]byte(key)), []byte(value), 1)
	}
	rows.End(1, 1)
}

func (p *small) tasks(records ...string) {
	rows := p.TaskRows("tasks.rec")
	for _, r := range records {
		p.record(rows, r)
	}
	rows.Close()
}

func (p *small) comms(records ...string) {
	rows := p.CommRows("comms.rec")
	for _, r := range records {
		p.record(rows, r)
	}
	rows.Close()
}

// edge adds edges of the graph, "1 2" for 1 before 2.
func (p *small) edges(edges ...string) {
	e := p.EdgeRows()
	for _, s := range edges {
		from, to, _ := strings.Cut(s, " ")
		e.Add([]byte(from), []byte(to))
	}
	e.Close()
}

func (p *small) event(container, typ string, time int64, value string) {
	e := &p.Event
	e.Type.Append(typ)
	e.Container = append(e.Container, p.names[container])
	e.Time = append(e.Time, time)
	e.Value.Append(value)
	e.Handle.AppendIndex(trace.None)
	e.Info.AppendIndex(trace.None)
	e.Bytes, e.Peer = append(e.Bytes, -1), append(e.Peer, trace.None)
}

// link adds a message between two ranks.
func (p *small) link(from, to string, start, end, tag int64, key string) {
	l := &p.Link
	l.Key.AppendString(key)
	l.Type.Append("MPI communication")
	l.Container = append(l.Container, 0)
	l.From, l.To = append(l.From, p.names[from]), append(l.To, p.names[to])
	l.Start, l.End = append(l.Start, start), append(l.End, end)
	l.Bytes, l.Tag, l.Priority = append(l.Bytes, 8), append(l.Tag, tag), append(l.Priority, 0)
	l.Mode.AppendIndex(trace.None)
	l.Handle.AppendIndex(trace.None)
}

// run assembles the parts; times stay those of the parts as all runs of these
// tests begin at their first task, which tests place at 0 or add origin to.
func (p *small) run(t testing.TB) *trace.Run {
	t.Helper()
	run, err := Assemble(&p.Parts, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// describe prints a task: "5 GEMM CPU0 10-20", times on the clock of the parts.
func describe(run *trace.Run, job string) string {
	t := &run.Task
	row := int(t.Key.Find(job))
	if row < 0 {
		return "no task " + job
	}
	s := t.Key.At(row) + " " + t.Kind.At(row)
	if w := t.Worker[row]; w != trace.None {
		s += fmt.Sprintf(" %s %d-%d", run.Resource.Name.At(int(w)), t.Start[row]+run.Meta.Origin, t.End[row]+run.Meta.Origin)
	}
	if t.Internal[row] {
		s += " internal"
	}
	return s
}

func want(t testing.TB, what, got, wanted string) {
	t.Helper()
	if got != wanted {
		t.Errorf("%s: found %q, wanted %q", what, got, wanted)
	}
}

func logged(t testing.TB, run *trace.Run, code string, count int64) {
	t.Helper()
	for i, n := range run.Log.Count {
		if run.Log.Code.At(i) == code {
			if n != count {
				t.Errorf("log: found %s %d times, wanted %d", code, n, count)
			}
			return
		}
	}
	if count > 0 {
		t.Errorf("log: found no %s", code)
	}
}
