package tasking

import (
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// A factorization of 182 000 tasks, and a tree of tasks that wait for theirs.
func BenchmarkSpanOfCholesky(b *testing.B) {
	run := tracetest.CholeskyTasks(200_000, tracetest.Options{})
	for b.Loop() {
		FindSpan(run, Options{})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(run.Task.Start)), "ns/task")
}

func BenchmarkSpanOfTree(b *testing.B) {
	run := tree(b, 17)
	for b.Loop() {
		FindSpan(run, Options{})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(run.Task.Start)), "ns/task")
}

// tree is a binary tree of tasks, recorded as execute does.
func tree(b *testing.B, depth int) *trace.Run {
	var grow func(depth int) *program
	grow = func(depth int) *program {
		if depth == 0 {
			return &program{ops: []op{{does: works, work: 40}}}
		}
		return &program{ops: []op{{does: works, work: 5}, {does: creates, child: grow(depth - 1)}, {does: creates, child: grow(depth - 1)}, {does: waitsForChildren}, {does: works, work: 5}}}
	}
	return execute(grow(depth), nil).record(b)
}
