package policy_test

import (
	"fmt"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
)

// affinity lets each worker take, of the tasks that are ready, the one that it
// runs fastest compared with the slowest worker.
type affinity struct {
	r     starpu.Runtime
	ready []int32
}

func (a *affinity) Start(r starpu.Runtime) { a.r = r }

func (a *affinity) Push(task int32) {
	a.r.LockPolicy()
	a.ready = append(a.ready, task)
	a.r.UnlockPolicy()
	for w := range int32(a.r.Workers()) {
		if a.r.Can(task, w) && a.r.Wake(w) {
			return // it slept, and will ask
		}
	}
}

func (a *affinity) Pop(worker int32) int32 {
	a.r.LockPolicy()
	defer a.r.UnlockPolicy()
	best, most := -1, 0.0
	for i, task := range a.ready {
		if s := a.speedup(task, worker); s > most {
			best, most = i, s
		}
	}
	if best < 0 {
		return -1
	}
	task := a.ready[best]
	a.ready = append(a.ready[:best], a.ready[best+1:]...)
	return task
}

// speedup of a task on a worker, 0 where it cannot run there.
func (a *affinity) speedup(task, worker int32) float64 {
	if !a.r.Can(task, worker) {
		return 0
	}
	slowest := 0.0
	for w := range int32(a.r.Workers()) {
		if a.r.Can(task, w) {
			slowest = max(slowest, a.r.Length(task, w))
		}
	}
	return slowest / a.r.Length(task, worker)
}

func Example() {
	graph, _ := workload.Cholesky(workload.Tiled{Tiles: 10, Tile: 960})
	machine, _ := platform.ReadYAML("../../../docs/examples/workstation.yaml")
	// ns, by class of the graph and type of the machine's workers
	kernels := map[string]map[string]float64{
		"POTRF": {platform.CPU: 9e6, platform.CUDA: 5e6},
		"TRSM":  {platform.CPU: 18e6, platform.CUDA: 1.6e6},
		"SYRK":  {platform.CPU: 17e6, platform.CUDA: 0.7e6},
		"GEMM":  {platform.CPU: 33e6, platform.CUDA: 1.1e6},
	}
	var durations starpu.Durations
	for _, class := range graph.Classes {
		var on []float64
		for _, worker := range machine.Types() {
			on = append(on, kernels[class.Kind][worker.Arch])
		}
		durations = append(durations, on)
	}
	eager, _ := policy.New("eager", policy.Options{})
	for _, p := range []starpu.Policy{eager, &affinity{}} {
		result, err := starpu.Run(graph, machine, durations, p, starpu.DefaultOptions())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(result.Makespan/1_000_000, "ms")
	}
	// Output:
	// 409 ms
	// 388 ms
}
