package breakdown

import (
	"slices"
	"testing"

	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace/tracetest"

	"pgregory.net/rapid"
)

// The time without work while a task is ready is the overhead of the paper.
func TestReadyDividesTheTimeWithoutWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		o := Options{From: -15, To: 2 * horizon, WaitingNotReady: rapid.Bool().Draw(t, "waiting not ready")}
		ready, unknown := Ready(run, o, nil)
		res := Compute(run, o)
		if unknown != res.Unknown {
			t.Fatalf("%d tasks of unknown ready time, want %d", unknown, res.Unknown)
		}
		lanes := schedule.Build(run, works(run, false))
		for i, w := range res.Workers {
			got := interval.Subtract(interval.Clip(ready, -15, 2*horizon), lanes.Work(w)).Length()
			if want := res.Worker(Global, i).Overhead; got != want {
				t.Fatalf("worker %d: overhead of %d ns, want %d", w, got, want)
			}
		}
	})
}

// Tasks are looked at in parts, whose waits are joined.
func TestReadyOfManyTasks(t *testing.T) {
	run := tracetest.CholeskyTasks(3*heldRows, tracetest.Options{CPUs: 2, GPUs: 1, Without: tracetest.Bare})
	w := findWaits(run, Options{})
	want := interval.Union(w.spans)
	ready, unknown := Ready(run, Options{}, nil)
	if !slices.Equal(ready.Start, want.Start) || !slices.Equal(ready.End, want.End) || unknown != w.unknown {
		t.Errorf("ready in %d stretches, %d unknown; want %d, %d", ready.Len(), unknown, want.Len(), w.unknown)
	}
}
