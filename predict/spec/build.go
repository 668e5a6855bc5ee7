package spec

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// Loader opens a run by its path.
type Loader func(path string) (*trace.Run, error)

// Simulation is what the simulator runs.
type Simulation struct {
	Graph     *workload.Graph
	Machine   *platform.Machine
	Durations starpu.Durations
	Scheduler string
	Options   starpu.Options
	Warnings  []string // durations that are not to be trusted
	Plain     *Plain   // of the plain engine; nil: the exact one runs
}

// Build makes what the spec says; runs that it names are opened by load.
func (s *Spec) Build(load Loader) (*Simulation, error) {
	load = once(load)
	s, err := s.ofFile()
	if err != nil {
		return nil, err
	}
	if isPlain, err := s.isPlain(load); err != nil {
		return nil, err
	} else if isPlain || s.Workload.Kind == sparseQR {
		return s.buildPlain(load, isPlain)
	}
	b := &Simulation{}
	if _, err := policy.New(cmp.Or(s.Scheduler, usualScheduler), policy.Options{}); err != nil {
		return nil, s.wrap(err, "scheduler")
	}
	nodes, err := s.nodeCount()
	if err != nil {
		return nil, err
	}
	var from *source
	if b.Graph, from, err = s.graph(load, nodes); err != nil {
		return nil, err
	}
	b.schedule(s.Scheduler, from)
	if b.Machine, err = s.machine(b, load); err != nil {
		return nil, err
	}
	if err = s.durations(b, from, load); err != nil {
		return nil, err
	}
	if s.Workload.Priorities.Rule == bottomLevel {
		if err := setBottomLevels(b.Graph, b.Durations); err != nil {
			return nil, s.wrap(err, "workload", "priorities")
		}
	}
	if b.Options, err = s.options(b.Graph, nodes); err != nil {
		return nil, err
	}
	b.Options.Before += from.before()
	if err := s.distribute(b); err != nil {
		return nil, err
	}
	if err := s.able(b.Graph, b.Machine, b.Durations, b.Options.OnlyDevices); err != nil {
		return nil, err
	}
	s.countGeneration(b.Graph)
	return b, s.fits(b.Graph, b.Machine, b.Durations, b.Options.OnlyDevices)
}

// usualScheduler is StarPU's own choice.
const usualScheduler = "lws"

// Environment of runs: what a simulation took, so that another repeats it.
const (
	EnvScheduler = "scheduler"
	EnvBefore    = "startup_us" // starpu.Options.Before beyond the default
	EnvDurations = "durations"  // asExpected: every task took what its like take
	asExpected   = "as expected"
)

// schedule takes the scheduler that is named, else that of the run that the
// graph comes from.
func (b *Simulation) schedule(name string, from *source) {
	b.Scheduler = cmp.Or(name, usualScheduler)
	if name != "" || from == nil {
		return
	}
	its := from.run.Meta.Environment[EnvScheduler]
	if _, err := policy.New(its, policy.Options{}); err == nil {
		b.Scheduler = its
		return
	}
	b.Warnings = append(b.Warnings, "the scheduler is "+usualScheduler+", StarPU's usual one: the run does not tell its own")
}

// before is how long a run's program prepared, in µs: as simulated, or from the
// first task of the runtime's own, which split data up, to the first of the
// program.
func (from *source) before() int {
	const most = 10_000 // nothing but ties depends on it
	if from == nil {
		return 0
	}
	us, err := strconv.Atoi(from.run.Meta.Environment[EnvBefore])
	if err != nil {
		us = from.preparation()
	}
	if us < 0 || us > most {
		return 0
	}
	return us
}

func (from *source) preparation() int {
	t := &from.run.Task
	first := t.Submit[from.rows[0]]
	for row, at := range t.Submit[:from.rows[0]] {
		if t.Internal[row] && at != trace.NoTime && first != trace.NoTime {
			return int((first - at) / 1000)
		}
	}
	return 0
}

