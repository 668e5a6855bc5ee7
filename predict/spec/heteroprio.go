package spec

import (
	"strings"

	"dagscope/internal/regular"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
)

// heteroprioMemory is what StarPU's heteroprio has left of earlier runs of the
// program: what the spec names, else what the simulated run that is repeated had;
// nil for none.
func (s *Spec) heteroprioMemory(e engine, p program, g *workload.Graph) (*policy.Memory, error) {
	name := s.Options.HeteroprioMemory
	if name == "" {
		if e.plain || e.scheduler != "heteroprio" {
			return nil, nil
		}
		return keptMemory(p.recorded)
	}
	at := at("options", "heteroprio_memory")
	if e.plain || e.scheduler != "heteroprio" {
		return nil, s.errorf(at, "found a memory of heteroprio for scheduler %s, want scheduler: heteroprio on the exact engine", e.scheduler)
	}
	path := s.path(name)
	text, err := regular.Read(path, regular.Text)
	if err != nil {
		return nil, s.errorf(at, "read %s: %w", path, err)
	}
	m, err := policy.ParseMemory(path, text, s.kindsOfModels(p, g))
	if err != nil {
		return nil, s.errorf(at, "%w", err)
	}
	return m, nil
}

// kindsOfModels finds the kind of tasks that have a performance model of a name;
// StarPU cuts such names. The kind of an unknown name is the name.
func (s *Spec) kindsOfModels(p program, g *workload.Graph) func(name string) string {
	const longest = 32 // bytes (CODELET_MAX_NAME_LENGTH)
	names := s.modelNames(p.recorded, g)
	for kind, symbol := range s.Models.Symbols {
		names[kind] = symbol
	}
	return func(name string) string {
		for _, c := range g.Classes {
			symbol := names[c.Kind]
			for kind, own := range names {
				if strings.EqualFold(kind, c.Kind) {
					symbol = own
				}
			}
			if symbol != "" && symbol[:min(len(symbol), longest)] == name || strings.EqualFold(c.Kind, name) {
				return c.Kind
			}
		}
		return name
	}
}
