package decision

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"dagscope/explain/chain"
	"dagscope/predict/spec"
	"dagscope/predict/starpu/policy"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/tracetest"

	"pgregory.net/rapid"
)

const cholesky = "potrf: 3ms, trsm: {cpu: 4ms, cuda: 2ms}, syrk: {cpu: 4ms, cuda: 1ms}, gemm: {cpu: 7ms, cuda: 1ms}"

// loads are workloads with durations of their kinds.
var loads = [][2]string{
	{"{kind: cholesky, tiles: 4, tile: 960}", cholesky}, {"{kind: cholesky, tiles: 6, tile: 960, priorities: none}", cholesky},
	{"{kind: lu, tiles: 4, tile: 960}", "getrf: 3ms, trsm_ll: 3ms, trsm_ru: {cpu: 4ms, cuda: 2ms}, gemm: {cpu: 7ms, cuda: 1ms}"},
	{"{kind: gemm, tiles: 3, tile: 960, commute: true}", "gemm: {cpu: 3ms, cuda: 1ms}"},
}

// simulated draws a program and a machine, and runs it with all decisions.
func simulated(t *rapid.T) *trace.Run {
	scheduler := rapid.SampledFrom(policy.Names()).Draw(t, "scheduler")
	load := rapid.SampledFrom(loads).Draw(t, "workload")
	text := fmt.Sprintf(`
workload: %s
platform: {file: ../../docs/examples/workstation.yaml, cpus: %d}
models: {durations: {%s}}
scheduler: %s
seed: %d
options: {pipeline: %d, prefetch: %v, decisions: all}`,
		load[0], rapid.IntRange(1, 3).Draw(t, "cpus"), load[1], scheduler, rapid.Int64Range(0, 9).Draw(t, "seed"),
		rapid.IntRange(0, 3).Draw(t, "pipeline"), rapid.Bool().Draw(t, "prefetch"))
	return simulate(t, text)
}

func simulate(t rapid.TB, text string) *trace.Run {
	s, err := spec.Parse("drawn.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Run(true)
	if err != nil {
		t.Fatal(err)
	}
	run, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// unwatched is a run as a recorder would have left it: with events instead of
// decisions.
func unwatched(run *trace.Run) *trace.Run {
	x, own := New(run, Options{}), *run
	own.Decision, own.Estimate, own.Event = trace.Decisions{}, trace.Estimates{}, trace.Events{}
	e := &own.Event
	for v := range run.Task.Start {
		for kind, at := range map[string]int64{"Task Push": x.pushed[v], "Task Pop": x.popped[v]} {
			if at != trace.NoTime {
				e.Kind.Append(kind)
				e.Time, e.Task = append(e.Time, at), append(e.Task, int32(v))
			}
		}
	}
	return &own
}

// Causes of a wait are those of the chain, and tasks in the way are said to have
// been taken if looking at all decisions says so.
func TestWaitsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := simulated(t)
		if rapid.Bool().Draw(t, "recorded") {
			run = unwatched(run)
		}
		x, why := New(run, Options{}), chain.New(run, chain.Options{})
		for v := range run.Task.Start {
			w := x.wait(int32(v))
			if (w != nil) != x.ran(int32(v)) {
				t.Fatalf("task %d has wait %v", v, w)
			}
			if w != nil {
				requirePartition(t, run, v, w)
				requireCauses(t, why, v, w)
				requireBlockers(t, x, int32(v), w)
			}
		}
	})
}

func requirePartition(t rapid.TB, run *trace.Run, v int, w *Wait) {
	sum := func(reasons []chain.Reason) (ns int64) {
		for _, r := range reasons {
			ns += r.NS
		}
		return ns
	}
	start := run.Task.Start[v]
	if w.Start != start || w.Delay != start-w.Since || w.Before != w.Since-w.Submit || sum(w.Causes) != w.Start-w.Ready || sum(w.Release) != w.Ready-w.Since || sum(w.Earlier) != w.Before {
		t.Fatalf("task %d: wait %+v", v, w)
	}
}

func requireCauses(t rapid.TB, why *chain.Index, v int, w *Wait) {
	var want chain.Sums
	why.Delay(int32(v), w.Since, func(p chain.Part) { want[p.Cause()] += p.To - p.From })
	got := map[string]int64{}
	for _, r := range slices.Concat(w.Causes, w.Release) {
		got[r.Cause] += r.NS
	}
	if !maps.Equal(got, want.Names()) {
		t.Fatalf("task %d: causes %v, want %v", v, got, want.Names())
	}
	of := map[string]int64{}
	for _, b := range w.Blockers {
		of[b.Cause] += b.Length
	}
	for cause, ns := range of {
		if got[cause] != ns {
			t.Fatalf("task %d: tasks in the way take %d ns of %s, want %d", v, ns, cause, got[cause])
		}
	}
}

