package explain

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"dagscope/analysis/depend"
	"dagscope/analysis/lane"
	"dagscope/trace/tracetest"
)

// BenchmarkTask explains tasks drawn at random, with their whole chains. It also
// reports the slowest, and what the index takes beyond the run and its lanes.
func BenchmarkTask(b *testing.B) {
	for _, n := range []int{1e6, 1e7} {
		b.Run(fmt.Sprintf("%.0e", float64(n)), func(b *testing.B) {
			run := tracetest.CholeskyTasks(n, tracetest.Options{Without: tracetest.Counters})
			lanes, tasks := lane.Build(run, nil), len(run.Task.Start)
			before := live()
			at := time.Now()
			x, err := New(run, Options{Lanes: lanes, Outlier: make([]bool, tasks)})
			if err != nil {
				b.Fatal(err)
			}
			x.leaving(0)
			b.ReportMetric(float64(time.Since(at).Milliseconds()), "ms/New")
			b.ReportMetric(float64(live()-before)/float64(tasks), "B/task")
			rng, slowest := rand.New(rand.NewPCG(1, 1)), time.Duration(0)
			for b.Loop() {
				at := time.Now()
				if _, err := x.Task(rng.Int32N(int32(tasks)), depend.ToSource, 1000); err != nil {
					b.Fatal(err)
				}
				slowest = max(slowest, time.Since(at))
			}
			b.ReportMetric(float64(slowest.Microseconds()), "µs/slowest")
			runtime.KeepAlive(x)
		})
	}
}

func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkChain follows the last dependencies of tasks drawn at random to the
// source.
func BenchmarkChain(b *testing.B) {
	run := tracetest.CholeskyTasks(1e7, tracetest.Options{Without: tracetest.Bare &^ (tracetest.Dependencies)})
	x, err := New(run, Options{})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		x.chain(rng.Int32N(int32(len(run.Task.Start))), depend.ToSource, -1)
	}
}
