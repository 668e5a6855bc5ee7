package task

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/chain"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// everyRun calls a test for the runs of the project and for made-up ones, whole
// and damaged.
func everyRun(t *testing.T, test func(t *testing.T, run *trace.Run)) {
	for _, name := range bundledNames {
		t.Run(name, func(t *testing.T) { test(t, bundled(t, name)) })
	}
	t.Run("tiny", func(t *testing.T) { test(t, tracetest.Tiny()) })
	t.Run("random", func(t *testing.T) { test(t, tracetest.Random(3, 500)) })
	t.Run("fork", func(t *testing.T) { test(t, tracetest.Fork(250, 4)) })
	t.Run("empty", func(t *testing.T) { test(t, &trace.Run{}) })
	for seed := range uint64(6) {
		o := tracetest.Options{Tiles: 8, Nodes: 1 + int(seed%2), CPUs: 3, GPUs: int(seed % 3), Seed: seed}
		t.Run("damaged", func(t *testing.T) { test(t, damage(tracetest.Cholesky(o), seed)) })
	}
}

// damage takes from a run what a trace may lack: times, ready times, ends of
// transfers; it makes tasks the runtime's own, and suspends others.
func damage(run *trace.Run, seed uint64) *trace.Run {
	rng := rand.New(rand.NewPCG(seed, 7))
	ta, s := &run.Task, &run.Segment
	for v := range ta.Start {
		switch rng.IntN(12) {
		case 0:
			ta.Start[v], ta.End[v], ta.Worker[v] = trace.NoTime, trace.NoTime, trace.None
			ta.Internal[v] = rng.IntN(2) == 0
		case 1:
			ta.Ready[v] = trace.NoTime
		case 2:
			ta.Ready[v] = ta.Start[v] + rng.Int64N(1000)
		case 3:
			ta.Start[v] -= rng.Int64N(1 + (ta.End[v]-ta.Start[v])/2)
			ta.Ready[v] -= rng.Int64N(1e6)
		case 4:
			third := (ta.End[v] - ta.Start[v]) / 3
			s.Task, s.Worker = append(s.Task, int32(v), int32(v)), append(s.Worker, ta.Worker[v], ta.Worker[v])
			s.Start, s.End = append(s.Start, ta.Start[v], ta.End[v]-third), append(s.End, ta.Start[v]+third, ta.End[v])
		}
	}
	edges := map[int32]int{}
	for _, x := range run.Dep.Via {
		edges[x]++
	}
	for e, x := range run.Dep.Via { // senders that the only edge does not name, or names differently
		if x < 0 || edges[x] > 1 || rng.IntN(3) > 0 {
			continue
		}
		if run.Transfer.SendTask == nil {
			run.Transfer.SendTask = slices.Repeat([]int32{trace.None}, len(run.Transfer.End))
		}
		run.Transfer.SendTask[x] = rng.Int32N(run.Dep.To[e] + 1)
		if rng.IntN(3) == 0 {
			run.Dep.From[e] = trace.None
		}
	}
	for x := range run.Transfer.End {
		if rng.IntN(20) == 0 {
			run.Transfer.End[x] = trace.NoTime
		}
	}
	return run
}

