package chain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// machine is a node with two cores and a GPU with a memory of its own.
const machine = `
table resource
parent level name arch node index
- cluster root - - -
0 node n - 0 0
1 memory-node RAM - 0 0
2 memory-manager MEM0 - 0 0
2 worker CPU0 cpu 0 0
2 worker CPU1 cpu 0 1
1 memory-node GPU - 0 1
6 memory-manager MEM1 - 0 1
6 thread T0 - 0 0
8 worker CUDA0 cuda 0 2
1 user-thread main - 0 0
1 comm mpi - 0 0
`

// story writes a chain in a line: class:ns, with the mark, in order of time.
func story(x *Index, c *Chain) string {
	var out []string
	for _, p := range c.Parts {
		name := p.Class.String()
		if p.Class == Execute {
			name = x.run.Task.Kind.At(int(x.lanes.Task[p.Piece]))
		}
		if p.Mark != NoMark {
			name += "/" + p.Mark.String()
		}
		out = append(out, fmt.Sprintf("%s:%d", name, p.To-p.From))
	}
	return strings.Join(out, " ")
}

// Each run is made so that one cause decides.
func TestStories(t *testing.T) {
	for _, test := range []struct{ name, run, want string }{
		{"a predecessor, then the worker", `
table task
key kind worker start end submit ready
1 A 4 0 10 0 0
2 B 4 10 30 0 0
3 C 5 32 40 0 30
table dep
from to kind
1 2 task
`, "A/placement:10 B:20 runtime:2 C:8"},
		{"less urgent tasks went first", `
table task
key kind worker start end submit ready
1 A 4 0 10 0 0
2 B 4 10 30 0 5
3 C 4 30 40 0 5
4 D 5 40 60 0 40
5 E 5 0 40 0 0
table dep
from to kind
2 3 task
`, "A:5 A/capacity:5 B/order:20 C:10 D:20"},
		{"an idle worker would have ended it earlier", `
table task
key kind worker start end submit ready
1 A 4 0 30 0 0
2 A 4 30 60 0 0
`, "A/placement:30 A:30"},
		{"a transfer and its writer", `
table handle
key node bytes
h 0 40
table task
key kind worker start end submit ready
1 A 4 0 10 0 0
2 B 9 50 60 0 10
table transfer
key kind from to start end bytes handle
x fetch 3 7 12 48 40 0
y fetch 3 7 100 110 40 0
table dep
from to kind
0 1 task
table access
task handle mode bytes
0 0 W 40
1 0 R 40
`, "A:10 runtime:2 transfer:10 transfer-contention:26 runtime:2 B:10"},
		{"room for a transfer", `
table handle
key node bytes
h 0 40
table task
key kind worker start end submit ready
1 A 4 0 10 0 0
2 B 9 50 60 0 10
table transfer
key kind from to start end bytes handle
x fetch 3 7 30 50 40 0
table dep
from to kind
0 1 task
table state
resource type kind start end depth
7 M Allocating 12 28 0
8 T Overhead 11 29 0
table access
task handle mode bytes
0 0 W 40
1 0 R 40
`, "A:10 unexplained:1 runtime:1 memory-wait:16 runtime:1 unexplained:1 transfer:20 B:10"},
		{"a handle that another task holds", `
table handle
key node bytes
h 0 40
table task
key kind worker start end submit ready
1 A 4 0 10 0 0
2 B 5 10 30 0 0
table access
task handle mode bytes
0 0 RWC 40
1 0 RWC 40
`, "A/exclusion:10 B:20"},
		{"not submitted", `
table task
key kind worker start end submit ready
1 A 4 0 10 0 0
2 B 5 35 60 34 34
table state
resource type kind start end depth
5 W Scheduling 34 35 0
10 U "Waiting task" 4 12 0
`, "A:10 synchronisation:2 submission:22 runtime:1 B:25"},
		{"a message: both sides must have posted it", `
table handle
key node bytes
h 0 40
table task
key kind worker start end submit ready internal
1 A 4 0 10 0 0 false
2 acquire - - - 1 - true
3 release - - - 1 - true
4 B 5 90 99 0 88 false
table transfer
key kind from to start end bytes handle
m mpi 11 11 15 80 40 0
n mpi 11 11 100 110 40 0
table dep
from to kind via
0 1 task -
1 2 communication 0
2 3 task -
table state
resource type kind start end depth
11 C ReceiveSubmitted 40 41 0
11 C ReceiveSubmitted 95 96 0
`, "A:10 message-post:5 message-receive-late:25 message-flight:10 message-contention:30 message-receive:8 runtime:2 B:9"},
		{"its creator", `
table task
key kind worker start end submit ready internal parent
1 main 4 0 40 0 0 true -
2 A 5 30 60 20 20 false 0
table state
resource type kind start end depth
5 W Scheduling 0 60 0
`, "main:20 runtime:10 A:30"},
		{"a taskwait", `
table task
key kind worker start end submit ready internal parent
1 A 4 0 60 0 0 false -
2 B 5 5 40 5 5 false 0
table segment
task worker start end
0 4 0 10
0 4 45 60
table state
resource type kind start end depth
4 OpenMP taskwait 10 45 0
`, "A:5 B:35 synchronisation:5 A:15"},
	} {
		t.Run(test.name, func(t *testing.T) {
			run, err := tracetest.Parse([]byte(strings.ReplaceAll(machine+test.run, "\ntable", "\n\ntable")))
			if err != nil {
				t.Fatal(err)
			}
			x := New(run, Options{})
			if got := story(x, x.Critical()); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// runs calls a test for runs of every kind.
func runs(t *testing.T, test func(t *testing.T, run *trace.Run)) {
	t.Run("empty", func(t *testing.T) { test(t, &trace.Run{}) })
	t.Run("tiny", func(t *testing.T) { test(t, tracetest.Tiny()) })
	t.Run("chain", func(t *testing.T) { test(t, tracetest.Chain(300)) })
	t.Run("fork", func(t *testing.T) { test(t, tracetest.Fork(250, 4)) })
	for seed := range uint64(20) {
		t.Run("random", func(t *testing.T) { test(t, tracetest.Random(seed, 200)) })
		o := tracetest.Options{Tiles: 7, Nodes: 1 + int(seed%3), CPUs: 3, GPUs: int(seed % 3), Seed: seed}
		t.Run("cholesky", func(t *testing.T) { test(t, complicate(tracetest.Cholesky(o), seed)) })
	}
}

// complicate gives a run what makes steps hard: handles held commutatively,
// managers of memory at work, tasks in pieces, unknown and strange times.
func complicate(run *trace.Run, seed uint64) *trace.Run {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range run.Access.Mode.Index {
		if run.Access.Mode.At(i) == "RW" && rng.IntN(2) == 0 {
			run.Access.Mode.Index[i] = run.Access.Mode.Intern("RWC")
		}
	}
	ta, s := &run.Task, &run.Segment
	for v := range ta.Start {
		switch rng.IntN(10) {
		case 0:
			ta.Start[v], ta.End[v], ta.Worker[v] = trace.NoTime, trace.NoTime, trace.None
			ta.Internal[v] = rng.IntN(2) == 0
		case 1:
			ta.Ready[v] = trace.NoTime
		case 2:
			ta.Submit[v] = trace.NoTime
		case 3:
			third := (ta.End[v] - ta.Start[v]) / 3
			s.Task, s.Worker = append(s.Task, int32(v), int32(v)), append(s.Worker, ta.Worker[v], ta.Worker[v])
			s.Start, s.End = append(s.Start, ta.Start[v], ta.End[v]-third), append(s.End, ta.Start[v]+third, ta.End[v])
		case 4:
			ta.Start[v] -= rng.Int64N(1 + (ta.End[v]-ta.Start[v])/2)
		}
	}
	for r := range run.Resource.Parent {
		if run.Resource.Level.At(r) != trace.LevelMemoryManager {
			continue
		}
		for range 20 {
			at := rng.Int64N(run.Meta.Horizon + 1)
			st := &run.State
			st.Resource, st.Start, st.End = append(st.Resource, int32(r)), append(st.Start, at), append(st.End, at+rng.Int64N(1e7))
			st.Type.Append("Memory Node State")
			st.Kind.Append("Allocating")
			st.Depth = append(st.Depth, 0)
			if st.Task != nil {
				st.Task = append(st.Task, trace.None)
			}
		}
	}
	return run
}

// The chain tiles [0, makespan], and the idle parts of each worker the time in
// it without work.
func TestPartsTile(t *testing.T) {
	runs(t, func(t *testing.T, run *trace.Run) {
		x := New(run, Options{})
		at := int64(0)
		for _, p := range x.Critical().Parts {
			if p.From != at || p.To <= p.From || p.Class >= classes {
				t.Fatalf("part %+v begins after %d", p, at)
			}
			at = p.To
			if a := x.Amounts(p); p.Class == Execute && a.Compute+a.SlowerArchitecture+a.SlowerExecution != p.To-p.From {
				t.Fatalf("amounts %+v of %+v do not add up", a, p)
			}
		}
		if want := schedule.Makespan(run); at != want {
			t.Fatalf("the chain ends at %d, want %d", at, want)
		}
		for _, w := range kind.Workers(run) {
			var parts interval.Spans
			sum := int64(0)
			x.Idle(w, func(p Part) {
				parts.Add(p.From, p.To)
				sum += p.To - p.From
			})
			whole := interval.Spans{}
			whole.Add(0, schedule.Makespan(run))
			want := interval.Subtract(whole, interval.Union(x.lanes.Work(w)))
			if got := interval.Union(parts); !slices.Equal(got.Start, want.Start) || !slices.Equal(got.End, want.End) || sum != want.Length() {
				t.Fatalf("idle parts of worker %d: %v (%d ns), want %v (%d ns)", w, got, sum, want, want.Length())
			}
		}
	})
}

// The rows of every dimension add up to the makespan and to the idle time.
func TestSumsAddUp(t *testing.T) {
	runs(t, func(t *testing.T, run *trace.Run) {
		x := New(run, Options{})
		idle := int64(0)
		for _, w := range kind.Workers(run) {
			x.Idle(w, func(p Part) { idle += p.To - p.From })
		}
		for i, rows := range [][]Row{x.Blame(x.Critical(), 0, 1<<62), x.IdleRows(0, 1<<62)} {
			sum := map[string]int64{}
			for _, r := range rows {
				sum[r.By] += r.NS
			}
			for by, ns := range sum {
				if want := []int64{schedule.Makespan(run), idle}[i]; ns != want {
					t.Fatalf("rows by %s add up to %d, want %d", by, ns, want)
				}
			}
		}
	})
}

// Slices of time against a table of each slice by itself, and their sum against
// that of the whole: amounts are rounded, so a slice's may differ by as much, but
// neither their sum nor that over slices.
func TestSlicesAgainstWindows(t *testing.T) {
	runs(t, func(t *testing.T, run *trace.Run) {
		x := New(run, Options{})
		c, makespan := x.Critical(), schedule.Makespan(run)
		if makespan == 0 {
			return
		}
		cut := interval.Slices{From: 0, To: makespan, Step: makespan/7 + 1}
		group := func(r Row) string {
			if slices.Contains(amountNames[:], r.Class) {
				return Execute.String()
			}
			return r.Class
		}
		for what, tables := range []struct {
			over   []Row
			window func(from, to int64) []Row
		}{
			{x.BlameOver(c, cut), func(from, to int64) []Row { return x.Blame(c, from, to) }},
			{x.IdleOver(cut), x.IdleRows},
		} {
			slice, class := map[[2]string]int64{}, map[string]int64{}
			var rest []Row
			for _, r := range tables.over {
				if r.By == ByTime {
					slice[[2]string{r.Name, group(r)}] += r.NS
					class[r.Class] += r.NS
				} else {
					rest = append(rest, r)
				}
			}
			whole := tables.window(0, makespan)
			if !slices.Equal(rest, whole) {
				t.Fatalf("table %d: slices change the other rows", what)
			}
			for _, r := range whole {
				if r.By == ByClass && class[r.Class] != r.NS {
					t.Fatalf("table %d: slices of %s add up to %d, want %d", what, r.Class, class[r.Class], r.NS)
				}
			}
			for i := range cut.Len() {
				from, to := cut.Bounds(i)
				name := strconv.FormatFloat(float64(from)/1e6, 'f', -1, 64)
				for _, r := range tables.window(from, to) {
					if r.By == ByClass {
						slice[[2]string{name, group(r)}] -= r.NS
					}
				}
			}
			for at, ns := range slice {
				if ns != 0 {
					t.Fatalf("table %d: slice %v differs by %d ns from a table of its own", what, at, ns)
				}
			}
		}
	})
}

// Steps against a search through all rows.
func TestStepsAgainstAllRows(t *testing.T) {
	checked := 0
	runs(t, func(t *testing.T, run *trace.Run) {
		x := New(run, Options{})
		n := naive{x, run}
		check := func(p position) {
			checked++
			got, want := x.step(p, p.at).best, n.step(p)
			if got.kind != want.kind || got.kind != nowhere && (got.at != want.at || got.busy != want.busy) {
				t.Fatalf("step from %+v is %+v, want %+v", p, got, want)
			}
		}
		for i, start := range x.lanes.Start {
			check(position{kind: pieceStart, row: int32(i), at: start})
		}
		for i, start := range run.Transfer.Start {
			if start != trace.NoTime {
				check(position{kind: transferStart, row: int32(i), at: start})
			}
		}
		for v, ready := range run.Task.Ready {
			if ready != trace.NoTime {
				check(position{kind: pushed, row: int32(v), at: ready})
			}
		}
	})
	if checked < 10000 {
		t.Errorf("only %d steps were checked", checked)
	}
}

// naive finds enablers by definition: it looks at every row of every table.
type naive struct {
	*Index
	run *trace.Run // with the targets of edges
}

func (n naive) step(p position) position {
	e := &enabler{limit: p.at}
	switch p.kind {
	case pieceStart:
		v := n.lanes.Task[p.row]
		if n.lanes.IsFirst(p.row) || p.at == n.run.Task.Start[v] {
			n.predecessors(v, e)
			n.copies(v, n.worker[p.row], e)
			n.holding(v, e)
		} else {
			for u, parent := range n.run.Task.Parent {
				if parent == v && !n.run.Task.Internal[u] {
					n.task(int32(u), e)
				}
			}
		}
		before := trace.None
		for i := range n.lanes.Task { // in order of start on each worker
			if n.worker[i] == n.worker[p.row] && int32(i) < p.row && (before == trace.None || n.lanes.End[i] >= n.lanes.End[before]) {
				before = int32(i)
			}
		}
		if before != trace.None {
			e.offer(position{kind: inPiece, row: before, at: n.lanes.End[before], busy: true})
		}
		n.submission(v, e)
	case pushed:
		n.predecessors(p.row, e)
		n.holding(p.row, e)
		n.submission(p.row, e)
	case transferStart:
		n.transfer(p.row, e)
	}
	return e.best
}

// task offers the end of a task, if it ran.
func (n naive) task(u int32, e *enabler) {
	end := trace.NoTime
	row := int32(0)
	for i, of := range n.lanes.Task {
		if of == u && (end == trace.NoTime || n.lanes.End[i] > end) {
			end, row = n.lanes.End[i], int32(i)
		}
	}
	e.offer(position{kind: inPiece, row: row, at: end})
}

// predecessors offers what a task depends on, whatever did not run left out.
func (n naive) predecessors(v int32, e *enabler) {
	latest := enabler{limit: 1 << 62}
	all := []position{}
	var into func(v int32, depth int)
	into = func(v int32, depth int) {
		for i, to := range n.run.Dep.To {
			if to != v || depth > 50 {
				continue
			}
			if n.run.Dep.Via != nil && n.run.Dep.Via[i] >= 0 && n.run.Transfer.End[n.run.Dep.Via[i]] != trace.NoTime {
				all = append(all, position{kind: inTransfer, row: n.run.Dep.Via[i], at: n.run.Transfer.End[n.run.Dep.Via[i]]})
				continue
			}
			senders := []int32{n.run.Dep.From[i]}
			if via := n.run.Dep.Via; via != nil && via[i] >= 0 && n.run.Transfer.SendTask != nil {
				senders = append(senders, n.run.Transfer.SendTask[via[i]])
			}
			for _, u := range senders {
				switch {
				case u < 0:
				case n.run.Task.Start[u] != trace.NoTime && !n.run.Task.Internal[u]:
					all = append(all, n.ended(u))
				default:
					into(u, depth+1)
				}
			}
		}
	}
	into(v, 0)
	slices.SortStableFunc(all, func(a, b position) int { return int(a.kind) - int(b.kind) }) // tasks before messages
	for _, p := range all {
		latest.offer(p)
	}
	before := e.best
	for _, p := range all {
		e.offer(p)
	}
	if p := latest.best; p.kind == inPiece && p.at > e.limit && e.best == before && n.lanes.Start[p.row] < e.limit {
		p.at = e.limit
		e.offer(p)
	}
}

func (n naive) copies(v, worker int32, e *enabler) {
	t, m := &n.run.Transfer, n.memory[worker]
	for x := range t.Start {
		if n.data(x) && m >= 0 && n.memory[t.To[x]] == m && n.uses(v, t.Handle[x], "") {
			e.offer(position{kind: inTransfer, row: int32(x), at: t.End[x]})
		}
	}
}

// data reports whether a transfer is one of data between known memories.
func (n naive) data(x int) bool {
	t := &n.run.Transfer
	switch t.Kind.At(x) {
	case trace.TransferSteal, trace.TransferLink, trace.TransferMPI:
		return false
	}
	return t.Start[x] != trace.NoTime && t.End[x] != trace.NoTime && t.From[x] >= 0 && t.To[x] >= 0 && t.Handle[x] >= 0
}

// uses reports whether a task accesses a handle in a mode that has some letter of
// those given, "" for any.
func (n naive) uses(v, handle int32, letters string) bool {
	for i, task := range n.run.Access.Task {
		if task == v && handle >= 0 && n.run.Access.Handle[i] == handle && (letters == "" || strings.ContainsAny(n.run.Access.Mode.At(i), letters)) {
			return true
		}
	}
	return false
}

func (n naive) holding(v int32, e *enabler) {
	for i, task := range n.run.Access.Task {
		if task != v || !strings.Contains(n.run.Access.Mode.At(i), "C") {
			continue
		}
		for k, other := range n.run.Access.Task {
			if other != v && n.run.Access.Handle[k] == n.run.Access.Handle[i] && strings.Contains(n.run.Access.Mode.At(k), "C") {
				n.task(other, e)
			}
		}
	}
}

func (n naive) submission(v int32, e *enabler) {
	if at := n.run.Task.Submit[v]; at != trace.NoTime {
		e.offer(position{kind: submitting, at: at})
	}
}

func (n naive) transfer(x int32, e *enabler) {
	t := &n.run.Transfer
	if t.Kind.At(int(x)) == trace.TransferMPI {
		sender := n.last.Of[int32(n.last.Tasks)+x]
		if sender != trace.None {
			n.task(sender, e)
		}
		for i, via := range n.run.Dep.Via {
			if via == x && n.run.Dep.From[i] >= 0 {
				n.submission(n.run.Dep.From[i], e)
			}
		}
		for y := range t.Start {
			if n.data(y) && t.Handle[y] == t.Handle[x] && n.run.Resource.Level.At(int(n.memory[t.To[y]])) == trace.LevelMemory &&
				n.memory[t.To[y]] == n.ram(t.From[x]) {
				e.offer(position{kind: inTransfer, row: int32(y), at: t.End[y]})
			}
		}
		return
	}
	if t.From[x] < 0 || t.To[x] < 0 {
		return
	}
	for v := range n.run.Task.Start {
		if n.uses(int32(v), t.Handle[x], "WX") {
			n.task(int32(v), e)
		}
	}
	for y := range t.Start {
		if n.data(y) && t.Handle[y] == t.Handle[x] && n.memory[t.To[y]] == n.memory[t.From[x]] && n.memory[t.From[x]] >= 0 {
			e.offer(position{kind: inTransfer, row: int32(y), at: t.End[y]})
		}
	}
	user := trace.None
	for i, v := range n.lanes.Task {
		if n.first[v] == int32(i) && n.final[v] != trace.None && n.memory[n.worker[n.final[v]]] == n.memory[t.To[x]] && n.memory[t.To[x]] >= 0 &&
			n.uses(v, t.Handle[x], "") && n.lanes.Start[i] >= t.End[x] && (user == trace.None || n.lanes.Start[i] < n.lanes.Start[user]) {
			user = int32(i)
		}
	}
	if user != trace.None {
		if ready := n.run.Task.Ready[n.lanes.Task[user]]; ready <= e.limit {
			e.offer(position{kind: pushed, row: n.lanes.Task[user], at: ready})
		}
		if b := n.before[user]; t.Kind.At(int(x)) == trace.TransferFetch && b != trace.None {
			e.offer(position{kind: inPiece, row: b, at: n.lanes.End[b]})
		}
	}
	for y := range t.Start {
		if int32(y) != x && n.data(y) && n.pair(int32(y)) == n.pair(x) {
			e.offer(position{kind: inTransfer, row: int32(y), at: t.End[y]})
		}
	}
}

// A run that says nothing of when tasks could have begun is not explained: the
// chain follows workers, without marks, and gaps are gaps.
func TestNothingIsKnownOfReadiness(t *testing.T) {
	run, err := tracetest.Parse([]byte(machine + `
table task
key kind worker start end
1 A 4 0 10
2 B 5 5 20
3 C 4 12 30
`))
	if err != nil {
		t.Fatal(err)
	}
	x := New(run, Options{})
	if got, want := story(x, x.Critical()), "A:10 unexplained:2 C:18"; got != want {
		t.Errorf("found chain %q, want %q", got, want)
	}
	for _, r := range x.IdleRows(0, 30) {
		if r.By == ByClass && r.Class != "unexplained" {
			t.Errorf("found %d ns of idle time in %s", r.NS, r.Class)
		}
	}
}
