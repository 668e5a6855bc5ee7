package spec

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/stat"
	"dagscope/internal/testenv"
	"dagscope/trace"
)

// replayed repeats the schedule of a run, and says by what share its makespan
// differs from the recorded one.
func replayed(t *testing.T, run string, set ...string) float64 {
	t.Helper()
	s := OfRun(run)
	s.SetPinned()
	for _, assignment := range set {
		if err := s.Set(assignment); err != nil {
			t.Fatal(err)
		}
	}
	b, err := s.Build(ingested)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Run(false)
	if err != nil {
		t.Fatal(err)
	}
	return float64(b.MakespanFromStart(r))/float64(b.Recorded()) - 1
}

// The runs of the repository are repeated within 1.5 %, on machines that are derived
// from them: the simulated one there lacks the files that say how fast its links are.
func TestPinnedReplay(t *testing.T) {
	for _, name := range []string{"sg-mirage-n12-dmdas", "native-chol-tiny", "native-chol-n10-dmdas"} {
		if off := replayed(t, testenv.Repo("testdata/starpu", name)); math.Abs(off) > 0.015 {
			t.Errorf("%s: the replay differs by %+.2f %%", name, 100*off)
		}
	}
}

// All recorded runs on one node are repeated: those of StarPU-SimGrid within 0.5 %,
// native ones within 1.5 %, but for one whose data did not fit into RAM.
func TestPinnedReplays(t *testing.T) {
	testenv.Slow(t)
	var simulated, native []float64
	for _, path := range testenv.References(t, "data/starpu/*") {
		name := filepath.Base(path)
		var set []string
		limit := 0.005
		switch {
		case strings.HasPrefix(name, "native-"):
			limit = 0.015
		case !strings.HasPrefix(name, "sg-"):
			continue
		case strings.HasSuffix(name, "-nocost"):
			set = []string{"costs=zero"}
		case strings.HasPrefix(name, "sg-mirage-ooc"):
			// What is fetched before it is needed drives out what earlier tasks need; whatif
			// tries both ways.
			limit = 0.08
			set = []string{"options.ram_memory=500MiB", "options.prefetch=false"}
		}
		off := replayed(t, path, set...)
		t.Logf("%-32s %+.3f %%", name, 100*off)
		if math.Abs(off) > limit {
			t.Errorf("%s: the replay differs by %+.2f %%, want %g %% at most", name, 100*off, 100*limit)
		}
		if limit == 0.015 {
			native = append(native, math.Abs(off))
		} else {
			simulated = append(simulated, math.Abs(off))
		}
	}
	t.Logf("median of %d of StarPU-SimGrid %.3f %%, of %d native ones %.3f %%", len(simulated), 100*stat.Quantile(simulated, 0.5), len(native), 100*stat.Quantile(native, 0.5))
}

// What the schedule does not decide is simulated: with links at a tenth of their
// bandwidth the run takes longer, on the same workers.
func TestPinnedSimulatesTheRest(t *testing.T) {
	run := testenv.Repo("testdata/starpu/sg-mirage-n12-dmdas")
	if off := replayed(t, run, "platform.links={Host: {scale: 0.1}}"); off < 0.1 {
		t.Errorf("with slow links the replay differs by %+.2f %%", 100*off)
	}
	if off := replayed(t, run, "models.scale={gemm: 2}"); off < 0.1 {
		t.Errorf("with a slow kernel the replay differs by %+.2f %%", 100*off)
	}
}

// A replay of a replay with delays is as long: they are in the trace.
func TestPinnedKeepsDelays(t *testing.T) {
	b, r := simulate(t, "workload: {kind: cholesky, tiles: 5}\nplatform: {cpus: 3}\nmodels: {durations: {potrf: 9ms, trsm: 18ms, syrk: 17ms, gemm: 33ms}}\nscheduler: prio\noptions: {engine: plain, overhead_us: 3000}")
	run, err := r.Trace()
	if err == nil {
		err = b.Keep(run)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := OfRun("x")
	s.SetPinned()
	if err := s.Set("options.engine=exact"); err != nil {
		t.Fatal(err)
	}
	again, err := s.Build(func(string) (*trace.Run, error) { return run, nil })
	if err != nil {
		t.Fatal(err)
	}
	second, err := again.Run(false)
	if err != nil {
		t.Fatal(err)
	}
	if off := float64(again.MakespanFromStart(second))/float64(again.Recorded()) - 1; math.Abs(off) > 0.001 || !slices.Equal(second.Worker, r.Worker) {
		t.Errorf("a run whose tasks are 3 ms late each is repeated with a difference of %+.3f %%", 100*off)
	}
}

func TestPinnedRefusals(t *testing.T) {
	run := testenv.Repo("testdata/starpu/native-chol-tiny")
	for set, want := range map[string]string{
		"options.engine=plain": "want options: {engine: exact}",
		"scheduler=lws":        "found scheduler lws, want none",
		"platform.cpus=1":      "found no cpu worker for CPU1 of the run",
		"workload.generate={kind: init, duration: 1ms}": "found tasks in front",
	} {
		s := OfRun(run)
		s.SetPinned()
		if err := s.Set(set); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Build(ingested); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found error %v, want %q in it", set, err, want)
		}
	}
	s, err := Parse("x.yaml", []byte("workload: {kind: gemm, tiles: 2}\nplatform: {cpus: 2}\nmodels: {durations: {gemm: 1ms}}\noptions: {pinned: true}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Build(nil); err == nil || !strings.Contains(err.Error(), "found no recorded run to repeat") {
		t.Errorf("found error %v", err)
	}
}