func requireBlockers(t rapid.TB, x *Index, v int32, w *Wait) {
	ta := &x.run.Task
	for _, b := range w.Blockers {
		u := ta.Key.Find(b.Task)
		running := ta.Worker[u] == ta.Worker[v] && ta.Start[u] < x.pushed[v]
		taken := ta.Worker[u] == ta.Worker[v] && x.popped[u] != trace.NoTime && x.popped[u] <= x.pushed[v] &&
			!(x.popped[u] == x.pushed[v] && poppedAfter(x.run, u, v))
		if b.Running != running || b.Taken != (running || taken) {
			t.Fatalf("task %d: %+v, want running %v, taken %v", v, b, running, taken)
		}
	}
}

// poppedAfter says that a task was last taken by a decision that follows the
// first push of another.
func poppedAfter(run *trace.Run, u, v int32) bool {
	after, pushed := false, false
	for i, task := range run.Decision.Task {
		switch kind := run.Decision.Kind.At(i); {
		case task == v && kind == trace.DecisionPush:
			pushed = true
		case task == u && (kind == trace.DecisionPop || kind == trace.DecisionSteal):
			after = pushed
		}
	}
	return after
}

// Whole ns add up, and the first of the fittest is marked as chosen.
func TestEstimatesAddUpInNanoseconds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := simulated(t)
		x := New(run, Options{})
		for v := range run.Task.Start {
			in, err := x.Inspect(int32(v))
			if err != nil {
				t.Fatal(err)
			}
			if m := in.Moment; m != nil && m.Best != nil {
				requireFitness(t, m)
			}
		}
	})
}

func requireFitness(t rapid.TB, m *Moment) {
	chosen, least, best := -1, 0.0, int64(0)
	for i, w := range m.Workers {
		e := w.Estimate
		if e == nil {
			continue
		}
		if m.Time+e.Queue+e.Exposed+e.Duration != e.End || e.Queue < 0 || e.Exposed < 0 || e.Duration < 0 {
			t.Fatalf("%s: %+v does not add up from %d", w.Name, e, m.Time)
		}
		if want := weighted(m.Alpha, e.End-*m.Best) + weighted(m.Beta, e.Transfer); e.Fitness != want {
			t.Fatalf("%s: fitness %d, want %d", w.Name, e.Fitness, want)
		}
		if chosen < 0 || e.exact < least {
			chosen, least = i, e.exact
		}
		if best == 0 || e.End < best {
			best = e.End
		}
	}
	if best != *m.Best {
		t.Fatalf("earliest end %d, want %d", *m.Best, best)
	}
	for i, w := range m.Workers {
		if w.Chosen != (i == chosen) {
			t.Fatalf("%s chosen: %v, want %s", w.Name, w.Chosen, m.Workers[chosen].Name)
		}
	}
}

// What waits is what has been put into a queue and not been taken out yet.
func TestQueuesAtAMoment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := simulated(t)
		x, d := New(run, Options{}), &run.Decision
		row := rapid.IntRange(0, len(d.Task)-1).Draw(t, "row")
		want := map[string][]string{}
		for v := range run.Task.Start {
			queue := ""
			for i := range row {
				if d.Task[i] == int32(v) && d.Kind.At(i) != trace.DecisionPlan {
					if queue = ""; d.Kind.At(i) == trace.DecisionPush {
						queue = d.Queue.At(i)
					}
				}
			}
			if queue != "" {
				want[queue] = append(want[queue], run.Task.Key.At(v))
			}
		}
		m := x.moment(int32(row))
		for _, w := range m.Workers {
			requireSet(t, w.Name, w.Waiting, want)
		}
		for _, q := range m.Shared {
			requireSet(t, q.Name, q.Waiting, want)
		}
		if len(want) > 0 {
			t.Fatalf("nothing was found of %v", want)
		}
	})
}

func requireSet(t rapid.TB, queue string, found []Held, want map[string][]string) {
	var keys []string
	for _, h := range found {
		keys = append(keys, h.Key)
	}
	slices.Sort(keys)
	slices.Sort(want[queue])
	if !slices.Equal(keys, want[queue]) {
		t.Fatalf("%s held %v, want %v", queue, keys, want[queue])
	}
	delete(want, queue)
}

