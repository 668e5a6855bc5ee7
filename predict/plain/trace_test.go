package plain

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/predict/workload"
	"dagscope/trace"
)

// The run that a simulation writes is valid, says what happened, and is the
// same program again.
func TestTrace(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		g := randomGraph(rng, 1+rng.IntN(50))
		o := randomOptions(rng, g)
		r, err := Run(g, nil, o)
		if err != nil {
			continue
		}
		run, err := r.Trace(Details{Parameters: func(task int32, to []byte) []byte { return append(to, "MB="...) }})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !slices.ContainsFunc(r.Worker, func(w int32) bool { return w >= 0 }) {
			continue
		}
		again, rows, err := workload.FromRun(run)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checkRows(t, run, r, rows, again)
		if g.Sync != nil || len(g.Handle) == 0 && len(g.From) == 0 {
			continue // tasks without work are the runtime's own in a run
		}
		o.Durations, o.Workers, o.Slowdown, o.SubmitAt = nil, make([]int32, 2), nil, nil
		want, err := Run(g, nil, o)
		if err != nil {
			continue
		}
		again.Duration = g.Duration
		got, err := Run(again, nil, o)
		if err != nil || got.Makespan != want.Makespan && again.Explicit == g.Explicit || got.Peak != want.Peak && again.Explicit == g.Explicit {
			t.Fatalf("seed %d: again makespan %d, peak %d, %v, want %d, %d", seed, got.Makespan, got.Peak, err, want.Makespan, want.Peak)
		}
	}
}

// checkRows compares tasks of a run with what was simulated.
func checkRows(t *testing.T, run *trace.Run, r *Result, rows []int32, again *workload.Graph) {
	t.Helper()
	c := &run.Task
	for i := range r.Begin {
		if r.Worker[i] < 0 || r.g.Sync != nil {
			continue
		}
		row := rows[i]
		if c.Start[row]+run.Meta.Origin != r.Begin[i] || c.End[row]-c.Start[row] != r.End[i]-r.Begin[i] || c.Priority[row] != r.g.Priority[i] {
			t.Fatalf("task %d is %d to %d, want %d to %d", i, c.Start[row], c.End[row], r.Begin[i], r.End[i])
		}
		if c.Ready[row] > c.Start[row] {
			t.Fatalf("task %d was ready at %d, after its start at %d", i, c.Ready[row], c.Start[row])
		}
		if r.g.StartBytes != nil && again.StartBytes != nil && again.StartBytes[i] != r.g.StartBytes[i] {
			t.Fatalf("task %d allocates %d bytes, want %d", i, again.StartBytes[i], r.g.StartBytes[i])
		}
	}
}
