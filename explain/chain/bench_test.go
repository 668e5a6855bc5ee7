package chain

import (
	"testing"

	"dagscope/trace/tracetest"
)

// BenchmarkCritical is all that the critical chain and idle time take, per task.
func BenchmarkCritical(b *testing.B) {
	run := tracetest.CholeskyTasks(1_000_000, tracetest.Options{})
	tasks := float64(len(run.Task.Start))
	for b.Loop() {
		x := New(run, Options{})
		x.Blame(x.Critical(), 0, 1<<62)
		x.IdleRows(0, 1<<62)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tasks, "ns/task")
}
