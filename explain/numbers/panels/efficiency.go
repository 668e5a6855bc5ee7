package panels

import (
	"errors"
	"fmt"
	"math"

	"dagscope/explain/efficiency"
	"dagscope/explain/numbers"
	"dagscope/trace"
)

var efficiencyNumbers = []Numbers{{
	ID: "efficiency", Title: "Efficiencies",
	Doc: "How well the workers were used, as factors that multiply up: parallel efficiency = distribution × allocation × load " +
		"balance × communication efficiency (docs/report.md, Efficiencies). A row for the run, for each node, for each " +
		"architecture on a node and for each worker; on each level the definition is the same, applied to its own workers and what they " +
		"did. Where ranks have MPI states, a row for MPI, one for what happens inside of ranks, and one for each rank.",
	Needs: []string{"task.start"},
	Reads: Joined(efficiency.Needs, efficiency.StateNeeds),
	Takes: taking("count-generation"),
	Columns: []numbers.Column{{Name: "level", Doc: "run, node, type (an architecture on a node), worker, mpi, openmp (inside of ranks) or rank"}, nodeColumn,
		{Name: "arch", Doc: "architecture of types and workers"}, {Name: "worker", Doc: "name of the worker as traced; of ranks, the thread that is longest in MPI"},
		{Name: "workers", Doc: "how many; of mpi, ranks"},
		{Name: "useful", Unit: "ns", Doc: "time in tasks, less that in MPI calls, for locks and off the processor where recorded; of all workers. Of mpi and ranks: time outside of MPI"},
		{Name: "longest", Unit: "ns", Doc: "useful time of one worker (rank), the largest"},
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
	t := new(efficiencyTable)
	for _, of := range []struct {
		level string
		parts []efficiency.Part
	}{{"run", []efficiency.Part{r.Run}}, {"node", r.Nodes}, {"type", r.Types}, {"worker", r.Workers}} {
		for _, p := range of.parts {
			t.Add(of.level, p.Node, p.Arch, p.Worker, p.Count, p.Useful, p.Longest,
				[7]float64{p.Load, p.ABE, p.Parallel(), p.Distribution(), p.Allocation(), p.LoadBalance(), p.Communication()})
		}
	}
	t.addMPI(r)
	columns := []any{&t.level, Each(t.node, rank), entries(&run.Resource.Arch, t.arch), pick(&run.Resource.Name, t.worker), t.workers, t.useful, t.longest}
	for i := range t.real {
		columns = append(columns, t.real[i])
	}
	return columns, nil
}

// efficiencyTable is the table in the making.
type efficiencyTable struct {
	level                       trace.Strings
	node, arch, worker, workers []int32
	useful, longest             []int64
	real                        [7][]float64 // load and after
}

func (t *efficiencyTable) Add(level string, node, arch, worker int32, workers int, useful, longest int64, real [7]float64) {
	t.level.Append(level)
	t.node, t.arch, t.worker, t.workers = append(t.node, node), append(t.arch, arch), append(t.worker, worker), append(t.workers, int32(workers))
	t.useful, t.longest = append(t.useful, useful), append(t.longest, longest)
	for i, v := range real {
		t.real[i] = append(t.real[i], v)
	}
}

// addMPI adds what MPI and the inside of ranks each make of the run.
func (t *efficiencyTable) addMPI(r *efficiency.Result) {
	if r.MPI == nil {
		return
	}
	none, sum, longest := math.NaN(), int64(0), int64(0)
	for _, k := range r.MPI.Ranks {
		sum, longest = sum+k.Outside, max(longest, k.Outside)
	}
	all := trace.None
	t.Add("mpi", all, all, all, len(r.MPI.Ranks), sum, longest,
		[7]float64{none, none, r.MPI.Parallel(), none, none, r.MPI.LoadBalance(), r.MPI.Communication()})
	parallel, balance, communication := r.OpenMP()
	t.Add("openmp", all, all, all, r.Run.Count, r.Run.Useful, r.Run.Longest, [7]float64{none, none, parallel, none, none, balance, communication})
	for _, k := range r.MPI.Ranks {
		t.Add("rank", k.Node, all, k.Resource, 1, k.Outside, k.Outside, [7]float64{none, none, none, none, none, none, none})
	}
}
