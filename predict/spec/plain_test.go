package spec

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
	"dagscope/predict/workload/sparse"
	"dagscope/read"
	"dagscope/trace"
)

// ingested opens what a runtime left.
func ingested(path string) (*trace.Run, error) { return read.Read(path, read.Options{}) }

// simulate builds and runs a spec.
func simulate(t *testing.T, text string) (*Simulation, *starpu.Result) {
	t.Helper()
	b, err := parse(t, text).Build(ingested)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Run(true)
	if err != nil {
		t.Fatal(err)
	}
	return b, r
}

// Traced factorizations on two workers, simulated with the durations that their
// tasks had, take as long and as much memory.
func TestNativeReplay(t *testing.T) {
	for _, file := range testenv.References(t, "data/sparse/native/*/tasks_*_t2.csv.gz") {
		b, r := simulate(t, fmt.Sprintf("workload: {file: %s}\noptions: {overhead_us: 12}", file))
		run, err := ingested(file)
		if err != nil {
			t.Fatal(err)
		}
		makespan := slices.Max(run.Task.End)
		peak := slices.Max(run.Sample.Value) * (1 << 20)
		off, most := float64(r.Makespan)/float64(makespan)-1, 0.07
		if makespan > 1e9 {
			most = 0.03
		}
		memory := float64(slices.Max(r.Peak))/peak - 1
		t.Logf("%s: makespan %+.1f %%, memory peak %+.1f %%", filepath.Base(filepath.Dir(file)), 100*off, 100*memory)
		if math.Abs(off) > most || math.Abs(memory) > 0.02 || b.Scheduler != "prio" {
			t.Errorf("%s: makespan %+.2f %%, memory peak %+.2f %%, scheduler %s", file, 100*off, 100*memory, b.Scheduler)
		}
	}
}

