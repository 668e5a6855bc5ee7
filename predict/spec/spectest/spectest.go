// Package spectest makes recorded runs for tests: what would a run look like that
// `simulate` stored? A spec is built and simulated, and its trace keeps what stored
// ones keep of their simulation.
//
// It writes no files, and it is for tests only.
package spectest

import (
	"testing"

	"dagscope/predict/spec"
	"dagscope/trace"
)

// Record is the run of a spec.
func Record(t testing.TB, text string) *trace.Run {
	t.Helper()
	s, err := spec.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := s.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := sim.Run(true)
	if err != nil {
		t.Fatal(err)
	}
	run, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Keep(run); err != nil {
		t.Fatal(err)
	}
	return run
}
