package whatif

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/spec"
	"dagscope/read"
	"dagscope/trace"
)

// bundled is a run of the repository.
func bundled(t *testing.T, path string) *trace.Run {
	t.Helper()
	run, err := read.Read(testenv.Repo()+"/testdata/"+path, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Of a run from which one thing is taken, that is missing, the experiments that need
// it are not available for that reason, and the others remain.
func TestLacking(t *testing.T) {
	native := func(t *testing.T) *trace.Run { return bundled(t, "starpu/native-chol-tiny") }
	for _, x := range []struct {
		name  string
		take  func(run *trace.Run)
		lacks string
		none  bool // nothing remains
		gone  []string
	}{
		{name: "nothing", take: func(*trace.Run) {}},
		{name: "submissions", lacks: LackOrder, gone: []string{Submission, Window}, take: func(run *trace.Run) {
			for i := range run.Task.Submit {
				run.Task.Submit[i] = trace.NoTime
			}
		}},
		{name: "accesses", lacks: LackData, gone: onData, take: func(run *trace.Run) { run.Access = trace.Accesses{} }},
		{name: "some durations", lacks: LackDurations, take: func(run *trace.Run) {
			last := len(run.Task.Worker) - 1
			for run.Task.Internal[last] || run.Task.Worker[last] == trace.None {
				last--
			}
			run.Task.Worker[last], run.Task.Start[last], run.Task.End[last] = trace.None, trace.NoTime, trace.NoTime
		}},
		{name: "durations", lacks: LackDurations, none: true, take: func(run *trace.Run) {
			for i := range run.Task.Start {
				run.Task.Start[i], run.Task.End[i] = trace.NoTime, trace.NoTime
			}
		}},
		{name: "workers", lacks: LackWorkers, none: true, take: func(run *trace.Run) {
			for i := range run.Task.Worker {
				run.Task.Worker[i] = trace.None
			}
		}},
		{name: "dependencies and accesses", lacks: LackDependencies, gone: []string{Scheduler, Priorities}, take: func(run *trace.Run) {
			run.Access, run.Dep = trace.Accesses{}, trace.Deps{}
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			run := native(t)
			x.take(run)
			b, err := NewBase(run, Options{Pinned: true})
			if x.none {
				var not *NotReplayed
				if !errors.As(err, &not) || len(not.Lacks) == 0 || not.Lacks[0].What != x.lacks {
					t.Fatalf("found error %v, want that %s are missing", err, x.lacks)
				}
				for _, say := range []string{x.lacks, "no experiment remains", "dagscope report"} {
					if !strings.Contains(err.Error(), say) {
						t.Errorf("error %q does not say %q", err, say)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if x.lacks == "" && len(b.Lacks) > 0 || x.lacks != "" && !slices.ContainsFunc(b.Lacks, func(l Lack) bool { return l.What == x.lacks }) {
				t.Errorf("found lacks %+v, want %q", b.Lacks, x.lacks)
			}
			ids, missing := b.Remaining()
			for _, id := range x.gone {
				i := slices.IndexFunc(missing, func(m Missing) bool { return m.ID == id })
				if i < 0 || !strings.Contains(missing[i].Why, x.lacks) && !strings.Contains(missing[i].Why, "the run lacks") {
					t.Errorf("%s: found it among %v, missing %+v", id, ids, missing)
				}
				var why *Unavailable
				if _, err := b.Find(id, Where{}); !errors.As(err, &why) {
					t.Errorf("%s: found error %v, want that it is not available", id, err)
				}
			}
			if b.Valid() && !slices.Contains(ids, Kernel) {
				t.Errorf("found %v, want kernel among them", ids)
			}
			if n := len(ids) + len(missing); n != len(Registry)-1 {
				t.Errorf("found %d experiments, want %d", n, len(Registry)-1)
			}
		})
	}
}

// Messages that end before they start show that clocks differ, and by how much.
func TestClocks(t *testing.T) {
	run := &trace.Run{}
	run.Resource.Node = []int32{0, 1}
	run.Transfer.Start, run.Transfer.End = []int64{100, 5_000, trace.NoTime}, []int64{200, 2_000, 7}
	run.Transfer.From, run.Transfer.To = []int32{0, 1, 0}, []int32{1, 0, 1}
	if off := clocks(run); off != 3_000 {
		t.Errorf("found clocks that differ by %d ns, want 3000", off)
	}
	run.Transfer.From[1] = 0 // on one node
	if off := clocks(run); off != 0 {
		t.Errorf("found clocks that differ by %d ns, want 0", off)
	}
}

// A run whose scheduler had wrong expectations is not repeated by it; its recorded
// schedule is, and what it would take with right ones is the scheduler's own run.
func TestRightExpectations(t *testing.T) {
	right := recorded(t, fmt.Sprintf(chol, 9, "dmda"), false)
	wrong := recorded(t, fmt.Sprintf(chol, 9, "random"), true) // as if it had known nothing
	wrong.Meta.Environment[spec.EnvScheduler] = "dmda"
	b := base(t, wrong, Options{})
	if b.Valid() || !b.CanPin() {
		t.Fatalf("found base %+v, pinned %+v, want the recorded schedule alone to repeat the run", b.Fit, b.Pinned)
	}
	changes, err := b.Find(Models, Where{})
	if err != nil {
		t.Fatal(err)
	}
	out := try(t, b, changes...)
	want := span(right, base(t, right, Options{}).sim.Rows)
	if off := math.Abs(float64(out[0].Makespan)/float64(want) - 1); out[0].Failed != "" || off > 0.1 || !out[0].Pinned || out[0].Gain <= 0 {
		t.Errorf("found %+v, want a makespan of %d", out[0], want)
	}
	again := try(t, b, Own(changes[0].Set))
	if again[0].Makespan != out[0].Makespan || again[0].Gain != out[0].Gain {
		t.Errorf("by its key: found %+v, want %+v", again[0], out[0])
	}
	if _, err := base(t, right, Options{}).Find(Models, Where{}); err == nil {
		t.Error("a run that its scheduler repeats has nothing to expect otherwise: want an error")
	}
}

// A base that is not nearly exact at once is judged by several attempts, and its error
// is inside of their interval.
func TestAttempts(t *testing.T) {
	b := base(t, bundled(t, "starpu/sg-mirage-n12-dmdas"), Options{Scheduler: "dmdasd"})
	f := b.Fit
	if f.Attempts != attempts || f.Low > f.Error || f.High < f.Error || f.Low == f.High {
		t.Errorf("found %+v, want %d attempts around the error", f, attempts)
	}
	b = base(t, recorded(t, fmt.Sprintf(chol, 8, "dmdas"), false), Options{})
	if b.Attempts != 0 || b.Error != 0 {
		t.Errorf("a run that is repeated exactly: found %+v, want one attempt", b.Fit)
	}
}
