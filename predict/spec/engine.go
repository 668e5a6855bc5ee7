package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/predict/plain"
	"dagscope/predict/starpu/policy"
)

// Engines: the exact one knows all that StarPU does, the plain one workers that
// share a memory, a hundred times faster.
const (
	enginePlain = "plain"
	engineExact = "exact"
)

// Default schedulers: StarPU's own choice, and that of qr_mumps, as of programs
// with priorities, for the plain engine.
const (
	defaultScheduler      = "lws"
	defaultPlainScheduler = "prio"
)

// Environment of runs: what a simulation took, so that another repeats it.
const (
	EnvEngine    = "engine"            // where it is not the exact one
	EnvBase      = "memory_base_bytes" // bytes of the memory that are no task's
	EnvScheduler = "scheduler"
	EnvSeed      = "seed"
	EnvNoise     = "noise"      // coefficient of variation that durations were perturbed with
	EnvBefore    = "startup_us" // starpu.Options.Before beyond the default
	EnvOptions   = "options"    // costs and options, as the spec has them, where they are not the usual ones
	EnvMemory    = "heteroprio_memory"
	EnvDurations = "durations" // asExpected: every task took what its class takes
	asExpected   = "as expected"
)

// engine is what simulates.
type engine struct {
	plain     bool
	scheduler string
	warnings  []string
}

// engine chooses the engine and its scheduler: those that the spec names, else
// those of the run that the graph comes from.
func (s *Spec) engine(runs recordedRuns) (e engine, err error) {
	if e.plain, err = s.isPlain(runs); err != nil {
		return e, err
	}
	its := ""
	if runs.graph != nil {
		its = runs.graph.Meta.Environment[EnvScheduler]
	}
	if e.plain {
		if e.scheduler, err = s.plainScheduler(its); err != nil {
			return e, err
		}
		if s.Scheduler == "" && its != "" && e.scheduler != its {
			e.warnings = []string{fmt.Sprintf("the scheduler is %s: the plain engine does not know that of the run, %s", e.scheduler, its)}
		}
		return e, nil
	}
	e.scheduler = cmp.Or(s.Scheduler, defaultScheduler)
	if s.Options.Pinned && s.Scheduler == "" {
		return e, nil // nobody decides
	}
	if _, err := policy.New(e.scheduler, policy.Options{}); err != nil {
		return e, s.wrap(err, "scheduler")
	}
	if s.Scheduler != "" || runs.graph == nil {
		return e, nil
	}
	if _, err := policy.New(its, policy.Options{}); err == nil {
		e.scheduler = its
		return e, nil
	}
	e.warnings = []string{"the scheduler is " + defaultScheduler + ", StarPU's usual one: the run does not tell its own"}
	return e, nil
}

// isPlain reports which engine runs the spec: sparse factorizations, and tasks of
// runtimes that nothing more is known of, are for the plain one.
func (s *Spec) isPlain(runs recordedRuns) (bool, error) {
	switch s.Options.Engine {
	case enginePlain:
		return true, nil
	case engineExact:
		return false, nil
	case "":
	default:
		return false, s.errorf(at("options", "engine"), "found engine %q, want %s or %s", s.Options.Engine, enginePlain, engineExact)
	}
	if s.Workload.File != "" { // a run of any format
		return true, nil
	}
	if run := runs.graph; run != nil {
		return run.Meta.Reader == "tasks" || run.Meta.Environment[EnvEngine] == enginePlain, nil
	}
	return s.Workload.Kind == sparseQR, nil
}

// plainScheduler is the scheduler of the plain engine; its is that of the run of
// the graph.
func (s *Spec) plainScheduler(its string) (string, error) {
	name := cmp.Or(s.Scheduler, defaultPlainScheduler)
	if s.Scheduler == "" && slices.Contains(plain.Policies, its) {
		name = its
	}
	if _, err := policy.New(name, policy.Options{}); err == nil && !slices.Contains(plain.Policies, name) {
		return "", s.errorf(at("scheduler"), "found scheduler %q for the plain engine, which cannot decide as StarPU's does, want options: {engine: exact}, or one of %s", name, strings.Join(plain.Policies, ", "))
	}
	if !slices.Contains(plain.Policies, name) {
		return "", s.errorf(at("scheduler"), "found scheduler %q for the plain engine, want one of %s, or options: {engine: exact}", name, strings.Join(plain.Policies, ", "))
	}
	return name, nil
}
