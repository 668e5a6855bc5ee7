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

// Runs of that machine that several tests use:
// a message that both sides must have posted, room for a transfer, a handle that
// another task holds.
const (
	message = `
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
`
	room = `
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
`
	disk = `
table resource
parent level name arch node index
- cluster root - - -
0 node n - 0 0
1 memory-node RAM - 0 0
2 memory-manager MEM0 - 0 0
2 worker CPU0 cpu 0 0
1 memory-node GPU - 0 1
5 memory-manager MEM1 - 0 1
5 worker CUDA0 cuda 0 2
1 memory-node disk - 0 2
8 memory-manager MEM2 - 0 2
table handle
key node bytes
h 0 40
table task
key kind worker start end submit ready
1 A 4 0 10 0 0
2 B 7 10 40 0 0
3 C 7 72 82 0 10
table dep
from to kind
0 2 task
table access
task handle mode bytes
0 0 W 40
2 0 R 40
table transfer
key kind from to start end bytes handle
y fetch 9 3 42 62 40 0
z fetch 3 6 62 72 40 0
`
	held = `
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
`
)

// parse reads a run of that machine, or of its own.
func parse(t *testing.T, text string) *trace.Run {
	t.Helper()
	if !strings.HasPrefix(text, "\ntable resource") {
		text = machine + text
	}
	run, err := tracetest.Parse([]byte(strings.ReplaceAll(text, "\ntable", "\n\ntable")))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

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
		{"a silence that is too long for the runtime, which the trace does not explain", `
table task
key kind worker start end submit ready
1 A 4 0 1000 0 0
2 B 4 1002 2000 0 0
3 C 4 2002 3000 0 0
4 D 4 3003000 3004000 0 0
`, "A/placement:1000 runtime:2 B/placement:998 runtime:2 C/placement:998 unexplained:3000000 D:1000"},
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
		{"room for a transfer", room, "A:10 unexplained:1 runtime:1 memory-wait:16 runtime:1 unexplained:1 transfer:20 B:10"},
		{"a fetch from a disk for a device", disk, "runtime:10 B:30 runtime:2 transfer:20 transfer:10 C:10"},
		{"a handle that another task holds", held, "A/exclusion:10 B:20"},
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
		{"a message: both sides must have posted it", message, "A:10 message-post:5 message-receive-late:25 message-flight:10 message-contention:30 message-receive:8 runtime:2 B:9"},
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
			x := New(parse(t, test.run), Options{})
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
		t.Run("small", func(t *testing.T) { test(t, small(seed)) })
		t.Run("region", func(t *testing.T) { test(t, region(seed)) })
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
