package starpu_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/memory"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// hybrid is a machine with two GPUs of little memory and three CPUs.
const hybrid = `
memories:
- {name: CUDA0, kind: gpu, arch: cuda, device: 0, capacity: 40MiB, link: {bandwidth: 6GBps, latency: 10us}}
- {name: CUDA1, kind: gpu, arch: cuda, device: 1, capacity: 40MiB, link: {bandwidth: 6GBps, latency: 10us}}
workers:
- {arch: cuda, memory: CUDA0}
- {arch: cuda, memory: CUDA1}
- {arch: cpu, count: 3}
`

// traced simulates a factorization and writes it down.
func traced(t *testing.T, scheduler string) (*workload.Graph, *starpu.Result, *trace.Run) {
	t.Helper()
	g, r := simulated(t, scheduler, true)
	run, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return g, r, run
}

func simulated(t *testing.T, scheduler string, record bool) (*workload.Graph, *starpu.Result) {
	t.Helper()
	g, err := workload.Cholesky(workload.Tiled{Tiles: 8})
	if err != nil {
		t.Fatal(err)
	}
	m, err := platform.ParseYAML("hybrid.yaml", []byte(hybrid))
	if err != nil {
		t.Fatal(err)
	}
	d := make(starpu.Durations, len(g.Classes))
	for c := range d {
		for _, on := range m.Types() {
			d[c] = append(d[c], map[string]float64{platform.CPU: 9e6, platform.CUDA: 1e6}[on.Arch])
		}
	}
	p, err := policy.New(scheduler, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := starpu.DefaultOptions()
	o.Record = record
	r, err := starpu.Run(g, m, d, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return g, r
}

// What is written down is what happened: every task once, after those that it
// waits for, one at a time on each worker.
func TestTraceOfTasks(t *testing.T) {
	for _, scheduler := range []string{"dmdas", "lws"} {
		g, r, run := traced(t, scheduler)
		c := &run.Task
		if len(c.Start) != g.Tasks() || len(run.Access.Task) != len(g.Handle) || len(run.Handle.Bytes) != len(g.Bytes) {
			t.Fatalf("%s: found %d tasks, %d accesses and %d handles", scheduler, len(c.Start), len(run.Access.Task), len(run.Handle.Bytes))
		}
		for i := range c.Start {
			if c.Submit[i] > c.Ready[i] || c.Ready[i] > c.Start[i] || c.End[i]-c.Start[i] != r.End[i]-r.Begin[i] || c.Priority[i] != g.Priority[i] {
				t.Errorf("%s: task %d is submitted %d, ready %d, runs %d to %d", scheduler, i, c.Submit[i], c.Ready[i], c.Start[i], c.End[i])
			}
		}
		if len(run.Dep.From) == 0 {
			t.Errorf("%s: found no dependencies", scheduler)
		}
		for i, from := range run.Dep.From {
			if to := run.Dep.To[i]; c.Start[to] < c.End[from] {
				t.Errorf("%s: task %d starts %d, before the end %d of task %d", scheduler, to, c.Start[to], c.End[from], from)
			}
		}
		checkApart(t, run)
		if end := slices.Max(c.End) - c.Submit[0]; end > r.Makespan || end < r.Makespan-r.Makespan/100 {
			t.Errorf("%s: found a makespan of %d ns, tasks end after %d", scheduler, r.Makespan, end)
		}
	}
}

// checkApart reports tasks and states that overlap on a worker.
func checkApart(t *testing.T, run *trace.Run) {
	t.Helper()
	type span struct{ start, end int64 }
	spans := make(map[int32][]span)
	for i, w := range run.Task.Worker {
		spans[w] = append(spans[w], span{run.Task.Start[i], run.Task.End[i]})
	}
	for i, w := range run.State.Resource {
		spans[w] = append(spans[w], span{run.State.Start[i], run.State.End[i]})
	}
	for w, all := range spans {
		slices.SortFunc(all, func(a, b span) int { return int(a.start - b.start) })
		for i := 1; i < len(all); i++ {
			if all[i].start < all[i-1].end {
				t.Errorf("%s: %v and %v overlap", run.Resource.Name.At(int(w)), all[i-1], all[i])
			}
		}
	}
}

// Transfers, counters and the validity of copies add up.
func TestTraceOfData(t *testing.T) {
	_, r, run := traced(t, "dmdas")
	count, bytes := int64(0), int64(0)
	for _, p := range r.Pairs {
		count, bytes = count+p.Count, bytes+p.Bytes
	}
	sum := int64(0)
	for i, b := range run.Transfer.Bytes {
		sum += b
		if run.Transfer.End[i] != trace.NoTime && run.Transfer.End[i] <= run.Transfer.Start[i] {
			t.Errorf("transfer %d takes no time", i)
		}
	}
	if count == 0 || int64(len(run.Transfer.Bytes)) != count || sum != bytes {
		t.Errorf("found %d transfers of %d bytes, want %d of %d", len(run.Transfer.Bytes), sum, count, bytes)
	}
	last, most := make(map[string]float64), make(map[int32]float64)
	for i, v := range run.Sample.Value {
		metric := run.Sample.Metric.At(i)
		if last[metric] = v; v < 0 {
			t.Errorf("%s is %g", metric, v)
		}
		if metric == "Used (MB)" {
			most[run.Sample.Resource[i]] = max(most[run.Sample.Resource[i]], v)
		}
	}
	if last["Number of Ready Tasks"] != 0 || last["Number of Submitted Uncompleted Tasks"] != 0 {
		t.Errorf("at the end found %v", last)
	}
	for _, v := range most {
		if v > 40 {
			t.Errorf("%g MB are used of a memory of 40", v)
		}
	}
	checkOwners(t, run)
}

// checkOwners: a piece of data that one memory owns is valid nowhere else.
func checkOwners(t *testing.T, run *trace.Run) {
	t.Helper()
	type place struct{ handle, resource int32 }
	state := make(map[place]string)
	e := &run.Event
	for i, at := range e.Time {
		switch kind := e.Kind.At(i); kind {
		case "data state owner", "data state shared", "data state invalid":
			state[place{e.Handle[i], e.Resource[i]}] = kind
		default:
			continue
		}
		if i+1 < len(e.Time) && e.Time[i+1] == at {
			continue // more changes at this instant
		}
		owners, valid := 0, 0
		for p, s := range state {
			if p.handle == e.Handle[i] && s != "data state invalid" {
				valid++
				if s == "data state owner" {
					owners++
				}
			}
		}
		if owners > 1 || owners == 1 && valid > 1 {
			t.Fatalf("at %d handle %d has %d owners and %d valid copies", at, e.Handle[i], owners, valid)
		}
	}
	if len(state) == 0 {
		t.Error("found no states of copies")
	}
}

// Recording changes nothing; without it tasks are written down all the same.
func TestRecordingChangesNothing(t *testing.T) {
	g, full := simulated(t, "dmdas", true)
	_, bare := simulated(t, "dmdas", false)
	if !slices.Equal(full.Begin, bare.Begin) || !slices.Equal(full.Worker, bare.Worker) || full.Events != bare.Events {
		t.Error("what is recorded differs from what is not")
	}
	run, err := bare.Trace()
	if err != nil || len(run.Task.Start) != g.Tasks() || len(run.State.Start)+len(run.Transfer.Start) != 0 {
		t.Errorf("found %d tasks, %d states and %d transfers, %v", len(run.Task.Start), len(run.State.Start), len(run.Transfer.Start), err)
	}
}

// Managers of memories take time to allocate, write back before they reuse what
// is full, and transfers are asked for before they begin.
func TestTraceOfManagers(t *testing.T) {
	_, _, run := traced(t, "dmdas")
	e := &run.Event
	begun, took := make(map[string]int64), make(map[string]int64)
	count := make(map[string]int)
	for i, at := range e.Time {
		kind := e.Kind.At(i)
		count[kind]++
		if name, ok := strings.CutSuffix(kind, " Start"); ok {
			begun[name] = at
		} else if name, ok := strings.CutSuffix(kind, " End"); ok && name != "DriverCopy" {
			if at < begun[name] {
				t.Errorf("%s ends at %d, before it begins", name, at)
			}
			took[name] += at - begun[name]
		}
	}
	// At least one block of a GPU's memory is allocated, which takes 175 µs.
	if took["Allocating"] < 175_000 || took["WritingBack"] <= 0 || count["WritingBack Start"] == 0 {
		t.Errorf("found %v ns", took)
	}
	if moved := len(run.Transfer.Bytes); count["Request Created"] < moved {
		t.Errorf("found %d requests of %d transfers", count["Request Created"], moved)
	}
}

// Counters begin with 0 before anything happens. A task that a worker has taken
// is not ready any more, though it waits for its data.
func TestTraceOfCounters(t *testing.T) {
	_, _, run := traced(t, "dmdas")
	s := &run.Sample
	first := slices.Min(run.Task.Submit)
	ready := []int64{}
	for i, at := range s.Time {
		key := s.Metric.At(i)
		if at < first && s.Value[i] != 0 {
			t.Errorf("found %g %s at %d, before the first submission", s.Value[i], key, at)
		}
		if key == "Number of Ready Tasks" && (i == 0 || s.Metric.At(i-1) != key || s.Value[i] < s.Value[i-1]) {
			ready = append(ready, at)
		}
	}
	if s.Time[0] >= first {
		t.Errorf("counters begin at %d, the first task is submitted at %d", s.Time[0], first)
	}
	// With a pipeline, some tasks begin long after they were taken.
	early := 0
	for i, start := range run.Task.Start {
		if !slices.Contains(ready, start) && run.Task.MemoryNode[i] != 0 {
			early++
		}
	}
	if early < len(run.Task.Start)/2 {
		t.Errorf("found %d tasks that were taken before they began, want most", early)
	}
}

// Memories that are too small are seen to be: allocations fail, copies are
// thrown out and come again, as many as take the place of others or are freed.
func TestTraceOfFullMemories(t *testing.T) {
	_, _, run := traced(t, "dmdas")
	stays := memory.Stays(run, memory.Exact)
	actions := memory.FindActions(run)
	counts := memory.Count(run, stays, actions, memory.FindUses(run), math.MinInt64, math.MaxInt64)
	sum := func(column []int64) (n int64) {
		for _, v := range column {
			n += v
		}
		return n
	}
	failed, evicted, again := sum(counts.Failed), sum(counts.Evictions), sum(counts.Refetches)
	if failed == 0 || evicted == 0 || again == 0 || again > evicted {
		t.Errorf("found %d failed allocations, %d evictions and %d copies that came again", failed, evicted, again)
	}
	// Every attempt that fails makes room, or another takes its place.
	made := int64(0)
	for i := range actions.Kind.Index {
		if actions.Kind.At(i) == memory.WritingBack {
			made++
		}
	}
	if done := sum(counts.Allocations) - failed; failed > made || done <= 0 {
		t.Errorf("found %d attempts fail and %d succeed, and %d times room made", failed, done, made)
	}
}

// Events are written in the order of time and place.
func TestTraceIsSorted(t *testing.T) {
	_, _, run := traced(t, "dmdas")
	e := &run.Event
	for i := 1; i < len(e.Time); i++ {
		if e.Time[i] < e.Time[i-1] || e.Time[i] == e.Time[i-1] && e.Resource[i] < e.Resource[i-1] {
			t.Fatalf("event %d (%s) at %d comes after %d", i, e.Kind.At(i), e.Time[i], e.Time[i-1])
		}
	}
}
