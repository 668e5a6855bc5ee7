package openmp

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/read"
	"dagscope/trace"
)

// recorded are small recordings of other packages' tests.
func recorded(t *testing.T) map[string]*trace.Run {
	t.Helper()
	files, err := filepath.Glob("../../read/ompt/testdata/*.csv.gz")
	files = append(files, "../../explain/region/testdata/loops.csv") // with locks
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d recordings (%v), want some", len(files), err)
	}
	runs := map[string]*trace.Run{}
	for _, f := range files {
		run, err := read.Read(f, read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		runs[strings.TrimSuffix(filepath.Base(f), ".csv.gz")] = run
	}
	return runs
}

// All that tasks ran is in the program, and each task that ran is created once.
func TestProgramsHaveAllWork(t *testing.T) {
	locks := 0
	for name, run := range recorded(t) {
		p, err := Read(run)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		work, between, ran := worked(run)
		created := map[int32]int{}
		for _, s := range p.steps {
			if s.op == opCreate || s.op == opUndeferred {
				created[s.arg]++
			}
		}
		if p.Work() > work || p.Work() < work-between || len(created) != ran {
			t.Errorf("%s: found work %d and %d tasks created, want %d (at most %d less between chunks) and %d", name, p.Work(), len(created), work, between, ran)
		}
		if locks += len(run.Mutex.Request); between > work/1000 {
			t.Errorf("%s: found %d of %d ns between chunks, want next to nothing", name, between, work)
		}
		for task, n := range created {
			if n != 1 {
				t.Errorf("%s: found task %d created %d times, want once", name, task, n)
			}
		}
	}
	if locks == 0 {
		t.Error("found no recording with locks")
	}
}

// worked is what tasks ran in a recording, without their waits for locks (of nested ones, the
// outer), how much of that was between the chunks of loops, and how many explicit tasks ran.
func worked(run *trace.Run) (work, between int64, ran int) {
	type piece struct{ start, end int64 }
	pieces := map[int32][]piece{}
	for i, task := range run.Segment.Task {
		pieces[task] = append(pieces[task], piece{run.Segment.Start[i], run.Segment.End[i]})
	}
	for i, start := range run.Task.Start {
		if start == trace.NoTime {
			continue
		}
		if pieces[int32(i)] == nil {
			pieces[int32(i)] = []piece{{start, run.Task.End[i]}}
		}
		if !run.Task.Internal[i] {
			ran++
		}
	}
	within := func(task int32, from, to int64) (ns int64) {
		for _, p := range pieces[task] {
			ns += max(0, min(p.end, to)-max(p.start, from))
		}
		return ns
	}
	for task := range pieces {
		work += within(task, math.MinInt64, math.MaxInt64)
	}
	m := &run.Mutex
	for i, task := range m.Task {
		if task != trace.None && m.Depth[i] == 0 && m.Acquire[i] != trace.NoTime && m.Release[i] != trace.NoTime {
			work -= within(task, m.Request[i], m.Acquire[i])
		}
	}
	chunked := map[int32]int64{}
	for i, share := range run.Chunk.Share {
		chunked[share] += run.Chunk.End[i] - run.Chunk.Start[i]
	}
	for share, ns := range chunked {
		between += run.Share.End[share] - run.Share.Start[share] - ns
	}
	return work, between, ran
}

// What is recorded can be simulated, under both runtimes, and stays above its bounds.
func TestRecordingsAreSimulated(t *testing.T) {
	for name, run := range recorded(t) {
		p, err := Read(run)
		if err != nil {
			t.Fatal(err)
		}
		for _, runtime := range []string{LLVM, GCC} {
			for _, threads := range []int{1, 2, 3, 16} {
				r, err := Simulate(p, Options{Threads: threads, Runtime: runtime, Costs: Fit(run, p)})
				if err != nil {
					t.Errorf("%s on %d under %s: %v", name, threads, runtime, err)
					continue
				}
				if r.Makespan < p.Span() || r.Makespan*int64(threads) < p.Work() {
					t.Errorf("%s on %d under %s: found makespan %d, want at least span %d and work %d over threads", name, threads, runtime, r.Makespan, p.Span(), p.Work())
				}
			}
		}
	}
}