// What is generated from the matrix allocates what the traced run did, task by
// task.
func TestGeneratedMemory(t *testing.T) {
	run, err := ingested(testenv.Reference(t, "data/sparse/native/TF14/tasks_metis_nb64_t2.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := workload.FromRun(run)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := simulate(t, sparseSpec("matrix: "+testenv.Reference(t, "data/sparse/matrices/TF14.mtx")+", perm: "+testenv.Reference(t, "data/sparse/ref/TF14/metis/perm.csv")+", nb: 64", "cpus: 2", ""))
	if got := b.Graph; !slices.Equal(got.StartBytes, want.StartBytes) || !slices.Equal(got.EndBytes, want.EndBytes) {
		t.Errorf("found %d bytes and %d, want %d and %d", got.StartBytes[:12], got.EndBytes[:12], want.StartBytes[:12], want.EndBytes[:12])
	}
}

// sparseSpec is the spec of a small factorization with one duration a kind.
func sparseSpec(workload, platform, options string) string {
	return "workload: {kind: sparse-qr, " + workload + "}\nplatform: {" + platform + "}\n" +
		"models: {durations: {Do_subtree: 2ms, Activate: 300us, Assemble: 100us, Panel: 800us, Update: 500us, Deactivate: 50us}}\noptions: {" + options + "}"
}

// A family is one matrix whatever the seed of the schedulers: that of analyses.
func TestSeedOfMatrix(t *testing.T) {
	const name = "grad3d 5 5 5"
	m, err := sparse.Load(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	perm, err := sparse.Order(m, "natural")
	if err != nil {
		t.Fatal(err)
	}
	a, err := sparse.Analyze(m, perm, sparse.Options{NB: 16, IB: 32})
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range []string{"0", "7"} {
		b, err := parse(t, sparseSpec("matrix: "+name+", ordering: natural, nb: 16", "cpus: 4", "")+"\nseed: "+seed).Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := a.Prune(4).Peak; b.Plain.SequentialPeak != want {
			t.Errorf("seed %s: found a sequential peak of %d, want %d as analyzed", seed, b.Plain.SequentialPeak, want)
		}
	}
}

// The run of a factorization tells the parameters of tasks, the tree, the memory.
func TestSparseRun(t *testing.T) {
	b, r := simulate(t, sparseSpec("matrix: tf 12, nb: 16", "cpus: 4", ""))
	run, err := r.Trace()
	if err == nil {
		err = b.Keep(run)
	}
	if err != nil {
		t.Fatal(err)
	}
	update := slices.Index(run.Task.Kind.Dict, "Update")
	row := slices.Index(run.Task.Kind.Index, int32(update))
	if text := run.Task.Parameters.At(row); !strings.HasPrefix(text, "MB=") || !strings.Contains(text, " BK=1") || !(run.Task.GFlop[row] > 0) {
		t.Errorf("an Update is %q of %g GFlop", text, run.Task.GFlop[row])
	}
	if len(run.TreeNode.Key) == 0 || run.Task.TreeNode[row] < 0 || len(run.Sample.Value) == 0 {
		t.Errorf("found %d tree nodes, %d samples", len(run.TreeNode.Key), len(run.Sample.Value))
	}
	again, err := (OfRun("x")).Build(func(string) (*trace.Run, error) { return run, nil })
	if err != nil {
		t.Fatal(err)
	}
	if again.Plain == nil {
		t.Fatal("a run of the plain engine is simulated again on the exact one")
	}
	second, err := again.Run(false)
	if err != nil || second.Makespan != r.Makespan || !slices.Equal(second.Peak, r.Peak) {
		t.Errorf("again: makespan %d, peak %d, %v, want %d, %d", second.Makespan, second.Peak, err, r.Makespan, r.Peak)
	}
}

// Fewer workers prune less of the tree, unless the spec says for how many.
func TestPruning(t *testing.T) {
	count := func(spec string) int {
		b, _ := simulate(t, spec)
		return b.Graph.Tasks()
	}
	one, eight := count(sparseSpec("matrix: tf 12, nb: 16", "cpus: 1", "")), count(sparseSpec("matrix: tf 12, nb: 16", "cpus: 8", ""))
	if fixed := count(sparseSpec("matrix: tf 12, nb: 16, prune_for: 8", "cpus: 1", "")); one >= eight || fixed != eight {
		t.Errorf("found %d tasks for one worker, %d for eight, %d pruned for eight", one, eight, fixed)
	}
}

// A memory limit is kept, and what one task after another needs is enough.
func TestMemoryLimit(t *testing.T) {
	spec := func(options string) string { return sparseSpec("matrix: tf 12, nb: 16", "cpus: 8", options) }
	free, _ := simulate(t, spec(""))
	for _, factor := range []float64{1, 1.1, 1.5} {
		b, r := simulate(t, spec(fmt.Sprintf("memory_limit: %g", factor)))
		if limit := b.Plain.Options.MemoryLimit; slices.Max(r.Peak) > limit || b.Plain.SequentialPeak != free.Plain.SequentialPeak {
			t.Errorf("factor %g: %d bytes allocated, limit %d", factor, r.Peak, limit)
		}
	}
	b, err := parse(t, spec("memory_limit: 0.5")).Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Run(false)
	if err == nil || !strings.Contains(err.Error(), "of the sequential peak instead of 0.5;") {
		t.Fatalf("found error %v with half of the memory", err)
	}
	enough := regexp.MustCompile(`want a memory limit of at least (\d+) instead of \d+, ([0-9.]+) of`).FindStringSubmatch(err.Error())
	limit, factor := int64(0), 0.0
	if _, err := fmt.Sscan(enough[1]+" "+enough[2], &limit, &factor); err != nil || limit <= b.Plain.Options.MemoryLimit || factor > 1 || factor*float64(b.Plain.SequentialPeak) < float64(limit) {
		t.Errorf("found limit %d, factor %g, want more than %d and at most 1", limit, factor, b.Plain.Options.MemoryLimit)
	}
}

// Both engines make the same of a program on one worker: all work, one after
// another.
func TestEngines(t *testing.T) {
	spec := sparseSpec("matrix: tf 10, nb: 16, prune_for: 4", "cpus: 1", "engine: %s")
	_, fast := simulate(t, fmt.Sprintf(spec, "plain"))
	_, exact := simulate(t, fmt.Sprintf(spec, "exact")+"\ncosts: zero")
	if off := float64(exact.Makespan)/float64(fast.Makespan) - 1; math.Abs(off) > 0.01 {
		t.Errorf("makespan %d, exactly %d", fast.Makespan, exact.Makespan)
	}
	_, fast = simulate(t, "workload: {kind: cholesky, tiles: 8}\nplatform: {cpus: 4}\nmodels: {durations: {potrf: 9ms, trsm: 18ms, syrk: 17ms, gemm: 33ms}}\nscheduler: prio\noptions: {engine: plain}")
	_, exact = simulate(t, "workload: {kind: cholesky, tiles: 8}\nplatform: {cpus: 4}\nmodels: {durations: {potrf: 9ms, trsm: 18ms, syrk: 17ms, gemm: 33ms}}\nscheduler: prio\ncosts: zero")
	if off := float64(exact.Makespan)/float64(fast.Makespan) - 1; math.Abs(off) > 0.03 {
		t.Errorf("Cholesky: makespan %d, exactly %d", fast.Makespan, exact.Makespan)
	}
}

// Models tell durations by the parameters of each task; what they were not fitted
// to is said, and busy workers slow tasks down.
func TestTaskModels(t *testing.T) {
	const kernels = `models:
  - {kind: panel, arch: cpu, regression: {parameters: [NB, MB], terms: [{coefficient: 2, of: MB*NB^2}], ranges: [{of: MB, min: 20, max: 30}]}, contention: [{busy: 1, factor: 3}]}
  - {kind: update, arch: cpu, regression: {parameters: [MB, NB, BK], terms: [{coefficient: 4, of: MB*NB^2}]}}
  - {kind: do_subtree, arch: cpu, regression: {terms: [{coefficient: 1e9, of: gflop}, {coefficient: 1000, of: p1}]}}
  - {kind: activate, arch: cpu, mean: 100us}
  - {kind: assemble, arch: cpu, mean: 10us}
  - {kind: deactivate, arch: cpu, mean: 1us}
`
	file := filepath.Join(t.TempDir(), "kernels.yaml")
	if err := os.WriteFile(file, []byte(kernels), 0o644); err != nil {
		t.Fatal(err)
	}
	b, r := simulate(t, "workload: {kind: sparse-qr, matrix: tf 12, nb: 16}\nplatform: {cpus: 4}\nmodels: {file: "+file+"}")
	made, err := parse(t, sparseSpec("matrix: tf 12, nb: 16", "cpus: 4", "")).programOfMatrix(engine{plain: true}, b.Machine)
	if err != nil {
		t.Fatal(err)
	}
	p := made.factorization.program
	for i := range int32(b.Graph.Tasks()) {
		x := p.Parameters(i, nil)
		want := map[int32]float64{
			sparse.Panel: 0, sparse.Activate: 100e3, sparse.Assemble: 10e3, sparse.Deactivate: 1e3,
			sparse.DoSubtree: float64(p.Flops(i)) + 1000*x[0],
		}
		if k := p.Kind(i); k == sparse.Panel || k == sparse.Update {
			want[sparse.Panel], want[sparse.Update] = 3*2*x[0]*x[1]*x[1], 4*x[0]*x[1]*x[1]
		}
		if got := float64(r.End[i] - r.Begin[i]); math.Abs(got-want[p.Kind(i)]) > 1.5 {
			t.Fatalf("task %d (%s of %g) takes %g ns, want %g", i, sparse.KindNames[p.Kind(i)], x, got, want[p.Kind(i)])
		}
	}
	if len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "Panel on cpu: MB is") {
		t.Errorf("found warnings %q, want one of MB of Panel", b.Warnings)
	}
	b, err = parse(t, "workload: {kind: sparse-qr, matrix: tf 12, nb: 16}\nplatform: {cpus: 4}\nmodels: {file: "+file+"}\noptions: {engine: exact}").Build(nil)
	if err != nil || !strings.Contains(strings.Join(b.Warnings, "\n"), "(contention), which the exact engine does not know") {
		t.Errorf("found %v, warnings %q, want one of contention", err, b.Warnings)
	}
}

func TestPlainErrors(t *testing.T) {
	for text, want := range map[string]string{
		sparseSpec("nb: 16", "cpus: 4", ""):                                                                 "found no matrix",
		sparseSpec("matrix: tf 10, tiles: 3", "cpus: 4", ""):                                                "found key tiles of workload sparse-qr",
		sparseSpec("matrix: tf 10, ordering: metis", "cpus: 4", ""):                                         "metis",
		sparseSpec("matrix: tf 10, ordering: amd, perm: x", "cpus: 4", ""):                                  "want one of them",
		sparseSpec("matrix: nowhere.mtx", "cpus: 4", ""):                                                    "nowhere.mtx",
		sparseSpec("matrix: tf 10, generate: {kind: init, duration: 1ms}", "cpus: 4", ""):                   "found generate for sparse-qr",
		sparseSpec("matrix: tf 10, prune_for: 1000000", "cpus: 4", ""):                                      "found 1000000 workers",
		sparseSpec("matrix: tf 10", "cpus: 4", "decisions: all"):                                            "found decisions for the plain engine",
		sparseSpec("matrix: tf 10", "cpus: 4", "ram_memory: 1GiB"):                                          "found ram_memory for the plain engine",
		sparseSpec("matrix: tf 10, mb: 64", "cpus: 4", ""):                                                  "64",
		sparseSpec("matrix: tf 10", "cpus: 4", "engine: fast"):                                              `found engine "fast"`,
		sparseSpec("matrix: tf 10", "cpus: 4", "") + "\nscheduler: dmdar":                                   `found scheduler "dmdar"`,
		sparseSpec("matrix: tf 10", "cpus: 4", "overhead_us: -1"):                                           "overhead",
		"workload: {file: a.csv, kind: lu}\nplatform: {cpus: 1}":                                            "want one of them",
		"workload: {kind: chain, tasks: 3}\nplatform: {cpus: 1}\noptions: {engine: plain, memory_limit: 2}": "found a memory limit for",
	} {
		_, err := parse(t, text).Build(ingested)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found error %v, want %q in it", text, err, want)
		}
	}
}

// A factorization of more tasks than there is memory for is refused before they
// are made; a run that is recorded needs more.
func TestTooManyTasks(t *testing.T) {
	const text = "matrix: tf 10, nb: 8"
	b, err := parse(t, sparseSpec(text, "cpus: 4", "")).Build(ingested)
	if err != nil {
		t.Fatal(err)
	}
	enough := int64(b.Graph.Tasks()) * bytesPlain
	for _, c := range []struct {
		bytes  int64
		record bool
		engine string
		want   string
	}{
		{enough, false, "", ""}, {0, true, "", ""}, {enough - 1, false, "", "larger blocks (nb)"},
		{enough, true, "", "--no-run"}, {enough, false, "engine: exact", "engine: plain"},
	} {
		s := parse(t, sparseSpec(text, "cpus: 4", c.engine))
		s.Within(c.bytes, c.record)
		_, err := s.Build(ingested)
		if tasks := fmt.Sprintf("found %d tasks with block columns of 8", b.Graph.Tasks()); (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), tasks)) {
			t.Errorf("%+v: found error %v", c, err)
		}
	}
}
