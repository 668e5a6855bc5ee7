package spec

import (
	"strconv"

	"dagscope/predict/starpu"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// exactOptions are those of the exact engine.
func (s *Spec) exactOptions(p program, g *workload.Graph, t *timing) (starpu.Options, error) {
	o := starpu.DefaultOptions()
	o.Costs = s.Costs.of()
	if prefetch := s.Options.Prefetch; prefetch != nil {
		o.Prefetch = *prefetch
	}
	if pipeline := s.Options.Pipeline; pipeline != nil {
		if o.Pipeline = *pipeline; *pipeline < 0 || *pipeline > starpu.MaxPipeline {
			return o, s.errorf(at("options", "pipeline"), "found a pipeline of %d tasks, want 0 to %d", *pipeline, starpu.MaxPipeline)
		}
	}
	if s.Options.MemoryLimit != 0 {
		return o, s.errorf(at("options", "memory_limit"), "found a memory limit for %s on the exact engine, want engine: plain; gpu_memory and ram_memory limit memories", g.Name)
	}
	o.Seed = s.Seed
	if !p.distributed {
		o.Before += s.splits() * int(o.Costs.Submit+o.Costs.Push) / 1000
	}
	o.Before += p.recorded.before()
	err := s.Options.MPI.of(&o.MPI)
	if err != nil {
		return o, s.wrap(err, "options", "mpi")
	}
	o.OnlyDevices = t.onlyDevices
	s.phases(p, g, &o)
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

// before is how long a run's program prepared, in µs: as simulated, or from the
// first task of the runtime's own, which split data up, to the first of the
// program.
func (from *recording) before() int {
	const limit = 10_000 // nothing but ties depends on it
	if from == nil {
		return 0
	}
	us, err := strconv.Atoi(from.run.Meta.Environment[EnvBefore])
	if err != nil {
		us = from.preparation()
	}
	if us < 0 || us > limit {
		return 0
	}
	return us
}

func (from *recording) preparation() int {
	t := &from.run.Task
	first := t.Submit[from.rows[0]]
	for row, at := range t.Submit[:from.rows[0]] {
		if t.Internal[row] && at != trace.NoTime && first != trace.NoTime {
			return int((first - at) / 1000)
		}
	}
	return 0
}

// decisions are what the simulator records, nil for none.
func (s *Spec) decisions(g *workload.Graph) (*starpu.Decisions, error) {
	d := &s.Options.Decisions
	if !d.On {
		return nil, nil
	}
	out := &starpu.Decisions{Tasks: d.Tasks, From: int64(d.From), To: int64(d.To)}
	if d.To != 0 && d.To <= d.From {
		return nil, s.errorf(at("options", "decisions", "to"), "found decisions from %v to %v, want a time that ends after it begins", d.From, d.To)
	}
	for _, kind := range d.Kinds {
		classes, err := classesOf(g, kind)
		if err != nil {
			return nil, s.wrap(err, "options", "decisions", "kinds")
		}
		for _, c := range classes {
			out.Kinds = append(out.Kinds, g.Classes[c].Kind)
		}
	}
	return out, nil
}
