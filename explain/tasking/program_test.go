package tasking

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"dagscope/trace"
)

// program is a task of a program as it was written: what it does, one after
// the other.
type program struct {
	ops  []op
	deps []int // earlier tasks of the same creator, by number
}

type op struct {
	does  doing
	work  int64
	child *program
	team  []*program
}

type doing int

const (
	works doing = iota
	creates
	createsUndeferred
	waitsForChildren
	beginsGroup
	endsGroup
	atBarrier
	forks
)

// randomProgram draws a task of at most some depth; size bounds its operations.
func randomProgram(rng *rand.Rand, depth, size int) *program {
	p := &program{}
	children, groups := 0, 0
	for range 1 + rng.IntN(size) {
		switch do := doing(rng.IntN(int(atBarrier))); {
		case do == works || depth == 0:
			p.ops = append(p.ops, op{does: works, work: rng.Int64N(50)})
		case do == creates || do == createsUndeferred:
			c := randomProgram(rng, depth-1, size)
			for d := range children {
				if rng.IntN(4) == 0 {
					c.deps = append(c.deps, d)
				}
			}
			children++
			p.ops = append(p.ops, op{does: do, child: c})
		case do == beginsGroup:
			groups++
			p.ops = append(p.ops, op{does: do})
		case do == endsGroup && groups > 0:
			groups--
			p.ops = append(p.ops, op{does: do})
		case do == waitsForChildren:
			p.ops = append(p.ops, op{does: do})
		}
	}
	for range groups {
		p.ops = append(p.ops, op{does: endsGroup})
	}
	return p
}

// randomTeam draws the implicit tasks of a parallel region, which all meet at
// the same barriers; some region may be nested.
func randomTeam(rng *rand.Rand, depth int) []*program {
	team := make([]*program, 1+rng.IntN(3))
	barriers := rng.IntN(3)
	for i := range team {
		team[i] = &program{}
		for range barriers + 1 {
			some := randomProgram(rng, depth, 5)
			if depth > 1 && rng.IntN(4) == 0 {
				some.ops = append(some.ops, op{does: forks, team: randomTeam(rng, depth-1)})
			}
			// Tasks depend on those between the same barriers; numbers go on.
			created := countChildren(team[i].ops)
			for _, o := range some.ops {
				if o.child != nil {
					for d := range o.child.deps {
						o.child.deps[d] += created
					}
				}
			}
			team[i].ops = append(append(team[i].ops, some.ops...), op{does: atBarrier})
		}
	}
	return team
}

func countChildren(ops []op) (n int) {
	for _, o := range ops {
		if o.child != nil {
			n++
		}
	}
	return n
}

// machine executes programs on as many workers as it takes and records what
// happens. With delays, everything that may start does so only after some time.
type machine struct {
	delay   func() int64
	task    []*execution
	preempt func(work int64) (before, pause int64)
}

// execution is a task that is executed.
type execution struct {
	m          *machine
	p          *program
	id         int
	parent     *execution
	kind       string
	submit     int64
	start, end int64
	now        int64
	piece      int64 // start of the piece
	pieces     [][2]int64
	preempted  [][2]int64
	states     []wait
	preds      []*execution
	next       int // operation
	children   []*execution
	groups     []int // children before it
	begins     []int64
}

func (m *machine) create(p *program, parent *execution, kind string, submit int64) *execution {
	e := &execution{m: m, p: p, id: len(m.task), parent: parent, kind: kind, submit: submit}
	m.task = append(m.task, e)
	at := submit
	if parent != nil {
		if kind == "task" {
			for _, d := range p.deps {
				e.preds = append(e.preds, parent.explicit()[d])
				at = max(at, parent.explicit()[d].end)
			}
		}
		parent.children = append(parent.children, e)
	}
	e.start = at + m.delay()
	e.now, e.piece = e.start, e.start
	return e
}

func (e *execution) explicit() (all []*execution) {
	for _, c := range e.children {
		if c.kind == "task" {
			all = append(all, c)
		}
	}
	return all
}

// suspend ends the piece; resume starts the next after a delay.
func (e *execution) suspend() { e.pieces = append(e.pieces, [2]int64{e.piece, e.now}) }

func (e *execution) resume(at int64) {
	e.now = max(e.now, at) + e.m.delay()
	e.piece = e.now
}

func (e *execution) state(start int64, why reason) {
	e.states = append(e.states, wait{start: start, end: e.now, why: why})
}

// run goes on until the next barrier (true) or the end.
func (e *execution) run() bool {
	for ; e.next < len(e.p.ops); e.next++ {
		o := &e.p.ops[e.next]
		if o.does != works {
			e.now++ // so that no two things of a task happen at one instant
		}
		switch o.does {
		case works:
			e.work(o.work)
		case creates:
			e.m.create(o.child, e, "task", e.now).run()
		case createsUndeferred:
			e.suspend()
			c := e.m.create(o.child, e, "task", e.now)
			c.run()
			e.resume(c.end)
		case waitsForChildren:
			e.join(forChildren, e.now, e.children, func(c *execution) int64 { return c.end })
		case beginsGroup:
			e.groups, e.begins = append(e.groups, len(e.children)), append(e.begins, e.now)
		case endsGroup:
			last := len(e.groups) - 1
			e.join(forGroup, e.now, e.children[e.groups[last]:], func(c *execution) int64 { return c.all() })
			e.groups = e.groups[:last]
		case forks:
			e.fork(o.team)
		case atBarrier:
			e.suspend()
			e.next++
			return true
		}
	}
	e.suspend()
	e.end = e.now
	return false
}