func TestOtherRunsAreRefused(t *testing.T) {
	_, err := Read(&trace.Run{})
	if err == nil || !strings.Contains(err.Error(), "want a recording of dagscope record") {
		t.Errorf("found error %v, want one that says what is needed", err)
	}
}

// flat is one creator of n tasks.
func flat(n int, between, work int64) *Program {
	p := &Program{Kinds: []string{"root", "task"}, Threads: 1}
	task := func(parent int32, flags uint8, kind int32) int32 {
		p.parent, p.flags, p.kind, p.preds = append(p.parent, parent), append(p.flags, flags), append(p.kind, kind), append(p.preds, 0)
		p.level = append(p.level, min(int32(len(p.level)), 2))
		p.first = append(p.first, int32(len(p.steps)))
		return int32(len(p.parent) - 1)
	}
	task(-1, implicit, 0)
	p.steps = append(p.steps, step{op: opParallel}, step{op: opEnd})
	task(0, implicit, 0)
	for i := range n {
		p.steps = append(p.steps, step{work: between, op: opCreate, arg: int32(3 + i)})
	}
	p.steps = append(p.steps, step{op: opEnd})
	task(0, implicit, 0)
	p.steps = append(p.steps, step{op: opEnd})
	for range n {
		task(1, 0, 1)
		p.steps = append(p.steps, step{work: work, op: opEnd})
	}
	p.first = append(p.first, int32(len(p.steps)))
	p.succAt = make([]int32, len(p.parent)+1)
	p.regions = []region{{members: []int32{1}, shadow: 2, scales: true}}
	return p
}

// Numbers worked out by hand.
func TestMakespansByHand(t *testing.T) {
	for _, c := range []struct {
		name    string
		program *Program
		change  string
		threads int
		want    int64
	}{
		{"one thread does all", flat(10, 5, 100), "", 1, 1050},
		{"the creator is slower than the others", flat(10, 100, 50), "", 8, 1050},
		{"its code is not the cost of creation", flat(10, 100, 50), "creation=free", 8, 1050},
		{"ten tasks at a time", flat(10, 0, 100), "", 16, 100},
		{"tasks twice as fast", flat(10, 0, 100), "faster=task:50", 16, 50},
		{"two tasks in one", flat(10, 0, 100), "grain=200", 16, 200},
		{"all tasks in one", flat(10, 0, 100), "grain=100000", 16, 1000},
	} {
		o := Options{Threads: c.threads}
		p := c.program
		if c.change != "" {
			change, err := ParseChange(c.change)
			if err != nil {
				t.Fatal(err)
			}
			if p, err = p.With([]Change{change}, &o); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Simulate(p, o)
		if err != nil || r.Makespan != c.want {
			t.Errorf("%s: found makespan %d (%v), want %d", c.name, r.Makespan, err, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		want    string
		program *Program
		costs   Costs
		threads int
	}{
		{LimitWork, flat(1000, 0, 1000), Costs{}, 4},
		{LimitCreation, flat(1000, 500, 1000), Costs{Creation: 500}, 16},
		{LimitSpan, flat(1000, 500, 1000), Costs{}, 16},
		{LimitRuntime, flat(1000, 0, 100), Costs{Dispatch: 1000, Steal: 1000}, 4},
		{LimitImbalance, flat(17, 0, 1000), Costs{}, 16},
	} {
		v := newVariants(c.program, Options{Costs: c.costs})
		r, err := v.row(c.threads)
		if err != nil {
			t.Fatal(err)
		}
		if r.limit(c.program.Span()); r.Limit != c.want {
			t.Errorf("found limit %s (%d of %d), want %s", r.Limit, r.Loss, r.Makespan, c.want)
		}
	}
}

func BenchmarkSimulate(b *testing.B) {
	p := flat(100_000, 10, 1000)
	for range b.N {
		if _, err := Simulate(p, Options{Threads: 16, Costs: Defaults}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}
