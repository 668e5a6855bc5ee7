package bound

import (
	"testing"

	"dagscope/trace/tracetest"
)

// All bounds of a million tasks.
func BenchmarkCompute(b *testing.B) {
	run := tracetest.CholeskyTasks(1e6, tracetest.Options{CPUs: 36, GPUs: 4, Seed: 1, Without: tracetest.Bare &^ tracetest.Dependencies})
	for b.Loop() {
		if _, err := Compute(run, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
