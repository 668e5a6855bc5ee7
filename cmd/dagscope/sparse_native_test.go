package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"dagscope/internal/testenv"
)

// A traced factorization on two workers, and what is predicted from the matrix,
// the order of its columns and models fitted to the same trace: makespan within
// 5 %, memory peak within 1 %.
func TestSparseNative(t *testing.T) {
	for _, x := range []struct {
		matrix, ordering string
		nb               int
		makespan, peak   float64 // s, MiB
	}{
		{"TF14", "metis", 64, 0.286406, 71.57},
		{"Franz6_id1959_aug", "metis", 128, 1.388946, 325.2},
		{"kneser_8_3_1", "colamd", 128, 0.388261, 164.2},
		{"lp_dfl001", "metis", 64, 0.416103, 122.3},
	} {
		t.Run(x.matrix, func(t *testing.T) {
			tasks := testenv.Reference(t, "data/sparse/native", x.matrix, fmt.Sprintf("tasks_%s_nb%d_t2.csv.gz", x.ordering, x.nb))
			perm := testenv.Reference(t, "data/sparse/ref", x.matrix, x.ordering, "perm.csv")
			matrix, dir := testenv.Reference(t, "data/sparse/matrices", x.matrix+".mtx"), t.TempDir()
			kernels, spec := filepath.Join(dir, "kernels.yaml"), filepath.Join(dir, "qr.yaml")
			exe := program(t)
			if out, err := exec.Command(exe, "calibrate", "kernels", tasks, "--matrix", matrix, "--perm", perm, "--workers", "2", "--nb", fmt.Sprint(x.nb), "-o", kernels).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			text := fmt.Sprintf("workload: {kind: sparse-qr, matrix: %s, perm: %s, nb: %d}\nplatform: {cpus: 2}\nmodels: {file: kernels.yaml}\noptions: {overhead_us: 12}\n", matrix, perm, x.nb)
			if err := os.WriteFile(spec, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(exe, "simulate", spec, "--no-run", "--json").Output()
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Makespan float64 `json:"makespan_ns"`
				Peak     float64 `json:"memory_peak_bytes"`
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			makespan, peak := got.Makespan/1e9/x.makespan-1, got.Peak/(1<<20)/x.peak-1
			t.Logf("%s: makespan %+.1f %%, memory peak %+.1f %%", x.matrix, 100*makespan, 100*peak)
			if math.Abs(makespan) > 0.05 || math.Abs(peak) > 0.01 {
				t.Errorf("%s: makespan %+.2f %%, memory peak %+.2f %%", x.matrix, 100*makespan, 100*peak)
			}
		})
	}
}
