package decision

import (
	"testing"

	"dagscope/internal/testenv"
)

// The case of Garcia Pinto 2018, chapter 8: Cholesky of 12 × 12 tiles of 960 ×
// 960 on a machine with three GPUs under DMDAS, with TRSM and SYRK on GPUs
// only. Estimates add up to the fitness of the chosen worker, causes to every
// delay, and tasks that the pipeline held up are found.
func TestThesisCase(t *testing.T) {
	run := simulate(t, `
workload: {kind: cholesky, tiles: 12, tile: 960}
platform: {starpu: `+testenv.Reference(t, "data/starpu/perfmodels/sampling")+`, host: mirage}
scheduler: dmdas
options: {only_gpu: [trsm, syrk], decisions: all}`)
	x := New(run, Options{})
	estimated, pipeline := 0, 0
	for v := range run.Task.Start {
		if !run.Task.Counted(v) {
			continue
		}
		in, err := x.Inspect(int32(v))
		if err != nil {
			t.Fatal(err)
		}
		requireFitness(t, in.Moment)
		requirePartition(t, run, v, in.Wait)
		if in.Moment.Best != nil {
			estimated++
		}
		held := int64(0)
		for _, b := range in.Wait.Blockers {
			if b.Taken && !b.Running {
				held += b.Length
			}
		}
		if held > in.Wait.Delay/2 {
			pipeline++
		}
	}
	if estimated != 364 || pipeline < 5 {
		t.Errorf("found estimates for %d of 364 tasks, %d of them delayed by the pipeline most", estimated, pipeline)
	}
	a := x.Accuracy()
	t.Logf("makespan %.3f ms; %d tasks held up by the pipeline most; transfers expected %.1f ms, took %.1f ms",
		float64(run.Meta.Horizon)/1e6, pipeline, float64(a.Expected)/1e6, float64(a.Transferred)/1e6)
}
