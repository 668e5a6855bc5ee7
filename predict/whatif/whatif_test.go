package whatif

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dagscope/predict/spec"
	"dagscope/predict/spec/spectest"
	"dagscope/trace"
)

const chol = "workload: {kind: cholesky, tiles: %d}\nplatform: {file: ../../docs/examples/workstation.yaml}\nmodels: {durations: {potrf: 9ms, trsm: 4ms, syrk: 4ms, gemm: {cpu: 33ms, cuda: 1ms}}}\nscheduler: %s\n"

// recorded simulates and forgets what only simulations know.
func recorded(t *testing.T, text string, forget bool) *trace.Run {
	t.Helper()
	run := spectest.Record(t, text)
	if forget {
		delete(run.Meta.Environment, spec.EnvScheduler)
	}
	return run
}

func base(t *testing.T, run *trace.Run, o Options) *Base {
	t.Helper()
	b, err := NewBase(run, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func try(t *testing.T, b *Base, changes ...Change) []Outcome {
	t.Helper()
	out, err := b.Try(t.Context(), changes, Trial{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A simulated run repeats itself, and gains come out as they must.
func TestGains(t *testing.T) {
	b := base(t, recorded(t, fmt.Sprintf(chol, 8, "dmdas"), false), Options{})
	if !b.Known || b.Error != 0 || b.Tasks != 1 || b.Placement != 1 || math.Abs(b.Order-1) > 1e-9 || !b.Valid() {
		t.Fatalf("found base %+v, want the run itself", b.Fit)
	}
	half, nothing, wrong := Own([]string{`models.scale={"*": 0.5}`, "costs=zero"}), Own([]string{"options.prefetch=true"}), Own([]string{"platform.gpus=-3"})
	for _, o := range try(t, b, half, nothing, wrong) {
		switch o.Title {
		case half.Title:
			if o.Share < 0.3 || o.Share > 0.7 || !o.Distinct() || o.Pairs < LeastPairs || o.Low > o.Gain || o.High < o.Gain {
				t.Errorf("half of all durations: found %+v", o)
			}
		case nothing.Title: // the same perturbations of the same tasks
			if o.Gain != 0 || o.Low != 0 || o.High != 0 || o.Distinct() || o.Failed != "" {
				t.Errorf("nothing is different: found %+v", o)
			}
		case wrong.Title:
			if !strings.Contains(o.Failed, "CPUs") && !strings.Contains(o.Failed, "GPUs") {
				t.Errorf("a machine that cannot be: found %+v", o)
			}
		}
	}
}

// The scheduler of a run that does not name it is found, of two with the same decisions
// either one.
func TestSchedulerIsFound(t *testing.T) {
	for _, name := range []string{"dmdas", "dmda", "eager", "lws", "random"} {
		b := base(t, recorded(t, fmt.Sprintf(chol, 9, name), true), Options{})
		if b.Known || b.Error != 0 || b.Tasks != 1 {
			t.Errorf("%s: found %s with error %g, tasks %g, order %g", name, b.Scheduler, b.Error, b.Tasks, b.Order)
		}
		if !slices.IsSortedFunc(b.Fits, func(f, g Fit) int {
			if f.better(&g) {
				return -1
			}
			return 1
		}) {
			t.Errorf("%s: fits are not ordered", name)
		}
	}
}

// All changes of the list can be made, and what the budget does not reach is said.
func TestAllChanges(t *testing.T) {
	b := base(t, recorded(t, fmt.Sprintf(chol, 5, "dmdas"), false), Options{})
	changes := b.Changes()
	ids := map[string]bool{}
	for _, c := range changes {
		ids[c.ID] = true
		if _, known := experiment(c.ID); !known {
			t.Errorf("%s is not listed", c.ID)
		}
	}
	for _, id := range []string{Scheduler, Priorities, Placement, Kernel, Workers, Link, Transfers, Pipeline, Prefetch, Submission, Runtime} {
		if !ids[id] {
			t.Errorf("found no change of %s", id)
		}
	}
	for _, o := range try(t, b, changes...) {
		if o.Failed != "" {
			t.Errorf("%s: %s", o.Title, o.Failed)
		}
	}
	out, err := b.Try(t.Context(), changes, Trial{Budget: time.Nanosecond})
	if err != nil || len(out) != len(changes) {
		t.Fatalf("found %d outcomes (%v), want %d", len(out), err, len(changes))
	}
	if !slices.ContainsFunc(out, func(o Outcome) bool { return strings.Contains(o.Failed, "time was over") }) {
		t.Error("no change is said to be left out")
	}
}

// A worker that takes longer than its equals is found, and only that one.
func TestSlowWorker(t *testing.T) {
	run := recorded(t, "workload: {kind: cholesky, tiles: 12}\nplatform: {cpus: 5}\nmodels: {durations: {potrf: 9ms, trsm: 18ms, syrk: 17ms, gemm: 33ms}}\nscheduler: lws\n", false)
	b := base(t, run, Options{})
	if s, _ := b.Find(SlowWorker, Where{}); len(s) > 0 {
		t.Errorf("healthy: found %v", s[0].Title)
	}
	worker := run.Task.Worker[b.sim.Rows[0]]
	slowed := lasting(run, func(row int32) (int64, bool) {
		return (run.Task.End[row] - run.Task.Start[row]) * 3 / 2, run.Task.Worker[row] == worker
	})
	b.Run = slowed
	found, err := b.Find(SlowWorker, Where{})
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Title, "1.50 times") {
		t.Fatalf("found %v (%v), want one worker 1.5 times as slow", found, err)
	}
	name := run.Resource.Name.At(int(worker))
	if named, err := b.Find(SlowWorker, Where{Workers: []string{name}}); err != nil || len(named) != 1 || !slices.Equal(named[0].Set, found[0].Set) {
		t.Errorf("by name: found %v (%v), want the same", named, err)
	}
	mended, err := b.asPeerWorkers(slowed, name)
	if err != nil {
		t.Fatal(err)
	}
	for row := range mended.Task.End {
		if off := mended.Task.End[row] - run.Task.End[row]; off < -1 || off > 1 {
			t.Fatalf("task %d ends %d ns late after the repair", row, off)
		}
	}
}

// Tasks are outliers by a visible factor and by their group's spread.
func TestOutliers(t *testing.T) {
	run := recorded(t, "workload: {kind: independent, tasks: 20, duration: 1ms}\nplatform: {cpus: 2}\nscheduler: eager\n", false)
	b := base(t, run, Options{})
	if n := len(outliers(run, b.sim.Rows)); n != 0 {
		t.Errorf("equal tasks: found %d outliers", n)
	}
	long := lasting(run, func(row int32) (int64, bool) {
		d := run.Task.End[row] - run.Task.Start[row]
		switch row {
		case b.sim.Rows[3]:
			return 5 * d, true
		case b.sim.Rows[4]:
			return d * 101 / 100, true // nobody sees that
		}
		return d, true
	})
	found := outliers(long, b.sim.Rows)
	if len(found) != 1 || found[b.sim.Rows[3]] == 0 {
		t.Errorf("found %v, want task %d", found, b.sim.Rows[3])
	}
}
