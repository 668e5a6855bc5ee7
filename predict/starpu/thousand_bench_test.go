package starpu_test

import (
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// BenchmarkThousandNodes is LU on 1000 nodes of two GPUs.
func BenchmarkThousandNodes(b *testing.B) {
	const tiles, p, q = 50, 25, 40
	g, err := workload.LU(workload.Tiled{Tiles: tiles, Tile: 960}, false)
	if err != nil {
		b.Fatal(err)
	}
	owner, err := workload.BlockCyclic(g, p, q)
	if err != nil {
		b.Fatal(err)
	}
	node, err := platform.ParseYAML("two.yaml", []byte(`
memories:
- {name: CUDA0, kind: gpu, arch: cuda, device: 0, capacity: 16GiB, link: {bandwidth: 12GBps, latency: 10us}}
- {name: CUDA1, kind: gpu, arch: cuda, device: 1, capacity: 16GiB, link: {bandwidth: 12GBps, latency: 10us}}
workers:
- {arch: cuda, memory: CUDA0}
- {arch: cuda, memory: CUDA1}
`))
	if err != nil {
		b.Fatal(err)
	}
	if err := workload.Distribute(g, owner, p*q); err != nil {
		b.Fatal(err)
	}
	m, err := platform.Cluster(node, p*q, platform.Network{Bandwidth: 12e9, Latency: 1e-6})
	if err != nil {
		b.Fatal(err)
	}
	types := len(m.Types())
	d := make(starpu.Durations, len(g.Classes))
	for c, ns := range []float64{15 * ms, 6 * ms, 6 * ms, 3 * ms} {
		d[c] = make([]float64, types)
		for k := range d[c] {
			d[c][k] = ns
		}
	}
	start := cpuSeconds()
	for b.Loop() {
		if _, err := starpu.RunNodes(g, m, d, policies("dmdas"), starpu.DefaultOptions()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(g.Tasks()*b.N)/(cpuSeconds()-start), "tasks/CPU-s")
}
