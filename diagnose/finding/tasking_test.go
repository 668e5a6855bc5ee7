package finding

import (
	"slices"
	"strconv"
	"testing"

	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/tasking"
	"dagscope/trace"
)

// created is a run in which an implicit task on the first of some workers
// creates n tasks, one each gap ns, that take some time each on the others in
// turn.
func created(t *testing.T, workers, n int, gap, work int64) *trace.Run {
	t.Helper()
	b := &trace.Builder{}
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	node := b.AddResource(root, trace.LevelNode, "0", "", 0, 0)
	var on []int32
	free := make([]int64, workers)
	for i := range workers {
		on = append(on, b.AddResource(node, trace.LevelWorker, "T"+strconv.Itoa(i), "cpu", 0, int32(i)))
	}
	end := gap * int64(n+1)
	b.AddTask(trace.TaskRow{Key: "1", Kind: "implicit task", Worker: on[0], Start: 0, End: end, Submit: 0, Ready: 0, Iteration: -1, Internal: true})
	b.Run.Task.Parent = []int32{trace.None}
	for i := range n {
		w := 1 + i%(workers-1)
		submit := gap * int64(i+1)
		start := max(submit, free[w])
		free[w] = start + work
		b.AddTask(trace.TaskRow{Key: strconv.Itoa(i + 2), Kind: "work", Worker: on[w], Start: start, End: start + work, Submit: submit, Ready: submit, Order: int32(i + 1), Iteration: -1})
		b.Run.Task.Parent = append(b.Run.Task.Parent, 0)
	}
	run, err := b.Finish("")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// No gain of smaller or larger tasks exceeds what the area bound allows.
func TestFindingsOnSmallTasks(t *testing.T) {
	run := created(t, 4, 200, 1000, 1000)
	in := Input{Run: run, Makespan: slices.Max(run.Task.End), Tasking: tasking.Compute(run, tasking.Options{}),
		Breakdown: breakdown.Compute(run, breakdown.Options{}), Bounds: &bound.Result{}}
	in.Bounds.Area.Time = float64(in.Makespan) - 1000
	in.Bounds.Best.Time = in.Bounds.Area.Time
	for _, f := range Find(in) {
		if f.Gain > 1000 {
			t.Errorf("%s gains %d of the 1000 ns above the area bound", f.ID, f.Gain)
		}
	}
}

func TestFindingsOnTasking(t *testing.T) {
	for _, c := range []struct {
		name            string
		workers, n      int
		gap, work, gain int64 // gain of the first of want
		want            []string
	}{
		{"creation as long as the work, others idle", 4, 200, 1000, 1000, 180_000, []string{"fine-grain", "serial-creator", "little-parallelism"}},
		{"creation slower than the work", 4, 200, 1000, 5000, 0, []string{"fine-grain"}},
		{"large tasks", 3, 200, 10, 100_000, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := created(t, c.workers, c.n, c.gap, c.work)
			in := Input{Run: run, Makespan: slices.Max(run.Task.End), Tasking: tasking.Compute(run, tasking.Options{}),
				Breakdown: breakdown.Compute(run, breakdown.Options{})}
			var got []string
			for _, r := range []rule{fineGrain, serialCreator, littleParallelism} {
				if f, ok := r(&in); ok {
					if got = append(got, f.ID); len(got) == 1 && c.gain > 0 && f.Gain != c.gain {
						t.Errorf("gain %d, want %d", f.Gain, c.gain)
					}
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
	in := Input{Run: &trace.Run{}, Makespan: 1}
	for _, r := range []rule{fineGrain, serialCreator, littleParallelism} {
		if _, ok := r(&in); ok {
			t.Error("a finding of nothing")
		}
	}
}
