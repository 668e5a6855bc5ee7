package spec

import (
	"reflect"
	"testing"

	"dagscope/trace"
)

// Building opens each run once and leaves the spec as it was, so that building
// again gives the same.
func TestBuildIsOnePass(t *testing.T) {
	for _, text := range []string{
		"workload: {graph: sg-mirage-n12-dmdas, priorities: bottom-level}\nmodels: {run: sg-mirage-n12-dmdas}\noptions: {overhead_us: 3, only_cpu: [potrf]}",
		"workload: {file: native-chol-n10-dmdas}\nplatform: {run: sg-mirage-n12-dmdas}\noptions: {overhead_us: 3}",
		"workload: {graph: nativempi-np2-n8-lws}\nplatform: {cpus: 3, nodes: 3, network: {bandwidth: 10GBps, latency: 1us}, node_overrides: {1: {cpus: 2, speed: 0.5}}}",
		"workload: {kind: cholesky, tiles: 5, generate: {kind: init, duration: 1ms, counted: true}, distribution: {kind: 1d1d}}\nplatform: {file: ../../docs/examples/workstation.yaml, nodes: 2, network: {bandwidth: 1GBps}, node_overrides: {1: {gpus: 1}}}\nmodels: {durations: {potrf: 1ms, trsm: 1ms, syrk: 1ms, gemm: 1ms}}",
		sparseSpec("matrix: tf 10, nb: 16", "cpus: 4", "engine: exact, overhead_us: 3"),
	} {
		s, untouched := parse(t, text), parse(t, text)
		var first *Simulation
		for range 2 {
			opened := make(map[string]int)
			b, err := s.Build(func(path string) (*trace.Run, error) {
				opened[path]++
				return load(path)
			})
			if err != nil {
				t.Fatalf("%s:\n%v", text, err)
			}
			for path, times := range opened {
				if times != 1 {
					t.Errorf("%s:\nopened %s %d times, want once", text, path, times)
				}
			}
			if b.Plain != nil {
				b.Plain.Analysis = 0
			}
			if first != nil && !reflect.DeepEqual(b, first) {
				t.Errorf("%s:\nfound another simulation when it was built again", text)
			}
			first = b
		}
		if !reflect.DeepEqual(s, untouched) {
			t.Errorf("%s:\nfound another spec after building", text)
		}
	}
}
