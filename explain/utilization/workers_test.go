package utilization

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dagscope/trace/tracetest"
)

// The numbers stand beside the picture of the run in tracetest.Tiny.
func TestTiny(t *testing.T) {
	w := ByWorker(tracetest.Tiny(), WorkerOptions{})
	if !slices.Equal(w.Worker, []int32{8, 10}) || w.From != 0 || w.To != 150 ||
		!slices.Equal(w.Busy, []int64{60, 140}) || !slices.Equal(w.Tasks, []int64{3, 3}) {
		t.Fatalf("got %+v", w)
	}
	if w.Share(0) != 90.0/150 || w.Share(1) != 10.0/150 || math.Abs(w.Total()-100.0/300) > 1e-15 {
		t.Errorf("idle shares are %v and %v, together %v", w.Share(0), w.Share(1), w.Total())
	}
	// CUDA0_0: Idle from −20 to 40, 90 to 100, 130 to 150; before 0 does not count.
	if s, ok := w.RuntimeShare(0); !ok || s != 70.0/150 {
		t.Errorf("runtime's share of CUDA0_0 is %v", s)
	}
	if s, ok := w.RuntimeShare(1); !ok || s != 0 {
		t.Errorf("runtime's share of CPU0 is %v", s)
	}
}

// TestParallelTasksKeepEachWorkerBusy: POTRF(0) also runs on the GPU, which was
// idle until 40.
func TestParallelTasksKeepEachWorkerBusy(t *testing.T) {
	run := tracetest.Tiny()
	s := &run.Segment
	s.Task, s.Worker, s.Start, s.End = []int32{0, 0}, []int32{10, 8}, []int64{0, 0}, []int64{40, 40}
	w := ByWorker(run, WorkerOptions{})
	if !slices.Equal(w.Busy, []int64{60 + 40, 140}) || !slices.Equal(w.Tasks, []int64{3, 3}) {
		t.Errorf("busy %v with %v tasks, wanted 100 and 140 with 3 tasks each: a parallel task counts once", w.Busy, w.Tasks)
	}
}

func TestWorkersWithoutTasksAreIdle(t *testing.T) {
	run := tracetest.Fork(4, 3)
	for i := range run.Task.Worker {
		run.Task.Worker[i] = run.Task.Worker[0]
	}
	w := ByWorker(run, WorkerOptions{})
	if len(w.Worker) != 3 || w.Share(1) != 1 || w.Share(2) != 1 || w.Tasks[2] != 0 {
		t.Errorf("got %+v", w)
	}
	if _, ok := w.RuntimeShare(0); ok {
		t.Error("a run without states has a runtime idle share")
	}
}

func TestNoTask(t *testing.T) {
	w := ByWorker(tracetest.Chain(0), WorkerOptions{})
	if w.From != w.To || w.Total() != 1 { // who ran nothing was idle all the time, however short
		t.Errorf("got %+v", w)
	}
}

func TestNoMakespan(t *testing.T) {
	run := tracetest.Fork(1, 2)
	for i := range run.Task.Start {
		run.Task.Start[i], run.Task.End[i] = 0, 0
	}
	w := ByWorker(run, WorkerOptions{})
	for i := range w.Worker {
		if want := 0.0; w.Tasks[i] > 0 && w.Share(i) != want || w.Tasks[i] == 0 && w.Share(i) != 1 {
			t.Errorf("worker %d with %d tasks of no length: idle share %v", w.Worker[i], w.Tasks[i], w.Share(i))
		}
	}
}

func TestOverlapCountsOnce(t *testing.T) {
	run := tracetest.Chain(3)
	run.Task.End[0] = 25
	if w := ByWorker(run, WorkerOptions{}); w.Busy[0] != 30 {
		t.Errorf("busy %d ns of 30", w.Busy[0])
	}
}

// Nanosecond by nanosecond.
func TestBusyEqualsCounting(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(1, 12).Draw(rt, "tasks"))
		for i := range run.Task.Internal {
			run.Task.Generation[i] = i%5 == 1
		}
		o := WorkerOptions{Generation: rapid.Bool().Draw(rt, "generation")}
		w := ByWorker(run, o)
		for k, r := range w.Worker {
			busy := int64(0)
			for now := w.From; now < w.To; now++ {
				for i, at := range run.Task.Worker {
					if at == r && run.Task.Start[i] <= now && now < run.Task.End[i] && (o.Generation || !run.Task.Generation[i]) {
						busy++
						break
					}
				}
			}
			if w.Busy[k] != busy {
				rt.Fatalf("worker %d is busy for %d ns, want %d", r, w.Busy[k], busy)
			}
		}
	})
}
