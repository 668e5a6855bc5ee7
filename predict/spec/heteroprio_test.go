package spec_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The memory of StarPU's heteroprio is read from its file, by the names of models.
func TestHeteroprioMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cholesky.data")
	lines := "1 0\n1e6 1e6\n"
	for _, kind := range []string{"11", "21", "22", "gemm"} {
		lines += "chol_model_" + kind + " 1\n1 1 1 0.25 10 10 1 1 1 1\n1 5000 20 1\n"
	}
	if err := os.WriteFile(file, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	const text = "workload: {kind: cholesky, tiles: 6}\nplatform: {cpus: 3}\nmodels: {durations: {potrf: 9ms, trsm: 18ms, syrk: 17ms, gemm: 33ms}}\nscheduler: "
	if _, err := simulate(text+"heteroprio\noptions: {heteroprio_memory: "+file+"}", false); err != nil {
		t.Error(err)
	}
	for set, want := range map[string]string{
		text + "lws\noptions: {heteroprio_memory: " + file + "}":               "found a memory of heteroprio for scheduler lws",
		text + "heteroprio\noptions: {heteroprio_memory: " + file + ".absent}": "no such file",
	} {
		if _, err := simulate(set, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found error %v, want %q in it", err, want)
		}
	}
}
