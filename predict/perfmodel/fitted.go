package perfmodel

import (
	"dagscope/explain/kind"
	"dagscope/internal/parallel"
	"dagscope/predict/platform"
	"dagscope/trace"
)

// fittedBlock is the number of tasks that one goroutine looks at in one go.
const fittedBlock = 1 << 14

// Fitted is what the models expect of each task of a run that ran, by row of
// run.Task, ns; 0 for others, and where no model tells.
func (s *Set) Fitted(run *trace.Run) []float64 {
	c := newColumns(run)
	types := c.types()
	out := make([]float64, len(run.Task.Start))
	counts := kind.Options{Generation: true}
	parallel.For((len(out)+fittedBlock-1)/fittedBlock, func(block int) {
		for i := block * fittedBlock; i < min((block+1)*fittedBlock, len(out)); i++ {
			if !counts.Counts(&run.Task, i) {
				continue
			}
			t := c.task(i)
			if ns, ok := s.Duration(t, types[run.Task.Worker[i]]); ok {
				out[i] = ns
			}
		}
	})
	return out
}

// types are what durations on each resource depend on.
func (c *columns) types() []platform.Type {
	types := make([]platform.Type, len(c.device))
	for w := range types {
		types[w].Arch = ArchOf(c.run.Resource.Arch.At(w))
		if types[w].Arch != platform.CPU {
			types[w].Device = c.device[w]
		}
	}
	return types
}

// task is what the run knows of a task.
func (c *columns) task(i int) Task {
	t := &c.run.Task
	task := Task{Kind: t.Kind.At(i), Footprint: at(t.Footprint, i), Bytes: at(t.Bytes, i), GFlop: at(t.GFlop, i)}
	if i < t.Parameters.Len() && t.Parameters.Index[i] >= 0 {
		layout := t.Parameters.Index[i]
		task.Parameters, task.Names = c.parameters[layout], c.names[layout]
		if len(t.Footprint) == 0 {
			task.Footprint = c.footprint[layout]
		}
	}
	return task
}
