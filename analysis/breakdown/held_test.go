package breakdown

import (
	"testing"

	"dagscope/analysis/lane"
	"dagscope/interval"

	"pgregory.net/rapid"
)

// The time without work while a task is ready is the overhead of the paper.
func TestReadyDividesTheTimeWithoutWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		ready, unknown := Ready(run, false)
		res := Compute(run, Options{From: -15, To: 2 * horizon})
		if unknown != res.Unknown {
			t.Fatalf("%d tasks of unknown ready time, want %d", unknown, res.Unknown)
		}
		lanes := lane.Build(run, lane.Keep(run, false))
		for i, w := range res.Workers {
			got := interval.Subtract(interval.Clip(ready, -15, 2*horizon), lanes.Work(w)).Length()
			if want := res.Worker(Global, i).Overhead; got != want {
				t.Fatalf("worker %d: overhead of %d ns, want %d", w, got, want)
			}
		}
	})
}
