package spec

import (
	"maps"
	"math"
	"slices"
	"strings"

	"dagscope/predict/perfmodel"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// timing is how long the tasks of a program take on the workers of a machine.
type timing struct {
	byClass starpu.Durations // ns by class and type of worker, 0 where it cannot run
	byTask  [][]int64        // ns by type of worker and task, of factorizations; nil: as their class
	each    []int64          // workload.Graph.Duration
	factor  []float64        // workload.Graph.Factor
	sampled *sampled         // of models that are samples; nil: none
	// onlyDevices are the classes that CPUs do not run although durations are
	// known there; nil: none.
	onlyDevices []bool
	slowdown    [][]float64 // by class and number of busy workers, for the plain engine; nil: none
	warnings    []string
}

// runs reports whether a class can run on a type of worker.
func (t *timing) runs(class int, workerType int32, arch string) bool {
	return canRun(t.byClass, t.onlyDevices, class, workerType, arch)
}

// canRun reports whether a class can run on a type of worker of an architecture.
func canRun(d starpu.Durations, onlyDevices []bool, class int, workerType int32, arch string) bool {
	return d[class][workerType] > 0 && (arch != platform.CPU || onlyDevices == nil || !onlyDevices[class])
}

// taskDuration is how long a task takes on a type of worker, in ns, while no other
// disturbs it; false where it cannot run.
func taskDuration(g *workload.Graph, d starpu.Durations, onlyDevices []bool, task, workerType int, arch string) (ns float64, can bool) {
	c := int(g.Class[task])
	if !canRun(d, onlyDevices, c, int32(workerType), arch) {
		return 0, false
	}
	ns = d[c][workerType]
	if g.Duration != nil && g.Duration[task] > 0 {
		ns = float64(g.Duration[task])
	}
	if g.Factor != nil {
		ns *= g.Factor[task]
	}
	return ns, true
}

// timing says how long tasks take: by models, in the run that they come from, or
// as the spec itself says, and what the spec changes of it.
func (s *Spec) timing(runs recordedRuns, e engine, m *platform.Machine, p program) (*timing, error) {
	t, err := s.newTable(runs, m, p)
	if err != nil {
		return nil, err
	}
	if p.factorization != nil {
		return s.timingOfTasks(e, m, p, t)
	}
	return s.timingOfClasses(e, p, t)
}

// timingOfClasses is that of programs whose tasks take what their class takes,
// or differ from it by a factor.
func (s *Spec) timingOfClasses(e engine, p program, t *table) (*timing, error) {
	out := &timing{each: p.graph.Duration, factor: p.graph.Factor}
	t.fromModels()
	if p.recorded != nil {
		out.each = nil
		if t.models == nil && !timeless(p.recorded.run) {
			var err error
			if out.factor, err = t.fromRun(p.recorded); err != nil {
				return nil, err
			}
		}
		if s.Models.Run != "" && s.again && !timeless(p.recorded.run) { // another run knows more; what it lacks, this one has
			t.fill(t.means(p.recorded, t.g.Tasks()-len(p.recorded.rows)))
		}
	}
	if err := t.fromSpec(); err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	out.sampled = t.sampled()
	if err := t.scale(); err != nil {
		return nil, err
	}
	t.applyPaces()
	out.warnings = t.doubts()
	if err := t.onlyCPUs(); err != nil {
		return nil, err
	}
	if !e.plain { // which adds it itself
		if err := t.addOverhead(); err != nil {
			return nil, err
		}
	}
	out.byClass = t.ns
	var err error
	if out.onlyDevices, err = s.onlyDevices(p.graph); err != nil {
		return nil, err
	}
	return out, t.checkLatest()
}

// table is how long classes of tasks take by type of worker while this is being
// found: steps of timing change ns, in their order, and nothing else.
type table struct {
	s      *Spec
	g      *workload.Graph
	types  []platform.Type
	models *perfmodel.Set // nil: none
	used   []bool         // classes that have tasks with work
	ns     starpu.Durations
}

// newTable is a table without durations, and the models that have them.
func (s *Spec) newTable(runs recordedRuns, m *platform.Machine, p program) (*table, error) {
	models, err := s.models(runs, p)
	if err != nil {
		return nil, s.wrap(err, "models")
	}
	t := &table{s: s, g: p.graph, types: m.Types(), models: models, used: used(p.graph), ns: make(starpu.Durations, len(p.graph.Classes))}
	all := make([]float64, len(t.ns)*len(t.types))
	for c := range t.ns {
		t.ns[c] = all[c*len(t.types):][:len(t.types):len(t.types)]
	}
	return t, nil
}

// fromModels fills in what models, or the classes themselves, say.
func (t *table) fromModels() {
	for c := range t.ns {
		for k, on := range t.types {
			t.ns[c][k] = t.duration(&t.g.Classes[c], on)
		}
	}
}

// used marks the classes that have tasks with work.
func used(g *workload.Graph) []bool {
	used := make([]bool, len(g.Classes))
	for i, c := range g.Class {
		used[c] = used[c] || g.HasWork(i)
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

// fromSpec takes over the durations that the spec itself has.
func (t *table) fromSpec() error {
	for _, kind := range slices.Sorted(maps.Keys(t.s.Models.Durations)) {
		by := t.s.Models.Durations[kind]
		classes, err := classesOf(t.g, kind)
		if err != nil {
			return t.s.wrap(err, "models", "durations", kind)
		}
		for _, c := range classes {
			for k, on := range t.types {
				t.ns[c][k] = float64(by.on(on.Arch))
			}
		}
	}
	return nil
}

// check reports classes whose duration is known of no worker.
func (t *table) check() error {
	for c, row := range t.ns {
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

// reasons say why models have no duration of a class: what they lack on workers
// for which there are models of its kind, on all if there are none.
func (t *table) reasons(c *workload.Class) (all []string) {
	types := slices.DeleteFunc(slices.Clone(t.types), func(on platform.Type) bool { return !t.models.Has(c.Kind, on) })
	if len(types) == 0 {
		types = t.types
	}
	for _, on := range types {
		if why := t.models.Explain(task(c), on); !slices.Contains(all, why) {
			all = append(all, why)
		}
	}
	return all
}

// doubts are what is not to be trusted of the durations that models have.
func (t *table) doubts() (all []string) {
	for c := range t.ns {
		for k, on := range t.types {
			if t.models == nil || !t.used[c] || t.ns[c][k] == 0 || t.s.fixed(&t.g.Classes[c]) {
				continue
			}
			if doubt := t.models.Explain(task(&t.g.Classes[c]), on); doubt != "" && !slices.Contains(all, doubt) {
				all = append(all, doubt)
			}
		}
	}
	return all
}

// fixed reports whether the spec itself, or the graph, says how long a class takes.
func (s *Spec) fixed(c *workload.Class) bool {
	for kind := range s.Models.Durations {
		if strings.EqualFold(kind, c.Kind) {
			return true
		}
	}
	return c.Duration > 0
}
