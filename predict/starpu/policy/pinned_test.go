package policy_test

import (
	"slices"
	"strings"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"

	"pgregory.net/rapid"
)

// A schedule that is repeated comes out with the workers that it had; where
// dependencies order all accesses, in the same order, and where nothing moves and
// nothing else was changed as quickly.
func TestPinnedRepeatsAnySchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := program(t, rapid.IntRange(1, 60).Draw(t, "tasks"))
		m := machine(rapid.IntRange(1, 4).Draw(t, "cpus"), rapid.IntRange(0, 2).Draw(t, "gpus"))
		d, o := lengths(t, g, m), starpu.DefaultOptions()
		o.Pipeline = rapid.IntRange(0, 3).Draw(t, "pipeline")
		first := run(t, g, m, d, newSpy(t, rapid.SampledFrom([]string{"lws", "eager", "dmdas"}).Draw(t, "scheduler"), g.Tasks()), o)
		recorded := policy.Recorded{Worker: first.Worker, Start: first.Begin, Prefetch: rapid.Bool().Draw(t, "prefetch")}
		if seed := rapid.Uint64().Draw(t, "noise"); seed > 0 { // other durations: other races for data
			g = g.Perturbed(0.5, seed)
		}
		again := run(t, g, m, d, policy.NewPinned(recorded), o)
		if !slices.Equal(again.Worker, first.Worker) {
			t.Fatalf("tasks run on %d, recorded on %d", again.Worker, first.Worker)
		}
		exclusive(t, g, again)
		if slices.ContainsFunc(g.Mode, func(m workload.Mode) bool { return m&workload.Commute != 0 }) {
			return
		}
		for a := range first.Begin {
			for b := range first.Begin {
				if first.Worker[a] >= 0 && first.Worker[a] == first.Worker[b] && first.Begin[a] < first.Begin[b] && again.Begin[a] > again.Begin[b] {
					t.Fatalf("task %d runs after %d on worker %d, recorded before it", a, b, first.Worker[a])
				}
			}
		}
	})
}

// exclusive requires that no two tasks update the same data at a time.
func exclusive(t *rapid.T, g *workload.Graph, r *starpu.Result) {
	for a := range g.Tasks() {
		for b := range a {
			if r.Begin[a] >= r.End[b] || r.Begin[b] >= r.End[a] || g.Sync[a] || g.Sync[b] {
				continue
			}
			for x := g.AccessAt[a]; x < g.AccessAt[a+1]; x++ {
				for y := g.AccessAt[b]; y < g.AccessAt[b+1]; y++ {
					if g.Handle[x] == g.Handle[y] && (g.Mode[x]|g.Mode[y])&workload.Write != 0 {
						t.Fatalf("tasks %d and %d use data %d at the same time", a, b, g.Handle[x])
					}
				}
			}
		}
	}
}

// The order in which updates that commute get their data may be another one than
// recorded, also where a worker then has to run its tasks in another order.
func TestPinnedLetsCommutingTasksOvertake(t *testing.T) {
	const commute = workload.ReadWrite | workload.Commute
	// Tasks 1 and 2 commute. Recorded, 1 came first; 3 follows 1 on the worker of 2.
	// Now 0 takes long, so that 2 gets the data first while its worker waits for 3.
	g := &workload.Graph{
		Class: []int32{0, 1, 1, 1}, AccessAt: []int32{0, 1, 3, 4, 5}, Classes: []workload.Class{{Kind: "slow"}, {Kind: "fast"}},
		Handle: []int32{0, 0, 1, 1, 2}, Mode: []workload.Mode{workload.Write, workload.Read, commute, commute, workload.Write},
		From: []int32{1}, To: []int32{3}, Bytes: []int64{8, 8, 8}, HandleX: make([]int32, 3), HandleY: make([]int32, 3), Home: make([]int32, 3),
	}
	m := platform.Plain(2)
	r := run(t, g, m, starpu.Durations{{9e6}, {1e6}}, policy.NewPinned(policy.Recorded{Worker: []int32{0, 0, 1, 1}, Start: []int64{0, 1, 3, 2}}), starpu.DefaultOptions())
	if !slices.Equal(r.Worker, []int32{0, 0, 1, 1}) || r.Begin[2] > 1e6 || r.Makespan > 11.1e6 {
		t.Errorf("task 2 begins at %d ns and the run takes %d, want the start and 11 ms", r.Begin[2], r.Makespan)
	}
}

// A schedule that the machine cannot repeat is refused.
func TestPinnedRefusals(t *testing.T) {
	g := &workload.Graph{Class: []int32{0}, AccessAt: []int32{0, 0}, Classes: []workload.Class{{Kind: "k"}}}
	for _, recorded := range []policy.Recorded{{}, {Worker: []int32{1}, Start: []int64{0}}, {Worker: []int32{-1}, Start: []int64{0}}} {
		_, err := starpu.Run(g, platform.Plain(1), starpu.Durations{{1e6}}, policy.NewPinned(recorded), starpu.DefaultOptions())
		if err == nil || !strings.Contains(err.Error(), "repeat schedule: found") {
			t.Errorf("%+v: found error %v", recorded, err)
		}
	}
}
