package spec

import (
	"strings"
	"testing"
)

// A memory that some task's data does not fit into is an error before anything
// is simulated, if that task may have to run there.
func TestDataThatFitsNowhere(t *testing.T) {
	const at = `
platform: {file: ../../docs/examples/workstation.yaml}
models:
  durations: {potrf: 1ms, trsm: 1ms, syrk: 1ms, gemm: 1ms}
scheduler: dmdas
`
	const cholesky = "workload: {kind: cholesky, tiles: 4}" + at
	const chain = "workload: {kind: chain, tasks: 4, bytes: 8MB}\nplatform: {cpus: 2}\n"
	for text, want := range map[string]string{
		cholesky + "options: {gpu_memory: 5MiB}":                                                          "read f.yaml:6: found POTRF, which needs 3.7 MB of data (33.6 MB as memory is taken in blocks) at once, and CUDA0, which may have to run it and has 5.2 MB",
		cholesky + "options:\n  gpu_memory: 10MiB":                                                        "read f.yaml:7: found POTRF, which needs 3.7 MB",
		cholesky + "options: {gpu_memory: 10MiB, only_cpu: [potrf, trsm, syrk]}":                          "read f.yaml:6: found GEMM, which needs 11.1 MB of data (33.6 MB",
		cholesky + "options: {gpu_memory: 10MiB, only_cpu: [potrf, trsm, syrk, gemm]}":                    "",
		cholesky + "options: {gpu_memory: 32MiB}":                                                         "",
		strings.Replace(cholesky, "tiles: 4", "tiles: 4, tile: 2000", 1) + "options: {gpu_memory: 40MiB}": "read f.yaml:6: found GEMM, which needs 48.0 MB of data at once",
		cholesky + "options: {ram_memory: 10MiB}":                                                         "", // the program's own data
		chain + "options: {ram_memory: 10MiB}":                                                            "read f.yaml:3: found TASK, which needs 16.0 MB of data at once, and RAM",
		chain + "options: {ram_memory: 16MB}":                                                             "",
	} {
		_, err := parse(t, text).Build(load)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s:\n%v, want\n%s", text, err, want)
		}
	}
}
