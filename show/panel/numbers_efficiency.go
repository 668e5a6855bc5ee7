package panel

import (
	"errors"
	"fmt"

	"dagscope/explain/efficiency"
	"dagscope/explain/numbers"
	"dagscope/trace"
)

var efficiencyNumbers = []Numbers{{
	ID: "efficiency", Title: "Efficiencies",
	Doc: "How well the workers were used, as factors that multiply up: parallel efficiency = distribution × allocation × load " +
		"balance × communication efficiency (docs/report.md, Efficiencies). A row for the run, for each node, for each " +
		"architecture on a node and for each worker; on each level the definition is the same, applied to its own workers and what they did.",
	Needs: []string{"task.start"},
	Reads: joined(efficiency.Needs, efficiency.StateNeeds),
	Takes: taking("count-generation"),
	Columns: []numbers.Column{{Name: "level", Doc: "run, node, type (an architecture on a node) or worker"}, nodeColumn,
		{Name: "arch", Doc: "architecture of types and workers"}, {Name: "worker", Doc: "name of the worker as traced"},
		{Name: "workers", Doc: "how many"},
		{Name: "useful", Unit: "ns", Doc: "time in tasks, less that in MPI calls, for locks and off the processor where recorded; of all workers"},
		{Name: "longest", Unit: "ns", Doc: "useful time of one worker, the largest"},
		{Name: "load", Unit: "ns", Doc: "tasks × mean useful time of their kind and architecture in the run, per worker; the largest of the types"},
		{Name: "abe", Unit: "ns", Doc: "area bound of the tasks that ran there, with the same means"},
		{Name: "parallel_efficiency", Doc: "area bound over the makespan"},
		{Name: "distribution", Doc: "area bound over the largest one of a node"},
		{Name: "allocation", Doc: "that over the largest load"},
		{Name: "load_balance", Doc: "that over the longest useful time; above 1 where tasks were faster than their mean"},
		{Name: "communication_efficiency", Doc: "that over the makespan"}},
	Compute: computeEfficiency,
}}

func computeEfficiency(run *trace.Run, s *Settings) ([]any, error) {
	r, err := efficiency.Compute(run, efficiency.Options{Generation: s.Generation})
	switch {
	case errors.Is(err, efficiency.ErrNothing), err == nil && r.Run.Longest == 0:
		return nil, &Missing{"no task ran on a known worker"}
	case err != nil:
		return nil, fmt.Errorf("compute efficiencies: %w", err)
	}
	var level trace.Strings
	var all []efficiency.Part
	for _, of := range []struct {
		name  string
		parts []efficiency.Part
	}{{"run", []efficiency.Part{r.Run}}, {"node", r.Nodes}, {"type", r.Types}, {"worker", r.Workers}} {
		for range of.parts {
			level.Append(of.name)
		}
		all = append(all, of.parts...)
	}
	whole := func(f func(p *efficiency.Part) int64) []int64 {
		return each(all, func(p efficiency.Part) int64 { return f(&p) })
	}
	real := func(f func(p *efficiency.Part) float64) []float64 {
		return each(all, func(p efficiency.Part) float64 { return f(&p) })
	}
	return []any{
		&level, each(all, func(p efficiency.Part) int32 { return rank(p.Node) }),
		entries(&run.Resource.Arch, each(all, func(p efficiency.Part) int32 { return p.Arch })),
		pick(&run.Resource.Name, each(all, func(p efficiency.Part) int32 { return p.Worker })),
		each(all, func(p efficiency.Part) int32 { return int32(p.Count) }),
		whole(func(p *efficiency.Part) int64 { return p.Useful }), whole(func(p *efficiency.Part) int64 { return p.Longest }),
		real(func(p *efficiency.Part) float64 { return p.Load }), real(func(p *efficiency.Part) float64 { return p.ABE }),
		real((*efficiency.Part).Parallel), real((*efficiency.Part).Distribution), real((*efficiency.Part).Allocation),
		real((*efficiency.Part).LoadBalance), real((*efficiency.Part).Communication),
	}, nil
}
