package spec

import (
	"math"
	"slices"
	"strings"

	"dagscope/predict/perfmodel"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
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
	d      starpu.Durations
	used   []bool // classes that have tasks with work
}

// durations makes the table, and what makes tasks differ from their class.
func (s *Spec) durations(b *Simulation, from *source, load Loader) error {
	g := b.Graph
	t := &table{s: s, g: g, types: b.Machine.Types(), d: make(starpu.Durations, len(g.Classes)), used: used(g)}
	var err error
	if t.models, err = s.models(g, from, load); err != nil {
		return s.wrap(err, "models")
	}
	all := make([]float64, len(t.d)*len(t.types))
	for c := range t.d {
		t.d[c] = all[c*len(t.types):][:len(t.types):len(t.types)]
		for k, on := range t.types {
			t.d[c][k] = t.duration(&g.Classes[c], on)
		}
	}
	switch {
	case from != nil && t.models == nil:
		if err := t.own(from); err != nil {
			return err
		}
	case from != nil:
		g.Duration = nil
	}
	if err := t.given(); err != nil {
		return err
	}
	if err := t.check(); err != nil {
		return err
	}
	t.draw()
	if err := t.scaled(); err != nil {
		return err
	}
	t.slowed()
	b.Durations, b.Warnings = t.d, append(b.Warnings, t.doubts()...)
	if err := t.constrain(); err != nil {
		return err
	}
	return t.tellable()
}

// tellable reports durations that no run can have.
func (t *table) tellable() error {
	for c, row := range t.d {
		for k, ns := range row {
			if on := t.types[k]; t.used[c] && !(ns <= float64(starpu.Latest)) {
				return t.s.errorf(at("models"), "found %s of %.3g s on %s of node %d (durations, scale and the speed of nodes taken together), want %.3g at most",
					t.g.Classes[c].Kind, ns/1e9, on.Arch, on.Node, float64(starpu.Latest)/1e9)
			}
		}
	}
	return nil
}

// used marks the classes that have tasks with work.
func used(g *workload.Graph) []bool {
	used := make([]bool, len(g.Classes))
	for i, c := range g.Class {
		used[c] = used[c] || g.Sync == nil || !g.Sync[i]
	}
	return used
}

