package task

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"dagscope/explain/depend"
	"dagscope/explain/schedule"
	"dagscope/trace/tracetest"
)

// BenchmarkTask explains tasks drawn at random, with their whole chains. It also
// reports the 99th percentile, and what the index takes beyond the run and its
// lanes.
func BenchmarkTask(b *testing.B) {
	for _, n := range []int{1e6, 1e7} {
		b.Run(fmt.Sprintf("%.0e", float64(n)), func(b *testing.B) {
			run := tracetest.CholeskyTasks(n, tracetest.Options{Without: tracetest.Counters})
			lanes, tasks := schedule.Build(run, nil), len(run.Task.Start)
			before := live()
			at := time.Now()
			x, err := New(run, Options{Lanes: lanes, Outlier: make([]bool, tasks)})
			if err != nil {
				b.Fatal(err)
			}
			x.leaving(0)
			prepared, bytes := time.Since(at), live()-before
			rng, took := rand.New(rand.NewPCG(1, 1)), []time.Duration(nil)
			for b.Loop() {
				at := time.Now()
				if _, err := x.Task(rng.Int32N(int32(tasks)), depend.ToSource, 1000); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(at))
			}
			b.ReportMetric(float64(prepared.Milliseconds()), "ms/New")
			b.ReportMetric(float64(bytes)/float64(tasks), "B/task")
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs/p99")
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
