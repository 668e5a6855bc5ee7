package spec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/trace"
)

const noisy = "workload: {kind: cholesky, tiles: 6}\nplatform: {cpus: %d}\nmodels: {durations: {potrf: 9ms, trsm: 18ms, syrk: 17ms, gemm: 33ms}}\nscheduler: %s\nnoise: 0.1\nseed: %d\noptions: {engine: %s}"

// Another seed of a simulation is the simulation of a spec with that seed, on
// both engines.
func TestSeededIsTheSpecWithThatSeed(t *testing.T) {
	for _, engine := range []string{"plain", "exact"} {
		first, _ := simulate(t, fmt.Sprintf(noisy, 4, "prio", 0, engine))
		if err := first.Prepare(); err != nil {
			t.Fatal(err)
		}
		spans := make(map[int64]bool)
		for seed := range int64(5) {
			_, want := simulate(t, fmt.Sprintf(noisy, 4, "prio", seed, engine))
			got, err := first.Seeded(seed).Run(false)
			if err != nil || got.Makespan != want.Makespan {
				t.Errorf("%s, seed %d: found %v, %v, want %d", engine, seed, got.Makespan, err, want.Makespan)
			}
			spans[want.Makespan] = true
		}
		if len(spans) != 5 {
			t.Errorf("%s: found %d makespans of 5 seeds", engine, len(spans))
		}
	}
}

// Base and change draw the same: every task takes the same under another
// scheduler, on another machine and on the other engine.
func TestNoiseIsCommon(t *testing.T) {
	lengths := func(text string) (all []int64) {
		_, r := simulate(t, text)
		for i := range r.Begin {
			all = append(all, (r.End[i]-r.Begin[i]+500)/1000)
		}
		return all
	}
	base := lengths(fmt.Sprintf(noisy, 4, "prio", 3, "plain"))
	for _, text := range []string{fmt.Sprintf(noisy, 4, "eager", 3, "plain"), fmt.Sprintf(noisy, 9, "prio", 3, "plain")} {
		if got := lengths(text); !slices.Equal(got, base) {
			t.Errorf("%s: tasks take %v, want %v", text, got, base)
		}
	}
	for i, ns := range lengths(fmt.Sprintf(noisy, 3, "dm", 3, "exact") + "\ncosts: zero") {
		if ns-base[i] < -1 || ns-base[i] > 20 { // what the runtime takes in a task
			t.Errorf("task %d takes %d µs on the exact engine, %d on the plain one", i, ns, base[i])
		}
	}
}

// Whatever of a spec is changed, the same task draws the same: on other workers,
// under other schedulers, costs and options, by twice its duration, and where the
// run of the base is simulated again.
func TestNoiseIsCommonToChanges(t *testing.T) {
	machine, pairs := testenv.Repo("docs", "examples", "workstation.yaml"), 0
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 2))
		text := randomSpec(draw, machine)
		base, err := parse(t, text).Build(load)
		if err != nil || base.Noise() == 0 {
			continue
		}
		first, err := base.Run(true)
		if err != nil {
			t.Fatal(err)
		}
		run := keptRun(t, base, first)
		for _, set := range []string{"scheduler=prio", "scheduler=eager", "costs=zero", "platform.cpus=2", "options.overhead_us=7", "models.scale={'*': 2}"} {
			s := parse(t, text)
			if err := s.Set(set); err != nil {
				t.Fatal(err)
			}
			change, err := s.Build(load)
			if err != nil {
				t.Fatalf("%s%s: %v", text, set, err)
			}
			again, _, err := oncemore(t, run, set)
			if err != nil {
				t.Fatalf("%s%s: %v", text, set, err)
			}
			if !slices.Equal(change.Graph.Factor, base.Graph.Factor) || !slices.Equal(again.Graph.Factor, base.Graph.Factor) {
				t.Errorf("%s%s: tasks draw something else than in the base", text, set)
			}
			pairs++
		}
	}
	if pairs < 100 {
		t.Errorf("compared %d pairs, want 100", pairs)
	}
}

// A simulated run is simulated again with its own seed, also where schedulers and
// models draw, unless another is given.
func TestRunKeepsItsSeed(t *testing.T) {
	first, r := simulate(t, fmt.Sprintf(noisy, 2, "random", 75, "exact"))
	run, err := r.Trace()
	if err == nil {
		err = first.Keep(run)
	}
	if err != nil {
		t.Fatal(err)
	}
	load := func(string) (*trace.Run, error) { return run, nil }
	again := func(change func(*Spec)) *Simulation {
		s := OfRun("x")
		change(s)
		b, err := s.Build(load)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := again(func(*Spec) {})
	if second, err := b.Run(false); err != nil || second.Makespan != r.Makespan || b.Options.Seed != 75 {
		t.Errorf("again: makespan %d with seed %d, %v, want %d with 75", second.Makespan, b.Options.Seed, err, r.Makespan)
	}
	if b := again(func(s *Spec) { s.SetSeed(0) }); b.Options.Seed != 0 {
		t.Errorf("--seed 0: found seed %d", b.Options.Seed)
	}
	if b := again(func(s *Spec) {
		if err := s.Set("seed=4"); err != nil {
			t.Fatal(err)
		}
	}); b.Options.Seed != 4 {
		t.Errorf("--set seed=4: found seed %d", b.Options.Seed)
	}
}

// What the simulator calls the makespan from the first start is that of the run.
func TestMakespanFromStart(t *testing.T) {
	for _, engine := range []string{"plain", "exact"} {
		b, r := simulate(t, fmt.Sprintf(noisy, 4, "prio", 1, engine)+"\ncosts: {base: default, task_submit: 50us}")
		run, err := r.Trace()
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Max(run.Task.End) - slices.Min(run.Task.Start)
		if got := b.MakespanFromStart(r); got != want || want > r.Makespan {
			t.Errorf("%s: found %d ns from the first start, want %d; %d from the first submission", engine, got, want, r.Makespan)
		}
	}
}