// Without decisions, workers have taken the same tasks, and where each task
// goes to a worker's queue, the same tasks wait for it.
func TestRunsWithoutDecisions(t *testing.T) {
	run := simulate(t, `
workload: {kind: cholesky, tiles: 6, tile: 960}
platform: {file: ../../docs/examples/workstation.yaml}
models: {durations: {`+cholesky+`}}
scheduler: dmdas
options: {decisions: all}`)
	x, y := New(run, Options{}), New(unwatched(run), Options{})
	for at := int64(0); at < run.Meta.Horizon; at += 777_777 {
		a, b := x.At(at), y.At(at)
		if !a.Complete || b.Complete {
			t.Fatalf("complete: %v and %v", a.Complete, b.Complete)
		}
		for i := range a.Workers {
			want := map[string][]string{"taken": keysOf(a.Workers[i].Taken), "waiting": keysOf(a.Workers[i].Waiting)}
			requireSet(t, "taken", b.Workers[i].Taken, want)
			requireSet(t, "waiting", b.Workers[i].Waiting, want)
		}
	}
	if _, err := y.List(ByRegret, 3); err == nil {
		t.Error("regrets without estimates")
	}
	if entries, err := y.List(ByDelay, 3); err != nil || len(entries) != 3 || entries[0].Delay < entries[1].Delay {
		t.Errorf("found %v, %v", entries, err)
	}
}

// On several nodes a scheduler sees its own node.
func TestSeveralNodes(t *testing.T) {
	for _, scheduler := range []string{"eager", "heteroprio", "dmdas"} {
		run := simulate(t, `
workload: {kind: cholesky, tiles: 6, tile: 960, distribution: {p: 2, q: 1}}
platform: {file: ../../docs/examples/workstation.yaml, nodes: 2, network: {bandwidth: 25Gbps, latency: 1us}}
models: {durations: {`+cholesky+`}}
scheduler: `+scheduler+`
options: {decisions: all}`)
		x := New(run, Options{})
		for v := range run.Task.Start {
			if !x.ran(int32(v)) {
				continue
			}
			in, err := x.Inspect(int32(v))
			if err != nil {
				t.Fatal(err)
			}
			requirePartition(t, run, v, in.Wait)
			node := in.Task.Key[:2] // "0_"
			for _, w := range in.Moment.Workers {
				if w.Name[:2] != node {
					t.Fatalf("%s: task %s is placed before worker %s", scheduler, in.Task.Key, w.Name)
				}
			}
			for _, q := range in.Moment.Shared {
				if q.Name[:2] != node {
					t.Fatalf("%s: task %s is placed before queue %s", scheduler, in.Task.Key, q.Name)
				}
			}
		}
		if all := x.At(10_000_000).Workers; len(all) != 24 {
			t.Errorf("found %d workers of both nodes, want 24", len(all))
		}
	}
}

func keysOf(all []Held) (keys []string) {
	for _, h := range all {
		keys = append(keys, h.Key)
	}
	return keys
}

func TestListsAreSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := New(simulated(t), Options{})
		for _, by := range Orders {
			entries, err := x.List(by, 1000)
			if err != nil {
				continue
			}
			for i, e := range entries {
				if i > 0 && measure(e, by) > measure(entries[i-1], by) {
					t.Fatalf("by %s: %+v after %+v", by, e, entries[i-1])
				}
			}
		}
	})
}

func measure(e Entry, by string) int64 {
	of := map[string]*int64{ByRegret: e.Regret, ByMisprediction: e.EndError, ByTransfer: e.TransferError, ByDelay: &e.Delay}[by]
	if of == nil {
		return 0
	}
	return max(*of, -*of)
}

// requireOthers checks that a task is not in the way of itself.
func requireOthers(t *testing.T, in *Inspection) {
	t.Helper()
	if in.Moment == nil {
		return
	}
	for _, w := range in.Moment.Workers {
		if slices.Contains(keysOf(w.Taken), in.Task.Key) || slices.Contains(keysOf(w.Waiting), in.Task.Key) {
			t.Fatalf("when task %s is placed, %s has it already", in.Task.Key, w.Name)
		}
	}
}

// Recorded runs, and runs of any shape.
func TestAnyRun(t *testing.T) {
	var runs []*trace.Run
	for _, name := range []string{"sg-mirage-n12-dmdas", "native-chol-tiny", "nativempi-np2-n8-lws"} {
		run, err := read.Read(filepath.Join("..", "..", "testdata", "starpu", name), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	for seed := range uint64(20) {
		runs = append(runs, tracetest.Random(seed, 60))
	}
	for _, run := range append(runs, &trace.Run{}) {
		x := New(run, Options{})
		for v := range run.Task.Start {
			in, err := x.Inspect(int32(v))
			if err != nil {
				t.Fatal(err)
			}
			if in.Wait != nil {
				requirePartition(t, run, v, in.Wait)
			}
			requireOthers(t, in)
		}
		if _, err := x.Inspect(int32(len(run.Task.Start))); err == nil {
			t.Error("a task beyond the last has a decision")
		}
		x.At(5)
		x.Accuracy()
	}
}
