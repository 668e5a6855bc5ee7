package selection

import (
	"slices"

	"dagscope/analysis/kind"
	"dagscope/analysis/lane"
	"dagscope/interval"
	"dagscope/trace"
)

// inputs are the tasks that generate the input: they count for nothing, but
// while they run their workers are not idle.
type inputs struct {
	run   *trace.Run
	lanes *lane.Lanes // nil in a run without
}

func newInputs(run *trace.Run, all *lane.Lanes) inputs {
	generates := func(i int) bool {
		return run.Task.Generation[i] && kind.Options{Generation: true}.Counts(&run.Task, i)
	}
	for i := range run.Task.Generation {
		if generates(i) {
			return inputs{run, lane.Select(run, all, generates)}
		}
	}
	return inputs{run: run}
}

// of is when a worker ran one.
func (in *inputs) of(worker int32) (spans interval.Spans) {
	if in.lanes == nil {
		return spans
	}
	for p, end := in.lanes.Of(worker); p < end; p++ {
		spans.Add(in.lanes.Start[p], in.lanes.End[p])
	}
	return interval.Union(spans)
}

// inputKinds are the kinds of those that touch an area, by name.
func (x *Index) inputKinds(c *chosen) []string {
	names := []string{}
	if x.inputs.lanes == nil {
		return names
	}
	l, met := x.inputs.lanes, make([]bool, 1+len(x.run.Task.Kind.Dict))
	for _, w := range c.workers {
		for p, end := l.Of(w); p < end; p++ {
			if l.Start[p] < c.to && l.End[p] > c.from {
				met[x.run.Task.Kind.Index[l.Task[p]]+1] = true
			}
		}
	}
	for k, is := range met {
		if is {
			names = append(names, x.kindName(int32(k)-1))
		}
	}
	slices.Sort(names)
	return names
}

// findExtent finds from when to when workers ran anything of the application:
// from zero at the latest.
func (x *Index) findExtent() {
	for _, l := range []*lane.Lanes{x.lanes, x.inputs.lanes} {
		if l == nil {
			continue
		}
		for p := range l.Task {
			x.from, x.to = min(x.from, l.Start[p]), max(x.to, l.End[p])
		}
	}
}
