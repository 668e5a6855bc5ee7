package simspec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/perfmodel"
	"dagscope/platform"
	"dagscope/sim"
	"dagscope/workload"
)

// symbols are the names of StarPU's models by kind of workload, of those of its
// programs that the simulator knows.
var symbols = map[string]string{"cholesky": "chol_model_", "lu": "starpu_slu_lu_model_", "gemm": "starpu_sgemm_"}

// table is how long classes of tasks take by type of worker, in ns.
type table struct {
	s      *Spec
	g      *workload.Graph
	types  []platform.Type
	models *perfmodel.Set // nil: none
	d      sim.Durations
}

// durations makes the table, and what makes tasks differ from their class.
func (s *Spec) durations(g *workload.Graph, m *platform.Machine, from *source, load Loader) (sim.Durations, error) {
	t := &table{s: s, g: g, types: m.Types(), d: make(sim.Durations, len(g.Classes))}
	var err error
	if t.models, err = s.models(g, from, load); err != nil {
		return nil, s.wrap(err, "models")
	}
	for c := range t.d {
		t.d[c] = make([]float64, len(t.types))
		for k, on := range t.types {
			t.d[c][k] = t.duration(&g.Classes[c], on)
		}
	}
	switch {
	case from != nil && t.models == nil:
		t.own(from)
	case from != nil:
		g.Duration = nil
	}
	if err := t.given(); err != nil {
		return nil, err
	}
	t.draw()
	if err := t.constrain(); err != nil {
		return nil, err
	}
	return t.d, t.check()
}

// duration of a class on a type of worker, 0 where it cannot run. What
// prepares the input runs on CPUs, if there are any.
func (t *table) duration(c *workload.Class, on platform.Type) float64 {
	if c.Duration > 0 || c.Generation && t.models == nil {
		if c.Generation && on.Arch != platform.CPU && t.cpus() {
			return 0
		}
		return float64(c.Duration)
	}
	if t.models == nil {
		return 0
	}
	ns, ok := t.models.Duration(task(c), on)
	if !ok || !(ns < math.MaxInt64/2) {
		return 0
	}
	return max(1, ns)
}

func (t *table) cpus() bool {
	return slices.ContainsFunc(t.types, func(on platform.Type) bool { return on.Arch == platform.CPU })
}

func task(c *workload.Class) perfmodel.Task {
	return perfmodel.Task{Kind: c.Kind, Footprint: c.Footprint, Bytes: c.Bytes, GFlop: c.GFlop, Parameters: parameters(c)}
}

func parameters(c *workload.Class) []float64 {
	if c.Parameters != nil {
		return c.Parameters
	}
	return perfmodel.LayoutParameters(c.Layout)
}

// models reads the models, nil if durations are known without.
func (s *Spec) models(g *workload.Graph, from *source, load Loader) (*perfmodel.Set, error) {
	m := &s.Models
	named := 0
	for _, name := range []string{m.StarPU, m.File, m.Run} {
		if name != "" {
			named++
		}
	}
	switch {
	case named > 1:
		return nil, errorf("found several of starpu, file and run, want one")
	case m.File != "":
		return perfmodel.ReadYAML(s.path(m.File))
	case m.Run != "":
		return s.fitted(load)
	case m.StarPU != "" || from == nil && m.Durations == nil && s.Platform.StarPU != "" && needed(g):
		return s.starPUModels(g)
	case from != nil || m.Durations != nil || !needed(g):
		return nil, nil
	}
	return nil, errorf("found no models, want starpu and host, file, run, or durations")
}

// needed tells whether durations of some tasks are not known.
func needed(g *workload.Graph) bool {
	return slices.ContainsFunc(g.Classes, func(c workload.Class) bool { return c.Duration == 0 && !c.Generation })
}

