package compare

import (
	"testing"

	"dagscope/trace/tracetest"
)

// BenchmarkCompute compares two runs of a million tasks each, of other noise.
func BenchmarkCompute(b *testing.B) {
	one := Side{"one", tracetest.CholeskyTasks(1_000_000, tracetest.Options{})}
	two := Side{"two", tracetest.CholeskyTasks(1_000_000, tracetest.Options{Seed: 1, GPUs: 2, CPUs: 10})}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compute(one, two, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	run := tracetest.CholeskyTasks(1_000_000, tracetest.Options{})
	b.ReportAllocs()
	for b.Loop() {
		Match(run, run, Options{})
	}
}
