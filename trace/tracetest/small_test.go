package tracetest

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	"dagscope/trace"

	"pgregory.net/rapid"
)

func TestTinyIsAsItsCommentSays(t *testing.T) {
	run := Tiny()
	requireSchedule(t, run)
	var sum int64
	busy := map[string]int64{}
	for i := range run.Task.Start {
		d := run.Task.End[i] - run.Task.Start[i]
		sum += d
		busy[run.Resource.Name.At(int(run.Task.Worker[i]))] += d
	}
	if sum != 200 || busy["CPU0"] != 140 || busy["CUDA0_0"] != 60 {
		t.Errorf("found work %d and busy %v, wanted 200, 140 and 60", sum, busy)
	}
	if got := longestChain(run); got != 140 {
		t.Errorf("found longest chain %d, wanted 140", got)
	}
	// The counters say what the columns say.
	requireCounter(t, run, "Number of Submitted Uncompleted Tasks", run.Task.Submit, run.Task.End)
	requireCounter(t, run, "Number of Ready Tasks", run.Task.Ready, run.Task.Start)
}

func TestChainAndFork(t *testing.T) {
	for _, n := range []int{1, 2, 7} {
		run := Chain(n)
		requireSchedule(t, run)
		if got := makespan(run); got != int64(10*n) {
			t.Errorf("chain of %d: found makespan %d, wanted %d", n, got, 10*n)
		}
		for workers := 1; workers < 4; workers++ {
			run := Fork(n, workers)
			requireSchedule(t, run)
			if got, want := makespan(run), int64(10*(2+(n+workers-1)/workers)); got != want {
				t.Errorf("fork of %d on %d: found makespan %d, wanted %d", n, workers, got, want)
			}
		}
	}
}

func TestRandomIsAValidSchedule(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed, n := rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(0, 60).Draw(rt, "n")
		run := Random(seed, n)
		if len(run.Task.Start) != n {
			rt.Fatalf("found %d tasks, wanted %d", len(run.Task.Start), n)
		}
		requireSchedule(rt, run)
		if !bytes.Equal(Format(run), Format(Random(seed, n))) {
			rt.Fatalf("seed %d gives two runs", seed)
		}
	})
}

// fataler is what testing.T and rapid.T have in common here.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// requireSchedule checks that a run is valid, that tasks wait for their
// predecessors, submission and readiness, and that workers do one thing at a time.
func requireSchedule(t fataler, run *trace.Run) {
	t.Helper()
	if err := run.Validate(); err != nil {
		t.Fatalf("%v", err)
	}
	task := &run.Task
	for e, from := range run.Dep.From {
		to := run.Dep.To[e]
		ready := task.End[from]
		if run.Dep.Via != nil && run.Dep.Via[e] != trace.None {
			via := run.Dep.Via[e]
			if run.Transfer.Start[via] < ready {
				t.Fatalf("transfer %d starts before task %d ends", via, from)
			}
			ready = run.Transfer.End[via]
		}
		if task.Ready[to] < ready || task.Start[to] < task.Ready[to] {
			t.Fatalf("task %d: predecessor %d there at %d, but ready %d and start %d", to, from, ready, task.Ready[to], task.Start[to])
		}
	}
	for i := range task.Start {
		if task.Ready[i] < task.Submit[i] {
			t.Fatalf("task %d: ready %d before its submission %d", i, task.Ready[i], task.Submit[i])
		}
	}
	requireAlone(t, run)
}

// requireAlone checks that no two tasks or states of a worker overlap.
func requireAlone(t fataler, run *trace.Run) {
	t.Helper()
	spans := map[int32][][2]int64{}
	for i, w := range run.Task.Worker {
		spans[w] = append(spans[w], [2]int64{run.Task.Start[i], run.Task.End[i]})
	}
	for i, r := range run.State.Resource {
		if run.Resource.Level.At(int(r)) == trace.LevelWorker {
			spans[r] = append(spans[r], [2]int64{run.State.Start[i], run.State.End[i]})
		}
	}
	for w, s := range spans {
		sortSpans(s)
		for i := 1; i < len(s); i++ {
			if s[i][0] < s[i-1][1] {
				t.Fatalf("worker %d does two things at once: %v and %v", w, s[i-1], s[i])
			}
		}
	}
}

func makespan(run *trace.Run) (end int64) {
	for _, e := range run.Task.End {
		end = max(end, e)
	}
	return end
}

// longestChain is the longest path with observed durations; edges must point
// from smaller to larger rows.
func longestChain(run *trace.Run) (longest int64) {
	before := make([]int64, len(run.Task.Start))
	e := 0
	for i := range run.Task.Start {
		for ; e < len(run.Dep.To) && int(run.Dep.To[e]) == i; e++ {
			before[i] = max(before[i], before[run.Dep.From[e]])
		}
		before[i] += run.Task.End[i] - run.Task.Start[i]
		longest = max(longest, before[i])
	}
	return longest
}

// requireCounter checks a counter against the times at which it rises and falls.
func requireCounter(t fataler, run *trace.Run, metric string, up, down []int64) {
	t.Helper()
	s := &run.Sample
	found := 0
	for i, time := range s.Time {
		last := i+1 == len(s.Time) || s.Time[i+1] != time || s.Resource[i+1] != s.Resource[i]
		if s.Metric.At(i) != metric || !last {
			continue
		}
		found++
		want := 0.0
		for k := range up {
			if run.Resource.Node[run.Task.Worker[k]] != run.Resource.Node[s.Resource[i]] {
				continue
			}
			if up[k] <= time {
				want++
			}
			if down[k] <= time {
				want--
			}
		}
		if s.Value[i] != want {
			t.Fatalf("%s at %d: found %v, wanted %v", metric, time, s.Value[i], want)
		}
	}
	if found == 0 {
		t.Fatalf("no sample of %s", metric)
	}
}

func sortSpans(s [][2]int64) {
	slices.SortFunc(s, func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
}
