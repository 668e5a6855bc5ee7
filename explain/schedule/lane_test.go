package schedule

import (
	"slices"
	"testing"

	"dagscope/internal/interval"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

func TestBuildOrdersPiecesByStart(t *testing.T) {
	for seed := range uint64(20) {
		run := tracetest.Random(seed, 60)
		lanes := Build(run, nil)
		at := map[[3]int64]int{} // worker, start, end of pieces not yet met
		pieces(run, func(_ int, w int32, start, end int64) { at[[3]int64{int64(w), start, end}]++ })
		for w := range int32(len(run.Resource.Parent)) {
			from, to := lanes.Of(w)
			for i := from; i < to; i++ {
				if i > from && lanes.Start[i] < lanes.Start[i-1] {
					t.Fatalf("seed %d: pieces of %d are out of order", seed, w)
				}
				at[[3]int64{int64(w), lanes.Start[i], lanes.End[i]}]--
			}
			var work interval.Spans
			pieces(run, func(_ int, on int32, start, end int64) {
				if on == w {
					work.Add(start, end)
				}
			})
			if got, want := lanes.Work(w), interval.Union(work); !slices.Equal(got.Start, want.Start) || !slices.Equal(got.End, want.End) {
				t.Fatalf("seed %d: work of %d is %v, want %v", seed, w, got, want)
			}
		}
		for piece, n := range at {
			if n != 0 {
				t.Fatalf("seed %d: piece %v is met %d times too few", seed, piece, n)
			}
		}
	}
}

// pieces calls f for every piece of every task that ran, by plain search.
func pieces(run *trace.Run, f func(task int, worker int32, start, end int64)) {
	for i, start := range run.Task.Start {
		if start == trace.NoTime || run.Task.Worker[i] < 0 {
			continue
		}
		found := false
		for k, task := range run.Segment.Task {
			if int(task) == i {
				found = true
				f(i, run.Segment.Worker[k], run.Segment.Start[k], run.Segment.End[k])
			}
		}
		if !found {
			f(i, run.Task.Worker[i], start, run.Task.End[i])
		}
	}
}

func TestSuspendedTasksHaveOneFirstPiece(t *testing.T) {
	run := tracetest.Tiny()
	w := run.Task.Worker[0]
	run.Segment = trace.Segments{Task: []int32{0, 0}, Worker: []int32{w, w}, Start: []int64{0, 30}, End: []int64{10, 40}}
	lanes := Build(run, func(i int) bool { return i == 0 })
	from, to := lanes.Of(w)
	if to-from != 2 || !lanes.IsFirst(from) || lanes.IsFirst(from+1) || lanes.Start[from+1] != 30 {
		t.Fatalf("pieces %+v", lanes)
	}
}

func TestParallelTasksAreOnEachWorker(t *testing.T) {
	run := tracetest.Tiny()
	run.Segment = trace.Segments{Task: []int32{0, 0}, Worker: []int32{10, 8}, Start: []int64{0, 0}, End: []int64{40, 38}}
	lanes := Build(run, func(i int) bool { return i == 0 })
	for w, first := range map[int32]bool{10: true, 8: false} {
		if from, to := lanes.Of(w); to-from != 1 || lanes.IsFirst(from) != first || lanes.Start[from] != 0 {
			t.Errorf("worker %d: pieces %d to %d of %+v", w, from, to, lanes)
		}
	}
}

func TestTypesCountIdleWorkers(t *testing.T) {
	run := &trace.Run{}
	for _, w := range []Type{{1, "cpu"}, {0, "cuda"}, {0, "cpu"}, {1, "cpu"}} {
		run.Resource.Parent = append(run.Resource.Parent, trace.None)
		run.Resource.Node = append(run.Resource.Node, w.Node)
		run.Resource.Arch.Append(w.Arch)
	}
	types := GroupTypes(run, []int32{0, 1, 2, 3})
	if want := []Type{{0, "cpu"}, {0, "cuda"}, {1, "cpu"}}; !slices.Equal(types.Type, want) ||
		!slices.Equal(types.Size, []int{1, 1, 2}) || !slices.Equal(types.Of, []int32{2, 1, 0, 2}) {
		t.Fatalf("types %+v", types)
	}
}

func TestStatesOfChosenKinds(t *testing.T) {
	run := &trace.Run{Resource: trace.Resources{Parent: []int32{-1, -1}}}
	for _, s := range []struct {
		kind       string
		start, end int64
	}{{"Idle", 0, 9}, {"Scheduling", 1, 3}, {"Callback", 2, 5}, {"Scheduling", 7, 7}} {
		run.State.Resource = append(run.State.Resource, 1)
		run.State.Kind.Append(s.kind)
		run.State.Start, run.State.End = append(run.State.Start, s.start), append(run.State.End, s.end)
	}
	got := States(run, Choose(run.State.Kind.Dict, []string{"Scheduling", "Callback", "Sleeping"}))
	if got[0].Len() != 0 || !slices.Equal(got[1].Start, []int64{1}) || !slices.Equal(got[1].End, []int64{5}) {
		t.Fatalf("states %v", got)
	}
}

func TestMakespanAndKeep(t *testing.T) {
	run := tracetest.Tiny()
	latest := slices.Max(run.Task.End)
	if got := Makespan(run); got != latest {
		t.Fatalf("makespan %d, want %d", got, latest)
	}
	run.Task.Generation[0] = true
	if Keep(run, false)(0) || !Keep(run, true)(0) {
		t.Fatal("generation counts the wrong way round")
	}
	if got := Makespan(&trace.Run{}); got != 0 {
		t.Fatalf("makespan of nothing is %d", got)
	}
}
