package chain

import (
	"slices"
	"strings"
	"testing"

	"dagscope/internal/interval"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// The parts of a task's delay tile it, from any instant before its start.
func TestDelaysTile(t *testing.T) {
	runs(t, func(t *testing.T, run *trace.Run) {
		x := New(run, Options{})
		for v := range run.Task.Start {
			for _, from := range []int64{run.Task.Ready[v], run.Task.Submit[v], 0} {
				if from == trace.NoTime {
					continue
				}
				at := trace.NoTime
				start := x.Delay(int32(v), from, func(p Part) {
					if at != trace.NoTime && p.To != at || p.From >= p.To {
						t.Fatalf("task %d: part %+v, want one that ends at %d", v, p, at)
					}
					at = p.From
				})
				if start == trace.NoTime || from >= start {
					if at != trace.NoTime {
						t.Fatalf("task %d: parts of nothing", v)
					}
				} else if at != from {
					t.Fatalf("task %d: parts begin at %d, want %d", v, at, from)
				}
			}
		}
	})
}

// Sums against each walk by itself.
func TestDelaysAgainstWalks(t *testing.T) {
	long := 0
	runs(t, func(t *testing.T, run *trace.Run) {
		x := New(run, Options{})
		type key struct{ worker, kind int32 }
		type sums struct {
			tasks, known int64
			delay, gap   Sums
		}
		want := map[key]*sums{}
		of := func(worker, v int32) *sums {
			k := key{worker, run.Task.Kind.Index[v]}
			if k.kind < 0 || !run.Task.Counted(int(v)) {
				return &sums{}
			}
			if want[k] == nil {
				want[k] = &sums{}
			}
			return want[k]
		}
		for i, v := range x.lanes.Task {
			s := of(x.worker[i], v)
			if x.first[v] != int32(i) {
				continue
			}
			s.tasks++
			if ready := run.Task.Ready[v]; ready != trace.NoTime {
				s.known++
				steps := 0
				x.Delay(v, ready, func(p Part) { s.delay[p.Cause()] += p.To - p.From; steps++ })
				if steps > 3*stride {
					long++
				}
			}
		}
		for w := range int32(len(run.Resource.Parent)) {
			x.Gaps(w, func(piece int32, p Part) { of(w, x.lanes.Task[piece]).gap[p.Cause()] += p.To - p.From })
		}
		got := x.Delays()
		if len(got.Worker) != len(want) {
			t.Fatalf("found %d rows, want %d", len(got.Worker), len(want))
		}
		for i, w := range got.Worker {
			s := want[key{w, got.Kind[i]}]
			if s == nil || *s != (sums{got.Tasks[i], got.Known[i], got.Delay[i], got.Gap[i]}) {
				t.Fatalf("row %d of worker %d: %d %d %v %v, want %+v", i, w, got.Tasks[i], got.Known[i], got.Delay[i], got.Gap[i], s)
			}
		}
	})
	if long < 100 {
		t.Errorf("only %d walks were long", long)
	}
}

// Parts of many seconds are summed whole.
func TestLongDelays(t *testing.T) {
	run := tracetest.MustParse(machine + `
table task
key kind worker start end submit ready
1 A 4 0 20000000000 0 0
2 A 4 20000000000 60000000001 0 1000000000
`)
	delay, gap := New(run, Options{}).Delays().Sum()
	if delay.Sum() != 19e9 || len(delay.Names()) != 1 || gap.Sum() != 0 {
		t.Errorf("delays %v, gaps %v", delay.Names(), gap.Names())
	}
}

// The gaps of a worker, and its time after them, are its idle time.
func TestGapsAreIdleTime(t *testing.T) {
	runs(t, func(t *testing.T, run *trace.Run) {
		x := New(run, Options{})
		for w := range int32(len(run.Resource.Parent)) {
			var gaps, idle interval.Spans
			var got, want Sums
			of, at := trace.None, int64(0)
			free := x.Gaps(w, func(piece int32, p Part) {
				if piece == of && p.To != at || piece < of {
					t.Fatalf("part %+v of the gap before piece %d, want one that ends at %d", p, piece, at)
				}
				of, at = piece, p.From
				gaps.Add(p.From, p.To)
				got[p.Cause()] += p.To - p.From
			})
			x.Idle(w, func(p Part) {
				if p.To <= free || p.From < free {
					idle.Add(p.From, p.To)
					want[p.Cause()] += p.To - p.From
				}
			})
			if g, i := interval.Union(gaps), interval.Union(idle); got != want || !slices.Equal(g.Start, i.Start) || !slices.Equal(g.End, i.End) {
				t.Fatalf("worker %d: gaps %v (%v), want %v (%v)", w, got, g, want, i)
			}
		}
	})
}

// What tasks waited for, and what let them begin, by name.
func TestReasons(t *testing.T) {
	for _, test := range []struct {
		name, run string
		task      int32
		enabler   string
		want      []string
	}{
		{"a message", message, 3, "message m of h, 40 B, node 0 → node 0, send posted at 15 ns, receive posted at 40 ns, arrived at 80 ns", []string{
			"30 ns message-contention (a message on its way, slower than the network allows): message m of h, 40 B, node 0 → node 0, send posted at 15 ns, receive posted at 40 ns, arrived at 80 ns",
			"25 ns message-receive-late (the send was posted, the receive was not): message m of h, 40 B, node 0 → node 0, send posted at 15 ns, receive posted at 40 ns, arrived at 80 ns",
			"10 ns execute (another task ran that had to end first): A 1 on CPU0",
			"10 ns message-flight (a message on its way, as fast as the network allows): message m of h, 40 B, node 0 → node 0, send posted at 15 ns, receive posted at 40 ns, arrived at 80 ns",
			"8 ns message-receive (a message had arrived, its tasks could not use it yet): message m of h, 40 B, node 0 → node 0, send posted at 15 ns, receive posted at 40 ns, arrived at 80 ns",
			"5 ns message-post (the data was there, the send was not posted): message m of h, 40 B, node 0 → node 0, send posted at 15 ns, receive posted at 40 ns, arrived at 80 ns",
			"2 ns runtime (the runtime at work)",
		}},
		{"room for a transfer", room, 1, "fetch x of h, 40 B, RAM → CUDA0, began at 30 ns, arrived at 50 ns", []string{
			"20 ns transfer (data on its way, as fast as the link allows): fetch x of h, 40 B, RAM → CUDA0, began at 30 ns, arrived at 50 ns",
			"16 ns memory-wait (room was made in a memory: allocation, eviction or write-back): in CUDA0 for fetch x of h, 40 B",
			"10 ns execute (another task ran that had to end first): A 1 on CPU0",
			"2 ns runtime (the runtime at work)",
			"2 ns unexplained (none of these): fetch x of h, 40 B, RAM → CUDA0, began at 30 ns, arrived at 50 ns",
		}},
		{"a handle that another task holds", held, 1, "the end of A 1 on CPU0, which held h, at 10 ns", []string{
			"10 ns exclusion (another task held a handle commutatively): A 1 on CPU0, which held h"}},
		{"a busy worker and a late submission", `
table task
key kind worker start end submit ready
1 A 4 0 30 0 0
2 A 4 30 60 20 22
table state
resource type kind start end depth
4 W Scheduling 29 31 0
`, 1, "the end of A 1 on CPU0, which its worker ran before, at 30 ns", []string{
			"20 ns submission (the program had not submitted it): main",
			"8 ns placement (the worker was busy, and an idle one would have ended the next task earlier): A 1 on CPU0",
			"2 ns unexplained (none of these)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := New(parse(t, test.run), Options{})
			var parts []Part
			x.Delay(test.task, 0, func(p Part) { parts = append(parts, p) })
			var got []string
			for _, r := range x.Reasons(test.task, parts) {
				got = append(got, r.String())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if got := x.Enabler(test.task); got != test.enabler {
				t.Errorf("enabled by %s, want %s", got, test.enabler)
			}
		})
	}
}

// BenchmarkDelays is what sums of delays take, per task, of an index there is.
func BenchmarkDelays(b *testing.B) {
	run := tracetest.CholeskyTasks(1_000_000, tracetest.Options{})
	x := New(run, Options{})
	for b.Loop() {
		x.Delays()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(run.Task.Start)), "ns/task")
}
