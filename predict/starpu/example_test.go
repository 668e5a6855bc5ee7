package starpu_test

import (
	"fmt"
	"log"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// newest gives workers the task that became ready last.
type newest struct {
	r     starpu.Runtime
	tasks []int32
}

func (p *newest) Start(r starpu.Runtime) { p.r = r }

// Push keeps the task, and wakes the first worker that can run it and sleeps.
func (p *newest) Push(task int32) {
	p.r.LockPolicy()
	p.tasks = append(p.tasks, task)
	p.r.UnlockPolicy()
	for w := range int32(p.r.Workers()) {
		if p.r.Can(task, w) && p.r.Wake(w) {
			return
		}
	}
}

// Pop gives the last of the tasks that the worker can run.
func (p *newest) Pop(worker int32) int32 {
	p.r.LockPolicy()
	defer p.r.UnlockPolicy()
	for i := len(p.tasks) - 1; i >= 0; i-- {
		if task := p.tasks[i]; p.r.Can(task, worker) {
			p.tasks = append(p.tasks[:i], p.tasks[i+1:]...)
			return task
		}
	}
	return -1
}

// A scheduler of one's own, on four CPUs.
func Example() {
	g, err := workload.Cholesky(workload.Tiled{Tiles: 5, Tile: 960})
	if err != nil {
		log.Fatal(err)
	}
	d := make(starpu.Durations, len(g.Classes))
	for c := range d {
		d[c] = []float64{10e6} // ns on the only type of workers
	}
	r, err := starpu.Run(g, platform.Plain(4), d, &newest{}, starpu.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d tasks, %d ms\n", g.Tasks(), r.Makespan/1_000_000)
	// Output: 35 tasks, 150 ms
}