// Keep notes in a run what it takes to simulate it again.
func (b *Simulation) Keep(run *trace.Run) error {
	machine, err := b.Machine.YAML()
	if err != nil {
		return fmt.Errorf("write down machine: %w", err)
	}
	kernels, err := b.Kernels()
	if err != nil {
		return fmt.Errorf("write down durations: %w", err)
	}
	models, err := kernels.YAML()
	if err != nil {
		return fmt.Errorf("write down durations: %w", err)
	}
	run.Meta.Platform = &trace.Platform{Host: b.Machine.Name, Machine: string(machine), Models: string(models)}
	if run.Meta.Environment == nil {
		run.Meta.Environment = make(map[string]string)
	}
	if b.Graph.Factor == nil && b.Graph.Duration == nil {
		run.Meta.Environment[EnvDurations] = asExpected
	}
	if b.Plain != nil {
		run.Meta.Environment[EnvEngine] = enginePlain
		run.Meta.Environment[EnvBase] = strconv.FormatInt(b.Plain.Options.Base, 10)
	}
	run.Meta.Environment[EnvScheduler] = b.Scheduler
	run.Meta.Environment[EnvBefore] = strconv.Itoa(b.Options.Before - starpu.DefaultOptions().Before)
	return nil
}

// once opens each run once.
func once(load Loader) Loader {
	seen := make(map[string]*trace.Run)
	return func(path string) (*trace.Run, error) {
		if run, ok := seen[path]; ok {
			return run, nil
		}
		run, err := load(path)
		if err == nil {
			seen[path] = run
		}
		return run, err
	}
}

// options are those of the simulator.
func (s *Spec) options(g *workload.Graph, nodes int) (starpu.Options, error) {
	o := starpu.DefaultOptions()
	o.Costs = s.Costs.of()
	if p := s.Options.Prefetch; p != nil {
		o.Prefetch = *p
	}
	if p := s.Options.Pipeline; p != nil {
		if o.Pipeline = *p; *p < 0 || *p > starpu.MostPipeline {
			return o, s.errorf(at("options", "pipeline"), "found a pipeline of %d tasks, want 0 to %d", *p, starpu.MostPipeline)
		}
	}
	if s.Options.MemoryLimit != 0 {
		return o, s.errorf(at("options", "memory_limit"), "found a memory limit for %s on the exact engine, want engine: plain; gpu_memory and ram_memory limit memories", g.Name)
	}
	o.Seed = s.Seed
	if !s.clustered(nodes) {
		o.Before += s.splits() * int(o.Costs.Submit+o.Costs.Push) / 1000
	}
	err := s.Options.MPI.of(&o.MPI)
	if err != nil {
		return o, s.wrap(err, "options", "mpi")
	}
	if o.OnlyDevices, err = s.onlyDevices(g); err != nil {
		return o, err
	}
	o.Decisions, err = s.decisions(g)
	return o, err
}

// splits is how many pieces of data StarPU's programs split up before their
// first task: the matrix into rows of tiles, and these into tiles. Each is
// acquired by a task of the runtime.
func (s *Spec) splits() int {
	w := &s.Workload
	if w.Kind != "cholesky" && w.Kind != "lu" || w.Generate.Kind != "" {
		return 0
	}
	return int(w.Tiles) + 1
}

// Run simulates. With record the result has all that a run directory holds.
func (b *Simulation) Run(record bool) (*starpu.Result, error) {
	if b.Plain != nil {
		return b.runPlain(record)
	}
	o := b.Options
	o.Record = record
	fresh := func() (starpu.Policy, error) { return policy.New(b.Scheduler, policy.Options{}) }
	return starpu.RunNodes(b.Graph, b.Machine, b.Durations, fresh, o)
}

// setBottomLevels makes priorities of how long the longest way from a task to
// the end is, in µs, if every task ran where it is fastest.
func setBottomLevels(g *workload.Graph, d starpu.Durations) error {
	deps, err := workload.Infer(g)
	if err != nil {
		return err
	}
	order, err := deps.Topological()
	if err != nil {
		return err
	}
	level := make([]float64, deps.Nodes()) // ns
	g.Priority = make([]int32, g.Tasks())
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		for _, s := range deps.Succs(v) {
			level[v] = max(level[v], level[s])
		}
		if int(v) < g.Tasks() {
			level[v] += shortest(d[g.Class[v]])
			g.Priority[v] = int32(min(level[v]/1000, math.MaxInt32))
		}
	}
	return nil
}

// shortest is the least that is not 0.
func shortest(row []float64) float64 {
	least := 0.0
	for _, ns := range row {
		if ns > 0 && (least == 0 || ns < least) {
			least = ns
		}
	}
	return least
}
