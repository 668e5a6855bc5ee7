package starpu_test

import (
	"fmt"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// BenchmarkRates are tasks per CPU-second of Cholesky on plain CPUs: most
// workers are idle where there are many.
func BenchmarkRates(b *testing.B) {
	for _, scheduler := range []string{"lws", "dmdas", "eager", "prio"} {
		for _, of := range []struct{ cpus, tiles int }{{12, 38}, {64, 38}, {256, 38}, {512, 38}, {12, 83}, {12, 180}} {
			b.Run(fmt.Sprintf("%s/cpus=%d/tiles=%d", scheduler, of.cpus, of.tiles), func(b *testing.B) {
				bench(b, plainCholesky(b, of.cpus, of.tiles), scheduler, starpu.DefaultOptions())
			})
		}
	}
}

// BenchmarkDevices is Cholesky on nine CPUs and three GPUs with transfers.
func BenchmarkDevices(b *testing.B) {
	for _, scheduler := range []string{"dmdas", "lws", "eager"} {
		for _, tiles := range []int{38, 83} {
			b.Run(fmt.Sprintf("%s/tiles=%d", scheduler, tiles), func(b *testing.B) {
				s := choleskyOn(b, "mirage", tiles, 960, platform.StarPUOptions{CPUs: -1, GPUs: -1})
				bench(b, s, scheduler, starpu.DefaultOptions())
			})
		}
	}
}

// BenchmarkDeviceNodes is LU of 100×100 tiles on 30 nodes of eight CPUs and
// three GPUs.
func BenchmarkDeviceNodes(b *testing.B) {
	const tiles, p, q = 100, 5, 6
	g, err := workload.LU(workload.Tiled{Tiles: tiles, Tile: 960}, false)
	if err != nil {
		b.Fatal(err)
	}
	owner, err := workload.BlockCyclic(g, p, q)
	if err != nil {
		b.Fatal(err)
	}
	node := choleskyOn(b, "mirage", 2, 960, platform.StarPUOptions{CPUs: 8, GPUs: 3}).m
	d := make(starpu.Durations, len(g.Classes))
	for c := range d {
		for _, kind := range node.Types() {
			d[c] = append(d[c], map[string]float64{platform.CPU: 20 * ms}[kind.Arch])
			if kind.Arch != platform.CPU {
				d[c][len(d[c])-1] = 2 * ms
			}
		}
	}
	s := scene{g, node, d}.on(b, owner, p*q)
	for _, scheduler := range []string{"dmdas", "lws"} {
		b.Run(scheduler, func(b *testing.B) {
			start := cpuSeconds()
			for b.Loop() {
				if _, err := starpu.RunNodes(s.g, s.m, s.d, policies(scheduler), starpu.DefaultOptions()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(g.Tasks()*b.N)/(cpuSeconds()-start), "tasks/CPU-s")
		})
	}
}

// plainCholesky has StarPU's durations of sirocco's CPUs.
func plainCholesky(b *testing.B, cpus, tiles int) scene {
	g, err := workload.Cholesky(workload.Tiled{Tiles: tiles})
	if err != nil {
		b.Fatal(err)
	}
	d := make(starpu.Durations, len(g.Classes))
	for c, ns := range []float64{18_849_690, 45_646_760, 43_890_100, 87_780_200} {
		d[c] = []float64{ns}
	}
	return scene{g, platform.Plain(cpus), d}
}
