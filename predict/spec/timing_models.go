package spec

import (
	"maps"
	"slices"
	"strings"

	"dagscope/predict/perfmodel"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// symbols are the names of StarPU's models by kind of workload, of those of its
// programs that the simulator knows.
var symbols = map[string]string{"cholesky": "chol_model_", "lu": "starpu_slu_lu_model_", "gemm": "starpu_sgemm_"}

// models are those of tasks, nil if durations are known without.
func (s *Spec) models(runs recordedRuns, p program) (*perfmodel.Set, error) {
	m, g, from := &s.Models, p.graph, p.recorded
	switch {
	case m.File != "":
		return kindsOf(g)(perfmodel.ReadYAML(s.path(m.File)))
	case runs.models != nil:
		return kindsOf(g)(perfmodel.FitModels([]*trace.Run{runs.models}, perfmodel.FitOptions{ByDevice: true}))
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

// needed reports whether durations of some tasks are not known.
func needed(g *workload.Graph) bool {
	return slices.ContainsFunc(g.Classes, func(c workload.Class) bool { return c.Duration == 0 && !c.Generation })
}

// starPUModels reads StarPU's models, of the host of the machine unless the
// spec says otherwise.
func (s *Spec) starPUModels(g *workload.Graph, from *recording) (*perfmodel.Set, error) {
	m := s.Models
	if m.StarPU == "" {
		m.StarPU = s.Platform.StarPU
	}
	if m.Host == "" {
		m.Host = s.Platform.Host
	}
	names := make(map[string]string)
	if m.Symbols == nil {
		names = s.modelNames(from, g)
	}
	formulas := make(map[string]string)
	for _, given := range []struct{ from, to map[string]string }{{m.Symbols, names}, {m.Formulas, formulas}} {
		for _, kind := range slices.Sorted(maps.Keys(given.from)) {
			classes, err := classesOf(g, kind)
			if err != nil {
				return nil, err
			}
			given.to[g.Classes[classes[0]].Kind] = given.from[kind]
		}
	}
	return perfmodel.ReadStarPU(s.path(m.StarPU), m.Host, names, perfmodel.StarPUOptions{Formulas: formulas})
}

// modelNames are the names of StarPU's models by kind, as far as they are known
// without the spec.
func (s *Spec) modelNames(from *recording, g *workload.Graph) map[string]string {
	names := make(map[string]string)
	for _, c := range g.Classes {
		if prefix, ok := symbols[s.Workload.Kind]; ok && c.Duration == 0 && !c.Generation {
			names[c.Kind] = prefix + strings.ToLower(c.Kind)
		}
	}
	from.symbols(names)
	return names
}

// symbols are the names of the models that the tasks of a run had.
func (from *recording) symbols(names map[string]string) {
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
