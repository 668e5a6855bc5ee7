package report

import (
	"testing"

	"dagscope/trace/tracetest"
)

// BenchmarkCompute reports on a synthetic run of a million tasks.
func BenchmarkCompute(b *testing.B) {
	run := tracetest.CholeskyTasks(1e6, tracetest.Options{Without: tracetest.Counters})
	b.ReportAllocs()
	for b.Loop() {
		Compute("bench", run, Options{})
	}
	b.ReportMetric(float64(len(run.Task.Start))*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}
