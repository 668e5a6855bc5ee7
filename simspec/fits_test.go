package simspec

import (
	"strings"
	"testing"
)

// A memory that some task's data does not fit into is an error before anything
// is simulated, if that task may have to run there.
func TestDataThatFitsNowhere(t *testing.T) {
	const at = `
platform: {file: ../docs/examples/workstation.yaml}
models:
  durations: {potrf: 1ms, trsm: 1ms, syrk: 1ms, gemm: 1ms}
scheduler: dmdas
`
	for text, want := range map[string]string{
		"workload: {kind: cholesky, tiles: 4}" + at + "options: {gpu_memory: 5MiB}":                                              "read f.yaml:6: found TRSM, which needs 7.4 MB of data at once, and CUDA0, which may have to run it and has 5.2 MB",
		"workload: {kind: cholesky, tiles: 4}" + at + "options:\n  gpu_memory: 10MiB":                                            "read f.yaml:7: found GEMM, which needs 11.1 MB",
		"workload: {kind: cholesky, tiles: 4}" + at + "options: {gpu_memory: 10MiB, only_cpu: [gemm]}":                           "",
		"workload: {kind: cholesky, tiles: 4}" + at + "options: {gpu_memory: 11MiB}":                                             "",
		"workload: {kind: cholesky, tiles: 4}" + at + "options: {ram_memory: 10MiB}":                                             "", // the program's own data
		"workload: {kind: chain, tasks: 4, bytes: 8MB}\nplatform: {cpus: 2}\noptions: {ram_memory: 10MiB}":                       "read f.yaml:3: found TASK, which needs 16.0 MB of data at once, and RAM",
		"workload: {kind: chain, tasks: 4, bytes: 8MB}\nplatform: {cpus: 2}\noptions: {ram_memory: 10MiB}\ncosts: {transfer: 0}": "read f.yaml:3: found TASK",
	} {
		_, err := parse(t, text).Build(load)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s:\n%v, want\n%s", text, err, want)
		}
	}
}
