package starpu_test

import (
	"syscall"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
)

// BenchmarkStealing simulates Cholesky of 100×100 tiles on 10 CPUs without
// transfers.
func BenchmarkStealing(b *testing.B) {
	g, err := workload.Cholesky(workload.Tiled{Tiles: 100})
	if err != nil {
		b.Fatal(err)
	}
	d := make(starpu.Durations, len(g.Classes))
	for c, ns := range []float64{18_849_690, 45_646_760, 43_890_100, 87_780_200} {
		d[c] = []float64{ns}
	}
	s := scene{g, platform.Plain(10), d}
	o := starpu.DefaultOptions()
	bench(b, s, "lws", o)
}

// BenchmarkDeque simulates Cholesky of 60×60 tiles on nine CPUs and three GPUs
// with transfers.
func BenchmarkDeque(b *testing.B) {
	s := choleskyOn(b, "mirage", 60, 960, platform.StarPUOptions{CPUs: -1, GPUs: -1})
	bench(b, s, "dmdas", starpu.DefaultOptions())
}

// BenchmarkIdle simulates a chain of tasks on 40 CPUs, of which all but one
// look for tasks in vain.
func BenchmarkIdle(b *testing.B) {
	g, err := workload.Chain(workload.Shape{Tasks: 3000})
	if err != nil {
		b.Fatal(err)
	}
	s := scene{g, platform.Plain(40), starpu.Durations{{ms}}}
	bench(b, s, "lws", starpu.DefaultOptions())
}

func bench(b *testing.B, s scene, scheduler string, o starpu.Options) {
	start := cpuSeconds()
	for b.Loop() {
		p, err := policy.New(scheduler, policy.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := starpu.Run(s.g, s.m, s.d, p, o); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(s.g.Tasks()*b.N)/(cpuSeconds()-start), "tasks/CPU-s")
}

// cpuSeconds is what the process has used of its processors.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkDecisions is BenchmarkDeque with all decisions recorded, and the run
// that is written down.
func BenchmarkDecisions(b *testing.B) {
	s := choleskyOn(b, "mirage", 60, 960, platform.StarPUOptions{CPUs: -1, GPUs: -1})
	for name, d := range map[string]*starpu.Decisions{"none": nil, "all": {}} {
		o := starpu.DefaultOptions()
		o.Decisions = d
		b.Run(name, func(b *testing.B) { bench(b, s, "dmdas", o) })
		o.Record = true
		b.Run(name+", trace", func(b *testing.B) { benchTrace(b, s, "dmdas", o) })
	}
}

func benchTrace(b *testing.B, s scene, scheduler string, o starpu.Options) {
	for b.Loop() {
		p, err := policy.New(scheduler, policy.Options{})
		if err != nil {
			b.Fatal(err)
		}
		r, err := starpu.Run(s.g, s.m, s.d, p, o)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Trace(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNodes is an LU of 338 350 tasks on 30 nodes of 8 CPUs under lws.
func BenchmarkNodes(b *testing.B) {
	const tiles, p, q, cpus = 100, 5, 6, 8
	g, err := workload.LU(workload.Tiled{Tiles: tiles, Tile: 960}, false)
	if err != nil {
		b.Fatal(err)
	}
	owner, err := workload.BlockCyclic(g, p, q)
	if err != nil {
		b.Fatal(err)
	}
	s := scene{g, platform.Plain(cpus), starpu.Durations{{20 * ms}, {18 * ms}, {18 * ms}, {33 * ms}}}.on(b, owner, p*q)
	start := cpuSeconds()
	for b.Loop() {
		if _, err := starpu.RunNodes(s.g, s.m, s.d, policies("lws"), starpu.DefaultOptions()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(g.Tasks()*b.N)/(cpuSeconds()-start), "tasks/CPU-s")
}
