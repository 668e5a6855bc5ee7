package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// simulated are the predictions that are measured: Cholesky factorizations of
// 100 × 100 tiles, 171 700 tasks.
var simulated = []struct{ name, platform, scheduler string }{
	{"dagscope simulate (lws, 12 CPUs)", "{cpus: 12}", "lws"},
	{"dagscope simulate (dmdas, 3 GPUs)", "{file: machine.yaml}", "dmdas"},
}

const (
	simulatedTiles = 100
	simulatedTasks = simulatedTiles * (simulatedTiles + 1) * (simulatedTiles + 2) / 6

	spec = `workload: {kind: cholesky, tiles: %d}
platform: %s
scheduler: %s
models:
  durations:
    potrf: {cpu: 19ms, cuda: 5.4ms}
    trsm: {cpu: 46ms, cuda: 6.4ms}
    syrk: {cpu: 44ms, cuda: 1.4ms}
    gemm: {cpu: 88ms, cuda: 2.8ms}
`
	machine = `memories:
- {name: CUDA0, kind: gpu, arch: cuda, device: 0, capacity: 32GiB, link: {bandwidth: 6GBps, latency: 10us}}
- {name: CUDA1, kind: gpu, arch: cuda, device: 1, capacity: 32GiB, link: {bandwidth: 6GBps, latency: 10us}}
- {name: CUDA2, kind: gpu, arch: cuda, device: 2, capacity: 32GiB, link: {bandwidth: 6GBps, latency: 10us}}
workers:
- {arch: cuda, memory: CUDA0}
- {arch: cuda, memory: CUDA1}
- {arch: cuda, memory: CUDA2}
- {arch: cpu, count: 9}
`
)

// simulate measures predictions beside what StarPU's own simulations take.
func (b *bench) simulate() error {
	if err := os.WriteFile(filepath.Join(b.dir, "machine.yaml"), []byte(machine), 0o644); err != nil {
		return err
	}
	fmt.Printf("\nSimulation of %d tasks\n\n", simulatedTasks)
	fmt.Printf("%-36s %8s %8s %14s %10s %8s\n", "", "wall s", "CPU s", "tasks/CPU-s", "peak MB", "B/task")
	for _, s := range simulated {
		file := filepath.Join(b.dir, s.scheduler+".yaml")
		if err := os.WriteFile(file, fmt.Appendf(nil, spec, simulatedTiles, s.platform, s.scheduler), 0o644); err != nil {
			return err
		}
		c, err := b.measure(nil, b.program, "simulate", file, "--no-run", "--json")
		if err != nil {
			return err
		}
		b.predicted(s.name, c)
	}
	fmt.Println("reference: StarPU 1.4.12 under SimGrid 3.32, 3 100 tasks/CPU-s; starpu_replay, 1 500 to 4 400")
	return nil
}

// predicted prints the cost of a prediction.
func (b *bench) predicted(name string, c cost) {
	fmt.Printf("%-36s %8.2f %8.2f %14.0f %10.1f %8d\n", name, c.wall.Seconds(), c.cpu.Seconds(),
		simulatedTasks/max(c.cpu, time.Microsecond).Seconds(), float64(c.rss)/1e6, c.rss/simulatedTasks)
}
