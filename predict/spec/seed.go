package spec

import (
	"slices"

	"dagscope/predict/perfmodel"
	"dagscope/predict/plain"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
)

// draws are what a seed decides of the durations of a simulation, and what they
// are without it.
type draws struct {
	noise  float64         // coefficient of variation; 0: none
	graph  *workload.Graph // without noise and samples
	timing *timing         // of its tasks
}

// sampled are tasks whose models are samples: one that draws a tenth more than is
// expected takes a tenth more on every worker.
type sampled struct {
	models   *perfmodel.Set
	types    []platform.Type
	random   []bool           // by class
	expected starpu.Durations // before the spec changes them
}

// sampled are the tasks of a table that draw; nil: none does.
func (t *table) sampled() *sampled {
	if t.models == nil {
		return nil
	}
	s := &sampled{models: t.models, types: t.types, random: make([]bool, len(t.g.Classes))}
	for c := range s.random {
		s.random[c] = t.models.Random(t.g.Classes[c].Kind)
	}
	if !slices.Contains(s.random, true) {
		return nil
	}
	s.expected = cloned(t.ns)
	return s
}

// factors are what tasks draw.
func (s *sampled) factors(g *workload.Graph, seed int64) []float64 {
	factor := slices.Repeat([]float64{1}, g.Tasks())
	for i, c := range g.Class {
		if k := slices.IndexFunc(s.expected[c], func(ns float64) bool { return ns > 0 }); s.random[c] && k >= 0 {
			ns, _ := s.models.Draw(task(&g.Classes[c]), s.types[k], uint64(seed), uint64(i))
			factor[i] = ns / s.expected[c][k]
		}
	}
	return factor
}

// Seeded is the same simulation with another seed: of the scheduler, of models
// that are samples, and of noise. Graph, machine and tables are shared; a graph
// that was generated at random stays as it is.
//
// Noise is that of [workload.Graph.Perturbed]: what a task draws depends on
// nothing but the seed and the task, so that two simulations with the same seed
// that differ in anything else can be compared as a pair (common random numbers).
func (b *Simulation) Seeded(seed int64) *Simulation {
	c := *b
	c.Options.Seed = seed
	if b.draws.noise == 0 && b.draws.timing.sampled == nil {
		return &c
	}
	g := *b.draws.graph
	if t := b.draws.timing; t.sampled != nil {
		g.Factor = t.sampled.factors(&g, seed)
	}
	c.Graph = g.Perturbed(b.draws.noise, uint64(seed))
	if b.Plain != nil {
		p := *b.Plain
		p.Options.Durations = b.draws.timing.perturbed(c.Graph, b.Machine)
		c.Plain = &p
	}
	return &c
}

// Noisy is the same simulation with durations perturbed by a coefficient of
// variation, whatever the spec says of noise, and with a seed, as [Simulation.Seeded].
func (b *Simulation) Noisy(cv float64, seed int64) *Simulation {
	c := *b
	c.draws.noise = cv
	return c.Seeded(seed)
}

// Under is the same simulation under another scheduler of the exact engine, with graph,
// machine and tables shared; false where it has to be built.
func (b *Simulation) Under(scheduler string) (*Simulation, bool) {
	if b.Plain != nil || b.pinned != nil || b.memory != nil {
		return nil, false
	}
	if _, err := policy.New(scheduler, policy.Options{}); err != nil {
		return nil, false
	}
	c := *b
	c.Scheduler = scheduler
	return &c, true
}

// OnTaskEnd has a function called whenever a task with work has ended, by one
// goroutine at a time in each run.
func (b *Simulation) OnTaskEnd(ended func()) {
	b.Options.Ended = ended
	if b.Plain != nil {
		b.Plain.Options.Ended = ended
	}
}

// Prepare does once what all simulations of Seeded share: it finds the
// dependencies, which the plain engine does for each run otherwise.
func (b *Simulation) Prepare() error {
	if b.Plain == nil || b.Plain.Deps != nil {
		return nil
	}
	d, err := plain.Infer(b.Graph)
	if err != nil {
		return err
	}
	p := *b.Plain
	p.Deps = d
	b.Plain = &p
	return nil
}

// perturbed are durations of tasks by type of worker, for the plain engine, with
// the factors of a graph.
func (t *timing) perturbed(g *workload.Graph, m *platform.Machine) [][]int64 {
	if t.byTask == nil {
		return taskDurations(g, m, t)
	}
	all := make([][]int64, len(t.byTask))
	for k, ns := range t.byTask {
		all[k] = slices.Clone(ns)
		for i, f := range g.Factor {
			if ns[i] > 0 {
				all[k][i] = max(1, int64(float64(ns[i])*f+0.5))
			}
		}
	}
	return all
}