// duration of a class on a type of worker, 0 where it cannot run. What
// prepares the input runs on CPUs, if there are any.
func (t *table) duration(c *workload.Class, on platform.Type) float64 {
	if c.Duration > 0 || c.Generation && t.models == nil {
		if c.Generation && on.Arch != platform.CPU && t.cpus(on.Node) {
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

func (t *table) cpus(node int32) bool {
	return slices.ContainsFunc(t.types, func(on platform.Type) bool { return on.Arch == platform.CPU && on.Node == node })
}

func task(c *workload.Class) perfmodel.Task {
	names, values := parameters(c)
	return perfmodel.Task{Kind: c.Kind, Footprint: c.Footprint, Bytes: c.Bytes, GFlop: c.GFlop, Parameters: values, Names: names}
}

func parameters(c *workload.Class) (names []string, values []float64) {
	if c.Parameters != nil {
		return nil, c.Parameters
	}
	if names, values = perfmodel.NamedParameters(c.Layout); names != nil {
		return names, values
	}
	return nil, perfmodel.LayoutParameters(c.Layout)
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
		return kindsOf(g)(perfmodel.ReadYAML(s.path(m.File)))
	case m.Run != "":
		return kindsOf(g)(s.fitted(load))
	case m.StarPU != "" || from == nil && m.Durations == nil && s.Platform.StarPU != "" && needed(g):
		return s.starPUModels(g, from)
	case from != nil || m.Durations != nil || !needed(g):
		return nil, nil
	}
	return nil, errorf("found no models, want starpu and host, file, run, or durations")
}

// kindsOf gives models the names that the kinds of the graph have: case does not
// matter.
func kindsOf(g *workload.Graph) func(*perfmodel.Set, error) (*perfmodel.Set, error) {
	return func(s *perfmodel.Set, err error) (*perfmodel.Set, error) {
		if err != nil {
			return nil, err
		}
		for i := range s.Models {
			m := &s.Models[i]
			if classes, err := classesOf(g, m.Kind); err == nil && !hasKind(g, m.Kind) {
				m.Kind = g.Classes[classes[0]].Kind
			}
		}
		return perfmodel.NewSet(s.Models)
	}
}

func hasKind(g *workload.Graph, kind string) bool {
	return slices.ContainsFunc(g.Classes, func(c workload.Class) bool { return c.Kind == kind })
}

// needed tells whether durations of some tasks are not known.
func needed(g *workload.Graph) bool {
	return slices.ContainsFunc(g.Classes, func(c workload.Class) bool { return c.Duration == 0 && !c.Generation })
}

// starPUModels reads StarPU's models, of the host of the machine unless the
// spec says otherwise.
func (s *Spec) starPUModels(g *workload.Graph, from *source) (*perfmodel.Set, error) {
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
	if m.Symbols == nil {
		from.symbols(names)
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

// symbols are the names of the models that the tasks of a run had.
func (from *source) symbols(names map[string]string) {
	if from == nil || from.run.Task.Model.Len() == 0 {
		return
	}
	for _, row := range from.rows {
		kind := from.run.Task.Kind.At(int(row))
		if symbol := from.run.Task.Model.At(int(row)); symbol != "" && names[kind] == "" {
			names[kind] = symbol
		}
	}
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

// check reports classes whose duration is known of no worker.
func (t *table) check() error {
	for c, row := range t.d {
		if t.used[c] && slices.Max(row) == 0 {
			return t.unknown(&t.g.Classes[c])
		}
	}
	return nil
}

// unknown says why no worker can run a class.
func (t *table) unknown(c *workload.Class) error {
	if c.Generation {
		return t.s.errorf(at("workload", "generate"), "found no duration of %s, want one: {kind: %s, duration: 1ms}", c.Kind, c.Kind)
	}
	name := c.Kind
	if c.Layout != "" {
		name += " (" + c.Layout + ")"
	}
	if t.models == nil {
		return t.s.errorf(at("models"), "found no duration of %s on any worker of the machine, want one, such as durations: {%s: 3ms}", name, strings.ToLower(c.Kind))
	}
	return t.s.errorf(at("models"), "found no duration of %s: %s", name, strings.Join(t.reasons(c), "; "))
}

// reasons say why models do not tell the duration of a class: where there are
// some of its kind, what they lack.
func (t *table) reasons(c *workload.Class) (all []string) {
	for _, on := range t.types {
		if why := t.models.Explain(task(c), on); !slices.Contains(all, why) {
			all = append(all, why)
		}
	}
	missing := func(why string) bool { return strings.HasPrefix(why, "no model of") }
	if slices.ContainsFunc(all, func(why string) bool { return !missing(why) }) {
		all = slices.DeleteFunc(all, missing)
	}
	return all
}

// doubts are what models say of durations that they tell nevertheless.
func (t *table) doubts() (all []string) {
	for c := range t.d {
		for k, on := range t.types {
			if t.models == nil || !t.used[c] || t.d[c][k] == 0 || t.fixed(&t.g.Classes[c]) {
				continue
			}
			if doubt := t.models.Explain(task(&t.g.Classes[c]), on); doubt != "" && !slices.Contains(all, doubt) {
				all = append(all, doubt)
			}
		}
	}
	return all
}

// fixed tells whether the spec itself, or the graph, says how long a class takes.
func (t *table) fixed(c *workload.Class) bool {
	for kind := range t.s.Models.Durations {
		if strings.EqualFold(kind, c.Kind) {
			return true
		}
	}
	return c.Duration > 0
}

// able reports constraints, or nodes, that leave a kind no worker.
func (s *Spec) able(g *workload.Graph, m *platform.Machine, d starpu.Durations, onlyDevices []bool) error {
	b := Simulation{Graph: g, Machine: m, Durations: d, Options: starpu.Options{OnlyDevices: onlyDevices}}
	if g.Node == nil {
		return s.ableHere(&b)
	}
	able := make(map[runner]bool)
	for c := range b.Durations {
		for _, w := range b.Machine.Workers {
			if b.runs(c, w.Type, w.Arch) {
				able[runner{int32(c), w.Node}] = true
			}
		}
	}
	for i, c := range g.Class {
		node := g.Node[i]
		if able[runner{c, node}] || g.Sync != nil && g.Sync[i] {
			continue
		}
		return s.errorf(at("platform"), "found %s on node %d, none of whose workers can run it, want one, or its data on another node (workload.distribution)", g.Classes[c].Kind, node)
	}
	return nil
}

// ableHere is able of a graph that runs on one node.
func (s *Spec) ableHere(b *Simulation) error {
	g, able := b.Graph, make([]bool, len(b.Durations))
	for c := range able {
		able[c] = slices.ContainsFunc(b.Machine.Workers, func(w platform.Worker) bool { return w.Node == 0 && b.runs(c, w.Type, w.Arch) })
	}
	for i, c := range g.Class {
		if !able[c] && (g.Sync == nil || !g.Sync[i]) {
			return s.errorf(at("options"), "found no worker that can run %s as only_cpu and only_gpu say, want one", g.Classes[c].Kind)
		}
	}
	return nil
}

// runner is a class that has to run on a node.
type runner struct{ class, node int32 }
