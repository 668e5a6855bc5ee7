package spec_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/spec"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
)

// StarPU's makespans under heteroprio were taken one after another, in an order that is
// not known, each with the memory of those before. For five of seven there is a history
// of at most three others after which the simulation takes as long within 0.1 %; two
// need none.
func TestHeteroprioAfterEarlierRuns(t *testing.T) {
	testenv.Slow(t)
	runs := make(map[string]*spec.Simulation)
	want := make(map[string]float64)
	for _, r := range rows(t) {
		if r.scheduler != "heteroprio" {
			continue
		}
		s, err := spec.Parse("spec.yaml", []byte(r.spec(t, 0)))
		if err != nil {
			t.Fatal(err)
		}
		name := strings.Fields(r.String())
		key := name[0] + " " + name[2]
		if runs[key], err = s.Build(nil); err != nil {
			t.Fatal(err)
		}
		want[key] = r.makespan
	}
	for last, before := range map[string][]string{
		"mirage 5×960":  nil,
		"attila 10×960": nil,
		"attila 5×960":  {"mirage 10×960", "attila 10×960"},
		"mirage 10×960": {"mirage 5×960", "attila 5×960", "attila 10×960"},
		"attila 20×960": {"mirage 10×960", "mirage 20×960", "attila 5×960"},
	} {
		memory := &policy.Memory{}
		makespan := 0.0
		for _, name := range append(before, last) {
			b := runs[name]
			p, err := policy.New("heteroprio", policy.Options{Memory: memory})
			if err != nil {
				t.Fatal(err)
			}
			r, err := starpu.Run(b.Graph, b.Machine, b.Durations, p, b.Options)
			if err != nil {
				t.Fatal(err)
			}
			makespan = float64(r.Makespan) / 1e3
		}
		off := makespan/want[last] - 1
		t.Logf("%s after %q: %+.3f %%", last, before, 100*off)
		if math.Abs(off) > 0.001 {
			t.Errorf("%s after %q takes %.0f µs, want %.0f", last, before, makespan, want[last])
		}
	}
}

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
