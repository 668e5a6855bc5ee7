package chain

import (
	"syscall"
	"testing"
	"time"

	"dagscope/trace/tracetest"
)

// BenchmarkCritical is all that the critical chain and idle time take, per task:
// the index, then both tables.
func BenchmarkCritical(b *testing.B) {
	run := tracetest.CholeskyTasks(1_000_000, tracetest.Options{})
	index, began := time.Duration(0), processorTime(b)
	for b.Loop() {
		at := processorTime(b)
		x := New(run, Options{})
		index += processorTime(b) - at
		x.Blame(x.Critical(), 0, 1<<62)
		x.IdleRows(0, 1<<62)
	}
	tasks := float64(b.N * len(run.Task.Start))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/tasks, "ns/task")
	b.ReportMetric(float64(index.Nanoseconds())/tasks, "index-cpu-ns/task")
	b.ReportMetric(float64((processorTime(b)-began).Nanoseconds())/tasks, "cpu-ns/task")
}

// processorTime is the time of the processors that the program has used.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
