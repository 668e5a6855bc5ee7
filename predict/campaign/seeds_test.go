package campaign

import (
	"slices"
	"testing"

	"dagscope/predict/spec"
)

// Seeds that are simulated several at a time come out as one after another.
func TestSeedsAreThoseOfSingleRuns(t *testing.T) {
	for _, engine := range []string{"plain", "exact"} {
		s, err := spec.Parse("x.yaml", []byte("workload: {kind: cholesky, tiles: 5}\nplatform: {cpus: 3}\nmodels: {durations: {potrf: 9ms, trsm: 18ms, syrk: 17ms, gemm: 33ms}}\nscheduler: prio\nnoise: 0.2\noptions: {engine: "+engine+"}"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		got, err := RunSeeds(t.Context(), b, 5, 9, Options{Jobs: 4, Done: func(n, total int) { done = n }})
		if err != nil || done != 9 {
			t.Fatalf("found error %v, %d runs done", err, done)
		}
		var want []int64
		for seed := range int64(9) {
			s.SetSeed(5 + seed)
			b, err := s.Build(nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := b.Run(false)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, r.Makespan)
		}
		if !slices.Equal(got.Makespans, want) {
			t.Errorf("%s: found %d, want %d", engine, got.Makespans, want)
		}
		sorted := slices.Sorted(slices.Values(want))
		if middle := want[got.Middle()-5]; middle != sorted[4] || got.Quantile(0.5) != sorted[4] {
			t.Errorf("%s: found median %d of seed %d (%d), want %d", engine, got.Quantile(0.5), got.Middle(), middle, sorted[4])
		}
	}
}