func (e *execution) work(work int64) {
	if before, pause := e.m.preempt(work); pause > 0 {
		e.now += before
		e.suspend()
		e.preempted = append(e.preempted, [2]int64{e.now, e.now + pause})
		e.now += pause
		e.piece = e.now
		work -= before
	}
	e.now += work
}

func (e *execution) join(why reason, start int64, children []*execution, end func(*execution) int64) {
	e.suspend()
	at := e.now
	for _, c := range children {
		at = max(at, end(c))
	}
	e.resume(at)
	e.state(start, why)
}

// all is the latest end among a task and all that came from it.
func (e *execution) all() int64 {
	at := e.end
	for _, c := range e.children {
		at = max(at, c.all())
	}
	return at
}

func (e *execution) fork(programs []*program) {
	e.suspend()
	team := make([]*execution, len(programs))
	for i, p := range programs {
		team[i] = e.m.create(p, e, "implicit task", e.now+e.m.delay())
	}
	for more := true; more; {
		release := e.now
		for _, t := range team {
			more = t.run()
			release = max(release, t.now)
		}
		if !more {
			break
		}
		for _, t := range team {
			for _, c := range t.children {
				release = max(release, c.all())
			}
		}
		for _, t := range team {
			arrived := t.now
			t.resume(release)
			t.state(arrived, forBarrier)
		}
	}
	end := e.now
	for _, t := range team {
		end = max(end, t.end)
	}
	e.resume(end)
}

// record writes down what happened as a run.
func (m *machine) record(t testing.TB) *trace.Run {
	t.Helper()
	b := &trace.Builder{}
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	node := b.AddResource(root, trace.LevelNode, "0", "", 0, 0)
	var worker []int32
	for i := range 4 {
		worker = append(worker, b.AddResource(node, trace.LevelWorker, "T"+strconv.Itoa(i), "cpu", 0, int32(i)))
	}
	slices.SortStableFunc(m.task, func(x, y *execution) int { return cmp.Or(cmp.Compare(x.submit, y.submit), cmp.Compare(x.id, y.id)) })
	row := map[*execution]int32{}
	names := map[reason]string{forChildren: "taskwait", forGroup: "taskgroup", forBarrier: "barrier_explicit"}
	for i, e := range m.task {
		row[e] = int32(i)
		w := worker[e.id%4]
		b.AddTask(trace.TaskRow{Key: "0." + strconv.Itoa(i+1), Kind: e.kind, Worker: w, Start: e.start, End: e.end, Submit: e.submit,
			Ready: e.start, Order: int32(i), Iteration: -1, Internal: e.kind != "task"})
		parent := trace.None
		if e.parent != nil {
			parent = row[e.parent]
		}
		b.Run.Task.Parent = append(b.Run.Task.Parent, parent)
		se, ph, st := &b.Run.Segment, &b.Run.Phase, &b.Run.State
		for k, p := range e.pieces {
			if len(e.pieces) > 1 {
				se.Task, se.Worker = append(se.Task, int32(i)), append(se.Worker, worker[(e.id+k)%4])
				se.Start, se.End = append(se.Start, p[0]), append(se.End, p[1])
			}
		}
		for _, p := range e.preempted {
			ph.Task, ph.Start, ph.End = append(ph.Task, int32(i)), append(ph.Start, p[0]), append(ph.End, p[1])
			ph.Kind.Append(trace.PhaseReady)
		}
		for _, w := range e.states {
			st.Resource, st.Start, st.End, st.Task = append(st.Resource, worker[e.id%4]), append(st.Start, w.start), append(st.End, w.end), append(st.Task, int32(i))
			st.Type.Append(stateType)
			st.Kind.Append(names[w.why])
			st.Depth = append(st.Depth, 0)
		}
		for _, at := range e.begins {
			ev := &b.Run.Event
			ev.Kind.Append(groupEvent)
			ev.Value.Append("")
			ev.Resource, ev.Time, ev.Task, ev.Handle = append(ev.Resource, w), append(ev.Time, at), append(ev.Task, int32(i)), append(ev.Handle, trace.None)
		}
		for _, u := range e.preds {
			b.AddDep(row[u], int32(i), trace.None)
		}
	}
	run, err := b.Finish("")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// execute runs a program whose main task is p: without delays if rng is nil.
func execute(p *program, rng *rand.Rand) *machine {
	m := &machine{delay: func() int64 { return 0 }, preempt: func(int64) (int64, int64) { return 0, 0 }}
	if rng != nil {
		m.delay = func() int64 { return 1 + rng.Int64N(100) }
		m.preempt = func(work int64) (int64, int64) {
			if work < 2 || rng.IntN(3) > 0 {
				return 0, 0
			}
			return 1 + rng.Int64N(work-1), 1 + rng.Int64N(30)
		}
	}
	m.create(p, nil, "initial task", 0).run()
	return m
}

func (m *machine) work() (sum, end int64) {
	for _, e := range m.task {
		for _, p := range e.pieces {
			sum += p[1] - p[0]
		}
		end = max(end, e.end)
	}
	return sum, end
}