// starPUModels reads StarPU's models, of the host of the machine unless the
// spec says otherwise.
func (s *Spec) starPUModels(g *workload.Graph) (*perfmodel.Set, error) {
	m := s.Models
	if m.StarPU == "" {
		m.StarPU = s.Platform.StarPU
	}
	if m.Host == "" {
		m.Host = s.Platform.Host
	}
	names := make(map[string]string)
	for _, c := range g.Classes {
		if prefix, ok := symbols[s.Workload.Kind]; ok && c.Duration == 0 && !c.Generation && m.Symbols == nil {
			names[c.Kind] = prefix + strings.ToLower(c.Kind)
		}
	}
	formulas := make(map[string]string)
	for _, given := range []struct{ from, to map[string]string }{{m.Symbols, names}, {m.Formulas, formulas}} {
		for kind, text := range given.from {
			classes, err := classesOf(g, kind)
			if err != nil {
				return nil, err
			}
			given.to[g.Classes[classes[0]].Kind] = text
		}
	}
	return perfmodel.ReadStarPU(s.path(m.StarPU), m.Host, names, perfmodel.StarPUOptions{Formulas: formulas})
}

// given takes over the durations that the spec itself has.
func (t *table) given() error {
	for kind, by := range t.s.Models.Durations {
		classes, err := classesOf(t.g, kind)
		if err != nil {
			return t.s.wrap(err, "models", "durations", kind)
		}
		for _, c := range classes {
			for k, on := range t.types {
				t.d[c][k] = float64(by.on(on.Arch))
			}
		}
	}
	return nil
}

// draw lets tasks differ whose models are samples: a task that draws a tenth
// more than is expected takes a tenth more on every worker.
func (t *table) draw() {
	if t.models == nil {
		return
	}
	random := make([]bool, len(t.g.Classes))
	for c := range random {
		random[c] = t.models.Random(t.g.Classes[c].Kind)
	}
	if !slices.Contains(random, true) {
		return
	}
	t.g.Factor = slices.Repeat([]float64{1}, t.g.Tasks())
	for i, c := range t.g.Class {
		if k := slices.IndexFunc(t.d[c], func(ns float64) bool { return ns > 0 }); random[c] && k >= 0 {
			ns, _ := t.models.Draw(task(&t.g.Classes[c]), t.types[k], uint64(t.s.Seed), uint64(i))
			t.g.Factor[i] = ns / t.d[c][k]
		}
	}
}

// constrain applies constraints of kinds and what is added to every task. Kinds
// for devices only are the simulator's business: see Spec.onlyDevices.
func (t *table) constrain() error {
	for i, kind := range t.s.Options.OnlyCPU {
		classes, err := classesOf(t.g, kind)
		if err != nil {
			return t.s.wrap(err, "options", "only_cpu", i)
		}
		for _, c := range classes {
			for k, on := range t.types {
				if on.Arch != platform.CPU {
					t.d[c][k] = 0
				}
			}
		}
	}
	more := t.s.Options.Overhead
	if !(more >= 0 && more <= 1e12) {
		return t.s.errorf(at("options", "overhead_us"), "found an overhead of %g µs, want 0 or more", more)
	}
	for _, row := range t.d {
		for k := range row {
			if row[k] > 0 {
				row[k] += more * 1e3
			}
		}
	}
	return nil
}

// onlyDevices are the classes that only devices may run, nil for none.
func (s *Spec) onlyDevices(g *workload.Graph) ([]bool, error) {
	if len(s.Options.OnlyGPU) == 0 {
		return nil, nil
	}
	only := make([]bool, len(g.Classes))
	for i, kind := range s.Options.OnlyGPU {
		classes, err := classesOf(g, kind)
		if err != nil {
			return nil, s.wrap(err, "options", "only_gpu", i)
		}
		for _, c := range classes {
			only[c] = true
		}
	}
	return only, nil
}

// check reports classes that no worker can run, of tasks that have work.
func (t *table) check() error {
	used := make([]bool, len(t.g.Classes))
	for i, c := range t.g.Class {
		used[c] = used[c] || t.g.Sync == nil || !t.g.Sync[i]
	}
	for c, row := range t.d {
		if used[c] && slices.Max(row) == 0 {
			return t.s.wrap(t.unknown(&t.g.Classes[c]), "models")
		}
	}
	return nil
}

// unknown says why no worker can run a class.
func (t *table) unknown(c *workload.Class) error {
	why := ""
	for _, on := range t.types {
		if t.models != nil && why == "" {
			why = t.models.Explain(task(c), on)
		}
	}
	if why == "" {
		why = "no model knows it on any worker of the machine"
	}
	return fmt.Errorf("found no duration of %s (%s): %s", c.Kind, c.Layout, why)
}