func explained(t *testing.T, run *trace.Run, o Options) *Index {
	t.Helper()
	x, err := New(run, o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// task explains a task and checks what must hold of any answer.
func task(t *testing.T, x *Index, v int32, levels, budget int) Task {
	t.Helper()
	a, err := x.Task(v, levels, budget)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Words) == 0 {
		t.Fatalf("nothing is said about %s", a.Key)
	}
	for _, s := range a.Words {
		if !strings.HasSuffix(s, ".") || strings.Contains(s, "  ") || strings.Contains(s, "−") || strings.Contains(s, "%!") {
			t.Fatalf("%s: %q", a.Key, s)
		}
	}
	if text, err := json.Marshal(a); err != nil || strings.Contains(string(text), `:null,"counts"`) {
		t.Fatalf("%s as JSON: %s, %v", a.Key, text, err)
	}
	return a
}

// Delays are those of the sums that numbers and reports show, by worker and kind.
func TestDelaysAreThoseOfTheChain(t *testing.T) {
	everyRun(t, func(t *testing.T, run *trace.Run) {
		x, index := explained(t, run, Options{}), chain.New(run, chain.Options{})
		type key struct{ worker, kind int32 }
		got := map[key]map[string]int64{}
		for v := range int32(len(run.Task.Start)) {
			d := task(t, x, v, 3, 10).Delay
			if d == nil {
				continue
			}
			sum := int64(0)
			k := key{run.Task.Worker[v], run.Task.Kind.Index[v]}
			for _, c := range d.Causes {
				sum += c.NS
				if d.Ready != nil && run.Task.Counted(int(v)) && k.kind >= 0 {
					if got[k] == nil {
						got[k] = map[string]int64{}
					}
					got[k][c.Cause] += c.NS
				}
			}
			if sum != d.Total {
				t.Fatalf("task %d: causes add up to %d of %+v", v, sum, d)
			}
		}
		sums := index.Delays()
		for i, w := range sums.Worker {
			if want := sums.Delay[i].Names(); !maps.Equal(got[key{w, sums.Kind[i]}], want) {
				t.Fatalf("worker %d, kind %d: %v, want %v", w, sums.Kind[i], got[key{w, sums.Kind[i]}], want)
			}
		}
	})
}

// Every cause of a delay is in the words, and so is what took most of it.
func TestWordsNameCauses(t *testing.T) {
	everyRun(t, func(t *testing.T, run *trace.Run) {
		x := explained(t, run, Options{})
		for v := range int32(len(run.Task.Start)) {
			w := x.wait(v)
			if w.delay == nil {
				continue
			}
			words := strings.Join(x.meanwhile(w), " ")
			for _, c := range w.delay.Causes {
				if !strings.Contains(words, c.Cause) || len(c.Keys) > 0 && c.NS*spokenShare >= w.delay.Total && !strings.Contains(words, c.Keys[0]) {
					t.Fatalf("task %d: %q does not name %+v", v, words, c)
				}
			}
		}
	})
}

// Idle workers are those that plain looking finds.
func TestIdleElsewhereAgainstGaps(t *testing.T) {
	everyRun(t, func(t *testing.T, run *trace.Run) {
		x := explained(t, run, Options{})
		lanes, re := schedule.Build(run, nil), &run.Resource
		for v := int32(0); int(v) < len(run.Task.Start); v += 3 {
			w := x.wait(v)
			if w.delay == nil || w.delay.Total == 0 {
				continue
			}
			on, idle := run.Task.Worker[v], 0
			for _, r := range kind.Workers(run) {
				if r == on || re.Node[r] != re.Node[on] || re.Arch.At(int(r)) != re.Arch.At(int(on)) {
					continue
				}
				free, most := w.from, int64(0)
				for i := lanes.At[r]; i < lanes.At[r+1]; i++ {
					most = max(most, min(lanes.Start[i], w.to)-free)
					free = max(free, lanes.End[i])
				}
				if max(most, w.to-free) >= w.stood {
					idle++
				}
			}
			if idle != w.idle {
				t.Fatalf("task %d: %d idle workers, want %d", v, w.idle, idle)
			}
		}
	})
}

func TestChainsAgainstDepend(t *testing.T) {
	everyRun(t, func(t *testing.T, run *trace.Run) {
		x := explained(t, run, Options{})
		for v := range int32(len(run.Task.Start)) {
			whole := x.last.Chain(v, depend.ToSource)
			for _, ask := range [][2]int{{-1, -1}, {4, 100}, {-1, 3}, {0, 5}, {3, 0}} {
				c := x.chain(v, ask[0], ask[1])
				if len(c.Links)+c.LeftOut != len(whole)-1 || ask[1] >= 0 && len(c.Links) > ask[1] || ask[0] >= 0 && len(c.Links) > ask[0] {
					t.Fatalf("task %d, %v: %d links, %d left out of %d", v, ask, len(c.Links), c.LeftOut, len(whole)-1)
				}
				for i, l := range c.Links {
					if l.Key != x.last.Key(whole[i+1]) || l.Transfer != (int(whole[i+1]) >= x.last.Tasks) {
						t.Fatalf("task %d: link %d is %+v, want %s", v, i, l, x.last.Key(whole[i+1]))
					}
					if release := x.last.Release(whole[i]); (l.Release == nil) != (release == trace.NoTime) || l.Release != nil && *l.Release != release {
						t.Fatalf("task %d: link %d releases after %v, want %d", v, i, l.Release, release)
					}
				}
			}
		}
	})
}

func TestEdgesAgainstLoops(t *testing.T) {
	everyRun(t, func(t *testing.T, run *trace.Run) {
		x := explained(t, run, Options{})
		into, out := make([]int, len(run.Task.Start)), make([]int, len(run.Task.Start))
		for e, to := range run.Dep.To {
			into[to]++
			senders := []int32{run.Dep.From[e]}
			if run.Dep.Via != nil && run.Dep.Via[e] >= 0 && run.Transfer.SendTask != nil {
				senders = append(senders, run.Transfer.SendTask[run.Dep.Via[e]])
			}
			slices.Sort(senders)
			for _, v := range slices.Compact(senders) {
				if v >= 0 {
					out[v]++
				}
			}
		}
		for v := range int32(len(run.Task.Start)) {
			a := task(t, x, v, 0, 0)
			if a.PredecessorCount != into[v] || a.SuccessorCount != out[v] {
				t.Fatalf("task %d: %d and %d edges, want %d and %d", v, a.PredecessorCount, a.SuccessorCount, into[v], out[v])
			}
			if len(a.Predecessors) != min(maxEdges, into[v]) || len(a.Successors) != min(maxEdges, out[v]) {
				t.Fatalf("task %d: %d and %d edges are listed", v, len(a.Predecessors), len(a.Successors))
			}
			if flagged := len(a.Predecessors) > 0 && a.Predecessors[0].Last; x.ran(v) && x.last.Of[v] != trace.None && !flagged {
				t.Fatalf("task %d: the last dependency is not the first predecessor: %+v", v, a.Predecessors)
			}
			checkReleased(t, x, v, a.Released)
		}
	})
}

// checkReleased compares with a look at all tasks.
func checkReleased(t *testing.T, x *Index, v int32, got *string) {
	t.Helper()
	first := trace.None
	for w := range int32(x.last.Tasks) {
		last := x.last.Of[w]
		if last >= int32(x.last.Tasks) {
			last = x.last.Of[last]
		}
		if last == v && x.ran(w) && (first == trace.None || x.run.Task.Start[w] < x.run.Task.Start[first]) {
			first = w
		}
	}
	if (got == nil) != (first == trace.None) || got != nil && *got != x.run.Task.Key.At(int(first)) {
		t.Fatalf("task %d released %v, want row %d", v, got, first)
	}
}

func TestNeighboursAgainstLoops(t *testing.T) {
	everyRun(t, func(t *testing.T, run *trace.Run) {
		x := explained(t, run, Options{})
		for r := range int32(len(run.Resource.Parent)) {
			from, to := x.lanes.Of(r)
			tasks := slices.Clone(x.lanes.Task[from:to])
			for v := range int32(len(run.Task.Start)) {
				if run.Task.Worker[v] != r {
					continue
				}
				before, after := x.neighbours(v)
				var want [2]string
				i := slices.Index(tasks, v)
				for k := 0; k < i; k++ {
					if tasks[k] != v {
						want[0] = run.Task.Key.At(int(tasks[k]))
					}
				}
				for k := len(tasks) - 1; k > i; k-- {
					if tasks[k] != v {
						want[1] = run.Task.Key.At(int(tasks[k]))
					}
				}
				if keyOf(before) != want[0] || keyOf(after) != want[1] {
					t.Fatalf("task %d is between %q and %q, want %q", v, keyOf(before), keyOf(after), want)
				}
			}
		}
	})
}

func keyOf(r *Ref) string {
	if r == nil {
		return ""
	}
	return r.Key
}

func TestDistributionsAgainstLoops(t *testing.T) {
	everyRun(t, func(t *testing.T, run *trace.Run) {
		x := explained(t, run, Options{})
		durations, ta := kind.Durations(run), &run.Task
		for v := range int32(len(ta.Start)) {
			d := task(t, x, v, 0, 0).Distribution
			count, shorter, binned := 0, 0, 0
			for i := range ta.Start {
				if (kind.Options{Generation: true}).Counts(ta, i) && ta.Kind.Index[i] == ta.Kind.Index[v] && x.ran(v) &&
					run.Resource.Arch.At(int(ta.Worker[i])) == run.Resource.Arch.At(int(ta.Worker[v])) {
					count++
					if durations[i] < durations[v] {
						shorter++
					}
				}
			}
			for _, n := range d.Counts {
				binned += n
			}
			if d.Count != count || binned != count || d.This != durations[v] || count > 0 && d.Rank != float64(shorter)/float64(count) {
				t.Fatalf("task %d: %+v, want %d tasks, %d shorter", v, d, count, shorter)
			}
			if !slices.IsSorted(d.Edges) || len(d.Edges) > 0 && len(d.Edges) != len(d.Counts)+1 {
				t.Fatalf("task %d: edges %v", v, d.Edges)
			}
		}
	})
}
